import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMiddleware } from 'hono/factory'
import { sendJson, setHeader } from '../answer/send.ts'
import type { ApiContext, Environment } from '../environment.ts'
import { overCapacity } from '../errors.ts'

/** When a request is refused at the door. */
export interface OverloadRules {
  /** Requests under way at a time, with or without a key: each takes memory. */
  mostUnderWay: number
  /** Whether a request would have to wait too long; asked for each, so it must be quick. */
  isHopeless(c: ApiContext): boolean
}

/**
 * Answers 503 at the door when there is more to do than can be done (`decisions.md`, Requests and answers). Refusing
 * must cost next to nothing, or those who were let in starve: so it comes before all else, and without an exception or
 * a log line; `/metrics` counts it.
 */
export function refuseOverload({ mostUnderWay, isHopeless }: OverloadRules) {
  const { status, message, headers, refusal } = overCapacity()
  let underWay = 0
  return createMiddleware<Environment>(async function refuseOverload(c, next) {
    if (underWay >= mostUnderWay || isHopeless(c)) {
      // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
      await nextTurn()
      for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
      c.set('refusal', refusal)
      return sendJson(c, { error: message }, status)
    }
    underWay++
    try {
      await next()
    } finally {
      underWay--
    }
  })
}
