/**
 * Keys and ledgers, written by SQL: as many as nobody would make with `devdata keys create` and requests. Subjects
 * check them through the API before they measure anything.
 */
import type { Sql } from '../api/database/connect.ts'

/** What each key was granted, in credits: more than any run can spend. */
const granted = 1_000_000_000_000

/** The secret of the key with that id. pgbench.ts makes it too. */
export function secretOf(keyId: number): string {
  return `00000000-0000-4000-8000-${String(keyId).padStart(12, '0')}`
}

/** User keys with ids from 1, all scopes, no rate limit, and a grant that nobody can use up. */
export async function fillKeys(sql: Sql, count: number): Promise<void> {
  await sql`
    insert into api_keys (role, scopes)
    select 'user', '{users:read,repos:read}' from generate_series(1, ${count}::integer)`
  await sql`
    insert into api_key_secrets (hash, api_key_id)
    select sha256(('00000000-0000-4000-8000-' || lpad(id::text, 12, '0'))::bytea), id from api_keys`
  await fillLedger(sql, 0, 0)
  await fillPeers(sql)
}

/**
 * The tables of those whom we are compared with, if they are not there yet: as one charges with a single statement,
 * with the balance in the key's row. Secrets of keys are ours.
 */
export async function fillPeers(sql: Sql): Promise<void> {
  await sql`set client_min_messages = warning`
  await sql`create schema if not exists peers`
  await sql`
    create table if not exists peers.api_keys (
      like public.api_keys including defaults,
      credits bigint not null check (credits >= 0),
      last_position bigint not null default 0,
      last_entry_at timestamptz,
      primary key (id)
    ) with (fillfactor = 50)`
  await sql`create table if not exists peers.ledger (like public.ledger including all)`
  await sql`
    insert into peers.api_keys select *, ${granted}::bigint from api_keys on conflict do nothing`
  await sql`vacuum analyze peers.api_keys`
}

/**
 * A ledger that begins `days` days ago, with a grant, and then has `entriesPerDay` charges of a look-up for each key
 * and day, until yesterday. What was there is replaced.
 */
export async function fillLedger(sql: Sql, days: number, entriesPerDay: number): Promise<void> {
  await sql`truncate ledger, ledger_days`
  const firstDay = sql`((now() at time zone 'UTC')::date - ${days}::integer)`
  // In the order of time, as it grows: entries of a key lie apart.
  await sql`
    insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
    select id, position, (${firstDay} + (position - 2) / ${entriesPerDay}::integer)::timestamp at time zone 'UTC'
        + (position - 2) % ${entriesPerDay}::integer * interval '14 minutes',
      'charge', 0, 1, ${granted}::bigint - position + 1, 1, gen_random_uuid(), '/users/user' || position
    from generate_series(2, ${days * entriesPerDay + 1}::integer) position, (select id from api_keys order by id) k`
  await sql`
    insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
    select id, 1, ${firstDay}::timestamp at time zone 'UTC', 'grant', ${granted}, 0, ${granted}, '' from api_keys`
  await sql`
    insert into ledger_days
    select id, ${firstDay} + day, '/users/{login}', ${entriesPerDay}, ${entriesPerDay}, ${entriesPerDay},
      day * ${entriesPerDay}::bigint + 2, (day + 1) * ${entriesPerDay}::bigint + 1
    from api_keys, generate_series(0, ${days - 1}::integer) day`
  await sql`insert into ledger_days select id, ${firstDay}, '', 1, 0, 0, 1, 1 from api_keys`
  await sql`
    update api_keys set last_used_at = null, noted_position = 1`
  await sql`vacuum analyze ledger, ledger_days, api_keys, api_key_secrets`
  await sql`checkpoint`
}

/** Entries that were ever made, by us and by the others: an entry has the next position of its key. */
export async function countEntries(sql: Sql): Promise<number> {
  const [row] = await sql<{ entries: number }[]>`
    select ((select sum(last_position) from balances) + (select sum(last_position) from peers.api_keys))::bigint as entries`
  return row?.entries ?? 0
}

/** Credits that were ever charged, as the balances say it. */
export async function sumCharged(sql: Sql): Promise<number> {
  const [row] = await sql<{ charged: number }[]>`
    select (count(*) * ${granted}::bigint - sum(credits))::bigint as charged from balances`
  return row?.charged ?? 0
}

/** Keys whose balance is not sum(granted) - sum(cost), or that do not have an entry for each position. */
export async function countMismatches(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from balances b left join (
      select api_key_id, sum(granted) - sum(cost) as balance, count(*) as entries from ledger group by 1
    ) l using (api_key_id)
    where (b.credits, b.last_position) is distinct from (l.balance, l.entries)`
  return row?.count ?? 0
}
