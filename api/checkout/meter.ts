/**
 * The checkout of every request with a key: validate → cached or read → quote or charge → respond. No data leaves before
 * the ledger has recorded its charge (`decisions/0001-billing.md`).
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Handler } from 'hono'
import type { ReplicaRouting } from '../catalog/replica-routing.ts'
import { isDatabaseError } from '../database/connection-error.ts'
import type { Replicas } from '../database/replica-checks.ts'
import { ApiError, insufficientCredits } from '../errors.ts'
import { setDataHeaders } from '../http/data-response.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { send, setHeader } from '../http/response.ts'
import { assertReadableUrl, describeRoute } from '../http/url.ts'
import type { KeyRequest, Ledger } from '../ledger/ledger.ts'
import type { Charge, Settlement, Stale } from '../ledger/settlement.ts'
import type { TraceDatabase } from '../telemetry/tracing.ts'
import type { MeteredError, MeteredQuery, MeteredResponse } from './metered-response.ts'
import { isPricedByItems, isQuote, type PreparedResponse, prepareResponse } from './price.ts'
import { reportSettlement } from './quota-headers.ts'
import { type Conditions, readConditions } from './request-conditions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Settles and sends the responses of endpoints that need a key. */
export interface Meter {
  /** Settles a request that is free. Throws as `reportSettlement` does. */
  settle(c: ApiContext, options?: { isCounted: boolean }): Promise<Settlement>
  /** An endpoint whose responses cost credits. An `ApiError` that `validate` throws is a free response. */
  metered(validate: Validate): Handler<HonoEnvironment>
  /** An endpoint that costs nothing. */
  free(
    respond: (c: ApiContext, url: URL, settlement: Settlement) => Response | Promise<Response>,
  ): Handler<HonoEnvironment>
  /**
   * The same, but admin keys that the database has accepted lately don't need its decision while it is unavailable or
   * slow (`ledger/accepted-admins.ts`).
   */
  freeWithoutDatabase(respond: (c: ApiContext, url: URL) => Promise<Response>): Handler<HonoEnvironment>
}

/** How long the database may take to decide about a request that can do without. Prometheus waits 10 seconds. */
const decisionTimeoutMs = 2_000

/** Validates a request. `url` is its public URL. */
type Validate = (c: ApiContext, url: URL) => MeteredQuery

/** Why a source has no response: then the next one is read. */
type NoResponse = 'not_cached' | 'no_replica' | 'read_failed' | 'not_found'

/** What a meter works with besides the ledger. */
export interface MeterOptions {
  /** The path under which the API is mounted. */
  basePath: string
  publicUrl: (c: ApiContext) => URL
  responseCache: ResponseCache
  replicas: Pick<Replicas, 'noteVersion'>
  routing: ReplicaRouting
  traceDatabase?: TraceDatabase | undefined
}

/** Creates the meter of a ledger. */
export function createMeter(
  ledger: Pick<Ledger, 'settle' | 'prepare' | 'noteSettlement' | 'findAcceptedAdmin'>,
  {
    basePath,
    publicUrl,
    responseCache,
    replicas,
    routing,
    traceDatabase = (_, work) => work(),
  }: MeterOptions,
): Meter {
  async function checkOut(c: ApiContext, validate: Validate): Promise<Response> {
    const { query, conditions } = await validateRequest(c, validate)
    const charge = {
      price: null,
      items: null,
      requestId: c.get('requestId'),
      path: c.req.path.slice(basePath.length),
      endpoint: describeRoute(c).slice(basePath.length),
      ...conditions,
    }
    // Cheapest source first. Data of the cache or a replica may be outdated: then nothing is charged, and the next source
    // is read. A read on the primary is never outdated, and its statement settles the request, too, if it can.
    for (const source of ['cache', 'replica', 'primary'] as const) {
      const response = await read(source, c, query, charge)
      if (typeof response === 'string') continue
      if (source === 'replica' && 'error' in response) continue // a replica that lags behind may lack a version
      const prepared = prepareResponse(c, response)
      const version = source === 'primary' ? null : (response.version ?? null)
      const settlement = response.settlement ?? (await settleResponse(c, prepared, charge, version))
      if (settlement.outcome === 'stale') continue
      reportSettlement(c, settlement, conditions.maxCredits)
      if (source !== 'cache' && 'data' in response) responseCache.set(publicUrl(c).href, response)
      return respond(c, prepared, settlement)
    }
    throw new Error('the primary has stale data')
  }

  /** Validates a request. Settles an invalid one before it throws the `ApiError`. */
  async function validateRequest(
    c: ApiContext,
    validate: Validate,
  ): Promise<{ query: MeteredQuery; conditions: Conditions }> {
    try {
      assertReadableUrl(c.req.url)
      const url = publicUrl(c)
      return { conditions: readConditions(c, url), query: validate(c, url) }
    } catch (error) {
      if (error instanceof ApiError) await settle(c)
      throw error
    }
  }

  async function read(
    source: 'cache' | 'replica' | 'primary',
    c: ApiContext,
    query: MeteredQuery,
    charge: Charge,
  ): Promise<MeteredResponse | MeteredError | NoResponse> {
    if (source === 'cache') return responseCache.get(publicUrl(c).href) ?? 'not_cached'
    const caller = c.get('caller')
    const requester = { caller: caller.id, onWait: c.get('onWait'), signal: c.req.raw.signal }
    if (source === 'replica') {
      if (!routing.hasReplica()) return 'no_replica'
      return traceDatabase('read', () => routing.readReplica((catalog) => query.read(catalog, requester)))
    }
    const request = createRequest(c, { charge })
    const prepared = isPricedByItems(c) ? ledger.prepare(caller, request) : 'priced_later'
    const toSettle = typeof prepared === 'string' ? undefined : prepared
    const response = await traceDatabase(toSettle === undefined ? 'read' : 'read and settle', () =>
      query.read(routing.primary, { ...requester, toSettle }),
    )
    if (response === 'not_found') return query.createError()
    if (response.settlement !== undefined) {
      ledger.noteSettlement(caller, request, response.settlement, c.get('startedAt'))
      noteVersion(response.settlement)
    }
    return response
  }

  /** Settles the request of a response. */
  function settleResponse(
    c: ApiContext,
    { response, isFree, cost }: PreparedResponse,
    charge: Charge,
    version: number | null,
  ): Promise<Settlement | Stale> {
    // The ledger doesn't keep unknown names.
    const found = 'error' in response ? { path: charge.endpoint, items: 0 } : { items: cost }
    const priced = isFree ? null : { ...charge, ...found, price: cost }
    return settleRequest(c, createRequest(c, { charge: priced, version }))
  }

  function createRequest(
    c: ApiContext,
    { charge = null, version = null, isCounted = true }: Partial<Omit<KeyRequest, 'signal'>>,
  ): KeyRequest {
    return { charge, version, isCounted, signal: c.req.raw.signal }
  }

  function noteVersion({ version }: { version: number }): void {
    responseCache.noteVersion(version)
    replicas.noteVersion(version)
  }

  async function settleRequest(c: ApiContext, request: KeyRequest): Promise<Settlement | Stale> {
    const settlement = await traceDatabase('settle', () =>
      ledger.settle(c.get('caller'), request, c.get('onWait')),
    )
    noteVersion(settlement)
    return settlement
  }

  async function settle(c: ApiContext, options: { isCounted?: boolean } = {}): Promise<Settlement> {
    const settlement = await settleRequest(c, createRequest(c, options))
    if (settlement.outcome === 'stale') throw new Error('a request of any version is never stale')
    reportSettlement(c, settlement)
    return settlement
  }

  /** Settles a request that is free. The key of an accepted admin passes if the database can't decide in time. */
  async function settleIfAvailable(c: ApiContext): Promise<void> {
    const settling = settle(c)
    const hasPass = ledger.findAcceptedAdmin(c.get('caller').secret) !== undefined
    try {
      await (hasPass
        ? Promise.race([settling, sleep(decisionTimeoutMs, undefined, { ref: false })])
        : settling)
    } catch (error) {
      if (!hasPass || !isDatabaseError(error)) throw error
    }
  }

  return {
    settle,
    metered: (validate) => (c) => checkOut(c, validate),
    free: (respondFree) => async (c) => {
      const settlement = await settle(c)
      assertReadableUrl(c.req.url)
      return respondFree(c, publicUrl(c), settlement)
    },
    freeWithoutDatabase: (respondFree) => async (c) => {
      await settleIfAvailable(c)
      assertReadableUrl(c.req.url)
      return respondFree(c, publicUrl(c))
    },
  }
}

/**
 * Sends a settled response. If it is an error, sets the headers and throws it. Throws 403 for a quote of something that
 * costs credits, with its price in the headers, if the key has none: a quote is free for keys that could buy.
 */
async function respond(
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
