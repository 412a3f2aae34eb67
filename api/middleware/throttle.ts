import { createMiddleware } from 'hono/factory'
import type { Sql } from '../database/connect.ts'
import type { Environment } from '../environment.ts'
import { tooManyRequests } from '../errors.ts'
import { countRequest } from '../ledger/rate-limit.ts'

/**
 * Counts the request against its key's rate limit and says where the key stands, in the fields of the IETF draft
 * (`RateLimit-Policy`, `RateLimit`) and in those that octokit reads (`X-RateLimit-*`; reset in Unix seconds).
 * Throws 429 with `Retry-After` when the limit is used up. Keys without a limit pass, without these headers.
 */
export function throttle(sql: Sql) {
  return createMiddleware<Environment>(async function throttle(c, next) {
    const { id, rateLimit } = c.get('caller')
    const state = rateLimit === null ? undefined : await countRequest(sql, id)
    if (state !== undefined) {
      const { limit, remaining, resetSeconds } = state
      c.header('RateLimit-Policy', `"default";q=${limit.requests};w=${limit.seconds}`)
      c.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
      c.header('X-RateLimit-Limit', String(limit.requests))
      c.header('X-RateLimit-Remaining', String(remaining))
      c.header('X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + resetSeconds))
      if (!state.allowed) throw tooManyRequests(resetSeconds)
    }
    await next()
  })
}
