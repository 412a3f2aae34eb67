/**
 * What a page of a list is: what was asked for, and what came of it.
 *
 * @module
 */

import type { Fragment, Sql } from '../database/connect.ts'

/** A page that is asked for; `After` is what tells an element of the list from the others. */
export interface Page<After = unknown> {
  /** From 1. */
  number: number
  /** Items per page, 1 to 100. */
  size: number
  /** The element behind which it begins, wherever that is now: where a walk has come to. */
  after?: After | undefined
}

/** One page of a list, all of it as of one moment. */
export interface ListPage {
  /** Items of the whole list. */
  total: number
  /** Items of this page. */
  count: number
  /** JSON array of this page's items, as PostgreSQL rendered it. */
  items: string
  /** The version of the dataset that it was read at; undefined for what is no part of the dataset. */
  version?: number
  /** Items before this page, if that does not follow from its number. */
  offset?: number
  /** The element behind which the next page begins, as `after` says it, if elements of this list can move. */
  next?: number | string | null
}

/** How many items come before a page. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.size
}

/**
 * SQL: the columns `count` and `items` of a page, over its rows. `item` is an item's JSON text; `order` puts the
 * items in order.
 */
export function renderPage(sql: Sql, item: Fragment, order: Fragment) {
  return sql`
    count(*)::integer as count,
    '[' || coalesce(string_agg(${item}, ',' order by ${order}), '') || ']' as items`
}
