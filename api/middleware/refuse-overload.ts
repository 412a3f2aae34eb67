import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMiddleware } from 'hono/factory'
import type { ApiContext, Environment } from '../environment.ts'
import { overCapacity } from '../errors.ts'

/** When a request is refused at the door, and how. */
export interface OverloadRules {
  /** Requests under way at a time, with or without a key: each takes memory. */
  mostUnderWay: number
  /** Whether a request would have to wait too long; asked for each, so it must be quick. */
  isHopeless(c: ApiContext): boolean
  /** What every answer carries. */
  headers: Record<string, string>
  /** Counts a refused request. */
  count(c: ApiContext, status: number): void
}

/**
 * Answers 503 at the door when there is more to do than can be done (`decisions.md`, Requests and answers). Refusing
 * must cost next to nothing, or those who were let in starve: so it comes before all other middleware, and without an
 * exception or a log line; `/metrics` counts it.
 */
export function refuseOverload({ mostUnderWay, isHopeless, headers, count }: OverloadRules) {
  const { status, message, refusal, headers: own } = overCapacity()
  const body = JSON.stringify({ error: message })
  const common = { ...headers, ...own, 'Content-Type': 'application/json' }
  let underWay = 0

  async function refuse(c: ApiContext): Promise<Response> {
    // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
    await nextTurn()
    c.set('refusal', refusal)
    count(c, status)
    return new Response(body, { status, headers: { ...common, 'X-Request-Id': crypto.randomUUID() } })
  }

  return createMiddleware<Environment>(async function refuseOverload(c, next) {
    if (underWay >= mostUnderWay || isHopeless(c)) return refuse(c)
    underWay++
    try {
      await next()
    } finally {
      underWay--
    }
  })
}
