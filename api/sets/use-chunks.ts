/**
 * How the dates of uses are stored: ordered by term, then by item, in chunks of about two hundred. A chunk is a row
 * that is named by its first use. So the few uses of a rare dependency share a chunk with those of others, and those of
 * a frequent one fill many.
 */

import { sortByTerm, splitByTerm, toBytes } from './term-changes.ts'
import type { Sliceable, TermBlock, TermBlocks } from './term-slices.ts'

/**
 * When an item began to use what a term means: Unix seconds, doubled. An odd number says that the use began at that
 * time or later, and that it is unknown when. So the smallest number of several is the earliest beginning, and it is
 * odd if that is unknown.
 */
export type UseBegin = number
/** It is unknown when the use began, and it may have begun at any time. */
export const unknownBegin: UseBegin = -(2 ** 53 - 1)

/** When the use ended, in Unix seconds. Null: unknown, or it has not ended. The term says which. */
export type UseEnd = number | null

/** A chunk with more uses is split. */
const maxUses = 256
/** The uses of the chunks that it becomes, about. */
const splitUses = 192
/** Dates are stored as differences from this one, which few are far from. */
const baseDate = 1_500_000_000

/** Of a block: term, item, begin and end. */
const bytesOfUse = 24

/** Uses, in columns. */
export class Uses implements Sliceable {
  length = 0
  /** Where the use at each place is in the columns. Undefined: at its place. */
  #order: Uint32Array | undefined
  #terms: Uint32Array
  #items: Uint32Array
  #begins: Float64Array
  #ends: Float64Array

  constructor(capacity = 16) {
    this.#terms = new Uint32Array(capacity)
    this.#items = new Uint32Array(capacity)
    this.#begins = new Float64Array(capacity)
    this.#ends = new Float64Array(capacity)
  }

  /** `begin` undefined: the item has stopped to have the term at all. */
  add(termId: number, item: number, begin: UseBegin | undefined, end: UseEnd): void {
    if (this.length === this.#terms.length) this.#extend()
    this.#terms[this.length] = termId
    this.#items[this.length] = item
    this.#begins[this.length] = begin ?? Number.NaN
    this.#ends[this.length++] = end ?? Number.NaN
  }

  clear(): void {
    this.length = 0
    this.#order = undefined
  }

  termAt(place: number): number {
    return this.#terms[this.#order?.[place] ?? place] ?? 0
  }

  itemAt(place: number): number {
    return this.#items[this.#order?.[place] ?? place] ?? 0
  }

  beginAt(place: number): UseBegin | undefined {
    const begin = this.#begins[this.#order?.[place] ?? place] ?? Number.NaN
    return Number.isNaN(begin) ? undefined : begin
  }

  endAt(place: number): UseEnd {
    const end = this.#ends[this.#order?.[place] ?? place] ?? Number.NaN
    return Number.isNaN(end) ? null : end
  }

  addFrom(other: Uses, place: number): void {
    this.add(other.termAt(place), other.itemAt(place), other.beginAt(place), other.endAt(place))
  }

  /** Compares the use at a place with another one by term, then by item. */
  compare(place: number, termId: number, item: number): number {
    return this.termAt(place) - termId || this.itemAt(place) - item
  }

  /** Sorts uses by term. Those of a term were added by item, and keep that order. Add no others until all are cleared. */
  sort(): void {
    this.#order = sortByTerm(this.#placeByTerm()).changes
  }

  /** The bytes have the terms, the items, the begins and the ends. */
  *split(blocks: TermBlocks): Generator<TermBlock, void> {
    for (const { block, terms, changes: places } of splitByTerm(this.#placeByTerm(), blocks)) {
      const items = places.map((place) => this.#items[place] ?? 0)
      const begins = Float64Array.from(places, (place) => this.#begins[place] ?? Number.NaN)
      const ends = Float64Array.from(places, (place) => this.#ends[place] ?? Number.NaN)
      yield { block, size: terms.length, bytes: Buffer.concat([terms, items, begins, ends].map(toBytes)) }
    }
    this.clear()
  }

  addBlock(bytes: Uint8Array): void {
    const added = bytes.length / bytesOfUse
    const length = this.length + added
    if (length > this.#terms.length) this.#extend(Math.ceil(1.5 * length))
    let at = 0
    for (const column of [this.#terms, this.#items, this.#begins, this.#ends]) {
      const target = toBytes(column.subarray(this.length, length))
      target.set(bytes.subarray(at, at + target.length))
      at += target.length
    }
    this.length = length
  }

  #placeByTerm(): { terms: Uint32Array; changes: Uint32Array } {
    const changes = new Uint32Array(this.length).map((_, place) => place)
    return { terms: this.#terms.slice(0, this.length), changes }
  }

  #extend(capacity = 2 * this.#terms.length): void {
    const extend = <Column extends Uint32Array | Float64Array>(column: Column, longer: Column): Column => {
      longer.set(column)
      return longer
    }
    this.#terms = extend(this.#terms, new Uint32Array(capacity))
    this.#items = extend(this.#items, new Uint32Array(capacity))
    this.#begins = extend(this.#begins, new Float64Array(capacity))
    this.#ends = extend(this.#ends, new Float64Array(capacity))
  }
}

/** A row of `use_dates`. */
export interface UseChunk {
  termId: number
  item: number
  bytes: Uint8Array
}

/** Yields the chunks that have these uses, which are in their order. */
export function* encodeUses(uses: Uses): Generator<UseChunk, void> {
  const count = uses.length <= maxUses ? 1 : Math.ceil(uses.length / splitUses)
  for (let part = 0; part < count; part++) {
    const first = Math.floor((uses.length * part) / count)
    const end = Math.floor((uses.length * (part + 1)) / count)
    if (first === end) continue
    yield { termId: uses.termAt(first), item: uses.itemAt(first), bytes: encodeChunk(uses, first, end) }
  }
}

/** Encodes each use as four numbers: how far term, item and dates are from those before. */
function encodeChunk(uses: Uses, first: number, end: number): Uint8Array {
  const bytes = new Uint8Array((end - first) * 4 * 8)
  let length = 0
  const write = (number: number) => {
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) | 128
    bytes[length++] = rest
  }
  let [termId, item] = [0, 0]
  for (let place = first; place < end; place++) {
    const gap = uses.termAt(place) - termId
    write(gap)
    write(gap > 0 ? uses.itemAt(place) : uses.itemAt(place) - item)
    termId = uses.termAt(place)
    item = uses.itemAt(place)
    const begin = uses.beginAt(place) ?? unknownBegin
    const date = begin === unknownBegin ? baseDate : Math.floor(begin / 2)
    write(begin === unknownBegin ? 0 : 1 + 2 * writeSign(date - baseDate) + (begin - 2 * date))
    const ended = uses.endAt(place)
    write(ended === null ? 0 : 1 + writeSign(ended - date))
  }
  return bytes.slice(0, length)
}

/** Adds the uses of a chunk, or those of a term in it. */
export function decodeChunk(bytes: Uint8Array, uses: Uses, wanted?: number): void {
  let at = 0
  const read = () => {
    let byte = bytes[at++] ?? 0
    let number = byte & 127
    for (let factor = 128; byte > 127; factor *= 128) {
      byte = bytes[at++] ?? 0
      number += (byte & 127) * factor
    }
    return number
  }
  let [termId, item] = [0, 0]
  while (at < bytes.length) {
    const gap = read()
    termId += gap
    if (wanted !== undefined && termId > wanted) return
    item = gap > 0 ? read() : item + read()
    const begin = read()
    const end = read()
    if (wanted !== undefined && termId !== wanted) continue
    const code = begin - 1
    const date = begin === 0 ? baseDate : readSign(Math.floor(code / 2)) + baseDate
    uses.add(
      termId,
      item,
      begin === 0 ? unknownBegin : 2 * date + (code % 2),
      end === 0 ? null : readSign(end - 1) + date,
    )
  }
}

/** Writes an integer as one that isn't negative: 0, -1, 1, -2 as 0, 1, 2, 3. */
function writeSign(integer: number): number {
  return integer < 0 ? -2 * integer - 1 : 2 * integer
}

function readSign(written: number): number {
  return written % 2 === 1 ? -(written + 1) / 2 : written / 2
}
