/**
 * What a page of a list is: what was asked for, and what came of it.
 *
 * @module
 */
import type postgres from 'postgres'
import type { Fragment, Sql } from '../database/connect.ts'
import { type OwnBytes, takeOwnBytes } from '../database/own-bytes.ts'

/** Items of a page, at most. */
export const largestPageSize = 100

/**
 * SQL: to be put behind the rows of a page. They are never more; but the planner does not see how narrow a range of ids
 * is, and compiles a statement of which it expects many rows, which takes far longer.
 */
export function limitPage(sql: Sql): Fragment {
  return sql`limit ${sql.unsafe(String(largestPageSize))}`
}

/** A page that is asked for; `After` is what tells an item of the list from the others. */
export interface Page<After = unknown> {
  /** From 1. */
  number: number
  /** Items per page, 1 to 100. */
  size: number
  /** The item behind which the page begins, wherever that is now; its number does not matter then. */
  after?: After | undefined
}

/** One page of a list, all of it as of one moment. */
export interface ListPage {
  /** Items of the whole list. */
  total: number
  /** Items of this page. */
  count: number
  /**
   * The elements of the JSON array of this page's items, with commas between them, in UTF-8, as PostgreSQL has them.
   * To be let go when they are done with.
   */
  items: OwnBytes
  /** The version of the dataset that it was read at; undefined for what is no part of the dataset. */
  version?: number
  /** Items before this page. */
  offset: number
  /** The last item of this page, behind which the next one begins, as `after` says it; absent if the page is empty. */
  next?: number | string | undefined
}

/** The largest number of a page of `size` items: the number of the items before it is a safe integer. */
export function largestPageNumber(size: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(Number.MAX_SAFE_INTEGER / size) + 1)
}

/** How many items come before a page, by its number. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.size
}

/**
 * SQL: the columns `count` and `items` of a page, over its rows. `item` is an item's JSON text; `order` puts the
 * items in order. Without it they stay in that of the subquery whose rows they are: sorting again copies them all, a
 * tenth of what a page of repositories takes.
 */
export function renderPage(sql: Sql, item: Fragment, order?: Fragment) {
  return sql`
    count(*)::integer as count,
    coalesce(string_agg(${item}, ',' ${order === undefined ? sql`` : sql`order by ${order}`}), '') as items`
}

/**
 * Runs a statement that selects pages: a row each, with columns as `ListPage` names them. Undefined: a row without
 * items, where there is no such list.
 *
 * Items stay the bytes that they came as. As a string they would be decoded, measured, hashed and encoded again: 100 µs
 * for 30 users, if there is a letter beyond Latin-1 among them.
 */
export async function selectPages(
  statement: postgres.PendingQuery<ListPage[]>,
): Promise<(ListPage | undefined)[]> {
  const rows = await statement.raw()
  return rows.map((values) => {
    const page: Partial<Record<keyof ListPage, unknown>> = {}
    for (const [index, { name, parser = String }] of rows.columns.entries()) {
      const bytes = values[index]
      if (bytes != null) page[name] = name === 'items' ? takeOwnBytes(bytes) : parser(bytes.toString())
    }
    return page.items === undefined ? undefined : (page as ListPage)
  })
}
