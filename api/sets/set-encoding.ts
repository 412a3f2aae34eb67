/**
 * How sets of ids are stored. A set is in parts: each has the ids of one range of 2^`width` ids, as gaps in bytes of
 * variable length or, where the range is dense, as a bitmap. All parts of a set have the same width, for which they
 * have about a thousand ids each. So an id's part is known without a look-up, and a changed id rewrites about two
 * kilobytes.
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

/**
 * A small set has no row of its own, because the row would take more space than its ids. The small sets of 128 terms,
 * from a multiple of 128 on, share one row: a shelf. It is stored like a part of a set whose members are codes: id *
 * 128 + the term's place on the shelf.
 */
export const shelfPlaces = 128
/** A set with more ids has parts of its own. */
export const maxShelvedIds = 16
/** Ids have 31 bits, places 7. */
export const shelfWidth = 38

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

/** The width for a set, so that its parts have about `partIds` ids each. `lastId` is the highest id of all sets. */
export function fitWidth(cardinality: number, lastId: number): number {
  if (cardinality <= partIds) return maxWidth
  const width = Math.round(Math.log2((partIds * lastId) / cardinality))
  return Math.max(minWidth, Math.min(maxWidth - 1, width))
}

/** The `term_id` of a term's shelf in `sets`. It is negative, unlike the ids of terms. */
export function findShelf(termId: number): number {
  return ~Math.floor(termId / shelfPlaces)
}

/** Whether a part is a bitmap. Its first id is the lowest bit of its first byte. */
export function isBitmap({ width, cardinality }: Pick<SetPart, 'width' | 'cardinality'>): boolean {
  return width === minWidth && cardinality > maxGaps
}

/** Encodes ids, or the codes of a shelf, ascending and without duplicates, that are all in one part. */
export function encodePart(
  ids: ArrayLike<number>,
  { width, part }: Pick<SetPart, 'width' | 'part'>,
): SetPart {
  const encoded = { width, part, cardinality: ids.length }
  const first = part * 2 ** width
  return {
    ...encoded,
    bytes: isBitmap(encoded) ? encodeBitmap(ids, first) : encodeGaps(ids, { width, first }),
  }
}

function encodeBitmap(ids: ArrayLike<number>, first: number): Uint8Array {
  const bytes = new Uint8Array(2 ** minWidth / 8)
  for (let index = 0; index < ids.length; index++) {
    const bit = (ids[index] ?? 0) - first
    bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
  return bytes
}

function encodeGaps(ids: ArrayLike<number>, { width, first }: { width: number; first: number }): Uint8Array {
  const bytes = new Uint8Array(ids.length * Math.ceil(width / 7))
  let length = 0
  let next = first
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? 0
    let gap = id - next
    if (gap < 0) throw new Error('ids of a set are not ascending')
    next = id + 1
    for (; gap > 127; gap = gap < 2 ** 31 ? gap >>> 7 : Math.floor(gap / 128)) {
      bytes[length++] = (gap & 127) | 128
    }
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

/** Decodes a shelf into the place and the id of each code, in ascending order of the codes. */
export function decodeShelf({ cardinality, bytes }: Pick<SetPart, 'cardinality' | 'bytes'>): {
  places: Uint8Array
  ids: Uint32Array
} {
  const places = new Uint8Array(cardinality)
  const ids = new Uint32Array(cardinality)
  let place = 0
  let id = 0
  let at = 0
  for (let index = 0; index < cardinality; index++) {
    // The first byte of a gap has as many bits as a place, so places and ids are added apart: codes have more than 32
    // bits.
    let byte = bytes[at++] ?? 0
    place += byte & 127
    for (let shift = 0; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      id += (byte & 127) << shift
    }
    if (place >= shelfPlaces) {
      place -= shelfPlaces
      id++
    }
    places[index] = place
    ids[index] = id
    place++
  }
  return { places, ids }
}

/** Encodes the sets of a shelf: the ids of each term. */
export function encodeShelf(sets: ReadonlyMap<number, ArrayLike<number>>): SetPart {
  let length = 0
  for (const ids of sets.values()) length += ids.length
  const codes = new Float64Array(length)
  let at = 0
  for (const [termId, ids] of sets) {
    const place = termId % shelfPlaces
    for (let index = 0; index < ids.length; index++) codes[at++] = (ids[index] ?? 0) * shelfPlaces + place
  }
  return encodePart(codes.sort(), { width: shelfWidth, part: 0 })
}

/**
 * Decodes a shelf into its sets, each with its ids, ascending. Without a row, `part` is undefined, and there are no
 * sets.
 */
export function decodeSets(
  shelf: number,
  part: Pick<SetPart, 'cardinality' | 'bytes'> | undefined,
): Map<number, number[]> {
  const sets = new Map<number, number[]>()
  if (part === undefined) return sets
  const { places, ids } = decodeShelf(part)
  for (const [index, place] of places.entries()) {
    const termId = ~shelf * shelfPlaces + place
    const id = ids[index] ?? 0
    const set = sets.get(termId)
    if (set === undefined) sets.set(termId, [id])
    else set.push(id)
  }
  return sets
}
