/** Reads files by object id with one `git cat-file --batch`. */
import { createDamageError, streamGit } from './git-process.ts'

export interface GitBlob {
  id: string
  /** In bytes. */
  size: number
  /** Null when the blob is larger than `maxBytes`. */
  content: Buffer | null
}

/**
 * Yields blobs in the order of `ids`. Only one is in memory at a time, and none that is larger than `maxBytes`.
 *
 * @throws {GitError} when git fails, or lacks one of the objects
 */
export async function* readBlobs(
  directory: string,
  ids: readonly string[],
  maxBytes: number,
): AsyncGenerator<GitBlob, void, undefined> {
  if (ids.length === 0) return
  const input = `${ids.join('\n')}\n`
  let header = ''
  let blob: GitBlob | undefined
  let parts: Buffer[] = []
  let bytesLeft = 0
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
        bytesLeft = blob.size + 1
        continue
      }
      const part = chunk.subarray(start, start + bytesLeft)
      start += part.length
      bytesLeft -= part.length
      if (blob.size <= maxBytes) parts.push(part)
      if (bytesLeft > 0) continue
      // `bytesLeft` counts the newline that git adds after the content.
      if (blob.size <= maxBytes) blob.content = Buffer.concat(parts).subarray(0, blob.size)
      yield blob
      blob = undefined
      parts = []
    }
  }
}

/** Parses `<object> blob <size>`, or `<object> missing`. */
function parseHeader(directory: string, header: string): GitBlob {
  const [id = '', kind = '', size = ''] = header.split(' ')
  if (kind !== 'blob') throw createDamageError(directory, `object ${id} is missing or corrupt`)
  return { id, size: Number(size), content: null }
}
