/**
 * Prunes the ledger: folds a key's oldest entries into one of kind `balance`, which has their sums, so that the ledger
 * still adds up.
 */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'

/** Entries folded in a transaction, so that none holds its locks for long. */
const batchSize = 10_000
/** The key of an advisory lock: the bytes of "fold". */
export const pruneLock = 0x666f_6c64

export interface Pruned {
  /** Keys that had entries to fold. */
  keys: number
  /** Entries removed. */
  entries: number
}

/** Counts what `pruneLedger` would fold. */
export async function countPrunable(sql: Sql, before: Date): Promise<Pruned> {
  const [row] = await beginLong(
    sql,
    (tx) => tx<Pruned[]>`
    select count(*) as keys, coalesce(sum(entries - 1), 0)::bigint as entries
    from (${selectPrunable(tx, before)}) k, lateral (
      select count(*) as entries from ledger l where l.api_key_id = k.id and ${isOld(tx, tx`k.id`, before)}
    ) old`,
  )
  return row ?? { keys: 0, entries: 0 }
}

/** SQL: the keys that have entries to fold: at least their first two are from before. */
function selectPrunable(sql: SqlOrTransaction, before: Date): Fragment {
  return sql`
    select id from api_keys where (
      select created_at from ledger l where l.api_key_id = api_keys.id order by position offset 1 limit 1
    ) < ${before}`
}

/** SQL: the entry `l` of a key is from before a moment. The condition on positions avoids reading later days. */
function isOld(sql: SqlOrTransaction, keyId: Fragment, before: Date): Fragment {
  return sql`
    l.created_at < ${before} and l.position <= (
      select max(last_position) from usage_days(${keyId})
      where day <= (${before}::timestamptz at time zone 'UTC' - interval '1 microsecond')::date
    )`
}

/**
 * Folds each key's entries from before a moment into one, at the position of the last. Requests are served during it.
 * After an interruption, the ledger adds up, and the next call continues. `onProgress` gets the number of entries
 * removed so far.
 */
export async function pruneLedger(
  sql: Sql,
  before: Date,
  onProgress: (entries: number) => void = () => {},
): Promise<Pruned> {
  const pruned = { keys: 0, entries: 0 }
  const keys = await beginLong(sql, (tx) => tx<{ id: number }[]>`${selectPrunable(tx, before)} order by id`)
  for (const { id } of keys) {
    const already = pruned.entries
    await beginLong(sql, async (tx) => {
      await tx`select from api_keys where id = ${id} for no key update`
      await tx`select sum_up_days(${id})` // the sums by day stay
    })
    for (let folded = batchSize; folded === batchSize; ) {
      folded = await foldEntries(sql, id, before)
      pruned.entries += folded
      onProgress(pruned.entries)
    }
    if (pruned.entries > already) pruned.keys++
  }
  return pruned
}

/** Folds the oldest entries of a key, and returns the number removed. */
async function foldEntries(sql: Sql, keyId: number, before: Date): Promise<number> {
  return beginLong(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${pruneLock})` // two concurrent calls would count entries twice
    const { count } = await tx`
      with old as materialized (
        select * from ledger l
        where l.api_key_id = ${keyId} and ${isOld(tx, tx`${keyId}`, before)} and l.position <= summed_position(${keyId})
        order by position limit ${batchSize + 1}
      ), sums as (
        select max(position) as last, sum(granted) as granted, sum(cost) as cost from old having count(*) > 1
      ), folded as (
        update ledger l
        set kind = 'balance', granted = s.granted, cost = s.cost, items = null, request_id = null, path = null,
          endpoint = null
        from sums s where l.api_key_id = ${keyId} and l.position = s.last
      )
      delete from ledger l using sums s where l.api_key_id = ${keyId} and l.position < s.last`
    return count
  })
}
