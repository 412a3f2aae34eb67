/**
 * The matches of filters: sets of ids, which are computed from the stored sets of terms, and cached in memory until the
 * dataset changes.
 *
 * @module
 */
import { LRUCache } from 'lru-cache'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { countStatement } from '../database/statement-count.ts'
import { assertChangesKnown, type KnownChanges } from './dataset.ts'
import { type Filter, type ListName, listConditions } from './filter.ts'
import { Bitmap, type IdSet } from './id-set.ts'
import { findCandidates } from './location-search.ts'
import type { ReadOptions } from './page-reader.ts'
import { decodeShelf, findShelf, type SetPart, shelfPlaces } from './set-encoding.ts'
import { hasPart, partColumns, readPart } from './stored-sets.ts'

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

/** Filters that are computed at a time … */
const maxConcurrent = 3
/** … and those of one caller, so that one caller's large unions leave places for others. */
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
      async find(list, filter, { caller, onWait, signal }) {
        const key = createKey(list, filter)
        const findKnown = () => cache.get(key) ?? computing.get(key)
        const known = findKnown()
        if (known !== undefined) return known
        if (!queue.mayRun(caller)) onWait?.()
        const leave = await queue.enter(caller, signal)
        try {
          const other = findKnown() // of a request whose turn came before
          if (other !== undefined) return await other
          const own = compute(key, list, filter).finally(() => computing.delete(key))
          computing.set(key, own)
          return await own
        } finally {
          leave()
        }
      },
      forget(list, filter, matches) {
        const key = createKey(list, filter)
        if (cache.peek(key) === matches) cache.delete(key)
      },
    }
  }

  return { createFinder, isFullFor: queue.isFullFor }
}

/** Computes the matches of a filter. Throws 410 and 400 as `find` does. */
export async function computeMatches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
): Promise<Matches | 'outdated'> {
  const candidates =
    filter.locationKeys.length > 0 ? await findCandidates(sql, filter.locationKeys) : undefined
  const conditions = listConditions(sql, list, filter, candidates?.ids)
  const idLists = conditions
    .map(({ select }) => sql`array(${select})`)
    .reduce((all, ids) => sql`${all}, ${ids}`)
  const [dataset] = await sql<(KnownChanges & { edition: string; idLists: number[][] })[]>`
    select edition, version, changes_since as "changesSince", json_build_array(${idLists}) as "idLists" from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  const { edition, idLists: found } = dataset
  if (candidates !== undefined && candidates.edition !== edition) return 'outdated'
  if (filter.changedSince !== undefined) assertChangesKnown('changed_since', filter.changedSince, dataset)
  let matches: Bitmap | undefined
  for (const [index, { kind }] of conditions.entries()) {
    const ids = found[index] ?? []
    const meeting = kind === 'ids' ? uniteIds(ids) : await uniteSets(sql, list, ids, edition)
    if (meeting === 'outdated') return meeting
    if (matches === undefined) matches = meeting
    else matches.intersect(meeting)
  }
  return { ids: (matches ?? new Bitmap()).toIdSet(), edition }
}

function uniteIds(ids: readonly number[]): Bitmap {
  const union = new Bitmap()
  union.addAll(ids)
  return union
}

/** Reads the union of the sets of terms, if the dataset still has the edition. Terms on shelves are given as `~termId`. */
async function uniteSets(
  sql: SqlOrTransaction,
  list: ListName,
  terms: readonly number[],
  edition: string,
): Promise<Bitmap | 'outdated'> {
  const union = new Bitmap()
  const stored: number[] = []
  /** The wanted places of each shelf. */
  const shelves = new Map<number, Uint8Array>()
  for (const term of terms) {
    if (term >= 0) {
      stored.push(term)
      continue
    }
    const shelf = findShelf(~term)
    const places = shelves.get(shelf) ?? new Uint8Array(shelfPlaces)
    places[~term % shelfPlaces] = 1
    shelves.set(shelf, places)
  }
  for (const shelf of shelves.keys()) stored.push(shelf)
  // If no set is found, there is one row whose part is null. A subquery hides the array from the planner, which would
  // otherwise estimate each id.
  const rows = copyRows(
    sql,
    `select ${partColumns}, d.edition = '${edition}', term_id from dataset d left join sets s on d.edition = '${edition}'
    and s.list = '${list}' and s.term_id = any((select '{${stored.join()}}'::integer[])::integer[])`,
  )
  let isCurrent = false
  for await (const row of rows) {
    const [, , , , isOfEdition, termId] = row
    isCurrent = readInteger(isOfEdition) === 1
    if (!hasPart(row)) continue
    const part = readPart(row)
    const places = shelves.get(readInteger(termId))
    if (places === undefined) union.addPart(part)
    else union.addAll(listIds(part, places))
  }
  return isCurrent ? union : 'outdated'
}

/** Lists the ids at some places of a shelf, ascending. */
function listIds(shelf: SetPart, wanted: Uint8Array): Uint32Array {
  const { places, ids } = decodeShelf(shelf)
  return ids.filter((_, index) => wanted[places[index] ?? 0] === 1)
}
