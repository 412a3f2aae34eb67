/**
 * Bare clones of the forge's repositories, one folder each, named by the repository's id. Only the default branch is
 * fetched. A clone that can't be repaired is created again.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFolder } from '../../database/create-folder.ts'
import { findOtherOwner } from '../../database/data-directory.ts'
import { OperatorError } from '../../errors.ts'
import { GitError, runGit } from '../git/git-process.ts'
import { type ForgeClient, ForgeError } from './client.ts'
import { FetchError, isForgeHost, runNetworkGit } from './network-git.ts'
import { maxPauses, Pauses } from './pauses.ts'

/** The default branch, and its newest commit. */
export interface Head {
  branch: string
  hash: string
}

export interface CloneFolderOptions {
  directory: string
  /** Has the tokens, which authorize git at the API's host alone. */
  client: Pick<ForgeClient, 'token' | 'refuse'>
  apiUrl: string
  signal?: AbortSignal | undefined
  /** Called before a pause that the forge asks for, with its cause. */
  onWait?: ((reason: string, waitMs: number) => void) | undefined
  /** Default: a minute. Each one in a row takes twice as long. */
  firstPauseSeconds?: number | undefined
}

/** The clones of a folder. */
export interface CloneFolder {
  pathOf(id: number): string
  /** Reads where a clone is. Undefined: there is none, or it is damaged. Throws `GitError` if it is another user's. */
  readHead(id: number): Promise<Head | undefined>
  /**
   * Fetches what is new. Throws `FetchError` with the reason, `GitError` if the clone can't be written, and
   * `ForgeError` if the forge refuses all tokens, or all fetches however long they wait.
   */
  fetch(id: number, url: string, branch: string): Promise<void>
  /** Lists the ids of all clones. */
  list(): Promise<number[]>
  delete(id: number): Promise<void>
  /** Reads a clone. If it is damaged, creates it again, and reads that. Throws as `fetch` and `read` do. */
  readOrRenew<Result>(id: number, url: string, branch: string, read: () => Promise<Result>): Promise<Result>
}

const maxAttempts = 5
const firstRetryMs = 1_000

/** The forge or a proxy redirects: that will not be different a moment later. */
const redirect = /redirect|returned error: 3\d\d/i

/** A branch of the clone is in the way of the new default branch, such as `dev` of `dev/main`. */
const blockedBranch = /cannot lock ref|local refs could not be updated/

/** The forge asks for a pause. git doesn't show how long. */
const limit = /returned error: 429\b/

/** The forge refuses the token. It says 404 to a good token that may not see the repository. */
const refusalOfToken = /could not read Username|Authentication failed/

/**
 * Opens the folder of the clones, which is created if it doesn't exist. Other users can't read it. Throws
 * `OperatorError` if root uses a user's folder: that user couldn't use what root adds.
 */
export async function openCloneFolder(options: CloneFolderOptions): Promise<CloneFolder> {
  const { directory } = options
  const pauses = new Pauses(options.firstPauseSeconds)
  createFolder(directory, { mode: 0o700 })
  const { owner, own } = findOtherOwner(directory) ?? {}
  if (own === 0) {
    throw new OperatorError(
      `The clones in ${directory} belong to the user ${owner}, who can't use what root adds; run the import as that user ` +
        `(sudo -u '#${owner}'), or name another folder with --clones`,
    )
  }
  const folder: CloneFolder = {
    pathOf: (id) => join(directory, `${id}.git`),
    readHead: (id) => readHead(folder.pathOf(id)),
    list: async () =>
      (await readdir(directory)).flatMap((name) => {
        const id = /^(\d{1,15})\.git$/.exec(name)?.[1]
        return id === undefined ? [] : [Number(id)]
      }),
    delete: (id) => rm(folder.pathOf(id), { recursive: true, force: true }),
    fetch: (id, url, branch) => fetchClone(folder.pathOf(id), url, branch, options, pauses),
    async readOrRenew(id, url, branch, read) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof GitError && error.isDamage)) throw error
        await folder.delete(id)
        await folder.fetch(id, url, branch)
        return await read()
      }
    },
  }
  return folder
}

async function readHead(path: string): Promise<Head | undefined> {
  assertOwn(path)
  const branch = await readBranch(path)
  if (branch === undefined) return undefined
  try {
    // Without --git-dir, git looks for a repository in the folders above a broken clone.
    const hash = await runGit(path, ['--git-dir=.', 'rev-parse', '--verify', 'HEAD^{commit}'])
    return { branch, hash: hash.trim() }
  } catch (error) {
    if (error instanceof GitError) return undefined // there is no clone yet, or a broken one
    throw error
  }
}

/** Reads the branch that a clone's HEAD names. Returns undefined if there is no clone. */
async function readBranch(path: string): Promise<string | undefined> {
  const head = await readFile(join(path, 'HEAD'), 'utf8').catch(() => '')
  return /^ref: refs\/heads\/(.*)\n$/.exec(head)?.[1]
}

/** Fetches a branch, and tries again after an error that passes. */
async function fetchClone(
  path: string,
  url: string,
  branch: string,
  options: CloneFolderOptions,
  pauses: Pauses,
): Promise<void> {
  let paused = 0
  for (let attempt = 1; ; attempt++) {
    await wait(pauses.untilMs - Date.now(), options)
    const { token } = options.client
    try {
      await fetchOnce(path, url, branch, options, token)
      pauses.count = 0
      return
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!(error instanceof GitError)) throw error
      const { message } = error
      if (limit.test(message)) {
        // Others are fetched: the limit is that of this repository.
        if (++paused > maxPauses && pauses.count < maxPauses) throw error
        pause(pauses, options)
        attempt--
        continue
      }
      if (refusalOfToken.test(message) && isForgeHost(url, options.apiUrl)) {
        options.client.refuse(token)
        attempt--
        continue
      }
      if (
        (error instanceof FetchError && error.isRefusal) ||
        redirect.test(message) ||
        attempt === maxAttempts
      )
        throw error
      // A clone that was damaged, for example by a crash of the machine, is created again.
      if (attempt === 2 && (blockedBranch.test(message) || (await isDamaged(path)))) {
        await rm(path, { recursive: true, force: true })
      }
      await wait(firstRetryMs * 2 ** (attempt - 1) * (0.5 + Math.random()), options)
    }
  }
}

async function wait(waitMs: number, { signal }: CloneFolderOptions): Promise<void> {
  if (waitMs > 0) await sleep(waitMs, undefined, signal === undefined ? {} : { signal })
}

/** Lets all fetches wait. Throws `ForgeError` if the last pauses haven't helped. */
function pause(pauses: Pauses, { onWait }: CloneFolderOptions): void {
  const { count } = pauses
  pauses.begin(undefined)
  if (pauses.count > maxPauses) {
    throw new ForgeError(
      `The forge still refuses fetches (429) after ${maxPauses} pauses. Run the import again; it continues where it stopped`,
    )
  }
  if (pauses.count > count)
    onWait?.('Waiting until the forge takes more fetches', pauses.untilMs - Date.now())
}

async function fetchOnce(
  path: string,
  url: string,
  branch: string,
  options: CloneFolderOptions,
  token: string,
): Promise<void> {
  const reference = `refs/heads/${branch}`
  await mkdir(path, { recursive: true })
  // If the clone exists, this repairs its configuration.
  await runGit(path, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`])
  await removeRemains(path)
  const args = ['fetch', '--quiet', '--no-tags', '--prune', '--', url, `+${reference}:${reference}`]
  await runNetworkGit(path, args, url, { ...options, token })
  await runGit(path, ['--git-dir=.', 'symbolic-ref', 'HEAD', reference])
}

/**
 * Throws `GitError` if the clone is another user's: git would run what its settings and hooks name. git checks that
 * itself only where it searches for the repository, and no setting of ours may turn that off.
 */
function assertOwn(path: string): void {
  const found = findOtherOwner(path)
  if (found === undefined) return
  throw new GitError(
    `the clone belongs to another user; run the import as that user, or give this one all clones: sudo chown -R ${found.own} ${dirname(path)}`,
  )
}

/** Whether a clone lacks commits or files. Takes as long as git needs to look at all of them. */
async function isDamaged(path: string): Promise<boolean> {
  const check = runGit(path, ['--git-dir=.', 'rev-list', '--quiet', '--objects', '--all'])
  return await check.then(
    () => false,
    () => true,
  )
}

/** Removes what a git that was killed has left: locks, and packs that are not complete. */
async function removeRemains(path: string): Promise<void> {
  const files = await readdir(path, { recursive: true })
  const remains = files.filter((file) => /\.lock$|^objects[\\/](?:.*[\\/])?tmp_[^\\/]*$/.test(file))
  for (const file of remains) await rm(join(path, file), { force: true, recursive: true })
}
