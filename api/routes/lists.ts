/**
 * Lists: reads the page and the filters of a request, finds the page, and responds with its links.
 *
 * @module
 */
import type { Catalog } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import { type ApiError, notFound } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { send, setHeader } from '../http/send.ts'
import { createListResponse, type MeteredQuery, renderBody } from '../metering/metered-response.ts'
import type { ListPage, Page } from '../paging/page.ts'
import { type ListParameters, readPage } from './parameters.ts'

/** A valid request for a page of a list. */
export interface ListRequest<Filter, After> {
  page: Page<After>
  filter: Filter
}

/** Creates the query of a list of the catalog. `find` returns undefined, if there is no such list. Throws 400. */
export function createListQuery<Filter, After>(
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (
    catalog: Catalog,
    request: ListRequest<Filter, After>,
    requester: Requester,
  ) => Promise<ListPage | undefined>,
  createError: () => ApiError = () => notFound('Not found'),
): MeteredQuery {
  const request = readListRequest(url, parameters)
  return {
    async read(catalog, requester) {
      const found = await find(catalog, request, requester)
      return found && createListResponse(createListUrl(url, parameters), request.page, found)
    },
    createError: () => ({ cost: 0, error: createError() }),
  }
}

/** Sends a page of a list that is free, and that no cache may store. Throws 400. */
export async function sendFreeList<Filter, After>(
  c: ApiContext,
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (request: ListRequest<Filter, After>) => Promise<ListPage>,
): Promise<Response> {
  const request = readListRequest(url, parameters)
  const listUrl = createListUrl(url, parameters)
  const response = createListResponse(listUrl, request.page, await find(request))
  for (const [name, value] of Object.entries(response.headers)) setHeader(c, name, value)
  setHeader(c, 'Cache-Control', 'no-store')
  return send(c, renderBody(c, response), { type: 'application/json' })
}

function readListRequest<Filter, After>(
  { searchParams }: URL,
  { readFilter, readAfter }: ListParameters<Filter, After>,
): ListRequest<Filter, After> {
  return {
    page: { ...readPage(searchParams), after: readAfter(searchParams) },
    filter: readFilter(searchParams),
  }
}

/** Returns the list's URL as `Link` has it: with the filters, and without unknown parameters. */
function createListUrl(url: URL, { names }: { names: readonly string[] }): URL {
  const listUrl = new URL(url)
  listUrl.search = ''
  for (const name of names) {
    const value = url.searchParams.get(name)
    if (value !== null) listUrl.searchParams.set(name, value)
  }
  return listUrl
}
