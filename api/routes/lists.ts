/**
 * Lists: reads the page and the filters of a request, finds the page, and responds with its links
 * (`decisions/0003-lists.md`).
 *
 * @module
 */
import type { CatalogPage, ReadOptions } from '../catalog/page-reader.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { ApiError, badRequest } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { send, setHeader } from '../http/response.ts'
import {
  createListResponse,
  type MeteredQuery,
  renderBody,
  setDataHeaders,
} from '../metering/metered-response.ts'
import { type ListPage, maxPageNumber, maxPageSize, type Page } from '../paging/page.ts'
import { assertKnownParameters, readInteger } from './parameters.ts'

const defaultPageSize = 30
/** The parameters that say which page of a list is meant. */
const pageNames = ['page', 'per_page', 'after']

/** The query parameters of a list, beside those of `pageNames`. */
export interface ListParameters<Filter, After> {
  /** The names of those that decide what is listed, and how. */
  names: readonly string[]
  /** Reads them. Throws 400. */
  readFilter(query: URLSearchParams): Filter
  /** Reads the default of `per_page`. Undefined: 30. */
  readDefaultSize?(query: URLSearchParams): number | undefined
  /** Reads `after`: the key of the item behind which the page begins. */
  readAfter(query: URLSearchParams): After | undefined
}

/** A valid request for a page of a list. */
export interface ListRequest<Filter, After> {
  page: Page<After>
  filter: Filter
}

/**
 * Creates the query of a list of the catalog. `find` returns undefined if the list doesn't exist, or if a replica doesn't
 * have it. `createError` creates the response for a list that doesn't exist; without it, the list always exists. A 4xx that
 * `find` throws is a free response.
 */
export function createListQuery<Filter, After>(
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (
    catalog: Catalog,
    request: ListRequest<Filter, After>,
    requester: Requester & ReadOptions,
  ) => Promise<CatalogPage | undefined>,
  createError: () => ApiError = () => {
    throw new Error('a list that always exists was not found')
  },
): MeteredQuery {
  const request = readListRequest(url, parameters)
  return {
    async read(catalog, requester) {
      try {
        const found = await find(catalog, request, requester)
        return found && createListResponse(beginPageUrl(url), request.page, found)
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return { cost: 0, error }
        throw error
      }
    },
    createError: () => ({ cost: 0, error: createError() }),
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
  const response = createListResponse(beginPageUrl(url), request.page, found)
  setDataHeaders(c, response)
  setHeader(c, 'Cache-Control', 'no-store')
  return send(c, renderBody(c, response), { type: 'application/json' })
}

function readListRequest<Filter, After>(
  { searchParams }: URL,
  { names, readFilter, readDefaultSize, readAfter }: ListParameters<Filter, After>,
): ListRequest<Filter, After> {
  assertKnownParameters(searchParams, [...names, ...pageNames])
  const number = readInteger(searchParams, 'page') ?? 1
  const size =
    readInteger(searchParams, 'per_page', { max: maxPageSize }) ??
    readDefaultSize?.(searchParams) ??
    defaultPageSize
  if (number > maxPageNumber(size)) {
    throw badRequest(`Invalid page: (page - 1) × per_page must be at most ${Number.MAX_SAFE_INTEGER}`)
  }
  return { page: { number, size, after: readAfter(searchParams) }, filter: readFilter(searchParams) }
}

/** Returns the beginning of the URLs in `Link`: the list with its filters, to which the page is added. */
function beginPageUrl({ origin, pathname, searchParams }: URL): string {
  const filters = [...searchParams].filter(([name]) => !pageNames.includes(name))
  const query = new URLSearchParams(filters).toString()
  return `${origin}${pathname}?${query}${query === '' ? '' : '&'}`
}

/** The parameters of a list without filters. */
export const noFilter = { names: [], readFilter: () => undefined }
