/** Lists: iterators of all items, page by page, that can be resumed after a crash without paying twice. */
import { MaxCreditsError } from './errors.ts'
import { createPageKey, createRandomKey } from './idempotency-key.ts'
import { identifyList, isListState, type ListState, readPageSize, resizePage } from './list-state.ts'
import { assertKnownOptions, isWholeNumber } from './options.ts'
import type { Send } from './request.ts'

const maxPageSize = 100

/** Why a loop can't begin. */
export const readTwice = 'All is read: keep the items of the first loop, or create a new list'

/** How a list is read. */
export interface ListOptions<State = ListState> {
  /**
   * What the whole iteration may cost, in credits, before and after a crash. The iteration ends before it would cost
   * more, and its `stoppedBy` is `budget`. Without a budget, it throws an `InsufficientCreditsError` at the first page
   * that costs more than the balance of the key.
   */
  budget?: number | undefined
  /** The `state` of an iteration of the same list, to continue from there. Default: from the start. */
  resume?: State | undefined
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Items a page, 1 to 100. Default: 100. */
  pageSize?: number | undefined
}

/** Some items of a list, as one response had them. */
export interface Page<Item> {
  items: Item[]
  /** Items in the whole list, at the moment. */
  total: number
}

/** What a list reads. */
export interface ListSource<Item> {
  /** Path and query of the list, without those of a page. Several are read one after the other. */
  urls: readonly string[]
  /** Identifies an item among those of a page. */
  keyOf(item: Item): string | number
}

/**
 * One iteration of a list, by item (`for await (const user of list)`) or by page (`list.pages()`). A loop that is left
 * stops it; the next loop continues from there. After the loop that has read the end, another one throws a `TypeError`:
 * it would have no items.
 *
 * Every item comes once, even if `resume` is the `state` of a process that was killed. The idempotency keys of pages
 * are derived from the state, so what was paid for is free for 24 hours, or for one hour once the dataset has changed.
 */
export class List<Item> implements AsyncIterable<Item> {
  /** Why the iteration ended before the end of the list. */
  stoppedBy: 'budget' | undefined
  /** Items in the whole list, as the last response had it; undefined: there was none yet. */
  total: number | undefined
  /** The balance of the key, in credits. */
  balance: number | undefined
  /** The version of the dataset that the first page of this process was read at. */
  version: number | undefined

  readonly #send: Send
  readonly #source: ListSource<Item>
  /** Indexes of the source's URLs, by what all pages of a URL have in common. */
  readonly #indexes: ReadonlyMap<string, number>
  readonly #options: ListOptions
  readonly #pageSize: number
  readonly #key: string
  /** The current page, or to be requested; undefined: all is read. */
  #url: string | undefined
  /** The URL of the page after the current one. */
  #nextUrl: string | undefined
  /** What the pages before the current one cost. */
  #spentBefore: number
  /** The same, and the current page. */
  #spent: number
  /** Items that were read before the current page was requested, and may be on it. */
  #read: Set<string | number>
  /**
   * Read items that the current page lacks. They may be on a later page, because other items were added before them.
   */
  #readElsewhere: Set<string | number> = new Set()
  /** Items of the current page, without those that were read before; undefined: the page is to be requested. */
  #items: Item[] | undefined
  /** How many of the items are read. */
  #position = 0
  #request: Promise<boolean> | undefined
  /** Whether a loop has ended because all is read. */
  #isOver = false

  /** Throws a `TypeError` if an option breaks its rule or doesn't exist, or if `resume` is of another list. */
  constructor(send: Send, source: ListSource<Item>, options: ListOptions = {}) {
    const { budget, resume, signal: _, pageSize = maxPageSize, ...others } = options
    assertKnownOptions(others)
    const indexes = new Map(source.urls.map((url, index) => [identifyList(url), index]))
    if (budget !== undefined && !isWholeNumber(budget)) {
      throw new TypeError('budget must be a whole number of credits')
    }
    if (!(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= maxPageSize)) {
      throw new TypeError(`pageSize must be a whole number from 1 to ${maxPageSize}`)
    }
    if (resume !== undefined && !(isListState(resume) && indexes.has(identifyList(resume.url)))) {
      throw new TypeError('resume must be the state of an iteration of the same list, with the same filter')
    }
    this.#send = send
    this.#source = source
    this.#indexes = indexes
    this.#options = options
    this.#pageSize = pageSize
    this.#key = resume?.key ?? createRandomKey()
    this.#spentBefore = resume?.spent ?? 0
    this.#spent = this.#spentBefore + (resume?.paid ?? 0)
    this.#read = new Set(resume?.read)
    this.#url = resume?.url ?? this.#resize(source.urls[0])
  }

  /** What the iteration cost so far, in credits, before a crash too. */
  get spent(): number {
    return this.#spent
  }

  /** Whether all is read. */
  get isComplete(): boolean {
    return this.#url === undefined
  }

  /**
   * Where the iteration is: after the item or page that was returned last. It is a small JSON value. Undefined: all is
   * read.
   */
  get state(): ListState | undefined {
    if (this.#url === undefined) return undefined
    const items = this.#items?.slice(0, this.#position) ?? []
    const read = [...this.#read, ...items.map((item) => this.#source.keyOf(item))]
    return {
      url: this.#url,
      key: this.#key,
      spent: this.#spentBefore,
      paid: this.#spent - this.#spentBefore,
      read,
    }
  }

  /** Iterates the items. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    this.#assertNotOver()
    while (this.#hasItem() || (await this.#load())) {
      if (!this.#hasItem()) continue
      const item = this.#items?.[this.#position] as Item
      this.#moveTo(this.#position + 1)
      yield item
    }
    this.#isOver = this.isComplete
  }

  /** Iterates the pages. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    this.#assertNotOver()
    while (this.#hasItem() || (await this.#load())) {
      if (!this.#hasItem()) continue
      const items = this.#items?.slice(this.#position) ?? []
      this.#moveTo(Number.POSITIVE_INFINITY)
      yield { items, total: this.total ?? items.length }
    }
    this.#isOver = this.isComplete
  }

  #assertNotOver(): void {
    if (this.#isOver) throw new TypeError(readTwice)
  }

  #hasItem(): boolean {
    return this.#position < (this.#items?.length ?? 0)
  }

  /**
   * Requests the current page. Loops at the same time share the request, and one may take all items before another
   * continues. False: the iteration is over.
   */
  #load(): Promise<boolean> {
    this.#request ??= this.#requestPage().finally(() => {
      this.#request = undefined
    })
    return this.#request
  }

  /** Requests the current page. False: there is none, or it would cost more than the budget. */
  async #requestPage(): Promise<boolean> {
    this.stoppedBy = undefined
    const { budget, signal } = this.#options
    signal?.throwIfAborted()
    if (this.#url === undefined) return false
    const left = budget === undefined ? undefined : Math.max(0, budget - this.#spent)
    const response = await this.#send<{ data: Item[] }>({
      path: this.#url,
      idempotencyKey: createPageKey(this.#key, this.#url),
      maxCredits: left,
      signal,
    }).catch((error: unknown) => {
      if (error instanceof MaxCreditsError) return undefined
      throw error
    })
    if (response === undefined) {
      // A page of a state had its URL until here: if it was paid and its response got lost, it is free.
      if (left && this.#read.size === 0 && readPageSize(this.#url) > left) {
        this.#url = this.#resize(this.#url)
        return true
      }
      this.stoppedBy = 'budget'
      return false
    }
    const { body, total, balance, version, cost, paid, next } = response
    this.total = total
    this.balance = balance
    this.version ??= version
    // A page of which items were read before, but too long ago to be free, is paid twice.
    this.#spent = Math.max(this.#spentBefore + paid, this.#spent + cost)
    this.#nextUrl = this.#findNext(this.#url, next)
    this.#items = body.data
    if (this.#read.size > 0) {
      const { keyOf } = this.#source
      const keys = new Set(body.data.map(keyOf))
      this.#readElsewhere = new Set([...this.#read].filter((key) => !keys.has(key)))
      this.#items = body.data.filter((item) => !this.#read.has(keyOf(item)))
    }
    this.#moveTo(0)
    return true
  }

  /** Sets how many items of the current page are read. After the last one, the next page is current. */
  #moveTo(position: number): void {
    this.#position = position
    if (this.#hasItem()) return
    this.#url = this.#nextUrl
    this.#items = undefined
    this.#read = this.#readElsewhere
    this.#readElsewhere = new Set()
    this.#spentBefore = this.#spent
  }

  #findNext(url: string, next: string | null): string | undefined {
    if (next !== null) return this.#resize(url.replace(/\?.*/, '') + next)
    const index = this.#indexes.get(identifyList(url)) ?? Number.NaN
    return this.#resize(this.#source.urls[index + 1])
  }

  /** Makes a page no larger than the budget allows. */
  #resize(url: string | undefined): string | undefined {
    const left = (this.#options.budget ?? Number.POSITIVE_INFINITY) - this.#spent
    return url && resizePage(url, left > 0 ? Math.min(this.#pageSize, left) : this.#pageSize)
  }
}
