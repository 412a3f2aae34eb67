/**
 * Checks a clone before its history is read, so that a problem with it is reported first, with what to do.
 *
 * @module
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDate } from '../records.ts'
import { describeDamage, GitError, runGit } from './git-process.ts'

/** Where to begin reading. With the same `head`, all reads see the same history while the clone changes. */
export interface HistoryOptions {
  /** A full commit hash, such as {@link RepositoryDescription.headCommit}, instead of a branch. */
  head?: string
  /** A branch of the origin, or else of the clone. Default: the default branch. */
  branch?: string
}

/** A readable clone, and the commit to begin at. */
export interface OpenRepository {
  directory: string
  head: string
  /** The branch; null for a given commit, and for a detached HEAD. */
  branch: string | null
}

/** What a clone says about its repository. */
export interface RepositoryDescription {
  /** The branch; null for a detached HEAD. */
  branch: string | null
  /** Full hash of the branch's newest commit. */
  headCommit: string
  /**
   * Committer date of the mainline's first commit, in Unix seconds; null when it is not readable. Merged histories may be
   * older than the repository, so they don't count.
   */
  firstCommitDate: number | null
  /** Committer date of the branch's newest commit, in Unix seconds; null when it is not readable. */
  lastCommitDate: number | null
}

/**
 * Opens a complete repository: a work tree's top folder, its `.git`, or a bare clone.
 *
 * A shallow clone is refused, because all of its dependencies would seem to begin at its first commit.
 *
 * @throws {GitError} when the path is missing, not a repository, a folder inside one, shallow or empty, and when git
 *   refuses it
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
    throw new GitError(`${directory} is a folder inside the repository ${top}; name the repository itself`)
  }
  if (shallow === 'true') {
    throw new GitError(
      `${directory} is a shallow clone, so its history is incomplete; run "git fetch --unshallow" in it first`,
    )
  }
  const { head, branch } = options
  if (head !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) {
    throw new GitError(`${head} is not a full commit hash`)
  }
  const from = head === undefined ? await findBranch(directory, branch) : { reference: head, name: null }
  return { directory, head: await findCommit(directory, from), branch: from.name }
}

/** Where reading begins, and the name of that branch; null if it isn't one. */
interface Start {
  reference: string
  name: string | null
}

/**
 * Finds the branch to read. The default is the origin's default branch, whatever is checked out, or HEAD in a bare clone, a
 * mirror, and a repository without an origin.
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
    [`refs/remotes/origin/${name}`]: `its origin/HEAD names the branch ${name}, which does not exist; run "git remote set-head origin --auto" in it, or add --branch`,
  }
  throw new GitError(
    `Nothing to read in ${directory}: ${reasons[reference] ?? `it has no commit ${reference}`}`,
  )
}

/** Runs a query with `--quiet`. Returns its line; undefined when git doesn't find what it asks for. */
async function runOptional(
  directory: string,
  [command = '', ...args]: string[],
): Promise<string | undefined> {
  try {
    const [line] = await readLines(directory, [command, '--quiet', ...args])
    return line ?? ''
  } catch (error) {
    // 1 means not found. Errors have 128.
    if (error instanceof GitError && error.exitCode === 1) return undefined
    throw error
  }
}

/**
 * Describes the repository by its history: the source of `created_at`, `pushed_at` and `default_branch`.
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
 * Counts the commits that `readCommits` yields, for a progress bar.
 *
 * @throws {GitError} as {@link openRepository}
 */
export async function countCommits(path: string, options: HistoryOptions = {}): Promise<number> {
  const { directory, head } = await openRepository(path, options)
  return Number(await runGit(directory, ['rev-list', '--count', head, '--']))
}

/** Parses Unix seconds as git prints them; null for a date that git can't read, or that clients can't represent. */
export function parseDate(text: string): number | null {
  const seconds = Number(text)
  return text !== '' && isDate(seconds) ? seconds : null
}

async function readLines(directory: string, args: readonly string[]): Promise<string[]> {
  const output = await runGit(directory, args)
  return output.replace(/\n$/, '').split('\n')
}
