/**
 * What all lists share: read the page and the filters, find the page, answer it with its links.
 *
 * @module
 */

import { type ApiError, notFound } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { send, setHeader } from '../http/send.ts'
import type { MeteredResponse } from '../metering/checkout.ts'
import { createListResponse } from '../metering/list-response.ts'
import type { ListPage, Page } from '../paging/page.ts'
import { type FilterReader, readPage, withFilters } from './parameters.ts'

/** Parses a request's URL, at the public origin. It is the same object each time: not to be changed. */
export type PublicUrl = (c: ApiContext) => URL

/** A list of the API. */
export interface List<Filter, After> {
  publicUrl: PublicUrl
  filter: FilterReader<Filter, After>
  /** Reads one page; undefined: there is no such list. May throw an `ApiError`. */
  find(page: Page<After>, filter: Filter): Promise<ListPage | undefined>
  /** The error then. */
  missing?: () => ApiError
}

/** Reads the request for a page of a list, and makes its answer. Throws 400 for a wrong parameter, and 404. */
export async function readList<Filter, After>(
  c: ApiContext,
  { publicUrl, filter, find, missing = () => notFound('Not found') }: List<Filter, After>,
): Promise<MeteredResponse> {
  const url = publicUrl(c)
  const query = url.searchParams
  const page = { ...readPage(query), after: filter.readAfter(query) }
  const found = await find(page, filter.read(query))
  if (found === undefined) throw missing()
  return createListResponse({ page, found, url: withFilters(url, query, filter.names) })
}

/** Answers a page of a list that is free, and is nobody else's to keep. */
export async function sendFreeList<Filter, After>(
  c: ApiContext,
  list: List<Filter, After>,
): Promise<Response> {
  const answer = await readList(c, list)
  for (const [name, value] of Object.entries(answer.headers)) setHeader(c, name, value)
  setHeader(c, 'Cache-Control', 'no-store')
  const body = answer.render(c)
  answer.release?.()
  return send(c, body, { type: 'application/json' })
}
