/**
 * How often a key may call: at most so many requests in a window of so many seconds. A window begins with the
 * first request after the one before has ended, on the database's clock, so that all instances agree.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'

/** At most `requests` requests in `seconds` seconds. */
export interface RateLimit {
  requests: number
  seconds: number
}

/** Where a key stands in its window, after the request at hand. */
export interface RateLimitState {
  limit: RateLimit
  /** Whether the request at hand may pass. */
  allowed: boolean
  /** Requests that will still pass in this window. */
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
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

/** Writes a rate limit as `parseRateLimit` reads it. */
export function formatRateLimit(limit: RateLimit | null): string {
  return limit === null ? 'none' : `${limit.requests}/${limit.seconds}`
}

interface WindowRow {
  requests: number
  seconds: number
  used: number
  reset: number
}

/**
 * Counts one request of a key against its limit; a request that is turned away does not count.
 * Undefined when the key has no limit.
 */
export async function countRequest(sql: Sql, keyId: number): Promise<RateLimitState | undefined> {
  // now() is when the statement began: a request that waited for the row's lock belongs to the time it arrived at.
  const ended = sql`window_started_at + make_interval(secs => rate_limit_seconds) <= now()`
  const row = sql`
    rate_limit_requests as requests, rate_limit_seconds as seconds, window_requests as used,
    case when isfinite(window_started_at)
      then greatest(1, ceil(extract(epoch from window_started_at - now()) + rate_limit_seconds))::integer
      else 1 -- the limit was set anew a moment ago
    end as reset`
  const [counted] = await sql<WindowRow[]>`
    update api_keys set
      window_started_at = case when ${ended} then now() else window_started_at end,
      window_requests = case when ${ended} then 1 else window_requests + 1 end
    where id = ${keyId} and rate_limit_requests is not null and (${ended} or window_requests < rate_limit_requests)
    returning ${row}`
  if (counted !== undefined) return toState(counted, true)
  const [refused] = await sql<WindowRow[]>`
    select ${row} from api_keys where id = ${keyId} and rate_limit_requests is not null`
  return refused && toState(refused, false)
}

function toState({ requests, seconds, used, reset }: WindowRow, allowed: boolean): RateLimitState {
  return {
    limit: { requests, seconds },
    allowed,
    remaining: allowed ? requests - used : 0,
    resetSeconds: Math.min(reset, seconds),
  }
}
