/**
 * A question that is asked again and again: each run gives the items that are new among its matches, and each of them
 * once, ever.
 */
import { ChangesExpiredError } from './errors.ts'
import { writeListUrl } from './filters.ts'
import { List, type ListOptions, type Page, readTwice } from './list.ts'
import { identifyList, isListState, type ListState } from './list-state.ts'
import { isWholeNumber } from './options.ts'
import type { Send } from './request.ts'

/** Where a watch is. Its members are the client's own: keep it whole, as JSON. */
export interface WatchState {
  /** The question. */
  of: string
  /** Undefined: a run asks for everything that matches. */
  since: number | undefined
  /** The version of the dataset at the first page of the run that isn't over. */
  version: number | undefined
  /** Undefined: the run is over. */
  list: ListState | undefined
  /** What was given: ids, each as its difference from the one before, in base 36. */
  given: string
}

/** How a run of a watch is read. */
export interface WatchOptions extends ListOptions<WatchState> {
  /**
   * What the run may cost, in credits. A run that was killed counts, and goes on. After a run that the budget has
   * stopped, the next one goes on with a budget of its own.
   */
  budget?: number | undefined
  /** The `state` of the run before. */
  resume?: WatchState | undefined
  /**
   * Without `resume`: what was in the dataset at this version isn't given, unless it changes. Default: everything is
   * given.
   */
  since?: number | undefined
}

/** An item of a list that can be watched. */
interface Watched {
  forge_rest_id: number
}

/** Opens the list of what matches and is new since a version; undefined: of everything that matches. */
type OpenList<Item> = (since: number | undefined, options: ListOptions) => List<Item>

/** Creates a run of a watch of users or repositories. Throws a `TypeError` if the filter or an option is impossible. */
export function watchList<Item extends Watched>(
  send: Send,
  path: 'users' | 'repos',
  filter: object,
  options?: WatchOptions,
): Watch<Item> {
  for (const name of ['sort', 'changedSince']) {
    if (Reflect.get(filter, name) !== undefined) throw new TypeError(`${name} must be left out in a watch`)
  }
  const keyOf = ({ forge_rest_id: id }: Item) => id
  return new Watch(
    (changedSince, listOptions) =>
      new List(send, { urls: [writeListUrl(path, { ...filter, changedSince })], keyOf }, listOptions),
    options,
  )
}

/**
 * One run of a watch, by item (`for await (const user of watch)`) or by page (`watch.pages()`). Pass its `state` to the
 * next run. It gives no item that this state, or one before it, has seen given. It costs and resumes as a {@link List}
 * does.
 */
export class Watch<Item extends Watched> implements AsyncIterable<Item> {
  readonly #open: OpenList<Item>
  readonly #options: ListOptions
  readonly #of: string
  readonly #given: Set<number> = new Set()
  /** They as text. It only grows, so a state costs little, however many there are. */
  #text = ''
  #last = 0
  #since: number | undefined
  #version: number | undefined
  #list: List<Item>
  #isOver = false

  /** Throws a `TypeError` if an option breaks its rule or doesn't exist, or if `resume` is of another question. */
  constructor(open: OpenList<Item>, options: WatchOptions = {}) {
    const { resume, since = resume?.since, ...others } = options
    if (since !== undefined && !isWholeNumber(since)) throw new TypeError('since must be a version')
    this.#of = identifyList(open(undefined, {}).state?.url ?? '')
    if (resume !== undefined && !(isState(resume) && resume.of === this.#of && since === resume.since)) {
      throw new TypeError('resume must be the state of a watch with the same filter, without since')
    }
    this.#open = open
    this.#options = others
    for (const id of readIds(resume?.given ?? '').sort((a, b) => a - b)) this.#add(id)
    this.#since = since
    this.#version = resume?.list && resume.version
    this.#list = open(since, { ...others, resume: resume?.list })
  }

  /** Why the run ended before everything new was read. */
  get stoppedBy(): 'budget' | undefined {
    return this.#list.stoppedBy
  }

  /** What the run cost so far, in credits, before a crash too. */
  get spent(): number {
    return this.#list.spent
  }

  /** The balance of the key, in credits. */
  get balance(): number | undefined {
    return this.#list.balance
  }

  /** The version of the dataset since which the next run asks; undefined: nothing is read yet. */
  get version(): number | undefined {
    return this.#version
  }

  /** Where the watch is: after the item or page that was returned last. It is a JSON value. */
  get state(): WatchState {
    const { state } = this.#list
    return {
      of: this.#of,
      since: state ? this.#since : this.#version,
      version: this.#version,
      list: state && (this.stoppedBy ? { ...state, spent: 0, paid: 0 } : state),
      given: this.#text,
    }
  }

  /** Iterates the new items. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const item of this.#read((list) => list)) if (this.#take(item)) yield item
  }

  /** Iterates the pages, with the new items of each. Some may have none. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for await (const { items, total } of this.#read((list) => list.pages())) {
      yield { items: items.filter((item) => this.#take(item)), total }
    }
  }

  /** Reads the list. If the version is too old, reads everything that matches: what was given isn't given again. */
  async *#read<Part>(
    iterate: (list: List<Item>) => AsyncIterable<Part>,
  ): AsyncGenerator<Part, void, undefined> {
    if (this.#isOver) throw new TypeError(readTwice)
    try {
      for await (const part of iterate(this.#list)) {
        this.#version ??= this.#list.version
        yield part
      }
    } catch (error) {
      if (!(error instanceof ChangesExpiredError) || this.#since === undefined) throw error
      const { state } = this.#list
      const { url } = this.#open(undefined, this.#options).state as ListState // of a list that has just begun
      this.#since = this.#version = undefined
      // With the old key, a run that is repeated from the old state pays for no page twice.
      this.#list = this.#open(undefined, { ...this.#options, resume: state && { ...state, url } })
      return yield* this.#read(iterate)
    }
    this.#version ??= this.#list.version
    this.#isOver = this.#list.isComplete
  }

  #take({ forge_rest_id: id }: Item): boolean {
    const isNew = !this.#given.has(id)
    if (isNew) this.#add(id)
    return isNew
  }

  #add(id: number): void {
    this.#given.add(id)
    this.#text += `${this.#text && ' '}${(id - this.#last).toString(36)}`
    this.#last = id
  }
}

function isState(value: Partial<WatchState>): boolean {
  return typeof value.given === 'string' && (value.list === undefined || isListState(value.list))
}

function readIds(text: string): number[] {
  let id = 0
  return text === '' ? [] : text.split(' ').map((difference) => (id += Number.parseInt(difference, 36)))
}
