/**
 * What can go wrong, by class. A request that the service refused has the `status`, the `code` and the `requestId` of
 * the response; `requestId` is what the operator needs to find it in the log.
 */
import type { ErrorCode } from './types.ts'

/** What is known of the response that an error stands for. */
export interface ErrorDetails {
  /** HTTP status; undefined: no response arrived. */
  status?: number | undefined
  /** `X-Error-Code`; undefined: something other than the service responded. */
  code?: ErrorCode | undefined
  requestId?: string | undefined
  /** When to retry, in seconds from now. */
  retryAfterSeconds?: number | undefined
  /** `X-Credits-Needed`: what a request costs that was refused for its cost, in credits. */
  needed?: number | undefined
  /** `X-Credits-Remaining`: the balance of the key, in credits. */
  balance?: number | undefined
  /** The `Max-Credits` of the request. */
  maxCredits?: number | undefined
  cause?: unknown
}

/** Any failure of a request. */
export class DevdataError extends Error {
  override name = 'DevdataError'
  readonly status: number | undefined
  readonly code: ErrorCode | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, code, requestId, retryAfterSeconds, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No response, or none that is whole: the connection broke, or nothing came in time. */
export class ConnectionError extends DevdataError {
  override name = 'ConnectionError'
}

/** No connection could be made: the base URL is wrong, or the service doesn't run. Nothing was charged for this try. */
export class UnreachableError extends ConnectionError {
  override name = 'UnreachableError'
}

/** 400 and others: the request breaks a rule, which the message states. */
export class InvalidRequestError extends DevdataError {
  override name = 'InvalidRequestError'
}

/** 401: the key is missing, malformed, unknown or no longer valid. */
export class AuthenticationError extends DevdataError {
  override name = 'AuthenticationError'
}

/** 403: the key lacks a permission. */
export class PermissionError extends DevdataError {
  override name = 'PermissionError'
}

/** 403: the balance is below the cost. Nothing was charged. */
export class InsufficientCreditsError extends DevdataError {
  override name = 'InsufficientCreditsError'
  /** What the request costs, in credits; of a quote, what one item costs. `NaN` if the response doesn't say it. */
  readonly needed: number
  /** The balance of the key, in credits. `NaN` if the response doesn't say it. */
  readonly balance: number

  constructor(message: string, details: ErrorDetails) {
    super(message, details)
    this.needed = details.needed ?? Number.NaN
    this.balance = details.balance ?? Number.NaN
  }
}

/** 403: the request costs more than `maxCredits` allows. Nothing was charged. */
export class MaxCreditsError extends DevdataError {
  override name = 'MaxCreditsError'
  /** What was allowed, in credits. */
  readonly maxCredits: number
  /** What the request costs, in credits. `NaN` if the response doesn't say it. */
  readonly cost: number

  constructor(message: string, details: ErrorDetails) {
    super(message, details)
    this.maxCredits = details.maxCredits ?? Number.NaN
    this.cost = details.needed ?? Number.NaN
  }
}

/** 404: there is no such repository, or no such path below the base URL. */
export class NotFoundError extends DevdataError {
  override name = 'NotFoundError'
}

/** 410: changes since this version are no longer known. Fetch everything again. */
export class ChangesExpiredError extends DevdataError {
  override name = 'ChangesExpiredError'
}

/** 422: the idempotency key was used for another request. */
export class IdempotencyConflictError extends DevdataError {
  override name = 'IdempotencyConflictError'
}

/** 429: the key's rate limit is used up, and retries were too. */
export class RateLimitError extends DevdataError {
  override name = 'RateLimitError'
}

/** 5xx: the service can't serve the request now, and retries didn't help. */
export class UnavailableError extends DevdataError {
  override name = 'UnavailableError'
}

const classByCode = new Map<string | undefined, typeof DevdataError>([
  ['insufficient_credits', InsufficientCreditsError],
  ['max_credits_exceeded', MaxCreditsError],
  ['changes_expired', ChangesExpiredError],
  ['idempotency_conflict', IdempotencyConflictError],
])
const classByStatus = new Map<number, typeof DevdataError>([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [408, UnavailableError],
  [429, RateLimitError],
])

/** Creates the error of a response. */
export function createResponseError(
  message: string,
  details: ErrorDetails & { status: number },
): DevdataError {
  const { status, code } = details
  // Only the service can say what is wrong with the key. A proxy's response has no code, but may have these statuses.
  const ByStatus = code || status > 403 ? classByStatus.get(status) : undefined
  const Other = status >= 500 ? UnavailableError : InvalidRequestError
  const ErrorClass = classByCode.get(code) ?? ByStatus ?? Other
  return new ErrorClass(message, details)
}

/** How runtimes say that no connection was made. Browsers don't say it. */
const unreachableCode =
  /^E(CONNREFUSED|(HOST|NET)UNREACH|NOTFOUND|AI_AGAIN)$|CONNECT_TIMEOUT|WRONG_VERSION|CERT|UNABLE_TO|Refused|OpenSocket/

const unreachableMessage = /^bad port$|client error \(Connect\)|^Fetch failed: Requests to port/

/** Whether `fetch` has failed before it sent anything. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall = 'connect' } = error as { code?: unknown; syscall?: string }
  // A connection that was made may break with some of these codes, too.
  const isBeforeRequest = syscall === 'connect' || syscall === 'getaddrinfo'
  if (isBeforeRequest && unreachableCode.test(String(code))) return true
  return unreachableMessage.test(error.message) || isUnreachable(error.cause)
}

/** Whether the base URL may be the reason: nothing responds there, or something other than the service. */
export function isAboutUrl(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  if (!(error instanceof NotFoundError || error instanceof InvalidRequestError)) return false
  return error.code === undefined || error.code === 'route_not_found'
}

/** Errors that last until the operator does something. */
const untilOperatorActs = ['filter_not_ready', 'keys_over_http_off']

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): error is DevdataError {
  return (
    error instanceof ConnectionError ||
    error instanceof RateLimitError ||
    (error instanceof UnavailableError && !untilOperatorActs.some((code) => code === error.code))
  )
}
