/** The commits of a clone, from one `git log`, a few at a time in memory however many there are. */
import { splitFields, streamGit } from './git-process.ts'
import { type HistoryOptions, openRepository, parseDate } from './repository.ts'

/** A commit as the API returns it (`service.md` §2.6), without its repository. Dates are Unix seconds. */
export interface GitCommit {
  commit_hash: string
  author_email: string
  author_date: number | null
  committer_email: string
  committer_date: number | null
  message: string
}

const format = ['%H', '%ae', '%at', '%ce', '%ct', '%B'].join('%x00')
const fieldCount = 6

/**
 * Yields every commit that the branch can reach, newest first, those of merged branches included.
 *
 * E-mail addresses are the recorded ones, no mailmap applied. A message is what git keeps, without its last
 * newline. Text in another encoding is converted when the commit names it; bytes that are not UTF-8 become
 * U+FFFD. There are no NULs: git ends a message at its first one. A date that git can't read, or that no
 * client can hold, is null.
 *
 * @throws {GitError} as `openRepository`, and when git fails on the way
 */
export async function* readCommits(
  path: string,
  options: HistoryOptions = {},
): AsyncGenerator<GitCommit, void, undefined> {
  const { directory, head } = await openRepository(path, options)
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
  const [hash = '', authorEmail = '', authorDate = '', committerEmail = '', committerDate = '', text = ''] =
    fields
  return {
    commit_hash: hash,
    author_email: authorEmail,
    author_date: parseDate(authorDate),
    committer_email: committerEmail,
    committer_date: parseDate(committerDate),
    message: text.endsWith('\n') ? text.slice(0, -1) : text,
  }
}
