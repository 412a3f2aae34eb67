/**
 * The items of a result, as many as fit.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import { maxItemsBytes, type ResultItem } from './fields.ts'

/** The items of a result. */
export class ResultItems {
  readonly items: ResultItem[] = []
  #bytes = 0

  /** Adds an item. False: it doesn't fit. The first one always fits. */
  add(item: ResultItem): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1
    if (this.items.length > 0 && this.#bytes + bytes > maxItemsBytes) return false
    this.items.push(item)
    this.#bytes += bytes
    return true
  }

  /** Whether this many more items fit if they are as long as the others on average. */
  hasRoomFor(count: number): boolean {
    const { length } = this.items
    return length === 0 || this.#bytes + (this.#bytes / length) * count <= maxItemsBytes
  }
}
