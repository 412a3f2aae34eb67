/** The quota headers of a settled request, and the errors of a refused one (`decisions/0001-billing.md`). */
import {
  idempotencyConflict,
  insufficientCredits,
  maxCreditsExceeded,
  tooManyRequests,
  unauthorized,
} from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { setHeader } from '../http/response.ts'
import type { Settlement } from '../ledger/settlement.ts'

/**
 * Sets the quota headers: the cost (0 for now) and the balance, in credits, and the rate limit in the fields of the
 * IETF draft (`RateLimit-Policy`, `RateLimit`) and in those that octokit reads (`X-RateLimit-*`; reset in Unix
 * seconds). Throws 401, 403, 422 or 429 if the ledger has refused the request.
 */
export function reportSettlement(
  c: ApiContext,
  settlement: Settlement,
  maxCredits: number | null = null,
): void {
  const { outcome, due, balance, rateLimit } = settlement
  if (outcome === 'unusable') throw unauthorized('invalid_api_key', 'Invalid API key')
  setHeader(c, 'X-Credits-Cost', '0')
  setHeader(c, 'X-Credits-Remaining', String(balance))
  const resetSeconds = Math.max(1, Math.ceil(rateLimit?.resetSeconds ?? 0))
  if (rateLimit !== undefined) {
    const { limit, remaining } = rateLimit
    setHeader(c, 'RateLimit-Policy', `"default";q=${limit.requests};w=${limit.seconds}`)
    setHeader(c, 'RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
    setHeader(c, 'X-RateLimit-Limit', String(limit.requests))
    setHeader(c, 'X-RateLimit-Remaining', String(remaining))
    setHeader(c, 'X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000) + resetSeconds))
  }
  if (outcome === 'throttled') throw tooManyRequests(resetSeconds)
  if (outcome === 'over_max_credits') throw maxCreditsExceeded(due, maxCredits ?? 0)
  if (outcome === 'insufficient') throw insufficientCredits(due, balance)
  if (outcome === 'conflict') throw idempotencyConflict()
}
