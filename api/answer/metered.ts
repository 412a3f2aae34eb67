/**
 * The last steps of every request with a key: not modified? a quote? then settle, then answer. Nothing leaves before
 * the ledger has let it (`decisions.md`, Credits).
 *
 * @module
 */
import type { Handler, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ApiContext, Environment } from '../environment.ts'
import {
  ApiError,
  forbidden,
  forbiddenCost,
  idempotencyConflict,
  insufficientCredits,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import type { BearerKey } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Purchase, Settlement } from '../ledger/settle.ts'
import { describeRoute } from '../middleware/access-log.ts'
import { assertReadableUrl } from '../middleware/validate-url.ts'
import { type TraceDatabase, untraced } from '../telemetry.ts'
import { createEntityTag, matchesEntityTag } from './entity-tag.ts'
import { send, setHeader } from './send.ts'
import { stateStanding, wholeSeconds } from './standing.ts'
import { noTerms, readTerms, type Terms } from './terms.ts'

/** Data that a request asked for, and what it costs. */
export interface MeteredAnswer {
  /** In credits: the number of items in the body. */
  cost: number
  /** What the entity tag is made of: the data, and everything else that the URL's answer depends on. */
  represents: readonly string[]
  /** JSON text of the body, made when it is sure to be sent. */
  render(): string
}

/** An error that may cost something: the contract's one paid 404 (`service.md` §4.2). */
export interface MeteredError {
  /** In credits. */
  cost: number
  error: ApiError
}

/** Settles and sends the answers of endpoints that need a key. */
export interface Meter {
  /** Middleware: lets only keys through that may use the route; the others get a 403 with `message`. */
  permit(isAllowed: (caller: BearerKey) => boolean, message: string): MiddlewareHandler<Environment>
  /** Middleware: 429 without asking the database, while it is sure to say so. */
  turnAway: MiddlewareHandler<Environment>
  /** An endpoint whose answers cost credits. An `ApiError` that `read` throws is free. */
  metered(read: (c: ApiContext) => Promise<MeteredAnswer | MeteredError>): Handler<Environment>
  /** An endpoint that costs nothing. `answer` is told what the ledger said. */
  free(answer: (c: ApiContext, settlement: Settlement) => Response | Promise<Response>): Handler<Environment>
}

/** What is bought, and on which terms; nothing, for what is free. */
type Order = (Pick<Purchase, 'cost' | 'items'> & Terms) | null

/** Creates the meter of a ledger. `basePath` is the path under which the API is mounted. */
export function createMeter(
  ledger: Ledger,
  { basePath, traceDatabase = untraced }: { basePath: string; traceDatabase?: TraceDatabase | undefined },
): Meter {
  /** Throws 401, 403, 422 or 429, and then nothing was taken. */
  async function settle(c: ApiContext, order: Order, { counts = true } = {}): Promise<Settlement> {
    const purchase = order && {
      ...order,
      requestId: c.get('requestId'),
      path: c.req.path.slice(basePath.length),
      endpoint: describeRoute(c).slice(basePath.length),
    }
    const settlement = await traceDatabase('settle', () =>
      ledger.settle(c.get('caller'), { counts, purchase }, c.get('leave')),
    )
    if (settlement.outcome === 'unusable') throw unauthorized('Invalid API key')
    stateStanding(c, settlement)
    switch (settlement.outcome) {
      case 'throttled':
        throw tooManyRequests(wholeSeconds(settlement))
      case 'over_most':
        throw forbiddenCost(order?.cost ?? 0, order?.mostCredits ?? 0)
      case 'insufficient':
        throw insufficientCredits(order?.cost ?? 0, settlement.balance)
      case 'conflict':
        throw idempotencyConflict()
      default:
        return settlement
    }
  }

  /** Throws 403, or what the ledger has to say before. */
  async function refuse(c: ApiContext, message: string): Promise<never> {
    await settle(c, null, { counts: false })
    throw forbidden(message)
  }

  return {
    permit: (isAllowed, message) =>
      createMiddleware<Environment>(function permit(c, next) {
        return isAllowed(c.get('caller')) ? next() : refuse(c, message)
      }),

    turnAway: createMiddleware<Environment>(function turnAway(c, next) {
      const foreseen = ledger.foresee(c.get('caller').id)
      if (foreseen !== undefined) {
        stateStanding(c, foreseen)
        throw tooManyRequests(wholeSeconds(foreseen))
      }
      return next()
    }),

    metered: (read) => async (c) => {
      const isQuote = c.req.method === 'HEAD'
      let terms = noTerms
      let answer: MeteredAnswer | MeteredError
      try {
        assertReadableUrl(c.req.url)
        if (!isQuote) terms = readTerms(c)
        answer = await traceDatabase('read', () => read(c))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        answer = { cost: 0, error }
      }
      const data = 'error' in answer ? undefined : answer
      const tag = data === undefined ? '' : createEntityTag(...data.represents)
      const isKnown = data !== undefined && matchesEntityTag(c.req.header('If-None-Match'), tag)
      const cost = isKnown ? 0 : answer.cost
      // What is not served can't be paid, nor can an idempotency key stand for it.
      const isServed = !isQuote && !isKnown && (data !== undefined || cost > 0)
      const order = isServed ? { ...terms, cost, items: data === undefined ? 0 : cost } : null
      const { outcome, charged } = await settle(c, order)

      c.set('charged', charged)
      if (outcome === 'replayed') setHeader(c, 'Idempotency-Replayed', 'true')
      const quote = c.get('caller').role === 'admin' ? 0 : cost
      setHeader(c, 'X-Credits-Cost', String(isQuote ? quote : charged))
      if ('error' in answer) throw answer.error
      setHeader(c, 'ETag', tag)
      // Private: whoever holds a copy must ask again, with a key, before using it.
      setHeader(c, 'Cache-Control', 'private, no-cache')
      if (isKnown) return send(c, null, { status: 304 })
      return send(c, answer.render(), { type: 'application/json' })
    },

    free: (answer) => async (c) => {
      const settlement = await settle(c, null)
      assertReadableUrl(c.req.url)
      return answer(c, settlement)
    },
  }
}
