/**
 * The checkout of every request with a key: validate → cached or read → quote or charge → respond. No data leaves before
 * the ledger has recorded its charge (`decisions/0001-billing.md`).
 *
 * @module
 */
import type { Handler, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Catalog, ReplicaRouting } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import type { Replicas } from '../database/replicas.ts'
import {
  ApiError,
  ClientGoneError,
  idempotencyConflict,
  insufficientCredits,
  maxCreditsExceeded,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { send, setHeader } from '../http/send.ts'
import { describeRoute } from '../http/telemetry-labels.ts'
import { assertReadableUrl } from '../http/validate-url.ts'
import type { BearerKey } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ChargeRequest, Purchase, Settlement, Stale } from '../ledger/settle.ts'
import { type TraceDatabase, untraced } from '../telemetry/tracing.ts'
import {
  documentCost,
  type MeteredError,
  type MeteredQuery,
  type MeteredResponse,
  renderBody,
} from './metered-response.ts'
import { readResetSeconds, setQuotaHeaders } from './quota-headers.ts'
import { type RequestConditions, readRequestConditions } from './request-conditions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Settles and sends the responses of endpoints that need a key. */
export interface Meter {
  /**
   * Middleware: throws the error that `checkPermission` returns for the caller. First settles the request without counting
   * it, so that an invalid key gets 401 and the error has quota headers.
   */
  permit(checkPermission: (caller: BearerKey) => ApiError | undefined): MiddlewareHandler<HonoEnvironment>
  /** Middleware: throws 429 without a statement while the cache shows that the key is over its rate limit. */
  throttle: MiddlewareHandler<HonoEnvironment>
  /** An endpoint whose responses cost credits. An `ApiError` that `validate` throws is a free response. */
  metered(validate: Validate): Handler<HonoEnvironment>
  /** An endpoint that costs nothing. */
  free(respond: RespondFree): Handler<HonoEnvironment>
}

/** Validates a request. `url` is its public URL. */
type Validate = (c: ApiContext, url: URL) => MeteredQuery
type RespondFree = (c: ApiContext, url: URL, settlement: Settlement) => Response | Promise<Response>

/** What a meter works with besides the ledger. */
export interface MeterOptions {
  /** The path under which the API is mounted. */
  basePath: string
  publicUrl: (c: ApiContext) => URL
  queue: FairQueue<number>
  responseCache: ResponseCache
  replicas: Pick<Replicas, 'noteVersion'>
  routing: ReplicaRouting
  traceDatabase?: TraceDatabase | undefined
}

/** A valid request. */
interface ValidRequest {
  query: MeteredQuery
  conditions: RequestConditions
}

/** A response that isn't settled yet, and its rendered body. */
interface PreparedResponse {
  response: MeteredResponse | MeteredError
  /** Null: the request is a HEAD, the response is a 304, or it is an error. */
  body: string | Uint8Array<ArrayBuffer> | null
  /** In credits. */
  cost: number
  isNotModified: boolean
}

/** Creates the meter of a ledger. */
export function createMeter(
  ledger: Ledger,
  { basePath, publicUrl, queue, responseCache, replicas, routing, traceDatabase = untraced }: MeterOptions,
): Meter {
  async function checkOut(c: ApiContext, validate: Validate, leaveQueue: () => void): Promise<Response> {
    const validated = validateRequest(c, validate, publicUrl(c))
    if ('error' in validated) {
      await settle(c, {}, leaveQueue)
      throw validated.error
    }
    const { query, conditions } = validated
    if (query.document !== undefined && isPriceKnown(c) && !routing.hasReplica()) {
      return lookUpAndCharge(c, validated, query.document, leaveQueue)
    }
    const requester = { caller: c.get('caller').id, onWait: leaveQueue }
    const url = publicUrl(c).href
    // Cheapest source first. Data of the cache or a replica may be outdated: then `settle` returns `stale` without
    // charging, and the next source is read. A read on the primary is never stale.
    for (const source of ['cache', 'replica', 'primary'] as const) {
      const response = source === 'cache' ? responseCache.get(url) : await readFrom(source, query, requester)
      if (response === undefined) continue
      const prepared = prepareResponse(c, response)
      const version = source !== 'primary' && 'version' in response ? response.version : undefined
      const purchase = createPurchase(c, prepared, conditions)
      const settlement = await settle(c, { purchase, version: version ?? null }, leaveQueue)
      if (settlement.outcome === 'stale') continue
      if (source !== 'cache' && 'data' in response) responseCache.set(url, response)
      return respond(c, prepared, settlement)
    }
    throw new Error('what the primary has is never stale')
  }

  async function readFrom(
    source: 'replica' | 'primary',
    query: MeteredQuery,
    requester: Requester,
  ): Promise<MeteredResponse | MeteredError | undefined> {
    const read = (catalog: Catalog) => query.read(catalog, requester)
    if (source === 'primary') {
      return (await traceDatabase('read', () => read(routing.primary))) ?? query.createError()
    }
    return routing.hasReplica() ? traceDatabase('read', () => routing.readReplica(read)) : undefined
  }

  /** Reads a single resource and charges for it, with one statement. From then on nothing may fail. */
  async function lookUpAndCharge(
    c: ApiContext,
    { query, conditions }: ValidRequest,
    { lookUp, createResponse }: NonNullable<MeteredQuery['document']>,
    leaveQueue: () => void,
  ): Promise<Response> {
    const purchase = { ...identifyRequest(c), ...conditions, price: documentCost, items: documentCost }
    const settlement = await settle(c, { purchase, lookUp }, leaveQueue)
    if (settlement.outcome === 'stale') throw new Error('a look-up of any version is never stale')
    const { document, version } = settlement
    const response = document === undefined ? query.createError() : createResponse({ document, version })
    return respond(c, prepareResponse(c, response), settlement)
  }

  function createPurchase(
    c: ApiContext,
    { response, body, cost }: PreparedResponse,
    conditions: RequestConditions,
  ): Purchase | null {
    const isCharged = body !== null || ('error' in response && c.req.method !== 'HEAD' && cost > 0)
    if (!isCharged) return null
    return { ...identifyRequest(c), ...conditions, price: cost, items: body === null ? 0 : cost }
  }

  function identifyRequest(c: ApiContext) {
    return {
      requestId: c.get('requestId'),
      path: c.req.path.slice(basePath.length),
      endpoint: describeRoute(c).slice(basePath.length),
    }
  }

  /** Settles a request, and sets the quota headers. Throws 401, 403, 422 or 429 when the ledger refuses it. */
  async function settle(
    c: ApiContext,
    { isCounted = true, version = null, purchase = null, lookUp = null }: Partial<ChargeRequest>,
    leaveQueue?: () => void,
  ): Promise<Settlement | Stale> {
    const request = { isCounted, version, purchase, lookUp, signal: c.req.raw.signal }
    const settlement = await traceDatabase('settle', () =>
      ledger.settle(c.get('caller'), request, leaveQueue),
    )
    responseCache.noteVersion(settlement.version)
    replicas.noteVersion(settlement.version)
    if (settlement.outcome === 'stale') return settlement
    if (settlement.outcome === 'unusable') throw unauthorized('invalid_api_key', 'Invalid API key')
    setQuotaHeaders(c, settlement)
    switch (settlement.outcome) {
      case 'throttled':
        throw tooManyRequests(readResetSeconds(settlement))
      case 'over_max_credits':
        throw maxCreditsExceeded(settlement.due, purchase?.maxCredits ?? 0)
      case 'insufficient':
        throw insufficientCredits(settlement.due, settlement.balance)
      case 'conflict':
        throw idempotencyConflict()
      default:
        return settlement
    }
  }

  /** Runs `handle` in the caller's turn. `leaveQueue` ends the turn early, before `handle` waits for something else. */
  async function inTurn(
    c: ApiContext,
    handle: (leaveQueue: () => void) => Promise<Response>,
  ): Promise<Response> {
    const { signal } = c.req.raw
    const leaveQueue = await queue.enter(c.get('caller').id, signal)
    try {
      if (signal.aborted) throw new ClientGoneError()
      return await handle(leaveQueue)
    } finally {
      leaveQueue()
    }
  }

  return {
    permit: (checkPermission) =>
      createMiddleware<HonoEnvironment>(async function permit(c, next) {
        const error = checkPermission(c.get('caller'))
        if (error === undefined) return next()
        await settle(c, { isCounted: false })
        throw error
      }),

    throttle: createMiddleware<HonoEnvironment>(function throttle(c, next) {
      const throttled = ledger.findCachedThrottle(c.get('caller').id)
      if (throttled === undefined) return next()
      setQuotaHeaders(c, throttled)
      throw tooManyRequests(readResetSeconds(throttled))
    }),

    metered: (validate) => (c) => inTurn(c, (leaveQueue) => checkOut(c, validate, leaveQueue)),

    free: (respondFree) => (c) =>
      inTurn(c, async (leaveQueue) => {
        const settlement = await settle(c, {}, leaveQueue)
        if (settlement.outcome === 'stale') throw new Error('a request of any version is never stale')
        assertReadableUrl(c.req.url)
        return respondFree(c, publicUrl(c), settlement)
      }),
  }
}

/** Validates a request. An error is free, and becomes the response once the request is settled. */
function validateRequest(c: ApiContext, validate: Validate, url: URL): ValidRequest | { error: ApiError } {
  try {
    assertReadableUrl(c.req.url)
    const isQuote = c.req.method === 'HEAD'
    const conditions = isQuote ? { maxCredits: null, idempotency: null } : readRequestConditions(c, url)
    return { conditions, query: validate(c, url) }
  } catch (error) {
    if (error instanceof ApiError) return { error }
    throw error
  }
}

/**
 * Whether the price of a single resource is known before it is read. A quote is free, and a conditional request is free
 * if its tag still matches.
 */
function isPriceKnown(c: ApiContext): boolean {
  return c.req.method !== 'HEAD' && c.req.header('If-None-Match') === undefined
}

/** Prices and renders a response. Rendering comes before the charge, because it may fail. */
function prepareResponse(c: ApiContext, response: MeteredResponse | MeteredError): PreparedResponse {
  if ('error' in response) return { response, body: null, cost: response.cost, isNotModified: false }
  const isNotModified = matchesEntityTag(c.req.header('If-None-Match'), response.tag)
  const hasBody = !isNotModified && c.req.method !== 'HEAD'
  return {
    response,
    body: hasBody ? renderBody(c, response) : null,
    cost: isNotModified ? 0 : response.cost,
    isNotModified,
  }
}

/** Sends a settled response. If it is an error, sets the headers and throws it. */
async function respond(
  c: ApiContext,
  { response, body, cost, isNotModified }: PreparedResponse,
  { outcome, charged }: Settlement,
): Promise<Response> {
  c.set('charged', charged) // for the access log
  const isQuote = c.req.method === 'HEAD' && c.get('caller').role !== 'admin'
  setHeader(c, 'X-Credits-Cost', String(isQuote ? cost : charged))
  if (outcome === 'replayed') setHeader(c, 'Idempotency-Replayed', 'true')
  if ('error' in response) throw response.error
  for (const [name, value] of Object.entries(response.headers)) setHeader(c, name, value)
  setHeader(c, 'ETag', response.tag)
  // Only a client's own cache may store the response, and it must revalidate with a key before each reuse.
  setHeader(c, 'Cache-Control', 'private, no-cache')
  return isNotModified ? send(c, null, { status: 304 }) : send(c, body, { type: 'application/json' })
}
