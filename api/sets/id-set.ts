/** Sets of ids in memory: unions and intersections of stored sets, and the ranks of their ids. */
import { decodePart, isBitmap, minWidth, type SetPart } from './set-encoding.ts'

/** A set of ids, in ascending order. */
export interface IdSet {
  total: number
  /** The memory that it takes. */
  bytes: number
  /** Returns the number of ids that are at most `id`. */
  rank(id: number): number
  /** Returns the `count` ids that follow the first `offset` ones; fewer at the end. */
  select(offset: number, count: number): number[]
  /** Returns the ids as a bitmap, which must not be changed. */
  toBitmap(): Bitmap
}

/** A chunk has the ids of a part of the smallest width. */
const chunkWidth = minWidth
const chunkWords = 2 ** chunkWidth / 32
/** A chunk of a range without ids. Nothing is added to it. */
const noIds = new Uint32Array(chunkWords)

/** A set that is being computed: a bitmap in chunks. Ranges without ids take no memory. */
export class Bitmap {
  #chunks: (Uint32Array | undefined)[]

  constructor(chunks: (Uint32Array | undefined)[] = []) {
    this.#chunks = chunks
  }

  add(id: number): void {
    const chunk = this.#chunk(id >>> chunkWidth)
    const at = (id >>> 5) % chunkWords
    chunk[at] = (chunk[at] ?? 0) | (1 << (id & 31))
  }

  /** Adds ids. Ascending ones are added fastest. */
  addAll(ids: ArrayLike<number>): void {
    let index = -1
    let chunk: Uint32Array = new Uint32Array()
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place] ?? 0
      if (id >>> chunkWidth !== index) {
        index = id >>> chunkWidth
        chunk = this.#chunk(index)
      }
      const at = (id >>> 5) % chunkWords
      chunk[at] = (chunk[at] ?? 0) | (1 << (id & 31))
    }
  }

  addPart(part: SetPart): void {
    if (!isBitmap(part)) {
      this.addAll(decodePart(part))
      return
    }
    const chunk = this.#chunk(part.part)
    const words = readWords(part)
    for (let at = 0; at < chunkWords; at++) chunk[at] = (chunk[at] ?? 0) | (words[at] ?? 0)
  }

  /** Removes the ids that the other one lacks. */
  intersect(other: Bitmap): void {
    this.#chunks.length = Math.min(this.#chunks.length, other.#chunks.length)
    for (const [index, chunk] of this.#chunks.entries()) {
      const others = other.#chunks[index]
      if (chunk === undefined) continue
      if (others === undefined) this.#chunks[index] = undefined
      else for (let at = 0; at < chunkWords; at++) chunk[at] = (chunk[at] ?? 0) & (others[at] ?? 0)
    }
  }

  /** Removes the ids that the other one has. */
  subtract(other: Bitmap): void {
    for (const [index, chunk] of this.#chunks.entries()) {
      const others = other.#chunks[index]
      if (chunk === undefined || others === undefined) continue
      for (let at = 0; at < chunkWords; at++) chunk[at] = (chunk[at] ?? 0) & ~(others[at] ?? 0)
    }
  }

  has(id: number): boolean {
    return (((this.#chunks[id >>> chunkWidth]?.[(id >>> 5) % chunkWords] ?? 0) >>> (id & 31)) & 1) === 1
  }

  copy(): Bitmap {
    return new Bitmap(this.#chunks.map((chunk) => chunk?.slice()))
  }

  /** Adds the ids that a copy has lost. */
  restore(original: Bitmap): void {
    for (const [index, chunk] of original.#chunks.entries()) if (chunk) this.#chunks[index]?.set(chunk)
  }

  /** Removes ids. Returns how many of them it had. */
  takeAll(ids: ArrayLike<number>): number {
    let taken = 0
    let index = -1
    let chunk: Uint32Array = noIds
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place] ?? 0
      if (id >>> chunkWidth !== index) {
        index = id >>> chunkWidth
        chunk = this.#chunks[index] ?? noIds
      }
      const at = (id >>> 5) % chunkWords
      const word = chunk[at] ?? 0
      taken += (word >>> (id & 31)) & 1 // without an `if`: the processor could not predict it
      chunk[at] = word & ~(1 << (id & 31))
    }
    return taken
  }

  /** Removes the ids of a part. Returns how many of them it had. */
  takePart(part: SetPart): number {
    if (!isBitmap(part)) return this.takeAll(decodePart(part))
    const chunk = this.#chunks[part.part]
    if (chunk === undefined) return 0
    const words = readWords(part)
    let taken = 0
    for (let at = 0; at < chunkWords; at++) {
      const word = chunk[at] ?? 0
      const common = word & (words[at] ?? 0)
      taken += countBits(common)
      chunk[at] = word & ~common
    }
    return taken
  }

  /** Returns the ids in the form that takes less memory. The bitmap must not be changed afterwards. */
  toIdSet(): IdSet {
    const chunks = this.#chunks
    const ranks = new Uint32Array(chunks.length + 1)
    let bytes = ranks.byteLength
    for (const [index, chunk] of chunks.entries()) {
      let count = 0
      if (chunk !== undefined) for (let at = 0; at < chunkWords; at++) count += countBits(chunk[at] ?? 0)
      if (count === 0) chunks[index] = undefined
      else bytes += chunkWords * 4
      ranks[index + 1] = (ranks[index] ?? 0) + count
    }
    const set = createBitmapSet(chunks, ranks, bytes)
    return set.total * 4 < bytes ? createSortedSet(Uint32Array.from(set.select(0, set.total))) : set
  }

  #chunk(index: number): Uint32Array {
    while (this.#chunks.length <= index) this.#chunks.push(undefined)
    this.#chunks[index] ??= new Uint32Array(chunkWords)
    return this.#chunks[index]
  }
}

/** The words of a part that is a bitmap. */
function readWords({ bytes }: SetPart): Uint32Array {
  // The bytes may be in the middle of a buffer, where they aren't aligned. All machines that we support store the
  // lowest byte first.
  return new Uint32Array(new Uint8Array(bytes).buffer)
}

/** `ranks` has the number of ids before each chunk, and the number of all ids. */
function createBitmapSet(chunks: (Uint32Array | undefined)[], ranks: Uint32Array, bytes: number): IdSet {
  const total = ranks[chunks.length] ?? 0
  return {
    total,
    bytes,
    toBitmap: () => new Bitmap(chunks),
    rank(id) {
      const index = Math.floor(id / 2 ** chunkWidth) // clients send ids of more than 32 bits, too
      if (index >= chunks.length) return total
      let rank = ranks[index] ?? 0
      const chunk = chunks[index]
      if (chunk === undefined) return rank
      const last = (id >>> 5) % chunkWords
      for (let at = 0; at < last; at++) rank += countBits(chunk[at] ?? 0)
      return rank + countBits((chunk[last] ?? 0) & (0xffff_ffff >>> (31 - (id & 31))))
    },
    select(offset, count) {
      const ids: number[] = []
      if (offset >= total) return ids
      let index = findLast(ranks, offset)
      let skipped = ranks[index] ?? 0
      for (; index < chunks.length; index++) {
        const chunk = chunks[index]
        if (chunk === undefined) continue
        for (let at = 0; at < chunkWords; at++) {
          let bits = chunk[at] ?? 0
          if (skipped < offset) {
            const inWord = countBits(bits)
            if (skipped + inWord <= offset) {
              skipped += inWord
              continue
            }
            for (; skipped < offset; skipped++) bits &= bits - 1
          }
          for (; bits !== 0; bits &= bits - 1) {
            if (ids.length === count) return ids
            ids.push(index * 2 ** chunkWidth + at * 32 + 31 - Math.clz32(bits & -bits))
          }
        }
      }
      return ids
    },
  }
}

function createSortedSet(ids: Uint32Array): IdSet {
  return {
    total: ids.length,
    bytes: ids.byteLength,
    rank: (id) => findLast(ids, id) + 1,
    select: (offset, count) => Array.from(ids.subarray(offset, offset + count)),
    toBitmap() {
      const bitmap = new Bitmap()
      bitmap.addAll(ids)
      return bitmap
    },
  }
}

/** Returns the index of the last value that is at most `limit`, of ascending values; -1: none is. */
function findLast(ascending: Uint32Array, limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
