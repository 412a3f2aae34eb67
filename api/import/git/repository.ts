/**
 * Finds out what a path is before its history is read, so that what is wrong with it is said at once and in
 * words that tell what to do.
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { GitError, runGit } from './git-process.ts'

/** Where to begin reading; the same `head` for every read makes one picture of a clone that is moving. */
export interface HistoryOptions {
  /** A full commit hash, such as {@link RepositoryDescription.headCommit}. HEAD when left out. */
  head?: string
}

/** A clone that can be read, and the commit to begin at. */
export interface OpenRepository {
  directory: string
  head: string
}

export interface RepositoryDescription {
  /** As the clone's origin names it, otherwise the branch that HEAD is on; null on a detached HEAD. */
  defaultBranch: string | null
  /** Full hash of the commit that HEAD is at. */
  headCommit: string
  /**
   * Unix seconds, committer date of the mainline's first commit. Histories that were merged in later may be
   * older than the repository. Null when that commit records no readable date.
   */
  firstCommitDate: number | null
  /** Unix seconds, committer date of the commit that HEAD is at. Null when it records no readable date. */
  lastCommitDate: number | null
}

/**
 * Checks that a path can be read as a whole repository: a work tree's top folder, its `.git`, or a bare clone.
 *
 * A shallow clone is refused: everything that its first commit holds would seem to begin there, and wrong
 * dates look just like right ones.
 *
 * @throws {GitError} when the path is missing, no repository, a folder inside one, shallow or empty, and when
 *   git refuses it
 */
export async function openRepository(path: string, options: HistoryOptions = {}): Promise<OpenRepository> {
  const directory = resolve(path)
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined) throw new GitError(`${directory} does not exist`)
  if (!found.isDirectory()) throw new GitError(`${directory} is not a folder`)
  const [shallow, prefix] = await readLines(directory, [
    'rev-parse',
    '--is-shallow-repository',
    '--show-prefix',
  ])
  if (prefix !== undefined && prefix !== '') {
    const [top] = await readLines(directory, ['rev-parse', '--show-toplevel'])
    throw new GitError(`${directory} is a folder inside the repository ${top}: name the repository itself`)
  }
  if (shallow === 'true') {
    throw new GitError(
      `${directory} is a shallow clone, its history is incomplete: run "git fetch --unshallow" in it first`,
    )
  }
  return { directory, head: await findHead(directory, options.head) }
}

async function findHead(directory: string, head: string | undefined): Promise<string> {
  if (head !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) {
    throw new GitError(`${head} is not a full commit hash`)
  }
  try {
    const [commit] = await readLines(directory, [
      'rev-parse',
      '--verify',
      '--quiet',
      `${head ?? 'HEAD'}^{commit}`,
    ])
    return commit ?? ''
  } catch (error) {
    // 1: the name leads to no commit. What else can go wrong ends with 128 and git's words.
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error
    const reason =
      head === undefined
        ? 'it has no commits yet, or its HEAD names a branch that does not exist'
        : `it has no commit ${head}`
    throw new GitError(`nothing to read in ${directory}: ${reason}`, { cause: error })
  }
}

/**
 * What the history says about the repository itself: the source of its `created_at`, `pushed_at` and
 * `default_branch` (`service.md` §2.3).
 *
 * @throws {GitError} as {@link openRepository}
 */
export async function describeRepository(path: string): Promise<RepositoryDescription> {
  const { directory, head } = await openRepository(path)
  const [lastDate] = await readLines(directory, ['log', '-1', '--format=%ct', head, '--'])
  const roots = ['log', '--first-parent', '--max-parents=0', '--format=%ct', head, '--']
  const [firstDate] = await readLines(directory, roots)
  return {
    defaultBranch: await findDefaultBranch(directory),
    headCommit: head,
    firstCommitDate: parseDate(firstDate ?? ''),
    lastCommitDate: parseDate(lastDate ?? ''),
  }
}

/** A work tree may be on any branch; what its origin calls the default was written down when it was cloned. */
async function findDefaultBranch(directory: string): Promise<string | null> {
  const references = ['refs/remotes/origin/HEAD', 'HEAD']
  for (const reference of references) {
    try {
      const [target] = await readLines(directory, ['symbolic-ref', '--quiet', reference])
      const branch = target?.replace(/^refs\/(?:heads|remotes\/origin)\//, '')
      if (branch) return branch
    } catch (error) {
      // 1: not a symbolic reference. A missing origin and a detached HEAD are normal.
      if (!(error instanceof GitError) || error.exitCode !== 1) throw error
    }
  }
  return null
}

/**
 * How many commits {@link readCommits} will yield: what a progress bar needs. About as dear as `git rev-list`.
 *
 * @throws {GitError} as {@link openRepository}
 */
export async function countCommits(path: string, options: HistoryOptions = {}): Promise<number> {
  const { directory, head } = await openRepository(path, options)
  return Number(await runGit(directory, ['rev-list', '--count', head, '--']))
}

/** Unix seconds as git prints them; null for a date that git could not read in the commit. */
export function parseDate(text: string): number | null {
  const seconds = Number(text)
  return text !== '' && Number.isSafeInteger(seconds) ? seconds : null
}

async function readLines(directory: string, args: readonly string[]): Promise<string[]> {
  const output = await runGit(directory, args)
  return output.replace(/\n$/, '').split('\n')
}
