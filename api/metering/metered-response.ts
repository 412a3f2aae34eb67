/**
 * Responses that cost credits: how they are read, and what they are made of.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import type { Found, LookUp } from '../catalog/document-lookup.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import type { ApiError } from '../errors.ts'
import { createEntityTag } from '../http/entity-tag.ts'
import type { ApiContext } from '../http/request-context.ts'
import type { PricedLookUp } from '../ledger/settle.ts'
import { createLinkHeader, createPagination } from '../paging/link-header.ts'
import type { ListPage, Page } from '../paging/page.ts'

/** A response with data. */
export interface MeteredResponse {
  /** In credits: the number of items in the body. */
  cost: number
  /** The entity tag of the data, and of everything else that the response depends on. */
  tag: string
  headers: Readonly<Record<string, string>>
  /** JSON text, or its UTF-8: a document, or the items of a list with commas between them. */
  data: string | Uint8Array
  /** JSON text of a list's pagination object; undefined: the response is a document. */
  pagination?: string
  /** The version of the dataset that the data was read at; undefined: the data isn't part of the dataset. */
  version: number | undefined
}

/** An error response. One of them costs something: the 404 of an unknown user. */
export interface MeteredError {
  /** In credits. */
  cost: number
  error: ApiError
}

/** What a valid request asks of the catalog. */
export interface MeteredQuery {
  /** Reads the response; undefined: there is no such resource. */
  read(catalog: Catalog, requester: Requester): Promise<MeteredResponse | undefined>
  /** Creates the response if there is no such resource. */
  createError(): MeteredError
  /** For a single resource: lets the statement that charges for it also read it. */
  document?: {
    lookUp: PricedLookUp
    createResponse(found: Found): MeteredResponse
  }
}

/** In credits: the price of a single resource. */
export const documentCost = 1

/** Creates the query of a single resource with this public URL. `missing` is the response if there is none. */
export function createDocumentQuery(
  { origin, pathname }: URL,
  lookUp: LookUp,
  missing: { cost: number; createError: () => ApiError },
): MeteredQuery {
  const createResponse = ({ document, version }: Found): MeteredResponse => ({
    cost: documentCost,
    tag: createEntityTag(origin + pathname, document),
    headers: {},
    data: document,
    version,
  })
  return {
    async read(catalog) {
      const found = await catalog.lookUp(lookUp)
      return found && createResponse(found)
    },
    createError: () => ({ cost: missing.cost, error: missing.createError() }),
    document: { lookUp: { ...lookUp, priceIfAbsent: missing.cost }, createResponse },
  }
}

/** Creates the response of a list, whose cost is its number of items. `url` has the request's filters, and no page. */
export function createListResponse(url: URL, page: Page, found: ListPage): MeteredResponse {
  const link = createLinkHeader(url, page, found)
  return {
    cost: found.count,
    tag: createEntityTag(link, String(page.number), found.items),
    headers: { Link: link, 'X-Total-Count': String(found.total) },
    data: found.items,
    pagination: JSON.stringify(createPagination(page, found)),
    version: found.version,
  }
}

const listStart = Buffer.from('{"data":[')

/** Renders the body: a list gets the request's meta object. */
export function renderBody(
  c: ApiContext,
  { data, pagination }: MeteredResponse,
): string | Uint8Array<ArrayBuffer> {
  if (typeof data === 'string') return data
  const meta = JSON.stringify({
    request_id: c.get('requestId'),
    timestamp: Math.floor(Date.now() / 1000), // seconds
    execution_time: Math.round(performance.now() - c.get('startedAt')), // milliseconds
  })
  return Buffer.concat([listStart, data, Buffer.from(`],"meta":${meta},"pagination":${pagination}}`)])
}
