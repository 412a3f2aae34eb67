/**
 * What all lists share: read the page and the filters, find the page, answer it with its links.
 *
 * @module
 */

import { createListAnswer } from '../answer/list.ts'
import type { MeteredAnswer } from '../answer/metered.ts'
import type { Filter } from '../catalog/filter.ts'
import type { ListPage, Page } from '../catalog/page.ts'
import type { ApiContext } from '../environment.ts'
import { type FilterName, readFilter, readPage, withFilters } from './parameters.ts'

/** Tells the public address of a request's path, without its query. */
export type PublicUrl = (c: ApiContext) => URL

/** A list of the API. */
export interface List {
  publicUrl: PublicUrl
  /** The filters that the list has. */
  filters?: readonly FilterName[]
  /** Reads one page. May throw an `ApiError`. */
  find(page: Page, filter: Filter): Promise<ListPage>
}

/** Reads the request for a page of a list, and makes its answer. Throws 400 for a wrong parameter. */
export async function readList(
  c: ApiContext,
  { publicUrl, filters = [], find }: List,
): Promise<MeteredAnswer> {
  const query = new URL(c.req.url).searchParams
  const page = readPage(query)
  const filter = readFilter(query, filters)
  const found = await find(page, filter)
  return createListAnswer(c, { page, found, url: withFilters(publicUrl(c), query, filters) })
}
