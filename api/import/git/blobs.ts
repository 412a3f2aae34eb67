/** Reads files by object id through one `git cat-file --batch`, never by checking anything out. */
import { describeDamage, GitError, streamGit } from './git-process.ts'

export interface GitBlob {
  id: string
  /** In bytes. */
  size: number
  /** Null when the blob is larger than was asked for. */
  content: Buffer | null
}

/**
 * Yields the blobs in the order of their ids. One at a time is in memory, and none that is larger than
 * `maxSize` bytes.
 *
 * @throws {GitError} when git fails, or lacks one of the objects
 */
export async function* readBlobs(
  directory: string,
  ids: readonly string[],
  maxSize: number,
): AsyncGenerator<GitBlob, void, undefined> {
  if (ids.length === 0) return
  const input = `${ids.join('\n')}\n`
  let header = ''
  let blob: GitBlob | undefined
  let parts: Buffer[] = []
  let left = 0
  for await (const chunk of streamGit(directory, ['cat-file', '--batch', '--buffer'], input)) {
    let start = 0
    while (start < chunk.length) {
      if (blob === undefined) {
        const end = chunk.indexOf(10, start)
        header += chunk.toString('latin1', start, end === -1 ? chunk.length : end)
        if (end === -1) break
        start = end + 1
        blob = parseHeader(directory, header)
        header = ''
        left = blob.size + 1
        continue
      }
      const part = chunk.subarray(start, start + left)
      start += part.length
      left -= part.length
      if (blob.size <= maxSize) parts.push(part)
      if (left > 0) continue
      // The newline that git adds after the content is counted in `left`, and is not content.
      if (blob.size <= maxSize) blob.content = Buffer.concat(parts).subarray(0, blob.size)
      yield blob
      blob = undefined
      parts = []
    }
  }
}

/** `<object> blob <size>`, or `<object> missing`. */
function parseHeader(directory: string, header: string): GitBlob {
  const [id = '', kind = '', size = ''] = header.split(' ')
  if (kind !== 'blob') {
    throw new GitError(describeDamage(directory, `object ${id} is missing or corrupt`))
  }
  return { id, size: Number(size), content: null }
}
