/**
 * The `Link` header and the pagination object of a list response (`decisions/0003-lists.md`).
 *
 * @module
 */
import { type ListPage, maxPageNumber, type Page } from './page.ts'

/** The pagination object. */
export interface Pagination {
  page: number
  per_page: number
  /** 0 on the last page. */
  next_page: number
  /** 0 on the first page. */
  prev_page: number
  has_more: boolean
}

/** Returns the number of the last page; an empty list has one empty page. */
function lastPage(page: Page, total: number): number {
  return Math.max(1, Math.ceil(total / page.size))
}

/** Returns the number of the previous page: from beyond the end, the last one. 0: there is none. */
function previousPage(page: Page, total: number): number {
  return Math.min(page.number - 1, lastPage(page, total))
}

/** The position of a page in its list. */
type Position = Pick<ListPage, 'total' | 'offset' | 'next'>

/** Returns the number of the next page, which is always a valid one. 0: there is none. */
function nextPage(page: Page, { total, offset }: Position): number {
  return offset + page.size < total ? Math.min(page.number + 1, maxPageNumber(page.size)) : 0
}

/** Creates the pagination object of a page. */
export function createPagination(page: Page, position: Position): Pagination {
  const next = nextPage(page, position)
  return {
    page: page.number,
    per_page: page.size,
    next_page: next,
    prev_page: previousPage(page, position.total),
    has_more: next > 0,
  }
}

/**
 * Creates the `Link` header (RFC 8288): `first`, `prev` from page 2 on, `next` while there is more, and `last`. `url` has
 * the request's filters. `next` has `after`, so that an iteration returns each item once while others come and go.
 */
export function createLinkHeader(url: URL, page: Page, position: Position): string {
  const { total } = position
  const relations: [relation: string, page: number, after?: Position['next']][] = [['first', 1]]
  const previous = previousPage(page, total)
  if (previous > 0) relations.push(['prev', previous])
  const next = nextPage(page, position)
  if (next > 0) relations.push(['next', next, position.next])
  relations.push(['last', lastPage(page, total)])
  const list = url.href + (url.search === '' ? '?' : '&')
  return relations
    .map(([relation, number, after]) => {
      const cursor = after === undefined ? '' : `&${new URLSearchParams({ after: String(after) })}`
      return `<${list}page=${number}&per_page=${page.size}${cursor}>; rel="${relation}"`
    })
    .join(', ')
}
