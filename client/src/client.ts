/**
 * A client of a devdata service. It has no dependencies, and runs on Node 20 and later, Deno, Bun and in browsers.
 *
 * ```ts
 * const api = createClient({ baseUrl: 'https://api.example.com', apiKey })
 * for await (const user of api.users.list({ location: 'berlin' }, { budget: 500 })) console.log(user.login)
 * ```
 */
import { Changes, type ChangesState } from './changes.ts'
import type { CompanySearch, DependencySearch, HistorySearch, LocationSearch } from './filter-types.ts'
import { writeListUrl } from './filters.ts'
import { List, type ListOptions } from './list.ts'
import { findItem, type QuoteOptions, writePath } from './one-request.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { createSender, type SenderOptions } from './request.ts'
import type {
  CompanyText,
  Connection,
  CreditStatus,
  DependencyHistory,
  LocationText,
  Removal,
  UsageEntry,
  UsageSum,
  UsedDependency,
} from './types.ts'
import { createUsers, type Users } from './users.ts'

export type { Change, ChangePage, ChangesState } from './changes.ts'
export { Changes } from './changes.ts'
export * from './errors.ts'
export type {
  CompanySearch,
  DependencySearch,
  HistorySearch,
  LocationSearch,
  RepositoryFilter,
  UserFilter,
} from './filter-types.ts'
export { List, type ListOptions, type Page } from './list.ts'
export type { ListState } from './list-state.ts'
export type { Counts, ItemOptions, Quote, QuoteOptions } from './one-request.ts'
export type { Repositories } from './repositories.ts'
export type { CachedResponse, ResponseCache, ResponseInfo } from './request.ts'
export type { Wait } from './retries.ts'
export type * from './types.ts'
export type { Users } from './users.ts'
export { Watch, type WatchOptions, type WatchState } from './watch.ts'

/** How a client reaches the service. */
export interface ClientOptions extends SenderOptions {}

/** Which entries of the ledger to list. */
export interface UsageFilter {
  /** Only this day (UTC), such as `2026-01-31`. */
  day?: string | undefined
}

/** A client of the service. Every method may throw a `DevdataError`. */
export interface Client {
  users: Users
  repositories: Repositories
  /**
   * Lists what changed since a version of the dataset, for programs that keep a copy. Without a version, it lists
   * everything. The next time, pass the `version` that this iteration has at its end.
   */
  changes(since?: number, options?: ListOptions<ChangesState>): Changes
  /** Lists what was removed since a version of the dataset. Free. */
  removals(since: number, options?: ListOptions): List<Removal>
  /** Finds dependencies that filters can name, the most used ones first. Free. */
  findDependencies(search: DependencySearch, options?: QuoteOptions): Promise<UsedDependency[]>
  /** Returns how many items started and stopped using a dependency, by month. Free. */
  dependencyHistory(search: HistorySearch, options?: QuoteOptions): Promise<DependencyHistory>
  /** Finds locations that at least three users have, the most frequent ones first. Free. */
  findLocations(search: LocationSearch, options?: QuoteOptions): Promise<LocationText[]>
  /** Finds companies that at least three users have, the most frequent ones first. Free. */
  findCompanies(search: CompanySearch, options?: QuoteOptions): Promise<CompanyText[]>
  /** Returns the balance of the key. Free. */
  credits(options?: QuoteOptions): Promise<CreditStatus>
  /** Lists what changed the balance of the key, newest first. Free. */
  usage(filter?: UsageFilter, options?: ListOptions): List<UsageEntry>
  /** Lists what the key spent by day and endpoint, newest day first. Free. */
  usageByDay(filter?: UsageFilter, options?: ListOptions): List<UsageSum>
  /** Returns the assistants that are connected with the key, oldest first. Free. */
  connections(options?: QuoteOptions): Promise<Connection[]>
  /** Ends a connection. Does nothing if the key has none with this id. Free. */
  endConnection(id: number, options?: QuoteOptions): Promise<void>
}

/** Creates a client. Throws a `TypeError` if the base URL is not a URL, or the key not a possible key. */
export function createClient(options: ClientOptions): Client {
  const send = createSender(options)
  const users = createUsers(send)
  const repositories = createRepositories(send)
  const list = <Item>(
    path: string,
    filter: object,
    keyOf: (item: Item) => string | number,
    given?: ListOptions,
  ) => new List(send, { urls: [writeListUrl(path, filter)], keyOf }, given)
  const read = async <Body>(path: string, search: object, { signal }: QuoteOptions = {}) =>
    (await send<Body>({ path: writeListUrl(path, search), signal })).body
  const find = async <Item>(path: string, search: object, given?: QuoteOptions) =>
    (await read<{ data: Item[] }>(path, search, given)).data
  const removals = (since: number, given?: ListOptions) =>
    list<Removal>('removals', { since }, (removal) => `${removal.kind} ${removal.forge_rest_id}`, given)
  const lists = {
    user: (changedSince: number | undefined, given: ListOptions) => users.list({ changedSince }, given),
    repository: (changedSince: number | undefined, given: ListOptions) =>
      repositories.list({ changedSince }, given),
    removal: removals,
  }
  return {
    users,
    repositories,
    changes: (since, given = {}) => new Changes(lists, since, given),
    removals,
    findDependencies: (search, given) => find('dependencies', search, given),
    dependencyHistory: (search, given) => read('dependencies/history', search, given),
    findLocations: (search, given) => find('locations', search, given),
    findCompanies: (search, given) => find('companies', search, given),
    credits: (given) => read('api-key/credits', {}, given),
    usage: (filter = {}, given) => list<UsageEntry>('api-key/usage', filter, ({ entry }) => entry, given),
    usageByDay: (filter = {}, given) =>
      list<UsageSum>('api-key/usage/days', filter, ({ day, endpoint }) => `${day} ${endpoint}`, given),
    connections: (given) => find('api-key/connections', {}, given),
    // If a response was lost, the repeated request finds no connection.
    endConnection: async (id, given) =>
      findItem<undefined>(
        send,
        writePath('api-key', 'connections', String(id)),
        'connection_not_found',
        given,
        'DELETE',
      ),
  }
}
