/**
 * Reads the commits of a clone with one `git log`, in constant memory.
 *
 * @module
 */
import type { CommitRecord } from '../records.ts'
import { type Clone, parseDate } from './clone.ts'
import { runGit, splitFields, streamGit } from './git-process.ts'

export type GitCommit = Omit<CommitRecord, 'repo_url'>

/**
 * Counts the commits that {@link readCommits} yields, for a progress bar.
 *
 * @throws {GitError} when git fails
 */
export async function countCommits({ directory, head }: Pick<Clone, 'directory' | 'head'>): Promise<number> {
  return Number(await runGit(directory, ['rev-list', '--count', head, '--']))
}

const format = ['%H', '%ae', '%at', '%ce', '%ct', '%B'].join('%x00')
const fieldCount = 6

/**
 * Yields every commit that the branch can reach, merged branches included, newest first.
 *
 * E-mail addresses are those of the commit; a mailmap is not applied. Messages lose their last newline. Text is converted
 * from the encoding that the commit names; bytes that are not UTF-8 become U+FFFD. git ends a message at its first NUL.
 * A date is null when git can't read it, or clients can't represent it.
 *
 * @throws {GitError} when git fails
 */
export async function* readCommits({ directory, head }: Clone): AsyncGenerator<GitCommit, void, undefined> {
  const args = ['log', '-z', '--no-mailmap', '--no-color', `--format=${format}`, head, '--']
  let fields: string[] = []
  for await (const batch of splitFields(streamGit(directory, args))) {
    for (const field of batch) {
      fields.push(field.toString('utf8'))
      if (fields.length < fieldCount) continue
      yield createCommit(fields)
      fields = []
    }
  }
}

function createCommit(fields: readonly string[]): GitCommit {
  const [commit_hash = '', author_email = '', authorDate = '', committer_email = '', date = '', text = ''] =
    fields
  return {
    commit_hash,
    author_email,
    author_date: parseDate(authorDate),
    committer_email,
    committer_date: parseDate(date),
    message: text.replace(/\n$/, ''),
  }
}
