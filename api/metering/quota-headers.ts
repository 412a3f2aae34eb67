/**
 * The quota headers: every response to a known key has them.
 *
 * @module
 */
import type { ApiContext } from '../http/request-context.ts'
import { setHeader } from '../http/send.ts'
import type { Settlement } from '../ledger/settle.ts'

/**
 * Sets the cost (0 for now) and the balance, in credits, and the rate limit: in the fields of the IETF draft
 * (`RateLimit-Policy`, `RateLimit`) and in those that octokit reads (`X-RateLimit-*`; reset in Unix seconds).
 */
export function setQuotaHeaders(c: ApiContext, settlement: Settlement): void {
  setHeader(c, 'X-Credits-Cost', '0')
  setHeader(c, 'X-Credits-Remaining', String(settlement.balance))
  if (settlement.rateLimit === undefined) return
  const { limit, remaining } = settlement.rateLimit
  const resetSeconds = readResetSeconds(settlement)
  setHeader(c, 'RateLimit-Policy', `"default";q=${limit.requests};w=${limit.seconds}`)
  setHeader(c, 'RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
  setHeader(c, 'X-RateLimit-Limit', String(limit.requests))
  setHeader(c, 'X-RateLimit-Remaining', String(remaining))
  setHeader(c, 'X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + resetSeconds))
}

/** Whole seconds until the window of the key's rate limit has ended, at least 1. */
export function readResetSeconds({ rateLimit }: Settlement): number {
  return Math.max(1, Math.ceil(rateLimit?.resetSeconds ?? 0))
}
