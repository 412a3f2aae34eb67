/**
 * The last steps of every request for data: not modified? a quote? then charge, then answer. Nothing leaves before
 * its debit is recorded (`decisions.md`, Credits).
 *
 * @module
 */
import { createMiddleware } from 'hono/factory'
import type { Sql } from '../database/connect.ts'
import type { ApiContext, Environment } from '../environment.ts'
import { type ApiError, forbidden, notFound, unauthorized } from '../errors.ts'
import { chargeCredits } from '../ledger/charge.ts'
import { createEntityTag, matchesEntityTag } from './entity-tag.ts'

/** Data that a request asked for, and what it costs. */
export interface MeteredAnswer {
  /** In credits: the number of items in the body. */
  cost: number
  /** What the entity tag is made of: the data, and everything else that the URL's answer depends on. */
  represents: readonly string[]
  /** JSON text of the body, made when it is sure to be sent. */
  render(): string
}

/** Settles and sends answers for data. */
export interface Meter {
  /** Middleware: states cost and balance on every answer of a metered route, errors included. */
  stateCredits: ReturnType<typeof stateCredits>
  /** Charges for an answer and sends it; 304 and `HEAD` cost nothing. Throws 403 when the balance is below the cost. */
  answer(c: ApiContext, answer: MeteredAnswer): Promise<Response>
  /** Charges for an answer that is not there: the contract's one paid 404 (`service.md` §4.2). */
  answerNotFound(c: ApiContext, message: string, cost: number): Promise<ApiError>
}

/** Creates the meter of a ledger. */
export function createMeter(sql: Sql): Meter {
  /**
   * Takes the cost off the caller's balance; for `HEAD` only states it. Throws 401 or 403, and then nothing was taken.
   */
  async function settle(c: ApiContext, cost: number): Promise<void> {
    const caller = c.get('caller')
    if (caller.role === 'admin' || cost === 0) return
    if (c.req.method === 'HEAD') return c.header('X-Credits-Cost', String(cost))
    const result = await chargeCredits(sql, {
      keyId: caller.id,
      secretHash: caller.secretHash,
      cost,
      requestId: c.get('requestId'),
      endpoint: `${c.req.method} ${c.req.path}`,
    })
    if (result.outcome === 'unusable') throw unauthorized('Invalid API key')
    c.header('X-Credits-Remaining', String(result.balance))
    if (result.outcome === 'insufficient') {
      throw forbidden(`insufficient credits: need ${cost}, have ${result.balance}`)
    }
    c.header('X-Credits-Cost', String(cost))
    c.set('charged', cost)
  }

  return {
    stateCredits: stateCredits(),
    async answer(c, { cost, represents, render }) {
      const tag = createEntityTag(...represents)
      const isKnown = matchesEntityTag(c.req.header('If-None-Match'), tag)
      if (!isKnown) await settle(c, cost)
      c.header('ETag', tag)
      // Private: whoever holds a copy must ask again, with a key, before using it.
      c.header('Cache-Control', 'private, no-cache')
      if (isKnown) return c.body(null, 304)
      c.header('Content-Type', 'application/json')
      return c.body(render())
    },
    async answerNotFound(c, message, cost) {
      await settle(c, cost)
      return notFound(message)
    },
  }
}

function stateCredits() {
  return createMiddleware<Environment>(async function stateCredits(c, next) {
    c.header('X-Credits-Cost', '0')
    c.header('X-Credits-Remaining', String(c.get('caller').credits))
    await next()
  })
}
