/**
 * The checkout of every request with a key: validate → cached or read → quote or charge → respond. No data leaves before
 * the ledger has recorded its charge (`decisions/0001-billing.md`).
 *
 * @module
 */
import type { Handler } from 'hono'
import type { Catalog, ReplicaRouting } from '../catalog/replica-routing.ts'
import type { Replicas } from '../database/replicas.ts'
import { ApiError, badRequest } from '../errors.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { assertReadableUrl, describeRoute } from '../http/url.ts'
import { digestIdempotency } from '../ledger/idempotency-keys.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Charge, Settlement, SettleRequest } from '../ledger/settlement.ts'
import type { TraceDatabase } from '../telemetry/tracing.ts'
import {
  documentCost,
  isQuote,
  type MeteredError,
  type MeteredQuery,
  type MeteredResponse,
  prepareResponse,
  reportSettlement,
  respond,
} from './metered-response.ts'
import type { ResponseCache } from './response-cache.ts'

/** Settles and sends the responses of endpoints that need a key. */
export interface Meter {
  /** Settles a request, by default one that is free. Throws as `reportSettlement` does. */
  settle(c: ApiContext, request?: SettleOptions): Promise<Settlement>
  /** An endpoint whose responses cost credits. An `ApiError` that `validate` throws is a free response. */
  metered(validate: Validate): Handler<HonoEnvironment>
  /** An endpoint that costs nothing. */
  free(
    respond: (c: ApiContext, url: URL, settlement: Settlement) => Response | Promise<Response>,
  ): Handler<HonoEnvironment>
}

type SettleOptions = Partial<Pick<SettleRequest, 'isCounted' | 'charge' | 'lookUp'>>

/** Validates a request. `url` is its public URL. */
type Validate = (c: ApiContext, url: URL) => MeteredQuery

/** What the client requires of a charge. */
type Conditions = Pick<Charge, 'maxCredits' | 'idempotency'>

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
  ledger: Pick<Ledger, 'settle'>,
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
    const { document } = query
    if (document !== undefined && isPriceKnown(c) && !routing.hasReplica()) {
      // One statement reads a single resource and charges for it. From then on nothing may fail.
      const charge = createCharge(c, conditions, { cost: documentCost, items: documentCost })
      const settlement = await settle(c, { charge, lookUp: document.lookUp })
      return respond(c, prepareResponse(c, document.createResponse(settlement)), settlement)
    }
    // Cheapest source first. Data of the cache or a replica may be outdated: then nothing is charged, and the next source
    // is read. A read on the primary is never outdated.
    for (const source of ['cache', 'replica', 'primary'] as const) {
      const response = await read(source, c, query)
      if (response === undefined) continue
      const prepared = prepareResponse(c, response)
      const version = source === 'primary' ? undefined : response.version
      const charge = prepared.isFree ? null : createCharge(c, conditions, prepared, 'error' in response)
      const settlement = await settleVersion(c, version, { charge })
      if (settlement === undefined) continue
      if (source !== 'cache' && 'data' in response) responseCache.set(publicUrl(c).href, response)
      return respond(c, prepared, settlement)
    }
    throw new Error('what the primary has is never stale')
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
  ): Promise<MeteredResponse | MeteredError | undefined> {
    if (source === 'cache') return responseCache.get(publicUrl(c).href)
    const requester = { caller: c.get('caller').id, onWait: c.get('onWait') }
    const readCatalog = (catalog: Catalog) => query.read(catalog, requester)
    if (source === 'primary') {
      return (await traceDatabase('read', () => readCatalog(routing.primary))) ?? query.createError()
    }
    return routing.hasReplica() ? traceDatabase('read', () => routing.readReplica(readCatalog)) : undefined
  }

  function createCharge(
    c: ApiContext,
    conditions: Conditions,
    { cost, items }: { cost: number; items: number },
    isAbsent = false,
  ): Charge {
    const endpoint = describeRoute(c).slice(basePath.length)
    return {
      requestId: c.get('requestId'),
      path: isAbsent ? endpoint : c.req.path.slice(basePath.length),
      endpoint,
      ...conditions,
      price: cost,
      items,
    }
  }

  /** Settles a request, unless the dataset has another version than this: then nothing is decided. */
  async function settleVersion(
    c: ApiContext,
    version: number | undefined,
    { isCounted = true, charge = null, lookUp = null }: SettleOptions = {},
  ): Promise<Settlement | undefined> {
    const request = { isCounted, version: version ?? null, charge, lookUp, signal: c.req.raw.signal }
    const settlement = await traceDatabase('settle', () =>
      ledger.settle(c.get('caller'), request, c.get('onWait')),
    )
    responseCache.noteVersion(settlement.version)
    replicas.noteVersion(settlement.version)
    if (settlement.outcome === 'stale') return undefined
    reportSettlement(c, settlement, charge)
    return settlement
  }

  async function settle(c: ApiContext, request?: SettleOptions): Promise<Settlement> {
    const settlement = await settleVersion(c, undefined, request)
    if (settlement === undefined) throw new Error('a request of any version is never stale')
    return settlement
  }

  return {
    settle,
    metered: (validate) => (c) => checkOut(c, validate),
    free: (respondFree) => async (c) => {
      const settlement = await settle(c)
      assertReadableUrl(c.req.url)
      return respondFree(c, publicUrl(c), settlement)
    },
  }
}

/**
 * Whether the price of a single resource is known before it is read. A quote is free, and a conditional request is free
 * if its tag still matches.
 */
function isPriceKnown(c: ApiContext): boolean {
  return !isQuote(c) && c.req.header('If-None-Match') === undefined
}

/** Reads `Max-Credits` and `Idempotency-Key`. A quote has no conditions. Throws 400 when a header breaks its rule. */
function readConditions(c: ApiContext, { pathname, search }: URL): Conditions {
  if (isQuote(c)) return { maxCredits: null, idempotency: null }
  const maxCredits = c.req.header('Max-Credits')
  const key = c.req.header('Idempotency-Key')
  if (maxCredits !== undefined && !(/^\d+$/.test(maxCredits) && Number.isSafeInteger(Number(maxCredits)))) {
    throw badRequest(
      `Invalid Max-Credits: must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, digits only`,
    )
  }
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw badRequest('Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters')
  }
  return {
    maxCredits: maxCredits === undefined ? null : Number(maxCredits),
    idempotency: key === undefined ? null : digestIdempotency(key, pathname + search),
  }
}
