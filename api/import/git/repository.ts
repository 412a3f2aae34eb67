/**
 * Finds out what a path is before its history is read, so that what is wrong with it is said at once and in
 * words that tell what to do.
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDate } from '../date.ts'
import { describeDamage, GitError, runGit } from './git-process.ts'

/** Where to begin reading; the same `head` for every read makes one picture of a clone that is moving. */
export interface HistoryOptions {
  /** A full commit hash, such as {@link RepositoryDescription.headCommit}; instead of a branch. */
  head?: string
  /** A branch of the origin, or else of the clone. The default branch when left out. */
  branch?: string
}

/** A clone that can be read, and the commit to begin at. */
export interface OpenRepository {
  directory: string
  head: string
  /** The branch that is read; null for a given commit, and for a detached HEAD. */
  branch: string | null
}

export interface RepositoryDescription {
  /** The branch that is read; null on a detached HEAD. */
  branch: string | null
  /** Full hash of the branch's newest commit. */
  headCommit: string
  /**
   * Unix seconds, committer date of the mainline's first commit. Histories that were merged in later may be
   * older than the repository. Null when that commit records no readable date.
   */
  firstCommitDate: number | null
  /** Unix seconds, committer date of the branch's newest commit. Null when it records no readable date. */
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
  const { head, branch } = options
  if (head !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) {
    throw new GitError(`${head} is not a full commit hash`)
  }
  const from = head === undefined ? await findBranch(directory, branch) : { reference: head, name: null }
  return { directory, head: await findCommit(directory, from), branch: from.name }
}

/** Where reading begins, and the branch that it is; null for none. */
interface Start {
  reference: string
  name: string | null
}

/**
 * The default branch is the origin's, not what happens to be checked out. A bare clone, a mirror, and a repository
 * without an origin have their own HEAD.
 */
async function findBranch(directory: string, branch: string | undefined): Promise<Start> {
  const ofOrigin = 'refs/remotes/origin/'
  const own = 'refs/heads/'
  if (branch !== undefined) {
    for (const reference of [`${ofOrigin}${branch}`, `${own}${branch}`]) {
      const found = await runOptional(directory, ['show-ref', '--verify', reference])
      if (found !== undefined) return { reference, name: branch }
    }
    throw new GitError(
      `${directory} has no branch ${branch}; run "git branch --all" there to list its branches`,
    )
  }
  const reference = await runOptional(directory, ['symbolic-ref', `${ofOrigin}HEAD`])
  if (reference !== undefined) return { reference, name: reference.replace(ofOrigin, '') }
  const head = await runOptional(directory, ['symbolic-ref', 'HEAD'])
  return { reference: 'HEAD', name: head?.replace(own, '') ?? null }
}

async function findCommit(directory: string, { reference, name }: Start): Promise<string> {
  const commit = await runOptional(directory, ['rev-parse', '--verify', `${reference}^{commit}`])
  if (commit !== undefined) return commit
  const hash = await runOptional(directory, ['rev-parse', '--verify', reference])
  if (hash !== undefined && name !== null) {
    throw new GitError(describeDamage(directory, `commit ${hash} is missing or corrupt`))
  }
  const reasons: Record<string, string> = {
    HEAD: 'it has no commits yet, or its HEAD names a branch that does not exist',
    [`refs/remotes/origin/${name}`]: `its origin/HEAD names the branch ${name}, which is not there: run "git remote set-head origin --auto" in it, or give --branch`,
  }
  throw new GitError(
    `nothing to read in ${directory}: ${reasons[reference] ?? `it has no commit ${reference}`}`,
  )
}

/** The line that a query of git prints; undefined when what it asks for is not there. */
async function runOptional(
  directory: string,
  [command = '', ...args]: string[],
): Promise<string | undefined> {
  try {
    const [line] = await readLines(directory, [command, '--quiet', ...args])
    return line ?? ''
  } catch (error) {
    // 1: it is not there. What else can go wrong ends with 128 and git's words.
    if (error instanceof GitError && error.exitCode === 1) return undefined
    throw error
  }
}

/**
 * What the history says about the repository itself: the source of its `created_at`, `pushed_at` and
 * `default_branch`.
 *
 * @throws {GitError} as {@link openRepository}
 */
export async function describeRepository(
  path: string,
  options: HistoryOptions = {},
): Promise<RepositoryDescription> {
  const { directory, head, branch } = await openRepository(path, options)
  const [lastDate] = await readLines(directory, ['log', '-1', '--format=%ct', head, '--'])
  const roots = ['log', '--first-parent', '--max-parents=0', '--format=%ct', head, '--']
  const [firstDate] = await readLines(directory, roots)
  return {
    branch,
    headCommit: head,
    firstCommitDate: parseDate(firstDate ?? ''),
    lastCommitDate: parseDate(lastDate ?? ''),
  }
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

/** Unix seconds as git prints them; null for a date that git could not read in the commit, or that no client can hold. */
export function parseDate(text: string): number | null {
  const seconds = Number(text)
  return text !== '' && isDate(seconds) ? seconds : null
}

async function readLines(directory: string, args: readonly string[]): Promise<string[]> {
  const output = await runGit(directory, args)
  return output.replace(/\n$/, '').split('\n')
}
