/** `/repos`. */
import type { RepositoryFilter } from './filter-types.ts'
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
  type RepositoryValue,
  writePath,
} from './one-request.ts'
import type { Send } from './request.ts'
import type { Commit, DependencyBlame, ListedRepository, Repository, RepositoryDependency } from './types.ts'
import { type Watch, type WatchOptions, watchList } from './watch.ts'

/** Repositories. They are named by `OWNER/NAME`, case-insensitive. */
export interface Repositories {
  /** Returns the repository, without its dependencies, for 1 credit; undefined: there is none, which is free. */
  get(fullName: string, options?: ItemOptions): Promise<Repository | undefined>
  /** Lists repositories with their dependencies, in the order in which they were added. */
  list(filter?: RepositoryFilter, options?: ListOptions): List<ListedRepository>
  /** Begins a run of a watch: what is new among the repositories that a filter finds, each of them once, ever. */
  watch(
    filter?: Omit<RepositoryFilter, 'changedSince' | 'sort'>,
    options?: WatchOptions,
  ): Watch<ListedRepository>
  /** Looks up any number of names, or of values of `forge_rest_id`. Unknown ones are absent, and cost nothing. */
  getMany(keys: readonly string[] | readonly number[], options?: ListOptions): List<ListedRepository>
  /** Returns how many repositories a filter finds, and what they cost. Free. */
  quote(filter?: RepositoryFilter, options?: QuoteOptions): Promise<Quote>
  /** Counts the repositories that a filter finds by their values. Free. */
  count(
    by: RepositoryValue,
    filter?: Omit<RepositoryFilter, 'changedSince' | 'sort' | 'exclude'>,
    options?: QuoteOptions,
  ): Promise<Counts>
  /**
   * Lists the commits of a repository, newest first. The iteration throws a `NotFoundError` if it doesn't exist. If a
   * load removes the commit that was read last, because the history was rewritten, commits may be missed or come twice.
   */
  commits(fullName: string, options?: ListOptions): List<Commit>
  /** Lists the dependencies of a repository. The iteration throws a `NotFoundError` if it doesn't exist. */
  dependencies(fullName: string, options?: ListOptions): List<RepositoryDependency>
  /** Lists the same dependencies with the commits that added and removed them. */
  blame(fullName: string, options?: ListOptions): List<DependencyBlame>
}

const keyOf = ({ forge_rest_id: id }: ListedRepository) => id
const keyOfCommit = ({ commit_hash: hash }: Commit) => hash
const keyOfDependency = ({ dependency }: RepositoryDependency | DependencyBlame) =>
  JSON.stringify([dependency.dependency_name, dependency.dependency_file])

/** Creates what a client has for repositories. */
export function createRepositories(send: Send): Repositories {
  function listOf<Item>(
    fullName: string,
    list: string,
    keyOf: (item: Item) => string,
    options?: ListOptions,
  ): List<Item> {
    return new List(send, { urls: [`${writeRepositoryPath(fullName)}/${list}`], keyOf }, options)
  }
  return {
    get: async (fullName, options) =>
      findItem<Repository>(send, writeRepositoryPath(fullName), 'repository_not_found', options),
    list: (filter = {}, options) => new List(send, { urls: [writeListUrl('repos', filter)], keyOf }, options),
    watch: (filter = {}, options) => watchList(send, 'repos', filter, options),
    getMany: (keys, options) =>
      new List(send, { urls: writeBatchUrls('repos', 'fullNames', keys), keyOf }, options),
    quote: async (filter = {}, options) => quoteList(send, writeListUrl('repos', filter), options),
    count: async (by, filter = {}, options) => countList(send, 'repos', by, filter, options),
    commits: (fullName, options) => listOf<Commit>(fullName, 'commits', keyOfCommit, options),
    dependencies: (fullName, options) =>
      listOf<RepositoryDependency>(fullName, 'dependencies', keyOfDependency, options),
    blame: (fullName, options) =>
      listOf<DependencyBlame>(fullName, 'dependencies/blame', keyOfDependency, options),
  }
}

function writeRepositoryPath(fullName: string): string {
  const parts = typeof fullName === 'string' ? fullName.split('/') : []
  if (parts.length !== 2) throw new TypeError('a repository is named by OWNER/NAME')
  return writePath('repos', ...parts)
}
