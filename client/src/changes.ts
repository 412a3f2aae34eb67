/** What brings a copy of the dataset up to date: users, repositories and removals, in this order. */
import { createRandomKey } from './idempotency-key.ts'
import { type List, type ListOptions, type Page, readTwice } from './list.ts'
import { isListState, type ListState } from './list-state.ts'
import type { ListedRepository, Removal, User } from './types.ts'

/** A change of a copy. A user or a repository replaces the one with the same `forge_rest_id`. */
export type Change =
  | { type: 'user'; item: User }
  | { type: 'repository'; item: ListedRepository }
  | { type: 'removal'; item: Removal }

/** Some changes, as one response had them. */
export type ChangePage =
  | ({ type: 'user' } & Page<User>)
  | ({ type: 'repository' } & Page<ListedRepository>)
  | ({ type: 'removal' } & Page<Removal>)

/** Where an iteration of changes is. Its members are the client's own: keep it whole, as JSON. */
export interface ChangesState {
  /** Undefined: everything is read. */
  since: number | undefined
  /** The version of the dataset at the first page. */
  version: number | undefined
  /** Which list is being read. */
  type: Change['type']
  list: ListState
  /** What the lists before it cost, in credits. */
  spent: number
}

type ChangeList = List<User> | List<ListedRepository> | List<Removal>

/** Opens the three lists that make up the changes. */
export interface ChangeLists {
  user(since: number | undefined, options: ListOptions): List<User>
  repository(since: number | undefined, options: ListOptions): List<ListedRepository>
  removal(since: number, options: ListOptions): List<Removal>
}

/**
 * One iteration of everything that changed since a version of the dataset, by item or by page. Once it is over,
 * `version` is what to pass the next time. It costs, has a budget and resumes as a {@link List} does.
 */
export class Changes implements AsyncIterable<Change> {
  readonly #lists: ChangeLists
  readonly #since: number | undefined
  readonly #options: ListOptions
  /**
   * What the idempotency keys of all pages begin with: a page that was paid for is free, whichever earlier state the
   * iteration continues from.
   */
  readonly #key: string
  #type: Change['type'] = 'user'
  /** The list that is being read; undefined: all are read. */
  #list: ChangeList | undefined
  #spentBefore = 0
  #version: number | undefined
  #balance: number | undefined
  /** Whether a loop has ended because all is read. */
  #isOver = false

  /** Throws a `TypeError` if `resume` is the state of changes since another version. */
  constructor(lists: ChangeLists, since: number | undefined, options: ListOptions<ChangesState>) {
    const { resume, ...others } = options
    if (resume !== undefined && !(isListState(resume.list) && resume.since === since)) {
      throw new TypeError('resume must be the state of an iteration of changes since the same version')
    }
    this.#lists = lists
    this.#since = since
    this.#options = others
    this.#key = resume?.list.key ?? createRandomKey()
    this.#spentBefore = resume?.spent ?? 0
    this.#version = resume?.version
    this.#open(resume?.type ?? 'user', resume?.list)
  }

  /** The version of the dataset that the copy has once all is read; undefined: nothing is read yet. */
  get version(): number | undefined {
    return this.#version
  }

  /** Why the iteration ended before all changes were read. */
  get stoppedBy(): 'budget' | undefined {
    return this.#list?.stoppedBy
  }

  /** The balance of the key, in credits. */
  get balance(): number | undefined {
    return this.#list?.balance ?? this.#balance
  }

  /** What the iteration cost so far, in credits, before a crash too. */
  get spent(): number {
    return this.#spentBefore + (this.#list?.spent ?? 0)
  }

  /** Where the iteration is, as a small JSON value. Undefined: all is read. */
  get state(): ChangesState | undefined {
    const list = this.#list?.state
    if (list === undefined) return undefined
    return { since: this.#since, version: this.#version, type: this.#type, list, spent: this.#spentBefore }
  }

  /** Iterates the changes. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    this.#assertNotOver()
    for (let list = this.#list; list !== undefined; list = this.#list) {
      const type = this.#type
      for await (const item of list) {
        this.#follow(list)
        yield { type, item } as Change
      }
      this.#follow(list)
      if (list.stoppedBy !== undefined) return
    }
    this.#isOver = true
  }

  /** Iterates the changes by page. */
  async *pages(): AsyncGenerator<ChangePage, void, undefined> {
    this.#assertNotOver()
    for (let list = this.#list; list !== undefined; list = this.#list) {
      const type = this.#type
      for await (const page of list.pages()) {
        this.#follow(list)
        yield { type, ...page } as ChangePage
      }
      this.#follow(list)
      if (list.stoppedBy !== undefined) return
    }
    this.#isOver = true
  }

  #assertNotOver(): void {
    if (this.#isOver) throw new TypeError(readTwice)
  }

  /** Notes the version of the first page, and opens the next list when all of this one is read. */
  #follow(list: ChangeList): void {
    this.#version ??= list.version
    if (!list.isComplete || list !== this.#list) return
    this.#spentBefore += list.spent
    this.#balance = list.balance
    if (this.#type === 'user') this.#open('repository')
    else if (this.#type === 'repository' && this.#since !== undefined) this.#open('removal')
    else this.#list = undefined
  }

  #open(type: Change['type'], resume?: ListState): void {
    const { budget, ...others } = this.#options
    const left = budget === undefined ? undefined : Math.max(0, budget - this.#spentBefore)
    const options = { ...others, ...(type !== 'removal' && { budget: left }) }
    const openList = (resume?: ListState) =>
      type === 'removal'
        ? this.#lists.removal(this.#since ?? 0, { ...options, resume })
        : this.#lists[type](this.#since, { ...options, resume })
    // A new list has a key of its own: it is opened again with the one that all lists share.
    const state = resume ?? openList().state
    this.#type = type
    this.#list = openList(state && { ...state, key: this.#key })
  }
}
