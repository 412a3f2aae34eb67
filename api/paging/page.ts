/**
 * Pages of lists: how they are requested, selected and returned.
 *
 * @module
 */
import type postgres from 'postgres'
import type { Fragment, Sql } from '../database/connect.ts'

/** In items. */
export const maxPageSize = 100

/**
 * SQL: the `limit` of a page's rows. There are never more, but the planner can't estimate a range of ids: it would expect
 * many rows and compile the statement, which takes far longer.
 */
export function limitPage(sql: Sql): Fragment {
  return sql`limit ${sql.unsafe(String(maxPageSize))}`
}

/** A requested page; `After` is the key of an item. */
export interface Page<After = unknown> {
  /** From 1. */
  number: number
  /** Items per page, 1 to 100. */
  size: number
  /** The item behind which the page begins; `number` doesn't matter then. */
  after?: After | undefined
}

/** One page of a list, read by one statement. */
export interface ListPage {
  /** Items of the whole list. */
  total: number
  /** Items of this page. */
  count: number
  /** The items as JSON texts with commas between them, in UTF-8. */
  items: Uint8Array
  /** The version of the dataset that the page was read at; undefined for lists outside the dataset. */
  version?: number | undefined
  /** Items before this page. */
  offset: number
  /** The key of this page's last item, as `after` of the next page has it; absent if the page is empty. */
  next?: number | string | undefined
}

/** The largest page number for pages of `size` items: the offset stays a safe integer. */
export function maxPageNumber(size: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(Number.MAX_SAFE_INTEGER / size) + 1)
}

/** Returns the number of items before a page, by its number. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.size
}

/**
 * SQL: the columns `count` and `items` of a page, aggregated from its rows. `item` is an item's JSON text. Without `order`
 * the items keep the order of the subquery: sorting again copies them all, a tenth of the cost of a page of repositories.
 */
export function renderPage(sql: Sql, item: Fragment, order?: Fragment) {
  return sql`
    count(*)::integer as count,
    coalesce(string_agg(${item}, ',' ${order === undefined ? sql`` : sql`order by ${order}`}), '') as items`
}

/**
 * Runs a statement that selects pages: a row each, with columns as `ListPage` names them. Undefined for a row without
 * items: there is no such list.
 *
 * Items stay bytes. Decoding and encoding them would take 100 µs for 30 users, if they have a letter beyond Latin-1.
 */
export async function selectPages(
  statement: postgres.PendingQuery<ListPage[]>,
): Promise<(ListPage | undefined)[]> {
  const rows = await statement.raw()
  return rows.map((values) => {
    const page: Partial<Record<keyof ListPage, unknown>> = {}
    for (const [index, { name, parser = String }] of rows.columns.entries()) {
      const bytes = values[index]
      if (bytes != null) page[name] = name === 'items' ? bytes : parser(bytes.toString())
    }
    return page.items === undefined ? undefined : (page as ListPage)
  })
}
