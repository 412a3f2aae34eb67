/**
 * What every answer to a known key says about that key.
 *
 * @module
 */
import type { ApiContext } from '../http/request-context.ts'
import { setHeader } from '../http/send.ts'
import type { Settlement } from '../ledger/settle.ts'

/**
 * Says where the key stands: cost (none, so far) and balance in credits, and its rate limit in the fields of the IETF
 * draft (`RateLimit-Policy`, `RateLimit`) and in those that octokit reads (`X-RateLimit-*`; reset in Unix seconds).
 */
export function setQuotaHeaders(c: ApiContext, settlement: Settlement): void {
  setHeader(c, 'X-Credits-Cost', '0')
  setHeader(c, 'X-Credits-Remaining', String(settlement.balance))
  if (settlement.rateLimit === undefined) return
  const { limit, remaining } = settlement.rateLimit
  const seconds = wholeSeconds(settlement)
  setHeader(c, 'RateLimit-Policy', `"default";q=${limit.requests};w=${limit.seconds}`)
  setHeader(c, 'RateLimit', `"default";r=${remaining};t=${seconds}`)
  setHeader(c, 'X-RateLimit-Limit', String(limit.requests))
  setHeader(c, 'X-RateLimit-Remaining', String(remaining))
  setHeader(c, 'X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + seconds))
}

/** Until the window of the key's rate limit ends, in seconds, at least 1: waiting so long is enough. */
export function wholeSeconds({ rateLimit }: Settlement): number {
  return Math.max(1, Math.ceil(rateLimit?.resetSeconds ?? 0))
}
