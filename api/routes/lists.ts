/**
 * Lists: reads the page and the filters of a request, finds the page, and responds with its links
 * (`decisions/0003-lists.md`).
 */

import type { Requester } from '../catalog/matches.ts'
import type { CatalogPage, ReadOptions } from '../catalog/page-reader.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { MeteredQuery, MeteredResponse } from '../checkout/metered-response.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { ApiError, badRequest } from '../errors.ts'
import { renderBody, setDataHeaders } from '../http/data-response.ts'
import { createEntityTag } from '../http/entity-tag.ts'
import type { ApiContext } from '../http/request-context.ts'
import { send, setHeader } from '../http/response.ts'
import {
  createLinkHeader,
  createPagination,
  defaultPageSize,
  type ListPage,
  maxPageNumber,
  maxPageSize,
  maxUrlStartLength,
  type Page,
} from '../paging/page.ts'
import { assertKnownParameters, isComparedWhole, readInteger, readQuery } from './parameters.ts'

/** The parameters that say which page of a list is meant. */
const pageNames = ['page', 'per_page', 'after']

/** The query parameters of a list, beside those of `pageNames`. */
export interface ListParameters<Filter, After> {
  /** The names of those that decide what is listed, and how. */
  names: readonly string[]
  /** Those that may be repeated, and so be written with brackets. Default: none. */
  repeatable?: readonly string[]
  /** Reads them. Throws 400. */
  readFilter(query: URLSearchParams): Filter
  /** Whether the request names what it looks up. Such a list is one page, unless `page` or `per_page` is given. */
  isBatchLookUp?(query: URLSearchParams): boolean
  /** Reads `after`: the key of the item behind which the page begins. */
  readAfter(query: URLSearchParams): After | undefined
}

/** A valid request for a page of a list. */
export interface ListRequest<Filter, After> {
  page: Page<After>
  filter: Filter
  /** The beginning of the URLs in `Link`: the list with its filters, to which the page is added. */
  urlStart: string
}

/**
 * Creates the query of a list of the catalog. `createError` creates the response for a list that doesn't exist; without
 * it, the list always exists. A 4xx that `find` throws is a free response, and so is `filterNotReady`.
 */
export function createListQuery<Filter, After>(
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (
    catalog: Catalog,
    request: ListRequest<Filter, After>,
    requester: Requester & ReadOptions,
  ) => Promise<CatalogPage | 'not_found'>,
  createError: () => ApiError = () => {
    throw new Error('a list that always exists was not found')
  },
): MeteredQuery {
  const request = readListRequest(url, parameters)
  return {
    async read(catalog, requester) {
      try {
        const found = await find(catalog, request, requester)
        return typeof found === 'string' ? found : createListResponse(request.urlStart, request.page, found)
      } catch (error) {
        if (error instanceof ApiError && (error.status < 500 || error.code === 'filter_not_ready')) {
          return { cost: 0, error }
        }
        throw error
      }
    },
    createError: () => ({ cost: 0, error: createError() }),
  }
}

/** Creates the response of a list, whose cost is its number of items. `urlStart` is that of `createLinkHeader`. */
function createListResponse(urlStart: string, page: Page, found: CatalogPage): MeteredResponse {
  const link = page.isWhole ? undefined : createLinkHeader(urlStart, page, found)
  return {
    cost: found.count,
    tag: createEntityTag(link ?? urlStart, String(page.number), found.digest ?? ''),
    headers: { ...(link !== undefined && { Link: link }), 'X-Total-Count': String(found.total) },
    data: found.items,
    pagination: JSON.stringify(createPagination(page, found)),
    version: found.version,
    settlement: found.settlement,
  }
}

/** Sends a page of a list that is free, and that no cache may store. `find` runs one statement on `sql`. */
export async function sendFreeList<Filter, After>(
  c: ApiContext,
  url: URL,
  parameters: ListParameters<Filter, After>,
  sql: Sql,
  find: (request: ListRequest<Filter, After>) => Promise<ListPage>,
): Promise<Response> {
  const request = readListRequest(url, parameters)
  const found = await countStatement(sql, () => find(request))
  const response = createListResponse(request.urlStart, request.page, found)
  setDataHeaders(c, response)
  setHeader(c, 'Cache-Control', 'no-store')
  return send(c, renderBody(c, response), { type: 'application/json' })
}

function readListRequest<Filter, After>(
  url: URL,
  { names, repeatable = [], readFilter, isBatchLookUp, readAfter }: ListParameters<Filter, After>,
): ListRequest<Filter, After> {
  const query = readQuery(url, repeatable)
  assertKnownParameters(query, [...names, ...pageNames])
  const isBatch = isBatchLookUp?.(query) ?? false
  const isUnpaged = isBatch && !query.has('page') && !query.has('per_page')
  const number = readInteger(query, 'page') ?? 1
  const size =
    readInteger(query, 'per_page', { max: maxPageSize }) ?? (isUnpaged ? maxPageSize : defaultPageSize)
  if (number > maxPageNumber(size)) {
    throw badRequest(`Invalid page: (page - 1) × per_page must be at most ${Number.MAX_SAFE_INTEGER}`)
  }
  const after = readAfter(query)
  const filter = readFilter(query)
  const urlStart = `${url.origin}${url.pathname}?${writeFilters(query)}`
  const areLinksTooLong = urlStart.length > maxUrlStartLength
  // All items of a look-up fit on a page of the largest size, which then needs no links.
  const isWhole = isUnpaged || (areLinksTooLong && isBatch && !query.has('page') && size === maxPageSize)
  if (areLinksTooLong && !isWhole) throw tooLongForLinks(isBatch)
  return { page: { number, size, after, isWhole }, filter, urlStart }
}

/**
 * Writes the filters of a query, each with `&` after it. Leaves out empty values of a parameter that has others, and
 * spaces at the ends of entries: they would become plus signs, which are refused there.
 */
function writeFilters(query: URLSearchParams): string {
  const values = Map.groupBy(query, ([name]) => name)
  for (const name of pageNames) values.delete(name)
  const filters = [...values.values()].flatMap((entries) => {
    const filled = entries.filter(([, value]) => value.trim() !== '')
    return filled.length > 0 ? filled : entries.slice(0, 1)
  })
  return filters
    .map(([name, value]) => `${new URLSearchParams([[name, trimEntries(name, value)]])}&`)
    .join('')
}

function trimEntries(name: string, value: string): string {
  if (!isComparedWhole(name)) return value
  return value
    .split(',')
    .map((entry) => entry.trimEnd())
    .join(',')
}

/** 400: `Link` would be longer than what clients read, so they would pay for a response that they can't receive. */
function tooLongForLinks(isBatch: boolean): ApiError {
  const rule = `the list's URL without its page must have at most ${maxUrlStartLength} characters, escapes included`
  return badRequest(
    isBatch
      ? `Too many entries for pages: ${rule}; send fewer entries, or leave out page and per_page`
      : `Filters too long: ${rule}; split them into several requests`,
  )
}

/** The parameters of a list without filters. */
export const noFilter = { names: [], readFilter: () => undefined }
