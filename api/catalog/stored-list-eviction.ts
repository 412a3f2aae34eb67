/**
 * Eviction of stored lists: those of older versions, and the least recently used beyond a bound of bytes.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { describeFailure } from '../database/connection-error.ts'
import { countStatement } from '../database/statement-count.ts'

/** Of a stored list in the database, in bytes. */
const minStoredListBytes = 4096
/** Of each of its ids, with a share of the chunk's row. */
const bytesPerId = 5
/** The newest lists stay, however large they are: the requests that built them are about to read them. */
const minKept = 2
/** A statement deletes at most this much, so that none delays others for long. */
const sweepBatch = { storedLists: 500, ids: 500_000 }
/** An instance sweeps after this many new lists, so that short-lived instances sweep too, … */
const firstSweepInterval = 2
/** … then after each of this many, … */
const sweepInterval = 32
/** … or sooner, when they take this share of the bound. */
const sweepShare = 1 / 16
/** Uses are written to the database this often, and before each sweep. */
const writeIntervalMs = 60_000

/** Keeps the stored lists of a database within their bound, in the background. */
export interface StoredListEviction {
  /** Counts a new list of `total` ids, and sweeps when it is time. */
  noteBuilt(total: number): void
  /** Records that the list with this hash was read: less recently used ones are evicted before it. */
  noteUse(hash: Buffer): void
  /** Starts nothing more, and waits for what is under way. */
  close(): Promise<void>
}

/** Creates the eviction of an instance. `report` gets a message when it fails. */
export function createStoredListEviction(
  sql: Sql,
  { maxBytes, report }: { maxBytes: number; report: (message: string) => void },
): StoredListEviction {
  /** New lists until the next sweep; a large one counts as several. */
  let untilSweep = firstSweepInterval
  /** On the clock of `performance.now()`, by hash in hexadecimal digits. */
  let uses = new Map<string, number>()
  let writtenAt = performance.now()
  let running: Promise<void> | undefined
  const closing = new AbortController()

  function start(): void {
    if (running !== undefined || closing.signal.aborted) return
    running = writeAndSweep().finally(() => {
      running = undefined
      if (untilSweep <= 0) start() // lists may have been built since then
    })
  }

  async function writeAndSweep(): Promise<void> {
    const taken = uses
    uses = new Map()
    writtenAt = performance.now()
    await countStatement(sql, () => writeUses(sql, taken)).catch(
      reportFailure('The use of stored lists could not be recorded'),
    )
    if (untilSweep > 0) return
    untilSweep = sweepInterval
    await countStatement(sql, () => sweepStoredLists(sql, { maxBytes, signal: closing.signal })).catch(
      reportFailure('Old stored lists could not be deleted'),
    )
  }

  function reportFailure(message: string) {
    return (error: unknown) =>
      report(`${message}: ${error instanceof Error ? describeFailure(error) : error}`)
  }

  return {
    noteBuilt(total) {
      const bytes = Math.max(minStoredListBytes, total * bytesPerId)
      untilSweep -= Math.max(1, (sweepInterval * bytes) / (maxBytes * sweepShare))
      if (untilSweep <= 0) start()
    },
    noteUse(hash) {
      const now = performance.now()
      uses.set(hash.toString('hex'), now)
      if (now - writtenAt >= writeIntervalMs) start()
    },
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Writes times of last use. Skips lists that another instance writes or deletes at the same time. */
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
 * Deletes stored lists of older versions, and the least recently used beyond `maxBytes`, if it is given. No reader misses
 * the older ones: a replica that lags behind has them until it replays this. `signal` ends the sweep early.
 */
export async function sweepStoredLists(
  sql: Sql,
  { maxBytes, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<void> {
  // Rows that another sweep has locked are skipped: otherwise two sweeps could deadlock.
  for (let swept = 1; swept > 0 && signal?.aborted !== true; ) {
    const { count } = await sql`
      with surplus as materialized (
        select id from (
          select id, used_at, row_number() over (order by id desc) as age,
            sum(greatest(${minStoredListBytes}::bigint, total::bigint * ${bytesPerId}::bigint))
              over (order by used_at desc, id desc) as bytes
          from stored_lists where version = (select version from dataset)
        ) l
        where bytes > ${maxBytes ?? null}::bigint and age > ${minKept}
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
