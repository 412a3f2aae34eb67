/**
 * Pages of lists: how they are requested and selected, and how they link to each other (`decisions/0003-lists.md`).
 */
import type postgres from 'postgres'
import type { Fragment, Sql } from '../database/connect.ts'

/** In items. */
export const defaultPageSize = 30
export const maxPageSize = 100

/**
 * SQL: the `limit` of a page's rows. There are never more, but the planner can't estimate a range of ids: it would
 * expect many rows and compile the statement, which takes far longer.
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
  /** Whether the page has the whole list, and so no links. */
  isWhole?: boolean
}

/** One page of a list, read by one statement. A single resource is a page of one item. */
export interface ListPage {
  /** Items of the whole list. */
  total: number
  /** Items of this page. */
  count: number
  /** The items as JSON texts with commas between them, in UTF-8. */
  items: Uint8Array<ArrayBuffer>
  /** Differs if the items differ; undefined for lists without entity tags. */
  digest?: string | undefined
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

/** SQL: how a page is rendered from its rows. */
export interface Rendering {
  /** An item's JSON text. */
  item: Fragment
  /**
   * Default: the order of the subquery. Sorting again copies all items, a tenth of the cost of a page of repositories.
   */
  order?: Fragment
  /** A `bigint` that depends on the item and its place. Undefined: the list has no entity tags. */
  digest?: Fragment
}

/** SQL: the columns `count`, `items` and `digest` of a page, aggregated from its rows. */
export function renderPage(sql: Sql, { item, order, digest }: Rendering) {
  return sql`
    count(*)::integer as count,
    coalesce(string_agg(${item}, ',' ${order === undefined ? sql`` : sql`order by ${order}`}), '') as items
    ${digest === undefined ? sql`` : sql`, bit_xor(${digest})::text as digest`}`
}

/** Runs a statement whose row is a page, perhaps with further columns. */
export async function selectPage<Row extends ListPage>(
  statement: postgres.PendingQuery<Row[]>,
): Promise<Row> {
  const [page] = await selectRows(statement)
  if (page === undefined) throw new Error('the page has no row')
  return page
}

/**
 * Runs a statement, and returns its rows without the columns that are null. The column `items` stays bytes: decoding
 * and encoding would take 100 µs for 30 users, if they have a letter beyond Latin-1.
 */
export async function selectRows<Row extends object>(
  statement: postgres.PendingQuery<Row[]>,
): Promise<Row[]> {
  const rows = await statement.raw()
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (const [index, { name, parser = String }] of rows.columns.entries()) {
      const bytes = values[index]
      if (bytes != null) row[name] = name === 'items' ? bytes : parser(bytes.toString())
    }
    return row as Row
  })
}

/** The pagination object of a list response. */
export interface Pagination {
  page: number
  per_page: number
  /** 0 on the last page. */
  next_page: number
  /** 0 on the first page. */
  prev_page: number
  has_more: boolean
}

/** The position of a page in its list. */
type Position = Pick<ListPage, 'total' | 'offset' | 'next'>

/** Creates the pagination object of a page. */
export function createPagination(page: Page, position: Position): Pagination {
  const next = nextPage(page, position)
  return {
    page: page.number,
    per_page: page.size,
    next_page: next,
    prev_page: previousPage(page, position),
    has_more: next > 0,
  }
}

/** In characters, which are all ASCII. Node's `fetch` reads no response with more than 16 KB of headers. */
const maxLinkLength = 12_288

/**
 * In characters: with a `urlStart` of this length, `first`, `next` and `last` fit into `Link`, whatever page is read.
 */
export const maxUrlStartLength = 4_000

/**
 * Creates the `Link` header (RFC 8288): `first`, `prev` from page 2 on if there is room for it, `next` while there is
 * more, and `last`. `urlStart` is the URL of the list with its filters, up to where `page=` comes. `next` has `after`,
 * so that an iteration returns each item once while others come and go.
 */
export function createLinkHeader(urlStart: string, page: Page, position: Position): string {
  const previous = previousPage(page, position)
  const next = nextPage(page, position)
  const link = (relation: string, number: number, cursor = '') =>
    `<${urlStart}page=${number}&per_page=${page.size}${cursor}>; rel="${relation}"`
  const first = link('first', 1)
  const others = [
    ...(next > 0 ? [link('next', next, `&${new URLSearchParams({ after: String(position.next) })}`)] : []),
    link('last', lastPage(page, position)),
  ]
  const complete = [first, ...(previous > 0 ? [link('prev', previous)] : []), ...others].join(', ')
  return complete.length <= maxLinkLength ? complete : [first, ...others].join(', ')
}

/** Returns the number of the last page; an empty list has one empty page. */
function lastPage({ size }: Page, { total }: Position): number {
  return Math.max(1, Math.ceil(total / size))
}

/** Returns the number of the previous page: from beyond the end, the last one. 0: there is none. */
function previousPage(page: Page, position: Position): number {
  return Math.min(page.number - 1, lastPage(page, position))
}

/** Returns the number of the next page, which is always a valid one. 0: there is none. */
function nextPage({ number, size }: Page, { total, offset }: Position): number {
  return offset + size < total ? Math.min(number + 1, maxPageNumber(size)) : 0
}
