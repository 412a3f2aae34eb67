/** Verifies that the ledger adds up, by computing everything again from its entries. */
import type { Sql } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'

export interface Verification {
  keys: number
  entries: number
  /** Credits of all keys, as are `cost` and `balance`. Sums may exceed the exact range of numbers. */
  granted: bigint
  cost: bigint
  balance: bigint
  /** One for each key and each rule that it breaks. */
  problems: { keyId: number; problem: string }[]
}

interface KeyRow {
  id: number
  entries: number
  granted: string
  cost: string
  balance: string
  /** One for each rule that the key breaks. */
  problems: string[]
}

/** Verifies all keys, including deleted ones, in one snapshot. Reads the whole ledger. */
export async function verifyLedger(sql: Sql): Promise<Verification> {
  const rows = await beginLong(
    sql,
    (tx) => tx<KeyRow[]>`
    with days as (
      select api_key_id, max(last_position) as summed, sum(entries) as entries, sum(cost) as cost
      from ledger_days group by api_key_id
    ), entries as (
      select l.*, coalesce(summed, 0) as summed, sum(granted - l.cost) over w as running,
        lag(position) over w as previous, lag(created_at) over w as earlier
      from ledger l left join days using (api_key_id)
      window w as (partition by api_key_id order by position)
    ), sums as (
      select api_key_id, count(*) as entries, sum(granted) as granted, sum(cost) as cost, max(position) as newest,
        sum(cost) filter (where position <= summed) as summed_cost,
        count(*) filter (where position > summed and endpoint is null) as unplaced,
        count(*) filter (where position <> previous + 1) as gaps,
        count(*) filter (where balance <> running) as wrong_balances,
        count(*) filter (where created_at < earlier) as backwards,
        bool_or(previous is null and (position = 1 or kind = 'balance')) as begins
      from entries group by api_key_id
    ), wrong_days as (
      select api_key_id, count(*) as wrong_days
      from (
        select api_key_id, (created_at at time zone 'UTC')::date as day, endpoint, count(*) as entries,
          coalesce(sum(items), 0) as items, sum(l.cost) as cost
        from ledger l join days using (api_key_id) where position <= summed and kind <> 'balance'
        group by api_key_id, day, endpoint
      ) e full join ledger_days d using (api_key_id, day, endpoint)
        left join (select api_key_id, position as folded from ledger where kind = 'balance') f using (api_key_id)
      where d.first_position > folded is not false -- the sums of folded days include entries that are gone
        and (d.entries, d.items, d.cost) is distinct from (e.entries, e.items, e.cost)
      group by api_key_id
    ), refs as (
      select r.api_key_id, count(*) as unmatched from grant_references r
      where not exists (
          select from ledger l
          where l.api_key_id = r.api_key_id and l.position = r.position and kind = 'grant' and l.granted = r.granted
        ) and not exists ( -- the entry has been folded
          select from ledger l
          where l.api_key_id = r.api_key_id and l.position >= r.position and kind = 'balance'
        )
      group by r.api_key_id
    ), keys as (
      select k.id, b.credits as balance, greatest(k.noted_position, d.summed) as known_position,
        coalesce(s.entries, 0) as entries, coalesce(s.granted, 0) as granted, coalesce(s.cost, 0) as cost,
        coalesce(s.newest, 0) as newest, wrong_balances, coalesce(gaps, 0) as gaps, coalesce(begins, true) as begins,
        backwards, unplaced, coalesce(d.summed, 0) as summed, coalesce(s.summed_cost, 0) as summed_cost,
        coalesce(d.entries, 0) as days_entries, coalesce(d.cost, 0) as days_cost, wrong_days, unmatched
      from api_keys k join balances b on b.api_key_id = k.id
        left join sums s on s.api_key_id = k.id left join days d on d.api_key_id = k.id
        left join wrong_days w on w.api_key_id = k.id left join refs r on r.api_key_id = k.id
    )
    select id, entries, granted::text, cost::text, balance::text, to_json(array_remove(array[
      case when granted - cost <> balance
        then format('granted %s - spent %s is not its balance, %s', granted, cost, balance) end,
      case when wrong_balances > 0 then format('%s entries have a balance other than their sum', wrong_balances) end,
      case when gaps > 0 or not begins then format('entries are missing (%s gaps)', gaps) end,
      case when newest < known_position
        then format('its newest entry is %s, and there was a later one: %s', newest, known_position) end,
      case when backwards > 0 then format('%s entries are older than the one before', backwards) end,
      case when days_cost <> summed_cost
        then format('its days add up to %s credits spent, not to %s', days_cost, summed_cost) end,
      case when days_entries <> summed then format('its days add up to %s entries, not to %s', days_entries, summed) end,
      case when wrong_days > 0 then format('%s daily sums differ from their entries', wrong_days) end,
      case when unplaced > 0 then format('%s entries belong to no day', unplaced) end,
      case when unmatched > 0 then format('%s references of grants have no entry of their amount', unmatched) end
    ], null)) as problems
    from keys order by id`,
  )
  const sum = (name: 'granted' | 'cost' | 'balance') => rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)
  return {
    keys: rows.length,
    entries: rows.reduce((sum, { entries }) => sum + entries, 0),
    granted: sum('granted'),
    cost: sum('cost'),
    balance: sum('balance'),
    problems: rows.flatMap(({ id, problems }) => problems.map((problem) => ({ keyId: id, problem }))),
  }
}
