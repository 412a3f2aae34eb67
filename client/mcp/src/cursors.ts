/**
 * Where lists continue. A cursor is a short name, because an assistant has to write it. The program keeps what the
 * cursor stands for, until it ends.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { ListState } from 'devdata-client'

/** Where a list continues. */
export interface SavedList {
  /** The tool and its filter, as text. */
  identity: string
  /** Items that were paid for, and didn't fit into the result. */
  rest: readonly unknown[]
  /** Undefined: all pages are read. */
  state: ListState | undefined
  total: number | undefined
}

/** How many lists are kept. */
const maxLists = 100

/** The lists that results have named. */
export class Cursors {
  readonly #lists = new Map<string, SavedList>()
  /** A later program must not take a cursor of this one for its own. */
  readonly #prefix = randomBytes(2).toString('hex')
  #count = 0

  /** Returns a new cursor. */
  save(list: SavedList): string {
    const cursor = `${this.#prefix}-${++this.#count}`
    this.#lists.set(cursor, list)
    for (const [oldest] of this.#lists) {
      if (this.#lists.size <= maxLists) break
      this.#lists.delete(oldest)
    }
    return cursor
  }

  /** Returns what the cursor stands for, or undefined if it is unknown or too old. */
  find(cursor: string): SavedList | undefined {
    return this.#lists.get(cursor)
  }
}
