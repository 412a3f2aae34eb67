/** A key's usage, as clients read it: every change of the balance, and sums by day and endpoint. */
import type { Sql } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { type ListPage, limitPage, offsetOf, type Page, renderPage, selectPage } from '../paging/page.ts'

/** A page of a key's ledger. */
export interface UsagePage<After> {
  keyId: number
  /** A date (UTC), `2030-12-31`; null: all. */
  day: string | null
  page: Page<After>
}

/** Identifies a sum by day and endpoint. */
export interface SumKey {
  /** A date (UTC), `2030-12-31`. */
  day: string
  endpoint: string
}

/**
 * Lists the entries of a key's ledger, newest first. One entry of kind `balance` stands for those that were pruned.
 * Positions have no gaps, and entries of a day are consecutive, so any page is a range.
 */
export function listUsage(sql: Sql, { keyId, day, page }: UsagePage<number>): Promise<ListPage> {
  const { after, size } = page
  const skipped =
    after === undefined
      ? sql`${offsetOf(page)}::bigint`
      : sql`least(total, greatest(0, range.last - ${after}::bigint + 1))`
  const range =
    day === null
      ? sql`select 1::bigint as first, last_position as last from balances where api_key_id = ${keyId}`
      : sql`
        select min(first_position) as first, max(last_position) as last
        from usage_days(${keyId}) where day = ${day}::date`
  return selectPage(sql<ListPage[]>`
    with stored as (select min(position) as first from ledger where api_key_id = ${keyId}),
    range as (
      select r.*, coalesce(greatest(0, r.last - r.first + 1), 0)::bigint as total
      from (select greatest(r.first, stored.first) as first, r.last from (${range}) r, stored) r
    )
    select total, place.skipped as offset, entries.*
    from range, lateral (select ${skipped} as skipped) place, lateral (
      select ${renderPage(sql, { item: sql`row_to_json(e)::text`, order: sql`entry desc` })}, min(entry) as next from (
        select position as entry, floor(extract(epoch from created_at))::bigint as timestamp, kind, request_id,
          case kind when 'charge' then 'GET' end as method, path, items, cost, granted,
          case kind when 'grant' then (
            select reference from grant_references r where r.api_key_id = l.api_key_id and r.position = l.position
          ) end as reference, balance
        from ledger l
        where api_key_id = ${keyId} and position >= range.first
          and position > range.last - place.skipped - ${size} and position <= range.last - place.skipped
        order by position desc ${limitPage(sql)}
      ) e
    ) entries`)
}

/** Lists a key's spending by day and endpoint, newest day first. Pruning the ledger doesn't change it. */
export function listUsageByDay(sql: Sql, { keyId, day, page }: UsagePage<SumKey>): Promise<ListPage> {
  const { after, size } = page
  const skipped =
    after === undefined
      ? sql`${offsetOf(page)}::bigint`
      : sql`(
        select count(*) from days
        where day > ${after.day}::date or day = ${after.day}::date and endpoint <= ${after.endpoint}
      )`
  return selectPage(sql<ListPage[]>`
    with days as materialized (
      select day, endpoint, entries as requests, items, cost from usage_days(${keyId})
      where endpoint <> '' ${day === null ? sql`` : sql`and day = ${day}::date`}
    )
    select (select count(*) from days) as total, place.skipped as offset, sums.*
    from (select ${skipped} as skipped) place, lateral (
      select ${renderPage(sql, { item: sql`row_to_json(d)::text`, order: sql`day desc, endpoint` })},
        (array_agg(to_char(day, 'YYYY-MM-DD') || endpoint order by day, endpoint desc))[1] as next
      from (select * from days order by day desc, endpoint limit ${size} offset place.skipped) d
    ) sums`)
}

/** Which sums to read. Without members: all. */
export interface UsageFilter {
  /** The first and the last day (UTC), `2030-12-31`. */
  from?: string
  to?: string
  /** The id of a key. */
  key?: number
}

/** What a key spent on a day at an endpoint. */
export interface KeyUsage extends SumKey {
  key: number
  name: string | null
  requests: number
  items: number
  credits: number
}

/**
 * Reads what keys spent, deleted ones too, by key, day and endpoint, in one snapshot. `write` gets a few rows at a
 * time.
 */
export async function readUsage(
  sql: Sql,
  { from, to, key }: UsageFilter,
  write: (rows: readonly KeyUsage[]) => void,
): Promise<void> {
  await beginLong(sql, (tx) =>
    tx<KeyUsage[]>`
    select k.id as key, k.name, to_char(d.day, 'YYYY-MM-DD') as day, d.endpoint, d.entries as requests, d.items, d.cost as credits
    from api_keys k, usage_days(k.id) d
    where endpoint <> '' and (${key ?? null}::integer is null or k.id = ${key ?? null}::integer)
      and (${from ?? null}::date is null or day >= ${from ?? null}::date)
      and (${to ?? null}::date is null or day <= ${to ?? null}::date)
    order by k.id, day, endpoint`.cursor(1_000, write),
  )
}
