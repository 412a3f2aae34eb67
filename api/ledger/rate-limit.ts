/**
 * Rate limits of keys: a number of requests in a fixed window. A window begins with the first request after the last one
 * has ended, on the database's clock, so that all instances agree (decisions/0002-keys.md).
 *
 * @module
 */

export interface RateLimit {
  requests: number
  seconds: number
}

/** The state of a key's window after a request. */
export interface RateLimitState {
  limit: RateLimit
  /** Requests left in this window. */
  remaining: number
  /** Until the window ends; not a whole number. */
  resetSeconds: number
}

const maxInteger = 2 ** 31 - 1

/** Parses `100/60`, or `none` (null). Returns undefined for anything else. */
export function parseRateLimit(text: string): RateLimit | null | undefined {
  if (text === 'none') return null
  const [, requests = 0, seconds = 0] = (/^(\d{1,10})\/(\d{1,10})$/.exec(text) ?? []).map(Number)
  const inRange = (value: number) => value >= 1 && value <= maxInteger
  return inRange(requests) && inRange(seconds) ? { requests, seconds } : undefined
}
