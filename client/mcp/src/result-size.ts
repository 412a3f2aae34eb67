/** How large a result may be: as many items as fit, and items that are cut to fit. */
import { Buffer } from 'node:buffer'
import type { ResultItem } from './fields.ts'

/**
 * Bytes of the items of a result, which is some 20,000 tokens. Some assistants refuse results of more than 25,000. With
 * its filters, its cursor, its note and its cost, a result has less than 80,000 bytes.
 */
const maxItemsBytes = 74_000

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

/** Halves what may be long until the item fits into a result: an item that never fits would be paid for in vain. */
export function shrink(describe: (share: number) => ResultItem): ResultItem {
  for (let share = 1; ; share /= 2) {
    const item = describe(share)
    if (Buffer.byteLength(JSON.stringify(item)) <= maxItemsBytes || share < 0.001) return item
  }
}
