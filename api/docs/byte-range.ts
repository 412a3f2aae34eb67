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
 * The part of a file that a `Range` field asks for. `undefined` when the whole file is to be sent: there is no field, it
 * is none that we understand, or it asks for several parts. `'unsatisfiable'` when no byte of the file lies in it.
 */
export function readByteRange(
  field: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const suffix = Math.min(Number(last), length)
    return suffix === 0 ? 'unsatisfiable' : { start: length - suffix, end: length - 1 }
  }
  const start = Number(first)
  const end = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && Number(last) < start) return undefined // not a range at all
  return start >= length ? 'unsatisfiable' : { start, end }
}

/** Whether `If-Range` lets a part be sent: it is absent, or it is the strong ETag of what would be sent. */
export function allowsRange(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
