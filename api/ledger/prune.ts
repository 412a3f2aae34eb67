/**
 * Folding old entries of the ledger: one of kind `balance` stands for all of a key's entries up to it, so that the
 * ledger stays within bounds, and still adds up.
 *
 * @module
 */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'

/** Entries folded in a transaction, at most: none of them holds up anybody for long. */
const batchSize = 10_000
/** Any number that nobody else of this database takes: the bytes of "fold". */
const pruneLock = 0x666f_6c64

/** What was folded, or would be. */
export interface Pruned {
  /** Keys that had something to fold. */
  keys: number
  /** Entries that are gone. */
  entries: number
}

/** Counts what `pruneLedger` would fold. */
export async function countPrunable(sql: Sql, before: Date): Promise<Pruned> {
  const [row] = await sql<Pruned[]>`
    select count(*) as keys, coalesce(sum(entries - 1), 0)::bigint as entries
    from (${selectPrunable(sql, before)}) k, lateral (
      select count(*) as entries from ledger l where l.api_key_id = k.id and ${isOld(sql, sql`k.id`, before)}
    ) old`
  return row ?? { keys: 0, entries: 0 }
}

/** SQL: the keys that have something to fold: at least their two first entries are from before. */
function selectPrunable(sql: Sql, before: Date): Fragment {
  return sql`
    select id from api_keys where (
      select created_at from ledger l where l.api_key_id = api_keys.id order by position offset 1 limit 1
    ) < ${before}`
}

/** SQL: the entry `l` of a key is from before a moment. Entries of a day stand together: so those of later days are not even read. */
function isOld(sql: SqlOrTransaction, keyId: Fragment, before: Date): Fragment {
  return sql`
    l.created_at < ${before} and l.position <= (
      select max(last_position) from usage_days(${keyId})
      where day <= (${before}::timestamptz at time zone 'UTC' - interval '1 microsecond')::date
    )`
}

/**
 * Folds each key's entries from before a moment into one, which carries their sums and stands at the place of the
 * last. Runs beside requests; when it is interrupted, what was folded is folded, and the ledger adds up.
 * `onProgress` is told how many entries are gone.
 */
export async function pruneLedger(
  sql: Sql,
  before: Date,
  onProgress: (entries: number) => void = () => {},
): Promise<Pruned> {
  const pruned = { keys: 0, entries: 0 }
  for (const { id } of await sql<{ id: number }[]>`${selectPrunable(sql, before)} order by id`) {
    const already = pruned.entries
    await sumUpDays(sql, id)
    for (let folded = batchSize; folded === batchSize; ) {
      folded = await foldEntries(sql, id, before)
      pruned.entries += folded
      onProgress(pruned.entries)
    }
    if (pruned.entries > already) pruned.keys++
  }
  return pruned
}

/** Sees to it that the sums by day, which stay, have what is folded. */
async function sumUpDays(sql: Sql, keyId: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select from api_keys where id = ${keyId} for no key update`
    await tx`select sum_up_days(${keyId})`
  })
}

/** Folds the oldest entries of a key, and returns how many are gone. */
async function foldEntries(sql: Sql, keyId: number, before: Date): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${pruneLock})` // two at once would count entries twice
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
