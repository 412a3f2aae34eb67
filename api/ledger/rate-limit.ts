/**
 * How often a key may call: at most so many requests in a window of so many seconds. A window begins with the
 * first request after the one before has ended, on the database's clock, so that all instances agree.
 *
 * @module
 */

/** At most `requests` requests in `seconds` seconds. */
export interface RateLimit {
  requests: number
  seconds: number
}

/** Where a key stands in its window, after the request at hand. */
export interface RateLimitState {
  limit: RateLimit
  /** Requests that will still pass in this window. */
  remaining: number
  /** Until the window ends, in seconds, with a fraction. */
  resetSeconds: number
}

const largestInteger = 2 ** 31 - 1

/** Reads `100/60` or `none` (null). Undefined when it is neither. */
export function parseRateLimit(text: string): RateLimit | null | undefined {
  if (text === 'none') return null
  const [, requests = 0, seconds = 0] = (/^(\d{1,10})\/(\d{1,10})$/.exec(text) ?? []).map(Number)
  const inRange = (value: number) => value >= 1 && value <= largestInteger
  return inRange(requests) && inRange(seconds) ? { requests, seconds } : undefined
}
