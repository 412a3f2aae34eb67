/**
 * What all lists share: read the page and the filters, find the page, answer it with its links.
 *
 * @module
 */

import { createListAnswer } from '../answer/list.ts'
import type { MeteredAnswer } from '../answer/metered.ts'
import type { ListPage, Page } from '../catalog/page.ts'
import type { ApiContext } from '../environment.ts'
import { type FilterReader, readPage, withFilters } from './parameters.ts'

/** Tells the public address of a request's path, without its query. */
export type PublicUrl = (c: ApiContext) => URL

/** A list of the API. */
export interface List<Filter> {
  publicUrl: PublicUrl
  filter: FilterReader<Filter>
  /** Reads one page. May throw an `ApiError`. */
  find(page: Page, filter: Filter): Promise<ListPage>
}

/** Reads the request for a page of a list, and makes its answer. Throws 400 for a wrong parameter. */
export async function readList<Filter>(
  c: ApiContext,
  { publicUrl, filter, find }: List<Filter>,
): Promise<MeteredAnswer> {
  const query = new URL(c.req.url).searchParams
  const page = { ...readPage(query), after: filter.readAfter?.(query) }
  const found = await find(page, filter.read(query))
  return createListAnswer({ page, found, url: withFilters(publicUrl(c), query, filter.names) })
}

/** Answers a page of a list that is free, and is nobody else's to keep. */
export async function answerFreeList<Filter>(c: ApiContext, list: List<Filter>): Promise<Response> {
  const { headers, render } = await readList(c, list)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  return c.body(render(c), 200, { 'Content-Type': 'application/json' })
}
