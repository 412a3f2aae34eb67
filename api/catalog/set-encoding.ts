/**
 * How sets of ids are stored. A set is in parts: each has the ids of one range of 2^`width` ids, as gaps in bytes of variable
 * length or, where the range is dense, as a bitmap. All parts of a set have the same width, for which they have about a
 * thousand ids each. So an id's part is known without a look-up, and a changed id rewrites about two kilobytes.
 *
 * @module
 */

/** A part of a set. */
export interface SetPart {
  /** Its ids are in the range of 2^`width` ids that begins at `part` * 2^`width`. */
  width: number
  part: number
  /** The number of its ids. */
  cardinality: number
  bytes: Uint8Array
}

/** Ids in a part, about: the width is chosen for it. */
export const partIds = 1024
/** The width of a dense set. Narrower parts would have more rows than bytes. */
export const minWidth = 14
/** The width of a set that is one part: ids have 31 bits. */
export const maxWidth = 31

/** A part of the smallest width with more ids is a bitmap, which is smaller then: a gap takes a byte or more. */
const maxGaps = 2 ** minWidth / 8

/** The part that has an id. */
export function findPart(id: number, width: number): number {
  return Math.floor(id / 2 ** width)
}

/** Whether a part is a bitmap. Its first id is the lowest bit of its first byte. */
export function isBitmap({ width, cardinality }: Pick<SetPart, 'width' | 'cardinality'>): boolean {
  return width === minWidth && cardinality > maxGaps
}

/** Encodes ids, ascending and without duplicates, that are all in one part. */
export function encodePart(ids: Uint32Array, { width, part }: Pick<SetPart, 'width' | 'part'>): SetPart {
  const encoded = { width, part, cardinality: ids.length }
  const first = part * 2 ** width
  return { ...encoded, bytes: isBitmap(encoded) ? encodeBitmap(ids, first) : encodeGaps(ids, first) }
}

function encodeBitmap(ids: Uint32Array, first: number): Uint8Array {
  const bytes = new Uint8Array(2 ** minWidth / 8)
  for (const id of ids) {
    const bit = id - first
    bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
  return bytes
}

function encodeGaps(ids: Uint32Array, first: number): Uint8Array {
  const bytes = new Uint8Array(ids.length * 5)
  let length = 0
  let next = first
  for (const id of ids) {
    let gap = id - next
    if (gap < 0) throw new Error('ids of a set are not ascending')
    next = id + 1
    for (; gap > 127; gap >>>= 7) bytes[length++] = (gap & 127) | 128
    bytes[length++] = gap
  }
  return bytes.slice(0, length)
}

/** Decodes a part into its ids, ascending. */
export function decodePart(part: SetPart): Uint32Array {
  const ids = new Uint32Array(part.cardinality)
  const first = part.part * 2 ** part.width
  if (isBitmap(part)) decodeBitmap(part.bytes, first, ids)
  else decodeGaps(part.bytes, first, ids)
  return ids
}

function decodeBitmap(bytes: Uint8Array, first: number, ids: Uint32Array): void {
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    for (let bits = bytes[at] ?? 0; bits !== 0; bits &= bits - 1) {
      ids[length++] = first + at * 8 + 31 - Math.clz32(bits & -bits)
    }
  }
}

function decodeGaps(bytes: Uint8Array, first: number, ids: Uint32Array): void {
  let next = first
  let at = 0
  for (let length = 0; length < ids.length; length++) {
    let byte = bytes[at++] ?? 0
    let gap = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      gap |= (byte & 127) << shift
    }
    ids[length] = next + gap
    next += gap + 1
  }
}
