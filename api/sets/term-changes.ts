/**
 * Changes of sets in memory: what items have lost and gained, grouped by term.
 *
 * @module
 */

/** How a term's set changes. */
export interface TermChange {
  termId: number
  /** Each changed id once, ascending: id * 2 if it is lost, id * 2 + 1 if it is gained. */
  changes: Uint32Array
}

/** Collects the terms that items have lost and gained, in any order. */
export class TermChanges {
  readonly #terms: number[] = []
  readonly #places = new Map<number, number>()
  /** The term of each change, as a place in `#terms`. */
  #placeOf: Uint32Array
  #changes: Uint32Array
  #length = 0

  /** `capacity` is the number of changes that it has room for at first. */
  constructor(capacity: number) {
    this.#placeOf = new Uint32Array(capacity)
    this.#changes = new Uint32Array(capacity)
  }

  /** Adds the terms that an item has lost or gained: an `integer[]` in PostgreSQL's binary format. */
  add(id: number, termIds: Buffer | undefined, isGained: boolean): void {
    if (termIds === undefined || termIds.length <= arrayHeaderBytes) return // no terms
    if (termIds.readInt32BE(4) !== 0) throw new Error('a term is null')
    const change = id * 2 + Number(isGained)
    for (let at = arrayHeaderBytes + 4; at < termIds.length; at += 8) {
      if (this.#length === this.#changes.length) this.#grow()
      this.#placeOf[this.#length] = this.#findPlace(termIds.readInt32BE(at))
      this.#changes[this.#length++] = change
    }
  }

  /** Returns the changed sets, in the order of their terms. What a set has lost and gained as often isn't in them. */
  group(): TermChange[] {
    // A counting sort: `starts` has the end of each term's changes before these are filled in from behind, and their start after.
    const starts = new Uint32Array(this.#terms.length + 1)
    for (let index = 0; index < this.#length; index++) {
      const place = this.#placeOf[index] ?? 0
      starts[place] = (starts[place] ?? 0) + 1
    }
    for (let place = 1; place < starts.length; place++) {
      starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0)
    }
    const sorted = new Uint32Array(this.#length)
    for (let index = this.#length - 1; index >= 0; index--) {
      const place = this.#placeOf[index] ?? 0
      const start = (starts[place] ?? 0) - 1
      starts[place] = start
      sorted[start] = this.#changes[index] ?? 0
    }
    return this.#terms
      .map((termId, place) => ({ termId, changes: net(sorted.subarray(starts[place], starts[place + 1])) }))
      .filter(({ changes }) => changes.length > 0)
      .sort((one, other) => one.termId - other.termId)
  }

  #findPlace(termId: number): number {
    let place = this.#places.get(termId)
    if (place === undefined) {
      place = this.#terms.push(termId) - 1
      this.#places.set(termId, place)
    }
    return place
  }

  #grow(): void {
    const double = (before: Uint32Array) => {
      const after = new Uint32Array(2 * before.length + 1_024)
      after.set(before)
      return after
    }
    this.#placeOf = double(this.#placeOf)
    this.#changes = double(this.#changes)
  }
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

/** Merges ascending ids with changes. To gain an id that is there, or to lose one that isn't, changes nothing. */
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
