/**
 * The matches of filters: sets of ids, which are computed from the stored sets of terms, and cached in memory until the
 * dataset changes.
 */
import { LRUCache } from 'lru-cache'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import type { Bitmap, IdSet } from '../sets/id-set.ts'
import { uniteSets } from '../sets/set-unions.ts'
import type { Filter } from './canonical-filter.ts'
import { findConditions } from './conditions.ts'
import { assertChangesKnown } from './dataset.ts'
import type { ListName } from './filters.ts'
import { findCandidates } from './location-search.ts'
import type { ReadOptions } from './page-reader.ts'

/** The matches of a filter. */
export interface Matches {
  ids: IdSet
  /** Of the dataset that they were computed from. */
  edition: string
}

/** The caller of a request for a list. */
export interface Requester extends Pick<ReadOptions, 'signal'> {
  caller: number
  /** Called before the request waits for its turn to compute matches. */
  onWait?: (() => void) | undefined
}

/** Finds the matches of filters in one database. */
export interface MatchFinder {
  /**
   * Returns the matches, unless the dataset changes while they are computed. A caller who requests many new filters delays
   * only itself. Throws `overCapacity` when too many requests wait, or the wait would be too long, and 410 or 400 when the
   * filter asks for changes since a version that is too old, or doesn't exist yet. Throws `ClientGoneError` if the signal is
   * aborted before the request's turn.
   */
  find(list: ListName, filter: Filter, requester: Requester): Promise<Matches | 'outdated'>
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

/** Creates the matches of an instance, for all its databases. */
export function createMatchCache({ maxBytes, maxWaitMs, maxQueued }: MatchCacheOptions): MatchCache {
  const cache = new LRUCache<string, Matches>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ ids }, key) => entryOverheadBytes + 2 * key.length + ids.bytes,
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
    const computing = new Map<string, Promise<Matches | 'outdated'>>()
    const createKey = (list: ListName, filter: Filter) => JSON.stringify([database, list, filter])

    async function compute(key: string, list: ListName, filter: Filter): Promise<Matches | 'outdated'> {
      const matches = await countStatement(sql, () => computeMatches(sql, list, filter))
      if (matches !== 'outdated') cache.set(key, matches)
      return matches
    }

    return {
      async find(list, filter, requester) {
        const key = createKey(list, filter)
        const findKnown = () => cache.get(key) ?? computing.get(key)
        const known = findKnown()
        if (known !== undefined) return known
        return takeTurn(requester, async () => {
          const other = findKnown() // of a request whose turn came before
          if (other !== undefined) return other
          const own = compute(key, list, filter).finally(() => computing.delete(key))
          computing.set(key, own)
          return own
        })
      },
      forget(list, filter, matches) {
        const key = createKey(list, filter)
        if (cache.peek(key) === matches) cache.delete(key)
      },
    }
  }

  return { createFinder, takeTurn, isFullFor: queue.isFullFor }
}

/** Computes the matches of a filter. Throws 410 and 400 as `find` does. */
export async function computeMatches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
): Promise<Matches | 'outdated'> {
  const { location, changed_since: changedSince } = filter
  const candidates = location && (await findCandidates(sql, location))
  const found = await findConditions(sql, list, filter, candidates?.ids)
  const { edition } = found
  if (candidates !== undefined && candidates.edition !== edition) return 'outdated'
  if (changedSince !== undefined) assertChangesKnown('changed_since', changedSince, found)
  const conditions = found.conditions.sort((a, b) => Number(a.isExcluded) - Number(b.isExcluded))
  let matches: Bitmap | undefined
  let place = 0
  for await (const union of uniteSets(sql, list, conditions, edition)) {
    if (union === 'outdated') return union
    if (matches === undefined) matches = union
    else if (conditions[place]?.isExcluded) matches.subtract(union)
    else matches.intersect(union)
    place++
  }
  if (matches === undefined || place < conditions.length) throw new Error('a condition was not read')
  return { ids: matches.toIdSet(), edition }
}
