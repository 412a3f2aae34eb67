/**
 * What a list answer says about its pages: the `Link` header and the pagination object (`service.md` §8.3, §2.8).
 *
 * @module
 */
import { type ListPage, largestPageNumber, type Page } from './page.ts'

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
type Place = Pick<ListPage, 'total' | 'offset' | 'next'>

/** The number of the next page, which is always one that can be asked for. 0: there is none. */
function nextPage(page: Page, { total, offset }: Place): number {
  return offset + page.size < total ? Math.min(page.number + 1, largestPageNumber(page.size)) : 0
}

/** The pagination object of a page. */
export function createPagination(page: Page, place: Place): Pagination {
  const next = nextPage(page, place)
  return {
    page: page.number,
    per_page: page.size,
    next_page: next,
    prev_page: previousPage(page, place.total),
    has_more: next > 0,
  }
}

/**
 * The `Link` header (RFC 8288): `first`, `prev` from page 2 on, `next` while there is more, and `last`.
 * `url` is the list's URL with the request's filters; `page` and `per_page` are added here, and to `next` also `after`,
 * so that iteration meets each item once while others come and go.
 */
export function createLinkHeader(url: URL, page: Page, place: Place): string {
  const { total } = place
  const relations: [relation: string, page: number, after?: Place['next']][] = [['first', 1]]
  const previous = previousPage(page, total)
  if (previous > 0) relations.push(['prev', previous])
  const next = nextPage(page, place)
  if (next > 0) relations.push(['next', next, place.next])
  relations.push(['last', lastPage(page, total)])
  const list = url.href + (url.search === '' ? '?' : '&')
  return relations
    .map(([relation, number, after]) => {
      const behind = after === undefined ? '' : `&${new URLSearchParams({ after: String(after) })}`
      return `<${list}page=${number}&per_page=${page.size}${behind}>; rel="${relation}"`
    })
    .join(', ')
}
