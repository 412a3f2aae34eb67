/**
 * A key's own ledger, as its bearer may read it: every change of the balance, and sums by day and endpoint.
 *
 * @module
 */
import { type ListPage, limitPage, offsetOf, type Page, renderPage, selectPages } from '../catalog/page.ts'
import type { Sql } from '../database/connect.ts'

/** A page of a key's ledger. */
export interface UsagePage {
  keyId: number
  /** A date (UTC), `2030-12-31`; null: all. */
  day: string | null
  page: Page
}

/**
 * Lists the entries of a key's ledger, newest first. Entries that were folded are there as one, of kind `balance`.
 * Positions have no gaps, and entries of a day stand together, so that any page is a range.
 */
export async function listUsage(sql: Sql, { keyId, day, page }: UsagePage): Promise<ListPage> {
  const offset = offsetOf(page)
  const range =
    day === null
      ? sql`select 1::bigint as first, last_position as last from balances where api_key_id = ${keyId}`
      : sql`
        select min(first_position) as first, max(last_position) as last
        from usage_days(${keyId}) where day = ${day}::date`
  const [found] = await selectPages(sql`
    with kept as (select min(position) as first from ledger where api_key_id = ${keyId}),
    range as (select greatest(r.first, kept.first) as first, r.last from (${range}) r, kept)
    select coalesce(greatest(0, range.last - range.first + 1), 0)::bigint as total, entries.count, entries.items
    from range, lateral (
      select ${renderPage(sql, sql`row_to_json(e)::text`, sql`entry desc`)} from (
        select position as entry, floor(extract(epoch from created_at))::bigint as timestamp, kind, request_id,
          case kind when 'charge' then 'GET' end as method, path, items, cost, granted, balance
        from ledger
        where api_key_id = ${keyId} and position >= range.first
          and position > range.last - ${offset + page.size}::bigint and position <= range.last - ${offset}::bigint
        order by position desc ${limitPage(sql)}
      ) e
    ) entries`)
  if (found === undefined) throw new Error('the key is missing')
  return found
}

/** Lists what a key spent, by day and endpoint, newest day first. Folding entries leaves these sums as they are. */
export async function listUsageByDay(sql: Sql, { keyId, day, page }: UsagePage): Promise<ListPage> {
  const [found] = await selectPages(sql`
    with days as materialized (
      select day, endpoint, entries as requests, items, cost from usage_days(${keyId})
      where endpoint <> '' ${day === null ? sql`` : sql`and day = ${day}::date`}
    )
    select (select count(*) from days) as total, sums.count, sums.items
    from (
      select ${renderPage(sql, sql`row_to_json(d)::text`, sql`day desc, endpoint`)} from (
        select * from days order by day desc, endpoint limit ${page.size} offset ${offsetOf(page)}::bigint
      ) d
    ) sums`)
  if (found === undefined) throw new Error('a sum has always a row')
  return found
}
