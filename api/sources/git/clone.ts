/**
 * Opens a clone. Checks it before its history is read, so that a problem with it is reported first, with what to do.
 */
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isDate } from '../../staging/records.ts'
import { findBranch, findCommit, findDefault } from './branch.ts'
import { GitError, readLines } from './git-process.ts'

/** A readable clone, and where reading begins. All reads of it see the same history, even while the clone changes. */
export interface Clone {
  /** Absolute path. */
  directory: string
  /** Full hash of the branch's newest commit. */
  head: string
  /** The branch that is read; null for a detached HEAD. */
  branch: string | null
}

/**
 * Opens a complete repository: a work tree's top folder, its `.git`, or a bare clone. `branch` is one of the origin, or
 * else of the clone; without it, the default branch is read.
 *
 * A shallow clone is refused, because all of its dependencies would seem to begin at its first commit.
 *
 * @throws {GitError} when the path is missing, not a repository, a folder inside one, shallow or empty, when it lacks
 * the
 *   branch, and when git refuses it
 */
export async function openClone(path: string, branch?: string): Promise<Clone> {
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
    throw new GitError(
      `${directory} is a folder inside the repository ${top}; use the folder of the repository`,
    )
  }
  if (shallow === 'true') {
    throw new GitError(
      `${directory} is a shallow clone, so its history is incomplete; run "git fetch --unshallow" in it first`,
    )
  }
  const start = branch === undefined ? await findDefault(directory) : await findBranch(directory, branch)
  return { directory, head: await findCommit(directory, start), branch: start.branch }
}

/** How deep a folder of clones is searched: `NAME`, or `OWNER/NAME`. */
const maxDepth = 2

/**
 * Finds clones. A folder that is not a repository is replaced by the repositories in it and in its folders, in the
 * order of their names. Symbolic links in it are not followed. A path without any stays, and {@link openClone} says
 * what is wrong.
 */
export async function findClones(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const path of paths.map((path) => resolve(path))) {
    const clones = await searchFolder(path, maxDepth)
    for (const clone of clones.length > 0 ? clones : [path]) found.add(clone)
  }
  return [...found]
}

async function searchFolder(path: string, depth: number): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [] // of a path that was given, openClone says why
  const names = entries.map(({ name }) => name).sort()
  if (names.includes('.git') || ['HEAD', 'objects', 'refs'].every((name) => names.includes(name)))
    return [path]
  if (depth === 0) return []
  const folders = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name))
  const clones: string[] = []
  for (const name of names)
    if (folders.has(name)) clones.push(...(await searchFolder(join(path, name), depth - 1)))
  return clones
}

/**
 * Reads when the history begins and ends: the committer dates, in Unix seconds, of the mainline's first commit and of
 * the branch's newest. Merged histories may be older than the repository, so they don't count. A date is null when git
 * can't read it.
 *
 * @throws {GitError} when git fails
 */
export async function readDates({
  directory,
  head,
}: Clone): Promise<{ first: number | null; last: number | null }> {
  const [last = ''] = await readLines(directory, ['log', '-1', '--format=%ct', head, '--'])
  const roots = ['log', '--first-parent', '--max-parents=0', '--format=%ct', head, '--']
  const [first = ''] = await readLines(directory, roots)
  return { first: parseDate(first), last: parseDate(last) }
}

/** Parses Unix seconds as git prints them; null for a date that git can't read, or that clients can't represent. */
export function parseDate(text: string): number | null {
  const seconds = Number(text)
  return text !== '' && isDate(seconds) ? seconds : null
}
