/**
 * The last steps of every request with a key: not modified? a quote? then settle, then answer. Nothing leaves before
 * the ledger has let it (`decisions.md`, Credits).
 *
 * @module
 */
import type { Handler, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Found } from '../catalog/lookup.ts'
import type { ReplicaRouting } from '../catalog/replica-routing.ts'
import type { OwnBytes } from '../database/own-bytes.ts'
import type { Replicas } from '../database/replicas.ts'
import {
  ApiError,
  idempotencyConflict,
  insufficientCredits,
  maxCreditsExceeded,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { describeRoute } from '../http/request-labels.ts'
import { send, setHeader } from '../http/send.ts'
import { assertReadableUrl } from '../http/validate-url.ts'
import type { BearerKey } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ChargeRequest, PricedLookUp, Purchase, Settlement, Stale } from '../ledger/settle.ts'
import { type TraceDatabase, untraced } from '../telemetry/tracing.ts'
import { setQuotaHeaders, wholeSeconds } from './quota-headers.ts'
import { readCatalog } from './read-catalog.ts'
import { noConditions, type RequestConditions, readRequestConditions } from './request-conditions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Data that a request asked for, and what it costs. */
export interface MeteredResponse {
  /** In credits: the number of items in the body. */
  cost: number
  /** The entity tag of the data, and of everything else that the URL's answer depends on. */
  tag: string
  headers: Readonly<Record<string, string>>
  /** JSON text, or its UTF-8: the body, or the part of it that `render` adds to. */
  body: string | Uint8Array
  /** The version of the dataset that it was read at, if it may be given again as long as that holds. */
  version?: number | undefined
  /** JSON text of the body, or its UTF-8, made when it is sure to be sent. */
  render(c: ApiContext): string | OwnBytes
  /** Lets the memory of `body` go, when the answer will not be rendered any more. What was rendered stays. */
  release?(): void
}

/** An error that may cost something: the contract's one paid 404 (`service.md` §4.2). */
export interface MeteredError {
  /** In credits. */
  cost: number
  error: ApiError
}

/** What has its price before it is read: a single thing, looked up by name. It is read with the statement that charges for it. */
export interface LookedUp {
  lookUp: PricedLookUp
  /** Makes what is answered when there is no such thing. */
  absent(): ApiError
  /** Makes the answer of what was found. */
  present(found: Found): MeteredResponse
}

/** Settles and sends the answers of endpoints that need a key. */
export interface Meter {
  /** Middleware: lets only keys through that may use the route; the others get the error that `findObstacle` returns. */
  permit(findObstacle: (caller: BearerKey) => ApiError | undefined): MiddlewareHandler<HonoEnvironment>
  /** Middleware: 429 without asking the database, while it is sure to say so. */
  turnAway: MiddlewareHandler<HonoEnvironment>
  /** An endpoint whose answers cost credits. An `ApiError` that `read` throws is free. */
  metered(read: Read): Handler<HonoEnvironment>
  /** An endpoint that gives a single thing by its name. An `ApiError` that `choose` throws is free. */
  lookedUp(choose: (c: ApiContext) => LookedUp): Handler<HonoEnvironment>
  /** An endpoint that costs nothing. `answer` is told what the ledger said. */
  free(
    answer: (c: ApiContext, settlement: Settlement) => Response | Promise<Response>,
  ): Handler<HonoEnvironment>
}

type Metered = MeteredResponse | MeteredError
type Read = (c: ApiContext) => Promise<Metered>

/** An answer that may be sent, and what the ledger said about it. */
interface Bought {
  answer: Metered
  /** Undefined: without one. */
  body?: string | OwnBytes | undefined
  settlement: Settlement
  /** Whether the client has it already. */
  isKnown?: boolean
  /** What it would cost, in credits, where that was all that was asked. */
  quote?: number | undefined
}

/** In credits: the price of a single thing. */
export const documentCost = 1

/** What is bought, and on which terms; nothing, for what is free. */
type Order = (Pick<Purchase, 'cost' | 'items'> & RequestConditions) | null

/** How a request is settled, apart from what it buys. */
type SettleOptions = Partial<Pick<ChargeRequest, 'isCounted' | 'version' | 'lookUp'>>

/** What a meter works with besides the ledger. */
export interface MeterOptions {
  /** The path under which the API is mounted. */
  basePath: string
  publicUrl: (c: ApiContext) => URL
  answers: ResponseCache
  replicas: Pick<Replicas, 'noteVersion'>
  sources: ReplicaRouting
  traceDatabase?: TraceDatabase | undefined
}

/** Creates the meter of a ledger. */
export function createMeter(
  ledger: Ledger,
  { basePath, publicUrl, answers, replicas, sources, traceDatabase = untraced }: MeterOptions,
): Meter {
  /**
   * Throws 401, 403, 422 or 429, and then nothing was taken. `version` is what the dataset must have; `stale`: it has
   * another one, and nothing was taken either.
   */
  async function settle(
    c: ApiContext,
    order: Order,
    { isCounted = true, version = null, lookUp = null }: SettleOptions = {},
  ): Promise<Settlement | Stale> {
    const purchase = order && {
      ...order,
      requestId: c.get('requestId'),
      path: c.req.path.slice(basePath.length),
      endpoint: describeRoute(c).slice(basePath.length),
    }
    const settlement = await traceDatabase('settle', () =>
      ledger.settle(
        c.get('caller'),
        { isCounted, version, purchase, lookUp, signal: c.req.raw.signal },
        c.get('leave'),
      ),
    )
    answers.noteVersion(settlement.version)
    replicas.noteVersion(settlement.version)
    if (settlement.outcome === 'stale') return settlement
    if (settlement.outcome === 'unusable') throw unauthorized('invalid_api_key', 'Invalid API key')
    setQuotaHeaders(c, settlement)
    switch (settlement.outcome) {
      case 'throttled':
        throw tooManyRequests(wholeSeconds(settlement))
      case 'over_max_credits':
        throw maxCreditsExceeded(settlement.cost, order?.maxCredits ?? 0)
      case 'insufficient':
        throw insufficientCredits(settlement.cost, settlement.balance)
      case 'conflict':
        throw idempotencyConflict()
      default:
        return settlement
    }
  }

  /** Throws 403, or what the ledger has to say before. */
  async function refuse(c: ApiContext, error: ApiError): Promise<never> {
    await settle(c, null, { isCounted: false })
    throw error
  }

  /** Reads the terms and what `read` reads. An `ApiError` in either is an answer that is free. */
  async function prepare<T>(
    c: ApiContext,
    read: (c: ApiContext) => T | Promise<T>,
  ): Promise<{ asked: T | MeteredError; conditions: RequestConditions }> {
    let conditions = noConditions
    try {
      assertReadableUrl(c.req.url)
      if (c.req.method !== 'HEAD') conditions = readRequestConditions(c, publicUrl(c))
      return { asked: await read(c), conditions }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { asked: { cost: 0, error }, conditions }
    }
  }

  /** Whether a look-up may be settled before it is seen: not if what it costs depends on what it says. */
  function isBoughtUnseen(c: ApiContext): boolean {
    return c.req.method !== 'HEAD' && c.req.header('If-None-Match') === undefined && !sources.haveReplica()
  }

  /** Reads what is looked up and settles it, both with one statement. */
  async function buyUnseen(c: ApiContext, asked: LookedUp, conditions: RequestConditions): Promise<Bought> {
    const order = { ...conditions, cost: documentCost, items: documentCost }
    const settlement = await settle(c, order, { lookUp: asked.lookUp })
    if (settlement.outcome === 'stale') throw new Error('a look-up of any version is never stale')
    const { document, version } = settlement
    // From here on nothing may fail: it is paid.
    const answer = respondToLookUp(asked, document === undefined ? undefined : { document, version })
    return { answer, body: 'error' in answer ? undefined : answer.render(c), settlement }
  }

  /** Settles what is read already. Undefined: it is of an older dataset, and nothing was taken for it. */
  async function buySeen(
    c: ApiContext,
    answer: Metered,
    { conditions, mayBeOld }: { conditions: RequestConditions; mayBeOld: boolean },
  ): Promise<Bought | undefined> {
    const data = 'error' in answer ? undefined : answer
    const isKnown = data !== undefined && matchesEntityTag(c.req.header('If-None-Match'), data.tag)
    const cost = isKnown ? 0 : answer.cost
    const isQuote = c.req.method === 'HEAD'
    // What is not served can't be paid, nor can an idempotency key stand for it.
    const isServed = !isQuote && !isKnown && (data !== undefined || cost > 0)
    // Before it is settled: what can fail fails for free.
    const body = isServed ? data?.render(c) : undefined
    const order = isServed ? { ...conditions, cost, items: data === undefined ? 0 : cost } : null
    const settlement = await settle(c, order, { version: (mayBeOld ? data?.version : undefined) ?? null })
    if (settlement.outcome === 'stale') return undefined
    const quote = isQuote && c.get('caller').role !== 'admin' ? cost : undefined
    return { answer, body, settlement, isKnown, quote }
  }

  async function serve(
    c: ApiContext,
    { answer, body, settlement, isKnown = false, quote }: Bought,
  ): Promise<Response> {
    const { outcome, charged } = settlement
    c.set('charged', charged)
    if (outcome === 'replayed') setHeader(c, 'Idempotency-Replayed', 'true')
    setHeader(c, 'X-Credits-Cost', String(quote ?? charged))
    if ('error' in answer) throw answer.error
    for (const [name, value] of Object.entries(answer.headers)) setHeader(c, name, value)
    setHeader(c, 'ETag', answer.tag)
    // Private: whoever holds a copy must ask again, with a key, before using it.
    setHeader(c, 'Cache-Control', 'private, no-cache')
    if (isKnown) return send(c, null, { status: 304 })
    return send(c, body ?? null, { type: 'application/json' })
  }

  function metered(read: Read): Handler<HonoEnvironment> {
    return async (c) => {
      // What is remembered, or a replica has, may be of an older dataset: then the data is read on the primary.
      for (let known = answers.recall(publicUrl(c).href); ; known = undefined) {
        const remembered = known
        const { asked, conditions } = await prepare(
          c,
          remembered === undefined ? () => traceDatabase('read', () => read(c)) : () => remembered,
        )
        const mayBeOld = known !== undefined || c.get('source') === 'replica'
        const page = known === undefined && !('error' in asked) ? asked : undefined
        let isKept = false
        try {
          const bought = await buySeen(c, asked, { conditions, mayBeOld })
          if (bought === undefined) {
            c.set('source', 'primary')
            continue
          }
          const response = await serve(c, bought)
          isKept = page !== undefined && answers.remember(publicUrl(c).href, page)
          return response
        } finally {
          if (!isKept) page?.release?.()
        }
      }
    }
  }

  return {
    permit: (findObstacle) =>
      createMiddleware<HonoEnvironment>(function permit(c, next) {
        const error = findObstacle(c.get('caller'))
        return error === undefined ? next() : refuse(c, error)
      }),

    turnAway: createMiddleware<HonoEnvironment>(function turnAway(c, next) {
      const throttle = ledger.findCachedThrottle(c.get('caller').id)
      if (throttle !== undefined) {
        setQuotaHeaders(c, throttle)
        throw tooManyRequests(wholeSeconds(throttle))
      }
      return next()
    }),

    metered,

    lookedUp(choose) {
      const readFirst = metered(async (c) => {
        const asked = choose(c)
        return respondToLookUp(asked, await readCatalog(c, sources, (source) => source.lookUp(asked.lookUp)))
      })
      return async (c, next) => {
        if (!isBoughtUnseen(c)) return readFirst(c, next)
        const { asked, conditions } = await prepare(c, choose)
        return 'lookUp' in asked ? serve(c, await buyUnseen(c, asked, conditions)) : readFirst(c, next)
      }
    },

    free: (answer) => async (c) => {
      const settlement = await settle(c, null)
      if (settlement.outcome === 'stale') throw new Error('what is free has no version')
      assertReadableUrl(c.req.url)
      return answer(c, settlement)
    },
  }
}

function respondToLookUp({ lookUp, absent, present }: LookedUp, found: Found | undefined): Metered {
  return found === undefined ? { cost: lookUp.costIfAbsent, error: absent() } : present(found)
}
