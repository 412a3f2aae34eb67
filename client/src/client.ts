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
import type { QuoteOptions } from './one-request.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { createSender, type SenderOptions } from './request.ts'
import type {
  CompanyText,
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
}

/** Creates a client. Throws a `TypeError` if the base URL is not a URL, or the key not a possible key. */
export function createClient(options: ClientOptions): Client {
  const send = createSender(options)
  const users = createUsers(send)
  const repositories = createRepositories(send)
  const removals = (since: number, listOptions?: ListOptions) =>
    new List<Removal>(
      send,
      {
        urls: [writeListUrl('removals', { since })],
        keyOf: (removal) => `${removal.kind} ${removal.forge_rest_id}`,
      },
      listOptions,
    )
  const lists = {
    user: (changedSince: number | undefined, listOptions: ListOptions) =>
      users.list({ changedSince }, listOptions),
    repository: (changedSince: number | undefined, listOptions: ListOptions) =>
      repositories.list({ changedSince }, listOptions),
    removal: removals,
  }
  const find = async <Item>(path: string, search: object, { signal }: QuoteOptions = {}) =>
    (await send<{ data: Item[] }>({ path: writeListUrl(path, search), signal })).body.data
  return {
    users,
    repositories,
    changes: (since, listOptions = {}) => new Changes(lists, since, listOptions),
    removals,
    findDependencies: (search, findOptions) => find<UsedDependency>('dependencies', search, findOptions),
    dependencyHistory: async (search, { signal } = {}) =>
      (await send<DependencyHistory>({ path: writeListUrl('dependencies/history', search), signal })).body,
    findLocations: (search, findOptions) => find<LocationText>('locations', search, findOptions),
    findCompanies: (search, findOptions) => find<CompanyText>('companies', search, findOptions),
    credits: async ({ signal } = {}) => (await send<CreditStatus>({ path: 'api-key/credits', signal })).body,
    usage: (filter = {}, listOptions) =>
      new List<UsageEntry>(
        send,
        { urls: [writeListUrl('api-key/usage', filter)], keyOf: ({ entry }) => entry },
        listOptions,
      ),
    usageByDay: (filter = {}, listOptions) =>
      new List<UsageSum>(
        send,
        {
          urls: [writeListUrl('api-key/usage/days', filter)],
          keyOf: ({ day, endpoint }) => `${day} ${endpoint}`,
        },
        listOptions,
      ),
  }
}
