/** Reads the commits of a clone with one `git log`, in constant memory. */

import { listCoauthors } from '../../names/coauthors.ts'
import type { CommitRecord } from '../../staging/records.ts'
import { type Clone, parseDate } from './clone.ts'
import { runGit, splitFields, streamGit } from './git-process.ts'

export type GitCommit = Omit<CommitRecord, 'repo_url'>

/**
 * Counts the commits that {@link readCommits} yields, for a progress bar.
 *
 * @throws {GitError} when git fails
 */
export async function countCommits(
  { directory, head }: Pick<Clone, 'directory' | 'head'>,
  since?: string,
): Promise<number> {
  return Number(await runGit(directory, ['rev-list', '--count', ...listRange(head, since), '--']))
}

/** The commits that a head reaches, without those that an earlier one reaches. */
function listRange(head: string, since: string | undefined): string[] {
  return since === undefined ? [head] : [head, `^${since}`]
}

/**
 * Yields every commit that the branch can reach, merged branches included, newest first. With `since`, leaves out those
 * that this commit can reach.
 *
 * Email addresses are those of the commit; a mailmap is not applied. Messages lose their last newline. Text is
 * converted from the encoding that the commit names; bytes that are not UTF-8 become U+FFFD. git ends a message at its
 * first NUL. A date is null when git can't read it, or clients can't represent it.
 *
 * @throws {GitError} when git fails
 */
export async function* readCommits(clone: Clone, since?: string): AsyncGenerator<GitCommit, void, undefined> {
  for await (const fields of readLog(clone, ['%H', '%ae', '%at', '%ce', '%ct', '%B'], since))
    yield createCommit(fields)
}

/** The author or a co-author of a commit. */
export interface CommitAuthor {
  hash: string
  isCoauthor: boolean
  address: string
  name: string
  /** When it was written, or else committed, in Unix seconds. Null: neither is known. */
  date: number | null
}

/**
 * Yields the author and the co-authors of every commit that the branch can reach, as {@link readCommits} reads them.
 *
 * @throws {GitError} when git fails
 */
export async function* readCommitAuthors(clone: Clone): AsyncGenerator<CommitAuthor, void, undefined> {
  const placeholders = ['%H', '%ae', '%an', '%at', '%ct', '%B']
  for await (const fields of readLog(clone, placeholders)) {
    const [hash = '', address = '', name = '', written = '', committed = '', message = ''] = fields
    const date = parseDate(written) ?? parseDate(committed)
    yield { hash, isCoauthor: false, address, name, date }
    for (const coauthor of listCoauthors(message)) yield { hash, isCoauthor: true, ...coauthor, date }
  }
}

/** Yields these fields of every commit. */
async function* readLog(
  { directory, head }: Clone,
  placeholders: readonly string[],
  since?: string,
): AsyncGenerator<string[], void, undefined> {
  const format = placeholders.join('%x00')
  const args = ['log', '-z', '--no-mailmap', '--no-color', `--format=${format}`]
  args.push(...listRange(head, since), '--')
  let fields: string[] = []
  for await (const batch of splitFields(streamGit(directory, args))) {
    for (const field of batch) {
      fields.push(field.toString('utf8'))
      if (fields.length < placeholders.length) continue
      yield fields
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
