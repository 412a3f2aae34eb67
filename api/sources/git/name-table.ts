/**
 * Names of a whole history in little memory: each text once, as a number, and each set of names once, as sorted
 * numbers. Thousands of versions of a manifest declare nearly the same names.
 */
import { createHash } from 'node:crypto'

/** A set of names: their numbers, in ascending order. Equal sets of a table are the same array. */
export type NameSet = Uint32Array<ArrayBuffer>

/**
 * Names by key: pairs of numbers, in the order of the keys. A key without names is paired with 0. Equal maps of a table
 * are the same array.
 */
export type NameMap = Uint32Array<ArrayBuffer>

export const noNames: NameSet = new Uint32Array()

/** Gives numbers to names. */
export class NameTable {
  readonly #numbers = new Map<string, number>()
  /** By number, from 1. */
  readonly #names = ['']
  readonly #arrays = new Map<string, Uint32Array<ArrayBuffer>>()

  /** Returns the number of a name. */
  add(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.length
    this.#numbers.set(name, number)
    this.#names.push(name)
    return number
  }

  /** Returns the name with a number. */
  read(number: number): string {
    return this.#names[number] ?? ''
  }

  /** Returns the set of these names, which are all different. */
  addSet(names: Iterable<string>): NameSet {
    return this.addNumbers(Array.from(names, (name) => this.add(name)))
  }

  /** Returns the set of the names with these numbers, which are all different. */
  addNumbers(numbers: Iterable<number>): NameSet {
    return this.#share(Uint32Array.from(numbers).sort())
  }

  /** Returns the map of these names, of which each key has different ones. */
  addMap(names: ReadonlyMap<string, readonly string[]>): NameMap {
    const pairs = [...names].flatMap(([key, each]) => {
      const numbers = each.length === 0 ? [0] : each.map((name) => this.add(name))
      return numbers.map((number) => [this.add(key), number] as const)
    })
    return this.#share(Uint32Array.from(pairs.sort(([a, b], [c, d]) => a - c || b - d).flat()))
  }

  #share(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
    if (array.length === 0) return noNames
    const hash = createHash('sha256').update(array).digest('base64')
    const known = this.#arrays.get(hash)
    if (known === undefined) this.#arrays.set(hash, array)
    return known ?? array
  }
}

/** Adds the numbers of a key's names to a set. Returns whether the map has the key. */
export function addNamesOf(key: number, names: NameMap, numbers: Set<number>): boolean {
  let [low, high] = [0, names.length / 2]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((names[2 * middle] ?? 0) < key) low = middle + 1
    else high = middle
  }
  if (names[2 * low] !== key) return false
  for (let at = 2 * low; names[at] === key; at += 2) {
    const number = names[at + 1] ?? 0
    if (number !== 0) numbers.add(number)
  }
  return true
}

/** Yields the numbers that only one of two sets has. */
export function* compareSets(before: NameSet, after: NameSet): Generator<{ name: number; isAdded: boolean }> {
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const a = before[i] ?? Number.POSITIVE_INFINITY
    const b = after[j] ?? Number.POSITIVE_INFINITY
    if (a !== b) yield a < b ? { name: a, isAdded: false } : { name: b, isAdded: true }
    if (a <= b) i++
    if (b <= a) j++
  }
}
