/**
 * The checkout of a request that may cost credits: validate → read from the cache, a replica or the primary → price →
 * settle → respond. No data leaves before the ledger has recorded its charge (`decisions/0001-billing.md`).
 */
import { ApiError, insufficientCredits } from '../errors.ts'
import { setDataHeaders } from '../http/data-response.ts'
import { type ApiContext, createRequester, describeRoute } from '../http/request-context.ts'
import { send, setHeader } from '../http/response.ts'
import { assertReadableUrl } from '../http/url.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Charge, Settlement } from '../ledger/settlement.ts'
import type { MeteredError, MeteredQuery, MeteredResponse } from './metered-response.ts'
import { isPricedByItems, isQuote, type PreparedResponse, prepareResponse } from './price.ts'
import { reportSettlement } from './quota-headers.ts'
import { readConditions } from './request-conditions.ts'
import type { MeterOptions, RequestSettling } from './request-settling.ts'

/**
 * Reads on the primary for one response. Each is repeated if the dataset changed before its charge. The last one is
 * charged all the same, or a slow list could not be read during an import.
 */
const maxPrimaryReads = 3

/** Validates a request. `url` is its public URL. */
export type Validate = (c: ApiContext, url: URL) => MeteredQuery

/** A valid request. */
interface Order {
  c: ApiContext
  /** Its public URL. */
  url: string
  query: MeteredQuery
  /** What it is charged, without the price. */
  charge: Charge
}

/** Creates the checkout of an instance. It throws an `ApiError` in place of a response that is one. */
export function createCheckout(
  ledger: Pick<Ledger, 'prepare' | 'noteSettlement'>,
  settling: RequestSettling,
  options: MeterOptions,
): (c: ApiContext, validate: Validate) => Promise<Response> {
  const { responseCache, routing, traceDatabase } = options

  /**
   * Cheapest source first. Data may be outdated, and may name somebody who has been forgotten: then nothing is charged,
   * and the next source is read.
   */
  async function checkOut(c: ApiContext, validate: Validate): Promise<Response> {
    const order = await validateRequest(c, validate, settling, options)
    let response = (await serveCached(order)) ?? (await serveFromReplica(order))
    for (let reads = 1; response === undefined && reads <= maxPrimaryReads; reads++) {
      response = await serveFromPrimary(order, { takesAnyVersion: reads === maxPrimaryReads })
    }
    if (response === undefined) throw new Error('a request of any version is never stale')
    return response
  }

  function serveCached(order: Order): Promise<Response | undefined> {
    return responseCache.use(order.url, (response) => complete(order, response, { isCached: true }))
  }

  async function serveFromReplica(order: Order): Promise<Response | undefined> {
    if (!routing.hasReplica()) return undefined
    const response = await traceDatabase('read', () =>
      routing.readReplica((catalog) => order.query.read(catalog, createRequester(order.c))),
    )
    // A replica that lags behind may lack what exists, or a version.
    if (typeof response === 'string' || 'error' in response) return undefined
    return complete(order, response)
  }

  /** The statement that reads settles the request, too, if it can. */
  async function serveFromPrimary(
    order: Order,
    options: { takesAnyVersion: boolean },
  ): Promise<Response | undefined> {
    const { c, query, charge } = order
    const request = settling.createRequest(c, { charge })
    const prepared = isPricedByItems(c) ? ledger.prepare(c.get('caller'), request) : 'priced_later'
    const toSettle = typeof prepared === 'string' ? undefined : prepared
    const response = await traceDatabase(toSettle === undefined ? 'read' : 'read and settle', () =>
      query.read(routing.primary, { ...createRequester(c), toSettle }),
    )
    if (response === 'not_found') return complete(order, query.createError())
    if (response.settlement !== undefined) {
      ledger.noteSettlement(c.get('caller'), request, response.settlement, c.get('startedAt'))
      settling.noteVersion(response.settlement)
    }
    return complete(order, response, options)
  }

  /** Prices, settles and sends a response. Undefined: its data is outdated. */
  async function complete(
    { c, url, charge }: Order,
    response: MeteredResponse | MeteredError,
    { isCached = false, takesAnyVersion = false } = {},
  ): Promise<Response | undefined> {
    const prepared = prepareResponse(c, response)
    const version = takesAnyVersion ? null : (response.version ?? null)
    const createRequest = () => settling.createRequest(c, { charge: priceCharge(charge, prepared), version })
    const settlement = response.settlement ?? (await settling.settleRequest(c, createRequest()))
    if (settlement.outcome === 'stale') return undefined
    reportSettlement(c, settlement, charge.maxCredits)
    if (!isCached && 'data' in response) responseCache.offer(url, response)
    return respond(c, prepared, settlement)
  }

  return checkOut
}

/** Settles an invalid request before it throws the `ApiError`. */
async function validateRequest(
  c: ApiContext,
  validate: Validate,
  settling: RequestSettling,
  { basePath, publicUrl }: MeterOptions,
): Promise<Order> {
  try {
    assertReadableUrl(c.req.url)
    const url = publicUrl(c)
    const conditions = readConditions(c, url)
    return { c, url: url.href, query: validate(c, url), charge: createCharge(c, basePath, conditions) }
  } catch (error) {
    if (error instanceof ApiError) await settling.settle(c)
    throw error
  }
}

function createCharge(
  c: ApiContext,
  basePath: string,
  conditions: Pick<Charge, 'maxCredits' | 'idempotency'>,
): Charge {
  return {
    price: null,
    items: null,
    requestId: c.get('requestId'),
    path: c.req.path.slice(basePath.length),
    endpoint: describeRoute(c).slice(basePath.length),
    ...conditions,
  }
}

/** What is charged for a response. Null: it is free. */
function priceCharge(charge: Charge, { response, isFree, cost }: PreparedResponse): Charge | null {
  if (isFree) return null
  // The ledger doesn't keep unknown names.
  const found = 'error' in response ? { path: charge.endpoint, items: 0 } : { items: cost }
  return { ...charge, ...found, price: cost }
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
