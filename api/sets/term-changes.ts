/** Changes of sets in memory: what items have lost and gained, grouped by term. */
import type { Sliceable, TermBlock, TermBlocks } from './term-slices.ts'

/** How a term's set changes. */
export interface TermChange {
  termId: number
  /** Each changed id once, ascending: id * 2 if it is lost, id * 2 + 1 if it is gained. */
  changes: Uint32Array
}

/**
 * Collects the terms that items have lost and gained, in any order. Use one instance for many ranges: V8 is slow to free
 * the memory of large arrays.
 */
export class TermChanges implements Sliceable {
  #terms: Uint32Array
  #changes: Uint32Array
  #scratch = createPairs(0)
  #length = 0

  /** `capacity` is the number of changes that it has room for at first. */
  constructor(capacity: number) {
    this.#terms = new Uint32Array(capacity)
    this.#changes = new Uint32Array(capacity)
  }

  /** Adds the terms that an item has lost or gained: an `integer[]` in PostgreSQL's binary format. */
  add(id: number, termIds: Buffer | undefined, isGained: boolean): void {
    if (termIds === undefined || termIds.length <= arrayHeaderBytes) return // no terms
    if (termIds.readInt32BE(4) !== 0) throw new Error('a term is null')
    const length = this.#reserve((termIds.length - arrayHeaderBytes) / 8)
    this.#changes.fill(id * 2 + Number(isGained), this.#length, length)
    for (let at = arrayHeaderBytes + 4; at < termIds.length; at += 8) {
      this.#terms[this.#length++] = termIds.readInt32BE(at)
    }
  }

  /** The bytes have the terms, and then their changes. */
  *split(blocks: TermBlocks): Generator<TermBlock, void> {
    const { given, scratch } = this.#take()
    for (const { block, terms, changes } of splitByTerm(given, blocks, scratch)) {
      yield { block, size: terms.length, bytes: Buffer.concat([toBytes(terms), toBytes(changes)]) }
    }
  }

  addBlock(bytes: Uint8Array): void {
    const added = bytes.length / 8
    const length = this.#reserve(added)
    toBytes(this.#terms.subarray(this.#length, length)).set(bytes.subarray(0, 4 * added))
    toBytes(this.#changes.subarray(this.#length, length)).set(bytes.subarray(4 * added))
    this.#length = length
  }

  /**
   * Yields the changed sets, ordered by term, without ids that were lost as often as gained. Then the instance is empty.
   * What was yielded is overwritten when it is used again.
   */
  *group(): Generator<TermChange, void> {
    const { given, scratch } = this.#take()
    const { terms, changes } = sortByTerm(given, scratch)
    for (let start = 0; start < terms.length; ) {
      const termId = terms[start] ?? 0
      let end = start + 1
      while (terms[end] === termId) end++
      const own = net(changes.subarray(start, end))
      if (own.length > 0) yield { termId, changes: own }
      start = end
    }
  }

  /** Makes room for further changes. Returns the number of all. */
  #reserve(added: number): number {
    const length = this.#length + added
    if (length > this.#terms.length) {
      this.#terms = extend(this.#terms, Math.ceil(1.5 * length))
      this.#changes = extend(this.#changes, Math.ceil(1.5 * length))
    }
    return length
  }

  #take(): { given: Pairs; scratch: Pairs } {
    const given = sliceOf({ terms: this.#terms, changes: this.#changes }, 0, this.#length)
    this.#length = 0
    if (this.#scratch.terms.length < given.terms.length) this.#scratch = createPairs(this.#terms.length)
    return { given, scratch: this.#scratch }
  }
}

/** Changes, or other numbers, each at the same place as its term. */
interface Pairs {
  terms: Uint32Array
  changes: Uint32Array
}

function createPairs(length: number): Pairs {
  return { terms: new Uint32Array(length), changes: new Uint32Array(length) }
}

function sliceOf({ terms, changes }: Pairs, start: number, end: number): Pairs {
  return { terms: terms.subarray(start, end), changes: changes.subarray(start, end) }
}

/** The bytes of numbers, in place. */
export function toBytes(array: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function extend(array: Uint32Array, length: number): Uint32Array {
  const longer = new Uint32Array(length)
  longer.set(array)
  return longer
}

/** Terms have 31 bits. A sort by each of three digits, from the lowest on, is faster than a comparison of terms. */
const digitBits = 11

/**
 * Sorts changes by their terms. Those with the same one keep their order. The result is in `scratch`, which may be longer,
 * and the arrays that are given are overwritten.
 */
export function sortByTerm(given: Pairs, scratch = createPairs(given.terms.length)): Pairs {
  let pairs = given
  let sorted = sliceOf(scratch, 0, given.terms.length)
  for (const shift of [0, digitBits, 2 * digitBits]) {
    sortByDigit(pairs, sorted, shift, digitBits)
    ;[pairs, sorted] = [sorted, pairs]
  }
  return pairs
}

/** Yields the changes of each block of terms, in which they keep their order. What was yielded is in `scratch`. */
export function* splitByTerm(
  given: Pairs,
  { shift, bits }: TermBlocks,
  scratch = createPairs(given.terms.length),
): Generator<Pairs & { block: number }, void> {
  const sorted = sliceOf(scratch, 0, given.terms.length)
  const starts = sortByDigit(given, sorted, shift, bits)
  for (const [block, start] of starts.entries()) {
    const own = sliceOf(sorted, start, starts[block + 1] ?? sorted.terms.length)
    if (own.terms.length > 0) yield { block, ...own }
  }
}

/**
 * Sorts changes by a digit of their terms, of `bits` bits. Those with the same one keep their order. Returns where those
 * of each digit start.
 */
function sortByDigit({ terms, changes }: Pairs, sorted: Pairs, shift: number, bits: number): Uint32Array {
  const mask = 2 ** bits - 1
  const ends = new Uint32Array(2 ** bits)
  for (let index = 0; index < terms.length; index++) {
    const digit = ((terms[index] ?? 0) >>> shift) & mask
    ends[digit] = (ends[digit] ?? 0) + 1
  }
  for (let digit = 1; digit <= mask; digit++) ends[digit] = (ends[digit] ?? 0) + (ends[digit - 1] ?? 0)
  for (let index = terms.length - 1; index >= 0; index--) {
    const term = terms[index] ?? 0
    const digit = (term >>> shift) & mask
    const place = (ends[digit] ?? 0) - 1
    ends[digit] = place
    sorted.terms[place] = term
    sorted.changes[place] = changes[index] ?? 0
  }
  return ends // each was lowered to its start
}

/** Of an array: its dimensions, its type, and the bounds of its one dimension. */
const arrayHeaderBytes = 20

/** Sorts changes, and leaves each id once: gained if it was gained more often than lost. */
function net(changes: Uint32Array): Uint32Array {
  if (isAscending(changes)) return changes
  changes.sort()
  let length = 0
  for (let at = 0; at < changes.length; ) {
    const id = (changes[at] ?? 0) >>> 1
    let balance = 0
    for (; at < changes.length && (changes[at] ?? 0) >>> 1 === id; at++) {
      balance += ((changes[at] ?? 0) & 1) === 1 ? 1 : -1
    }
    if (balance !== 0) changes[length++] = id * 2 + Number(balance > 0)
  }
  return changes.subarray(0, length)
}

/** Whether each id is there once, in order. */
function isAscending(changes: Uint32Array): boolean {
  for (let index = 1; index < changes.length; index++) {
    if ((changes[index] ?? 0) >>> 1 <= (changes[index - 1] ?? 0) >>> 1) return false
  }
  return true
}

/** Merges ascending ids with changes. Gaining an id that is there, or losing one that isn't, changes nothing. */
export function mergeChanges(before: Uint32Array, changes: Uint32Array): Uint32Array {
  const after = new Uint32Array(before.length + changes.length)
  let length = 0
  let at = 0
  for (let index = 0; index < changes.length; index++) {
    const change = changes[index] ?? 0
    const id = change >>> 1
    for (; at < before.length && (before[at] ?? 0) < id; at++) after[length++] = before[at] ?? 0
    if (before[at] === id) at++
    if ((change & 1) === 1) after[length++] = id
  }
  after.set(before.subarray(at), length)
  return after.subarray(0, length + before.length - at)
}
