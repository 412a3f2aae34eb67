/**
 * Range requests for one part of a file (RFC 9110 §14).
 *
 * @module
 */

/** The bytes from `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a `Range` header. Returns undefined if the whole file is to be sent: the header is missing or invalid, or it
 * has several ranges. Returns `'unsatisfiable'` if the range contains no byte of the file.
 */
export function readByteRange(
  header: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const suffixLength = Math.min(Number(last), length)
    return suffixLength === 0 ? 'unsatisfiable' : { start: length - suffixLength, end: length - 1 }
  }
  const start = Number(first)
  const end = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && Number(last) < start) return undefined // invalid
  return start >= length ? 'unsatisfiable' : { start, end }
}

/** Whether `If-Range` allows a partial response: it is absent, or equals the strong ETag of the file. */
export function allowsRange(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
