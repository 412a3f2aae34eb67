/**
 * What a list answer says about its pages: the `Link` header and the pagination object (`service.md` §8.3, §2.8).
 *
 * @module
 */
import { type ListPage, offsetOf, type Page } from '../catalog/page.ts'

/** `service.md` §2.8. */
export interface Pagination {
  page: number
  per_page: number
  /** 0 on the last page. */
  next_page: number
  /** 0 on the first page. */
  prev_page: number
  has_more: boolean
}

/** The number of the last page; an empty list has one page, which is empty. */
function lastPage(page: Page, total: number): number {
  return Math.max(1, Math.ceil(total / page.size))
}

/** The number of the page before; from beyond the end that is the last one. 0: there is none. */
function previousPage(page: Page, total: number): number {
  return Math.min(page.number - 1, lastPage(page, total))
}

/** Where in a list a page is. */
type Place = Pick<ListPage, 'total' | 'count' | 'offset' | 'next'>

function hasMore(page: Page, { total, offset = offsetOf(page) }: Place): boolean {
  return offset + page.size < total
}

/** The pagination object of a page. */
export function createPagination(page: Page, place: Place): Pagination {
  return {
    page: page.number,
    per_page: page.size,
    next_page: hasMore(page, place) ? page.number + 1 : 0,
    prev_page: previousPage(page, place.total),
    has_more: hasMore(page, place),
  }
}

/**
 * The `Link` header (RFC 8288): `first`, `prev` from page 2 on, `next` while there is more, and `last`.
 * `url` is the list's address with the request's filters; page and per_page are set here, and in `next` the element
 * behind which it goes on, if elements of the list can move.
 */
export function createLinkHeader(url: URL, page: Page, place: Place): string {
  const { total, next } = place
  const relations: [relation: string, page: number, after?: Place['next']][] = [['first', 1]]
  const previous = previousPage(page, total)
  if (previous > 0) relations.push(['prev', previous])
  if (hasMore(page, place)) relations.push(['next', page.number + 1, next])
  relations.push(['last', lastPage(page, total)])
  const list = url.href + (url.search === '' ? '?' : '&')
  return relations
    .map(([relation, number, after]) => {
      const behind = after === undefined ? '' : `&${new URLSearchParams({ after: String(after) })}`
      return `<${list}page=${number}&per_page=${page.size}${behind}>; rel="${relation}"`
    })
    .join(', ')
}
