/**
 * What a list answer says about its pages: the `Link` header and the pagination object (`service.md` §8.3, §2.8).
 *
 * @module
 */
import type { Page } from '../catalog/page.ts'

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

/** The pagination object of a page. */
export function createPagination(page: Page, total: number): Pagination {
  const hasMore = page.number < lastPage(page, total)
  return {
    page: page.number,
    per_page: page.size,
    next_page: hasMore ? page.number + 1 : 0,
    prev_page: previousPage(page, total),
    has_more: hasMore,
  }
}

/**
 * The `Link` header (RFC 8288): `first`, `prev` from page 2 on, `next` while there is more, and `last`.
 * `url` is the list's address with the request's filters; page and per_page are set here.
 */
export function createLinkHeader(url: URL, page: Page, total: number): string {
  const last = lastPage(page, total)
  const relations: [relation: string, page: number][] = [['first', 1]]
  const previous = previousPage(page, total)
  if (previous > 0) relations.push(['prev', previous])
  if (page.number < last) relations.push(['next', page.number + 1])
  relations.push(['last', last])
  return relations
    .map(([relation, number]) => {
      const target = new URL(url)
      target.searchParams.set('page', String(number))
      target.searchParams.set('per_page', String(page.size))
      return `<${target.href}>; rel="${relation}"`
    })
    .join(', ')
}
