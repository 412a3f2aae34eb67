/**
 * Verifies that the ledger adds up, by computing everything again from its entries.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'

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
  credits: number
  /** The highest position that anything but the ledger recorded. */
  known_position: number
  entries: number
  granted: string
  cost: string
  newest: number
  gaps: number
  wrong_balances: number
  backwards: number
  begins: boolean
  /** The position up to which the days include the entries. */
  summed: number
  summed_cost: string
  unplaced: number
  days_entries: number
  days_cost: string
}

/** Each returns the problem when a key breaks the rule. */
const rules: ((row: KeyRow) => string | false)[] = [
  ({ credits, granted, cost }) =>
    BigInt(granted) - BigInt(cost) !== BigInt(credits) &&
    `granted ${granted} - spent ${cost} is not its balance, ${credits}`,
  ({ wrong_balances }) =>
    wrong_balances > 0 && `${wrong_balances} entries state another balance than their sum`,
  ({ gaps, begins }) => (gaps > 0 || !begins) && `entries are missing (${gaps} gaps)`,
  ({ newest, known_position }) =>
    newest < known_position && `its newest entry is ${newest}, and there was a later one: ${known_position}`,
  ({ backwards }) => backwards > 0 && `${backwards} entries are older than the one before`,
  ({ days_cost, summed_cost }) =>
    days_cost !== summed_cost && `its days add up to ${days_cost} credits spent, not to ${summed_cost}`,
  ({ days_entries, summed }) =>
    days_entries !== summed && `its days add up to ${days_entries} entries, not to ${summed}`,
  ({ unplaced }) => unplaced > 0 && `${unplaced} entries belong to no day`,
]

/** Verifies all keys, including deleted ones, in one snapshot. Reads the whole ledger. */
export async function verifyLedger(sql: Sql): Promise<Verification> {
  const rows = await sql<KeyRow[]>`
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
    )
    select k.id, b.credits, greatest(k.noted_position, d.summed) as known_position,
      coalesce(s.entries, 0) as entries, coalesce(s.granted, 0)::text as granted, coalesce(s.cost, 0)::text as cost,
      coalesce(s.newest, 0) as newest, coalesce(s.gaps, 0) as gaps, coalesce(s.wrong_balances, 0) as wrong_balances,
      coalesce(s.backwards, 0) as backwards, coalesce(s.begins, true) as begins,
      coalesce(d.summed, 0) as summed, coalesce(s.summed_cost, 0)::text as summed_cost,
      coalesce(s.unplaced, 0) as unplaced, coalesce(d.entries, 0)::bigint as days_entries,
      coalesce(d.cost, 0)::text as days_cost
    from api_keys k join balances b on b.api_key_id = k.id
      left join sums s on s.api_key_id = k.id left join days d on d.api_key_id = k.id
    order by k.id`
  const add = (figure: (row: KeyRow) => string | number) =>
    rows.reduce((sum, row) => sum + BigInt(figure(row)), 0n)
  return {
    keys: rows.length,
    entries: Number(add(({ entries }) => entries)),
    granted: add(({ granted }) => granted),
    cost: add(({ cost }) => cost),
    balance: add(({ credits }) => credits),
    problems: rows.flatMap((row) =>
      rules.flatMap((findProblem) => {
        const problem = findProblem(row)
        return problem === false ? [] : [{ keyId: row.id, problem }]
      }),
    ),
  }
}
