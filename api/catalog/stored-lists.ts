/**
 * Stored lists make every page of a filter cost the same, with an exact total. The matching ids are found once for each
 * version of the dataset, and stored in chunks, which are rows: a page reads one chunk or two.
 *
 * An instance builds each missing list once, and callers take turns. A load renews the lists in use.
 *
 * @module
 */
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { overCapacity } from '../errors.ts'
import { assertChangesKnown, type KnownChanges } from './dataset.ts'
import { type Filter, findDependencies, hashFilter, type ListName, selectMatches } from './filter.ts'
import type { ReadOptions } from './page-reader.ts'
import { createStoredListEviction, type StoredListEviction } from './stored-list-eviction.ts'

/** Ids in a chunk: the largest page (100) touches two at most. */
const chunkSize = 120
/** Lists that an instance builds concurrently. */
const maxConcurrent = 2
/** Enough memory for PostgreSQL to find duplicates among a million ids, in KiB. Its usual 4 MB would use the disk. */
const minWorkMemoryKb = '32768'
/** Stored lists that a load renews, at most. */
const maxRenewed = 200
/** A load may spend this long on renewing stored lists, because only the load waits for it, … */
const minRenewalMs = 10_000
/** … or this share of the time that the load itself took, if that is longer. */
const renewalShare = 1 / 4

/** The caller of a request for a filtered list. */
export interface Requester extends Pick<ReadOptions, 'signal'> {
  caller: number
  /** Called before the request waits for a stored list. */
  onWait?: (() => void) | undefined
}

/** The stored lists of one database. `close` doesn't wait for lists that are being built. */
export interface StoredLists extends Pick<StoredListEviction, 'noteUse' | 'close'> {
  /**
   * Builds a missing list: once for all concurrent requests. A caller who requests many new lists delays only itself.
   * Throws `overCapacity` when too many requests wait, or the wait would be too long, and 410 or 400 when the filter asks
   * for changes since a version that is too old, or doesn't exist yet. Throws `ClientGoneError` if the signal is aborted
   * before anybody begins to build the list.
   */
  build(list: ListName, filter: Filter, requester: Requester): Promise<void>
  /** Whether `build` would refuse the caller, because too many of its requests wait already. */
  isFullFor(caller: number): boolean
}

export interface StoredListOptions {
  /** Of all stored lists in the database. */
  maxBytes: number
  /** A request that would wait longer for its turn is refused. */
  maxWaitMs: number
  /** Requests that wait at a time. A caller may have at most as many waiting as there are free places. */
  maxQueued: number
  /** Gets a message when old stored lists can't be deleted. */
  report?: (message: string) => void
}

/** A list that is to be built. */
interface Build extends PromiseWithResolvers<void> {
  isStarted: boolean
  /** Requests that wait for it. */
  waiting: number
}

/** Creates the stored lists as an instance uses them. */
export function createStoredLists(
  sql: Sql,
  { maxBytes, maxWaitMs, maxQueued, report = () => {} }: StoredListOptions,
): StoredLists {
  const eviction = createStoredListEviction(sql, { maxBytes, report })
  const queue = createFairQueue<number>({ maxConcurrent, maxWaitMs, maxQueued: Number.POSITIVE_INFINITY })
  /** By hash of list and filter. */
  const builds = new Map<string, Build>()
  /** Requests that wait, by caller. */
  const waiting = new Map<number, number>()
  let allWaiting = 0

  /** Waits until the list is built, by this request or by another one: the first whose turn comes builds it. */
  async function waitForBuild(list: ListName, filter: Filter, { caller, signal }: Requester): Promise<void> {
    const key = hashFilter(list, filter).toString('hex')
    const build = builds.get(key) ?? { ...Promise.withResolvers<void>(), isStarted: false, waiting: 0 }
    builds.set(key, build)
    build.waiting++
    try {
      if (build.isStarted) return await build.promise
      await Promise.race([build.promise, takeTurn()])
    } finally {
      build.waiting--
      if (build.waiting === 0 && builds.get(key) === build) builds.delete(key)
    }

    async function takeTurn(): Promise<void> {
      const leave = await queue.enter(caller, signal).catch((refusal: unknown) => {
        if (!build.isStarted) throw refusal
      })
      if (leave !== undefined && !build.isStarted) {
        build.isStarted = true
        await countStatement(sql, () => buildStoredList(sql, list, filter))
          .then((total) => total !== 'not_needed' && eviction.noteBuilt(total))
          .then(() => build.resolve(), build.reject)
        builds.delete(key)
      }
      leave?.()
      return build.promise
    }
  }

  const hasRoomFor = (caller: number) => (waiting.get(caller) ?? 0) < maxQueued - allWaiting

  return {
    isFullFor: (caller) => waiting.has(caller) && !hasRoomFor(caller),
    noteUse: eviction.noteUse,
    close: eviction.close,
    async build(list, filter, requester) {
      const { caller, onWait } = requester
      if (!hasRoomFor(caller)) throw overCapacity()
      waiting.set(caller, (waiting.get(caller) ?? 0) + 1)
      allWaiting++
      onWait?.()
      try {
        await waitForBuild(list, filter, requester)
      } finally {
        allWaiting--
        const left = (waiting.get(caller) ?? 0) - 1
        if (left > 0) waiting.set(caller, left)
        else waiting.delete(caller)
      }
    },
  }
}

/**
 * SQL: `total`, `skipped` (items before the page) and `ids` (of the page, ascending) of a filter's stored list
 * at the dataset's version; no row if there is none. The row `asked` has `hash` (of list and filter, in hexadecimal
 * digits), `skipped`, `size` and `after`, an id or 0.
 */
export function selectStoredPage(sql: Sql): Fragment {
  return sql`
    select total, skipped, array(
      select id from stored_list_chunks c, unnest(c.ids) as id
      where c.stored_list_id = place.id and c.chunk >= skipped / ${chunkSize} and c.chunk <= skipped / ${chunkSize} + 1
      order by id limit asked.size offset skipped % ${chunkSize}
    ) as ids
    from (${selectStoredPlace(sql)}) place`
}

/** SQL: the same, with the page's `first_id` in place of `ids`; null: the page is empty. */
export function selectStoredStart(sql: Sql): Fragment {
  return sql`
    select total, skipped, (
      select c.ids[skipped % ${chunkSize} + 1] from stored_list_chunks c
      where c.stored_list_id = place.id and c.chunk = skipped / ${chunkSize}
    ) as first_id
    from (${selectStoredPlace(sql)}) place`
}

/** SQL: the stored list, and where in it the page begins. */
function selectStoredPlace(sql: Sql): Fragment {
  // Items before `after` may have come or gone since the last page, so its rank is looked up: once, because of `offset 0`.
  return sql`
    select l.id, l.total, case when asked.after = 0 then asked.skipped else coalesce((
      select c.chunk * ${chunkSize}::bigint + (select count(*) from unnest(c.ids) as id where id <= asked.after)
      from stored_list_chunks c where c.stored_list_id = l.id and c.ids[1] <= asked.after order by c.ids[1] desc limit 1
    ), 0) end as skipped
    from dataset d join stored_lists l on l.version = d.version and l.filter_hash = decode(asked.hash, 'hex')
    offset 0`
}

/** Stores a filter's list, as `insertStoredList` does. */
async function buildStoredList(sql: Sql, list: ListName, filter: Filter): Promise<number | 'not_needed'> {
  const hash = hashFilter(list, filter)
  return sql.begin(async (tx) => {
    // If several instances build the same list, the first one computes it. The others wait, then find it stored.
    await tx`select pg_advisory_xact_lock(${hash.readInt32BE(0)}, ${hash.readInt32BE(4)})`
    return insertStoredList(tx, list, filter, null)
  })
}

/**
 * Renews the most recently used stored lists of version `before`, in the transaction that has given the dataset its next
 * version: then no client has to wait for a filter in use. The cheapest come first, so that most are renewed in time.
 * Each keeps its time of last use, by which the next load and the eviction order them. What changed since a version isn't
 * renewed: a client asks for it once, then for changes since a later one.
 */
export async function renewStoredLists(tx: SqlOrTransaction, before: number, loadMs: number): Promise<void> {
  const storedLists = await tx<{ list: ListName; filter: Filter; usedAt: string }[]>`
    select list, filter, used_at::text as "usedAt" from (
      select * from stored_lists where version = ${before} and filter -> 'changedSince' is null
      order by used_at desc, id desc limit ${maxRenewed}
    ) used
    order by total::bigint * (1 + json_array_length(filter -> 'nameKeys')), id`
  const end = performance.now() + Math.max(minRenewalMs, loadMs * renewalShare)
  for (const { list, filter, usedAt } of storedLists) {
    if (performance.now() > end) return
    await insertStoredList(tx, list, filter, usedAt)
  }
}

/**
 * Stores a list at the dataset's version, and returns its number of ids. `not_needed`: the list is stored already, or
 * the dataset's version has changed. `usedAt` is the list's time of last use, as PostgreSQL writes it. Null: now.
 */
async function insertStoredList(
  tx: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  usedAt: string | null,
): Promise<number | 'not_needed'> {
  const hash = hashFilter(list, filter)
  const [dataset] = await tx<KnownChanges[]>`
    select version, changes_since as "changesSince", set_config(
      'work_mem',
      greatest(${tx.unsafe(minWorkMemoryKb)}, pg_size_bytes(current_setting('work_mem')) / 1024) || 'kB', true
    ), set_config('plan_cache_mode', 'auto', true) -- the best plan depends on the filter
    from dataset`
  // A list that is stored at the dataset's version needs no such check: `changes_since` changes with the version alone.
  if (filter.changedSince !== undefined && dataset !== undefined) {
    assertChangesKnown('changed_since', filter.changedSince, dataset)
  }
  const dependencies = await findDependencies(tx, filter)
  // `limit 1` is for the planner: if it expected more rows, it would compile the statement, which takes far longer.
  // A load may have changed the dependencies since they were found: then the version differs, and nothing is stored.
  const [storedList] = await tx<{ total: number }[]>`
    with current as (select * from dataset limit 1),
    missing as (
      select version from current
      where version = ${dataset?.version ?? 0}
        and not exists (select from stored_lists l where l.filter_hash = ${hash} and l.version = current.version)
    ),
    matches as materialized (
      select array(
        select id from (${selectMatches(tx, list, filter, dependencies)}) m order by id
      ) as ids
      from missing
    ),
    stored_list as (
      insert into stored_lists (filter_hash, version, total, list, filter, used_at)
      select ${hash}, version, cardinality(ids), ${list}, ${JSON.stringify(filter)}::text::json,
        coalesce(${usedAt}::text::timestamptz, now())
      from missing, matches
      returning id, total
    ),
    chunks as (
      insert into stored_list_chunks (stored_list_id, chunk, ids)
      select stored_list.id, chunk, ids[chunk * ${chunkSize}::integer + 1 : (chunk + 1) * ${chunkSize}::integer]
      from stored_list, matches, generate_series(0, (cardinality(ids) - 1) / ${chunkSize}::integer) chunk
      where total > 0
    )
    select total from stored_list`
  return storedList === undefined ? 'not_needed' : storedList.total
}
