/**
 * Responses that cost credits: how they are read, what they are made of, and what they say of a settlement.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import type { LookUp } from '../catalog/document-lookup.ts'
import type { CatalogPage, ReadOptions } from '../catalog/page-reader.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import {
  type ApiError,
  idempotencyConflict,
  insufficientCredits,
  maxCreditsExceeded,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import {
  type Body,
  type CompressedBeginning,
  createEntityTag,
  matchesEntityTag,
  send,
  setHeader,
} from '../http/response.ts'
import type { Settlement } from '../ledger/settlement.ts'
import { createLinkHeader, createPagination, type Page } from '../paging/page.ts'

/** A response with data. */
export interface MeteredResponse {
  /** In credits: the number of items in the body. */
  cost: number
  /** The entity tag of the data, and of everything else that the response depends on. */
  tag: string
  headers: Readonly<Record<string, string>>
  /** JSON in UTF-8: a document, or the items of a list with commas between them. */
  data: Uint8Array<ArrayBuffer>
  /** JSON text of a list's pagination object; undefined: the response is a document. */
  pagination?: string
  /** Of a list in the response cache: its items as they have been compressed. */
  compressed?: CompressedBeginning
  /** The version of the dataset that the data was read at; undefined: the data isn't part of the dataset. */
  version: number | undefined
  /** Of the request, if the statement that read the data has settled it. */
  settlement?: Settlement | undefined
}

/** An error response. One of them costs something: the 404 of an unknown user. */
export interface MeteredError {
  /** In credits. */
  cost: number
  error: ApiError
  version?: undefined
  settlement?: undefined
}

/** What a valid request asks of the catalog. */
export interface MeteredQuery {
  /** Reads the response, and settles its request as `ReadPage` does; undefined: there is no such resource. */
  read(
    catalog: Catalog,
    requester: Requester & ReadOptions,
  ): Promise<MeteredResponse | MeteredError | undefined>
  /** Creates the response if there is no such resource. */
  createError(): MeteredError
}

/** Creates the query of a single resource with this public URL. `missing` is the response if there is none. */
export function createDocumentQuery(
  { origin, pathname }: URL,
  lookUp: LookUp,
  missing: { cost: number; createError: () => ApiError },
): MeteredQuery {
  return {
    async read(catalog, requester) {
      const found = await catalog.lookUp(lookUp, requester)
      if (found === undefined) return undefined
      const { count, digest = '', items, version, settlement } = found
      const tag = createEntityTag(origin + pathname, digest)
      return { cost: count, tag, headers: {}, data: items, version, settlement }
    },
    createError: () => ({ cost: missing.cost, error: missing.createError() }),
  }
}

/** Creates the response of a list, whose cost is its number of items. `urlStart` is that of `createLinkHeader`. */
export function createListResponse(urlStart: string, page: Page, found: CatalogPage): MeteredResponse {
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

const listStart = Buffer.from('{"data":[')

/** Renders the body: a list gets the request's meta object. */
export function renderBody(c: ApiContext, { data, pagination, compressed }: MeteredResponse): Body {
  if (pagination === undefined) return data
  const meta = JSON.stringify({
    request_id: c.get('requestId'),
    timestamp: Math.floor(Date.now() / 1000), // seconds
    execution_time: Math.round(performance.now() - c.get('startedAt')), // milliseconds
  })
  const end = Buffer.from(`],"meta":${meta},"pagination":${pagination}}`)
  return { beginning: [listStart, data], compressed, end }
}

/** Whether the request asks only for the cost of a response. */
export function isQuote(c: ApiContext): boolean {
  return c.req.method === 'HEAD'
}

/** A response that isn't settled yet. */
export interface PreparedResponse {
  response: MeteredResponse | MeteredError
  /** Null: the request is a quote, the response is a 304, or it is an error. */
  body: Body | null
  /** In credits. */
  cost: number
  /** Whether the request is a quote, the response is a 304, or it is an error without a price. */
  isFree: boolean
  isNotModified: boolean
}

/** Prices and renders a response. One that isn't settled yet is rendered before its charge. */
export function prepareResponse(c: ApiContext, response: MeteredResponse | MeteredError): PreparedResponse {
  if ('error' in response) {
    const { cost } = response
    return { response, body: null, cost, isFree: isQuote(c) || cost === 0, isNotModified: false }
  }
  const isNotModified = matchesEntityTag(c.req.header('If-None-Match'), response.tag)
  const cost = isNotModified ? 0 : response.cost
  const isFree = isQuote(c) || isNotModified
  return { response, body: isFree ? null : renderBody(c, response), cost, isFree, isNotModified }
}

/** Sets the headers of a response with data. */
export function setDataHeaders(c: ApiContext, { headers, version }: MeteredResponse): void {
  for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
  if (version !== undefined) setHeader(c, 'X-Dataset-Version', String(version))
}

/**
 * Sends a settled response. If it is an error, sets the headers and throws it. Throws 403 for a quote of something that
 * costs credits, with its price in the headers, if the key has none: a quote is free for keys that could buy.
 */
export async function respond(
  c: ApiContext,
  { response, body, cost, isNotModified }: PreparedResponse,
  { outcome, charged, balance }: Settlement,
): Promise<Response> {
  c.set('charged', charged) // for log, metrics and traces
  const isPriced = isQuote(c) && c.get('caller').role !== 'admin'
  setHeader(c, 'X-Credits-Cost', String(isPriced ? cost : charged))
  if (isPriced && cost > 0 && balance === 0) throw insufficientCredits(cost, balance)
  if (outcome === 'replayed') setHeader(c, 'Idempotency-Replayed', 'true')
  if ('error' in response) throw response.error
  setDataHeaders(c, response)
  setHeader(c, 'ETag', response.tag)
  // Only a client's own cache may store the response, and it must revalidate with a key before each reuse.
  setHeader(c, 'Cache-Control', 'private, no-cache')
  return isNotModified ? send(c, null, { status: 304 }) : send(c, body, { type: 'application/json' })
}

/**
 * Sets the quota headers: the cost (0 for now) and the balance, in credits, and the rate limit in the fields of the IETF
 * draft (`RateLimit-Policy`, `RateLimit`) and in those that octokit reads (`X-RateLimit-*`; reset in Unix seconds).
 * Throws 401, 403, 422 or 429 if the ledger has refused the request.
 */
export function reportSettlement(
  c: ApiContext,
  settlement: Settlement,
  maxCredits: number | null = null,
): void {
  const { outcome, due, balance, rateLimit } = settlement
  if (outcome === 'unusable') throw unauthorized('invalid_api_key', 'Invalid API key')
  setHeader(c, 'X-Credits-Cost', '0')
  setHeader(c, 'X-Credits-Remaining', String(balance))
  const resetSeconds = Math.max(1, Math.ceil(rateLimit?.resetSeconds ?? 0))
  if (rateLimit !== undefined) {
    const { limit, remaining } = rateLimit
    setHeader(c, 'RateLimit-Policy', `"default";q=${limit.requests};w=${limit.seconds}`)
    setHeader(c, 'RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
    setHeader(c, 'X-RateLimit-Limit', String(limit.requests))
    setHeader(c, 'X-RateLimit-Remaining', String(remaining))
    setHeader(c, 'X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + resetSeconds))
  }
  if (outcome === 'throttled') throw tooManyRequests(resetSeconds)
  if (outcome === 'over_max_credits') throw maxCreditsExceeded(due, maxCredits ?? 0)
  if (outcome === 'insufficient') throw insufficientCredits(due, balance)
  if (outcome === 'conflict') throw idempotencyConflict()
}
