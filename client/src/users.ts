/** `/users`. */
import type { UserFilter } from './filter-types.ts'
import { writeBatchUrls, writeListUrl } from './filters.ts'
import { List, type ListOptions } from './list.ts'
import {
  type Counts,
  countList,
  findItem,
  type ItemOptions,
  type Quote,
  type QuoteOptions,
  quoteList,
  type UserValue,
  writePath,
} from './one-request.ts'
import type { Send } from './request.ts'
import type { User } from './types.ts'
import { type Watch, type WatchOptions, watchList } from './watch.ts'

/** Users. */
export interface Users {
  /** Returns the user with this login, case-insensitive; undefined: there is none. Either costs 1 credit. */
  get(login: string, options?: ItemOptions): Promise<User | undefined>
  /** Lists users, in the order in which they were added. */
  list(filter?: UserFilter, options?: ListOptions): List<User>
  /** Begins a run of a watch: what is new among the users that a filter finds, each of them once, ever. */
  watch(filter?: Omit<UserFilter, 'changedSince' | 'sort'>, options?: WatchOptions): Watch<User>
  /** Looks up any number of logins, or of values of `forge_rest_id`. Unknown ones are absent, and cost nothing. */
  getMany(keys: readonly string[] | readonly number[], options?: ListOptions): List<User>
  /** Returns how many users a filter finds, and what they cost. Free. */
  quote(filter?: UserFilter, options?: QuoteOptions): Promise<Quote>
  /** Counts the users that a filter finds by their values. Free. */
  count(
    by: UserValue,
    filter?: Omit<UserFilter, 'changedSince' | 'sort'>,
    options?: QuoteOptions,
  ): Promise<Counts>
}

const keyOf = ({ forge_rest_id: id }: User) => id

/** Creates what a client has for users. */
export function createUsers(send: Send): Users {
  return {
    get: async (login, options) => findItem<User>(send, writePath('users', login), 'user_not_found', options),
    list: (filter = {}, options) => new List(send, { urls: [writeListUrl('users', filter)], keyOf }, options),
    watch: (filter = {}, options) => watchList(send, 'users', filter, options),
    getMany: (keys, options) =>
      new List(send, { urls: writeBatchUrls('users', 'logins', keys), keyOf }, options),
    quote: async (filter = {}, options) => quoteList(send, writeListUrl('users', filter), options),
    count: async (by, filter = {}, options) => countList(send, 'users', by, filter, options),
  }
}
