/**
 * The one class of error that reaches a client, and how any error becomes `{ "error": message }`.
 *
 * @module
 */
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Why a request is refused, as `/metrics` counts it. */
export type Refusal =
  | 'unauthorized'
  | 'forbidden'
  | 'insufficient_credits'
  | 'over_max_credits'
  | 'idempotency_conflict'
  | 'throttled'
  | 'over_capacity'
  | 'unavailable'

/** What an `ApiError` carries besides its message. */
export interface ApiErrorOptions {
  /** Set when the request would have been answered under other circumstances. */
  refusal?: Refusal
  /** Response headers that belong to the error (`Retry-After`, `Allow`, …). */
  headers?: Record<string, string>
  /** The internal error behind it: logged, never sent. */
  cause?: unknown
}

/** An answer that is not a success. Made where the rule is broken; `message` is what the client reads. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: ContentfulStatusCode
  readonly headers: Record<string, string>
  readonly refusal: Refusal | undefined

  constructor(
    status: ContentfulStatusCode,
    message: string,
    { headers = {}, cause, refusal }: ApiErrorOptions = {},
  ) {
    super(message, { cause })
    this.status = status
    this.refusal = refusal
    this.headers = headers
  }
}

/** 400: the request breaks a rule of a parameter. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, message)
}

/** 401, with the challenge that HTTP asks for (`service.md` §5). */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, message, {
    headers: { 'WWW-Authenticate': 'Bearer' },
    refusal: 'unauthorized',
  })
}

/** 403: the key is valid, but may not do this or can't pay for it (`service.md` §5). */
export function forbidden(message: string, refusal: Refusal = 'forbidden'): ApiError {
  return new ApiError(403, message, { refusal })
}

/** 403: the balance is below the cost (`service.md` §5). Both in credits. */
export function insufficientCredits(cost: number, balance: number): ApiError {
  return forbidden(`insufficient credits: need ${cost}, have ${balance}`, 'insufficient_credits')
}

/** 403: the answer costs more than the client is ready to pay. Both in credits. */
export function forbiddenCost(cost: number, most: number): ApiError {
  return forbidden(`Max-Credits is ${most}, and this costs ${cost}`, 'over_max_credits')
}

/** 404: no such resource, or no such path. */
export function notFound(message: string): ApiError {
  return new ApiError(404, message)
}

/** 422: the idempotency key was used for another request. */
export function idempotencyConflict(): ApiError {
  return new ApiError(
    422,
    'Idempotency-Key was sent with another request before; use a new one for this request',
    { refusal: 'idempotency_conflict' },
  )
}

/** 429: the key has used up its rate limit; `seconds` until the next request will be let through. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError(
    429,
    `Rate limit exceeded; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    {
      headers: { 'Retry-After': String(seconds) },
      refusal: 'throttled',
    },
  )
}

/** 503: what the answer needs is away for now. The client is told to retry in 5 seconds. */
export function unavailable(message: string, cause?: unknown, refusal: Refusal = 'unavailable'): ApiError {
  const retryAfterSeconds = 5
  return new ApiError(503, `${message}; retry in ${retryAfterSeconds} seconds`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
    refusal,
  })
}

/** 503: the database has not the schema of this version. `cause` says what to do. */
export function notMigrated(cause: Error): ApiError {
  return unavailable('Database not migrated', cause)
}

/** 503: there is more to do than can be done soon. */
export function overCapacity(): ApiError {
  return unavailable('Over capacity', undefined, 'over_capacity')
}
