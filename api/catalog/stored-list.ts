/**
 * StoredLists make every page of a filter cost the same, with an exact total: the ids that match are found once for a
 * version of the dataset, and kept in the database in chunks, so that a page is a look-up of one chunk or two.
 *
 * @module
 */
import { EventEmitter, once } from 'node:events'
import { createFairQueue, OverCapacityError } from '../concurrency/fair-queue.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { describeFailure } from '../database/connection-error.ts'
import type { ListPage } from '../paging/page.ts'
import { type Filter, findDependencies, hashFilter, type ListName, selectMatches } from './filter.ts'

/** Ids in a chunk: the largest page (100) touches two at most. */
const chunkSize = 120
/** What a stored list takes in the database, at least, in bytes. */
const minStoredListBytes = 4096
/** What each of its ids takes, with its share of the chunk's row, in bytes. */
const bytesPerId = 5
/** Old stored lists are cleared away after so many new ones of an instance, however short it lives, … */
const firstSweep = 2
/** … then after every so many, … */
const sweepInterval = 32
/** … and when the new ones take this share of the bound. */
const sweepShare = 1 / 16
/** What is cleared away with a statement, at most: none of them holds up anybody for long. */
const sweepBatch = { storedLists: 500, ids: 500_000 }
/** What PostgreSQL may take to find one, in KiB: enough to see whether it has each of a million ids already. */
const minMemory = '32768'
/** Stored lists that an instance computes at a time; callers take turns. */
const computedAtOnce = 2
/** The newest are not cleared away, however large they are: somebody has waited for them, and is about to read. */
const keptInAnyCase = computedAtOnce
/** What was read is written down in this interval, in milliseconds, and before each sweep. */
const noteInterval = 60_000
/** Lists of which an instance remembers until then that they were read. */
const maxNoted = 10_000

/** Kept stored lists of one database. */
export interface StoredLists {
  /**
   * SQL: `total`, `version`, `skipped` (items before the page) and `ids` (of the page, ascending) of a filter's stored list
   * at the dataset's version; no row if there is none yet. The row `asked` says of which: `hash` (of list and filter, in
   * hexadecimal digits), `skipped`, `size`, and `after`, an id, if that is more than 0.
   */
  selectPage(sql: Sql): Fragment
  /**
   * Makes the stored list that `selectPage` did not find. Many who ask at once cause one computation, and a caller who asks
   * for ever new ones waits for itself alone. Throws `OverCapacityError` when there is too much to compute.
   */
  build(list: ListName, filter: Filter, requester: Requester): Promise<void>
  /** Whether `build` would refuse another list, because too many of the caller's lists wait. */
  isFullFor(caller: number): boolean
  /** A page of the list with this hash was read: others are cleared away before it. */
  noteUse(hash: Buffer): void
  /** Begins nothing more in the background, and waits for what is under way there. */
  close(): Promise<void>
}

/** Who asks for a stored list. */
export interface Requester {
  /** Whose turn it takes. */
  caller: number
  /** Called before it waits for the stored list. */
  onWait?: (() => void) | undefined
}

/** What stored lists may take. */
export interface StoredListOptions {
  /** In the database, all together. */
  maxBytes: number
  /** Who would have to wait longer for a turn is refused. In milliseconds. */
  maxWaitMs: number
  /** Who may wait at a time. A caller may have no more waiting than there is room for others still. */
  maxQueued: number
  /** Is told when old stored lists can't be cleared away. */
  report?: (message: string) => void
}

/** Creates the store. */
export function createStoredLists(
  sql: Sql,
  { maxBytes, maxWaitMs, maxQueued, report = () => {} }: StoredListOptions,
): StoredLists {
  /** What is computed, by filter, … */
  const underWay = new Map<string, Promise<void>>()
  /** … and who stands in line for it, and hears when somebody begins. */
  const begins = new EventEmitter().setMaxListeners(0)
  const turns = createFairQueue<number>({
    maxConcurrent: computedAtOnce,
    maxQueued: Number.POSITIVE_INFINITY, // as many as may wait for storedLists
    maxWaitMs,
  })
  /** How many of each caller wait, and of all. */
  const waiting = new Map<number, number>()
  let allWaiting = 0
  let untilSweep = firstSweep
  let bytesUntilSweep = maxBytes * sweepShare
  let sweeping: Promise<void> | undefined
  /** When lists were read, on the clock of `performance.now()`, by hash in hexadecimal digits. */
  let uses = new Map<string, number>()
  let notedAt = performance.now()
  let noting: Promise<void> | undefined
  const closing = new AbortController()

  async function waitFor(list: ListName, filter: Filter, caller: number): Promise<void> {
    const hash = hashFilter(list, filter)
    const key = hash.toString('hex')
    const known = underWay.get(key)
    if (known !== undefined) return known
    const turn = turns.enter(caller)
    const standing = new AbortController()
    const told: Promise<Promise<void>[]> = once(begins, key, { signal: standing.signal })
    // Whose turn comes first computes it. The others stand in line no longer than until then.
    const first = await Promise.race([turn, told]).finally(() => standing.abort())
    if (typeof first === 'function' && !underWay.has(key)) {
      const begun = compute(list, filter, hash).finally(() => {
        underWay.delete(key)
        first()
      })
      underWay.set(key, begun)
      begins.emit(key, begun)
      return begun
    }
    turn.then(
      (leave) => leave(),
      () => {}, // it may be refused: nobody needs it
    )
    return typeof first === 'function' ? underWay.get(key) : first[0]
  }

  async function compute(list: ListName, filter: Filter, hash: Buffer): Promise<void> {
    const made = await sql.begin(async (tx) => {
      // Other instances may want the same: the first computes, the others wait and find it done.
      await tx`select pg_advisory_xact_lock(${hash.readInt32BE(0)}, ${hash.readInt32BE(4)})`
      return makeStoredList(tx, list, filter, { hash })
    })
    if (made === undefined) return
    untilSweep--
    bytesUntilSweep -= Math.max(minStoredListBytes, made.total * bytesPerId)
    sweepIfDue()
  }

  /** Nobody waits for it: the stored list is there. */
  function sweepIfDue(): void {
    if (untilSweep > 0 && bytesUntilSweep > 0) return
    if (sweeping !== undefined || closing.signal.aborted) return
    untilSweep = sweepInterval
    bytesUntilSweep = maxBytes * sweepShare
    sweeping = noteUses()
      .then(() => sweepStoredLists(sql, { maxBytes, signal: closing.signal }))
      .catch(reportFailure('Old stored lists could not be deleted'))
      .finally(() => {
        sweeping = undefined
        sweepIfDue() // for what came meanwhile
      })
  }

  /** Writes down what was read since the last time. */
  function noteUses(): Promise<void> {
    const read = uses
    uses = new Map()
    notedAt = performance.now()
    return writeUses(sql, read).catch(reportFailure('The use of stored lists could not be recorded'))
  }

  function reportFailure(message: string) {
    return (error: unknown) =>
      report(`${message}: ${error instanceof Error ? describeFailure(error) : error}`)
  }

  const mayWait = (caller: number) => (waiting.get(caller) ?? 0) < maxQueued - allWaiting

  return {
    isFullFor: (caller) => waiting.has(caller) && !mayWait(caller),
    noteUse(hash) {
      const now = performance.now()
      uses.set(hash.toString('hex'), now)
      if (now - notedAt < noteInterval && uses.size < maxNoted) return
      if (noting !== undefined || closing.signal.aborted) return
      noting = noteUses().finally(() => {
        noting = undefined
      })
    },
    // What is new, or matches no more, may have come before the id: so its rank is looked up.
    selectPage: (sql) => sql`
      select l.total, l.version, place.skipped, array(
        select id from stored_list_chunks c, unnest(c.ids) as id
        where c.stored_list_id = l.id and c.chunk >= place.skipped / ${chunkSize} and c.chunk <= place.skipped / ${chunkSize} + 1
        order by id limit asked.size offset place.skipped % ${chunkSize}
      ) as ids
      from dataset d join stored_lists l on l.version = d.version and l.filter_hash = decode(asked.hash, 'hex'), lateral (
        select case when asked.after = 0 then asked.skipped else coalesce((
          select c.chunk * ${chunkSize}::bigint + (select count(*) from unnest(c.ids) as id where id <= asked.after)
          from stored_list_chunks c where c.stored_list_id = l.id and c.ids[1] <= asked.after order by c.ids[1] desc limit 1
        ), 0) end as skipped
      ) place`,
    async build(list, filter, { caller, onWait }) {
      if (!mayWait(caller)) throw new OverCapacityError('over capacity')
      waiting.set(caller, (waiting.get(caller) ?? 0) + 1)
      allWaiting++
      onWait?.()
      try {
        await waitFor(list, filter, caller)
      } finally {
        allWaiting--
        const left = (waiting.get(caller) ?? 0) - 1
        if (left > 0) waiting.set(caller, left)
        else waiting.delete(caller)
      }
    },
    async close() {
      closing.abort()
      await Promise.all([sweeping, noting])
    },
  }
}

/** Writes down when lists were read. What another instance writes or clears away just now is passed over. */
async function writeUses(sql: Sql, uses: ReadonlyMap<string, number>): Promise<void> {
  if (uses.size === 0) return
  const now = performance.now()
  await sql`
    update stored_lists l set used_at = used.at from (
      select id, at
      from unnest(
          ${sql.typed.texts([...uses.keys()])},
          ${sql.typed.bigints([...uses.values()].map((at) => Math.round(now - at)))}
        ) as use(hash, milliseconds_ago)
        cross join lateral (select now() - milliseconds_ago * interval '1 millisecond' as at) moment
        join stored_lists on filter_hash = decode(use.hash, 'hex') and used_at < at
      for update of stored_lists skip locked
    ) used
    where l.id = used.id`
}

/**
 * Clears away the stored lists of versions that have passed, and the least recently used of what is over the bound, if one is
 * given. No reader misses the former: the one that reads an older version, on a replica that is late, has them as they
 * were. Ends early when `signal` says so.
 */
export async function sweepStoredLists(
  sql: Sql,
  { maxBytes, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<void> {
  // What somebody else clears away just now is passed over: two at once must not wait for each other in a circle.
  for (let swept = 1; swept > 0 && signal?.aborted !== true; ) {
    const { count } = await sql`
      with surplus as materialized (
        select id from (
          select id, used_at, row_number() over (order by id desc) as age,
            sum(greatest(${minStoredListBytes}::bigint, total::bigint * ${bytesPerId}::bigint))
              over (order by used_at desc, id desc) as bytes
          from stored_lists where version = (select version from dataset)
        ) l
        where bytes > ${maxBytes ?? null}::bigint and age > ${keptInAnyCase}
        order by used_at, id limit ${sweepBatch.storedLists}
      )
      delete from stored_lists where id in (
        select id from (
          select id, sum(total::bigint) over (order by id) - total as before from (
            select id, total from stored_lists
            where id in (select id from surplus) or version < (select version from dataset)
            order by id limit ${sweepBatch.storedLists} for update skip locked
          ) batch
        ) batch
        where before < ${sweepBatch.ids}
      )`
    swept = count
  }
}

/**
 * Makes a filter's stored list at the dataset's version, unless it is there. Promises how many ids it has. `usedAt` is when it
 * was used last, as PostgreSQL writes it; null: now.
 */
async function makeStoredList(
  tx: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  { hash = hashFilter(list, filter), usedAt = null }: { hash?: Buffer; usedAt?: string | null } = {},
): Promise<{ total: number } | undefined> {
  // Beyond its usual 4 MB PostgreSQL would put what matches on the disk to find what it has twice.
  const [dataset] = await tx<{ version: number }[]>`
    select version, set_config(
      'work_mem', greatest(${tx.unsafe(minMemory)}, pg_size_bytes(current_setting('work_mem')) / 1024) || 'kB', true
    ) from dataset`
  const dependencies = await findDependencies(tx, filter)
  // `limit 1` is for the planner: expecting more rows it would compile the statement, which takes far longer.
  // Where a load comes in between, the dependencies may be out of date: nothing is made then.
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
  return storedList
}

/** Stored lists that a load makes anew, at most, … */
const maxRenewed = 200
/** … and for at least so long, in milliseconds: nobody waits for it but the load. */
const minRenewal = 10_000
/** A load that took long itself may go on for this part of its time, so that hardly anything is left to its readers. */
const renewalShare = 1 / 4

/**
 * Makes the most recently used stored lists of version `before` anew, in the transaction that has given the dataset its next
 * version: so the filters that clients use cost nothing to the first who asks for them after a load. The cheapest come
 * first, so that as many as can be are there in time. Each keeps the time of its last use: the next load, and the bound,
 * find them in the same order. `taken` is how long the load took, in milliseconds.
 */
export async function renewStoredLists(tx: SqlOrTransaction, before: number, taken: number): Promise<void> {
  const storedLists = await tx<{ list: ListName; filter: Filter; usedAt: string }[]>`
    select list, filter, used_at::text as "usedAt" from (
      select * from stored_lists where version = ${before} order by used_at desc, id desc limit ${maxRenewed}
    ) used
    order by total::bigint * (1 + json_array_length(filter -> 'nameKeys')), id`
  const end = performance.now() + Math.max(minRenewal, taken * renewalShare)
  for (const { list, filter, usedAt } of storedLists) {
    if (performance.now() > end) return
    await makeStoredList(tx, list, filter, { usedAt })
  }
}

/**
 * Reads a page through `read`, and makes the stored list first where there is none. A new version of the dataset may
 * come between the two: then once more. Throws `OverCapacityError` when that goes on.
 */
export async function readListed(
  store: StoredLists,
  { list, filter, ...requester }: { list: ListName; filter: Filter } & Requester,
  read: () => Promise<ListPage | undefined>,
): Promise<ListPage> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const page = await read()
    if (page !== undefined) return page
    await store.build(list, filter, requester)
  }
  throw new OverCapacityError('the dataset changes faster than a stored list of it can be made and read')
}
