/**
 * The matches of filters: sets of ids, which are computed from the stored sets of terms, and cached in memory until the
 * dataset changes.
 */
import { LRUCache } from 'lru-cache'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import { createSharedWork } from '../concurrency/shared-work.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import type { Bitmap, IdSet } from '../sets/id-set.ts'
import { uniteSets } from '../sets/set-unions.ts'
import { asksChangesAlone, type Filter, isUnfiltered } from './canonical-filter.ts'
import { findConditions } from './conditions.ts'
import { assertChangesKnown } from './dataset.ts'
import type { ListName } from './filters.ts'
import type { ReadOptions } from './page-reader.ts'
import { measureRanking, type Ranking, rankMatches } from './ranking.ts'
import type { Sort } from './sort-orders.ts'
import { findTextCandidates } from './text-search.ts'
import { findInWindow } from './use-window.ts'

/** The matches of a filter. */
export interface Matches {
  ids: IdSet
  /** Of the dataset that they were computed from. */
  edition: string
  /** Their order; undefined: that of their ids. */
  ranking?: Ranking
}

/** The caller of a request for a list. */
export interface Requester extends Pick<ReadOptions, 'signal'> {
  caller: number
  /** Called before the request waits for its turn to compute matches. */
  onWait?: (() => void) | undefined
}

/** Finds the matches of filters in one database, ranked if they have an order other than that of their ids. */
export interface MatchFinder {
  /**
   * Returns the matches, unless the dataset changes while they are computed. A caller who requests many new filters
   * delays only itself. Throws `overCapacity` when too many requests wait, or the wait would be too long, and 410 or
   * 400 when the filter asks for changes since a version that is too old, or doesn't exist yet. Throws
   * `ClientGoneError` if the signal is aborted before the request's turn.
   */
  find(
    list: ListName,
    filter: Filter,
    requester: Requester,
    sort?: Sort | undefined,
  ): Promise<Matches | 'outdated'>
  /**
   * Runs what reads more about the order of matches, at the requester's turn, and keeps what the ranking knows then.
   * Throws as `find` does.
   */
  extend<Result>(
    list: ListName,
    filter: Filter,
    matches: Matches,
    requester: Requester,
    read: () => Promise<Result>,
  ): Promise<Result>
  /** Forgets matches of an edition that the dataset no longer has. */
  forget(list: ListName, filter: Filter, matches: Matches): void
}

/** The matches that an instance has in memory. */
export interface MatchCache {
  createFinder(sql: Sql): MatchFinder
  /** Runs other work that takes about as long as computing matches, at the requester's turn. Throws as `find` does. */
  takeTurn<Result>(requester: Requester, work: () => Promise<Result>): Promise<Result>
  /** Whether `find` would refuse the caller, because too many of its requests wait already. */
  isFullFor: FairQueue<number>['isFullFor']
}

export interface MatchCacheOptions {
  maxBytes: number
  /** A request that would wait longer for its turn is refused. */
  maxWaitMs: number
  /** Requests that wait at a time. */
  maxQueued: number
}

/** Filters that are computed at a time. */
const maxConcurrent = 3
/** Filters of one caller that are computed at a time: its large unions leave places for others. */
const maxConcurrentOfCaller = 1
/** Estimated memory of an entry, besides the ids. */
const entryOverheadBytes = 500

/**
 * Creates the matches of an instance, for all its databases. It is long because finders share the cache and the queue.
 */
export function createMatchCache({ maxBytes, maxWaitMs, maxQueued }: MatchCacheOptions): MatchCache {
  const cache = new LRUCache<string, Matches>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ ids, ranking }, key) =>
      entryOverheadBytes + 2 * key.length + ids.bytes + (ranking === undefined ? 0 : measureRanking(ranking)),
  })
  const queue = createFairQueue<number>({ maxConcurrent, maxConcurrentOfCaller, maxWaitMs, maxQueued })
  let databases = 0

  async function takeTurn<Result>(
    { caller, onWait, signal }: Requester,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!queue.mayRun(caller)) onWait?.()
    const leave = await queue.enter(caller, signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  function createFinder(sql: Sql): MatchFinder {
    const database = databases++
    const computing = createSharedWork<Requester, Matches | 'outdated'>(takeTurn)
    const createKey = (list: ListName, filter: Filter, sort?: Sort) =>
      JSON.stringify([database, list, filter, sort])

    function forget(list: ListName, filter: Filter, { edition, ranking }: Matches): void {
      for (const sort of [undefined, ranking?.sort]) {
        const key = createKey(list, filter, sort)
        if (cache.peek(key)?.edition === edition) cache.delete(key)
      }
    }

    async function compute(list: ListName, filter: Filter, sort?: Sort): Promise<Matches | 'outdated'> {
      const key = createKey(list, filter)
      const matches =
        cache.get(key) ??
        (await (sort && computing.find(key))) ??
        (await countStatement(sql, () => computeMatches(sql, list, filter)))
      if (matches === 'outdated') return matches
      cache.set(key, matches)
      if (sort === undefined) return matches
      const ranked = await countStatement(sql, () => addRanking(sql, filter, sort, matches))
      if (ranked === 'outdated') forget(list, filter, matches)
      else cache.set(createKey(list, filter, sort), ranked)
      return ranked
    }

    return {
      find(list, filter, requester, sort) {
        const key = createKey(list, filter, sort)
        const findKnown = () => cache.get(key)
        return computing.share(key, requester, findKnown, () => compute(list, filter, sort))
      },
      extend(list, filter, matches, requester, read) {
        return takeTurn(requester, async () => {
          const result = await countStatement(sql, read)
          const key = createKey(list, filter, matches.ranking?.sort)
          if (cache.peek(key) === matches) {
            cache.delete(key) // or the cache would not measure them again
            cache.set(key, matches)
          }
          return result
        })
      },
      forget,
    }
  }

  return { createFinder, takeTurn, isFullFor: queue.isFullFor }
}

/** Computes the matches of a filter, ranked if they are sorted. Throws 410, 400 and 503 as `find` does. */
export async function computeMatches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  sort?: Sort,
): Promise<Matches | 'outdated'> {
  const { changed_since: changedSince } = filter
  const candidates = await findTextCandidates(sql, filter)
  const found = await findConditions(sql, list, filter, candidates)
  const { edition } = found
  if (Object.values(candidates).some((each) => each !== undefined && each.edition !== edition))
    return 'outdated'
  if (changedSince !== undefined) {
    assertChangesKnown('changed_since', changedSince, found, !asksChangesAlone(filter))
  }
  const conditions = found.conditions.sort((a, b) => Number(a.isExcluded) - Number(b.isExcluded))
  let matches: Bitmap | undefined
  for (const names of found.dated) {
    const inWindow = await findInWindow(sql, list, filter, names, edition)
    if (inWindow === 'outdated') return inWindow
    if (matches === undefined) matches = inWindow
    else matches.intersect(inWindow)
  }
  let place = 0
  // Without conditions, there is nothing to unite.
  for await (const union of conditions.length === 0 ? [] : uniteSets(sql, list, conditions, edition)) {
    if (union === 'outdated') return union
    if (matches === undefined) matches = union
    else if (conditions[place]?.isExcluded) matches.subtract(union)
    else matches.intersect(union)
    place++
  }
  if (matches === undefined || place < conditions.length) throw new Error('a condition was not read')
  const unranked = { ids: matches.toIdSet(), edition }
  return sort === undefined ? unranked : addRanking(sql, filter, sort, unranked)
}

async function addRanking(
  sql: SqlOrTransaction,
  filter: Filter,
  sort: Sort,
  matches: Matches,
): Promise<Matches | 'outdated'> {
  const ranking = await rankMatches(sql, sort, matches, isUnfiltered(filter))
  return ranking === 'outdated' ? ranking : { ...matches, ranking }
}
