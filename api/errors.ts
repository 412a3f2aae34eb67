/** Errors that clients get as `{ "error": message }` (`decisions/0005-http.md`). */
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/**
 * The codes of errors: the `X-Error-Code` of a response, and a label of `/metrics`. Each error that a client handles
 * differently has its own. Clients compare codes, so a code never changes.
 */
export const errorCodes = [
  'invalid_request',
  'invalid_host',
  'invalid_url',
  'invalid_parameter',
  'invalid_body',
  'missing_authorization',
  'invalid_authorization_format',
  'missing_api_key',
  'invalid_api_key_format',
  'invalid_api_key',
  'insufficient_permissions',
  'admin_required',
  'user_keys_only',
  'origin_not_allowed',
  'insufficient_credits',
  'max_credits_exceeded',
  'route_not_found',
  'user_not_found',
  'repository_not_found',
  'key_not_found',
  'connection_not_found',
  'method_not_allowed',
  'request_timeout',
  'reference_conflict',
  'balance_out_of_range',
  'changes_expired',
  'body_too_large',
  'url_too_long',
  'unsupported_media_type',
  'idempotency_conflict',
  'rate_limit_exceeded',
  'headers_too_large',
  'internal_error',
  'database_unavailable',
  'over_capacity',
  'filter_not_ready',
  'keys_over_http_off',
  'starting_up',
  'shutting_down',
  'docs_unavailable',
  'http_version_not_supported',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** The optional parts of an `ApiError`. */
export interface ApiErrorOptions {
  /** Response headers of the error, such as `Retry-After`. */
  headers?: Record<string, string>
  /** The internal error behind it. It is logged and never sent. */
  cause?: unknown
}

/** An error response. It is made where the rule is broken; its message is for people. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: ContentfulStatusCode
  readonly code: ErrorCode
  readonly headers: Record<string, string>

  constructor(
    status: ContentfulStatusCode,
    code: ErrorCode,
    message: string,
    { headers = {}, cause }: ApiErrorOptions = {},
  ) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** The client closed its connection before the response. Nothing is sent, and nothing may be charged. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError'
  constructor() {
    super('the client closed its connection')
  }
}

/** Lists alternatives for a message: `a, b, or c`. */
export function listAlternatives(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
}

/** 400: the request breaks the rule of a parameter. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'invalid_parameter', message)
}

/** 400: the URL can't be decoded. */
export function invalidUrl(message: string): ApiError {
  return new ApiError(400, 'invalid_url', message)
}

/** 400: the client sent something other than an HTTP request. */
export function invalidRequest(): ApiError {
  return new ApiError(400, 'invalid_request', 'Invalid HTTP request')
}

/** 401, with the challenge that HTTP requires. */
export function unauthorized(code: ErrorCode, message: string): ApiError {
  return new ApiError(401, code, message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** 403: the key is valid, but lacks a permission. */
export function forbidden(code: ErrorCode, message: string): ApiError {
  return new ApiError(403, code, message)
}

/** 403: the response costs more than may be paid. Programs read the cost from a header, because messages may change. */
function tooExpensive(code: ErrorCode, message: string, cost: number): ApiError {
  return new ApiError(403, code, message, { headers: { 'X-Credits-Needed': String(cost) } })
}

/** 403: the balance is below the cost, both in credits. */
export function insufficientCredits(cost: number, balance: number): ApiError {
  return tooExpensive('insufficient_credits', `insufficient credits: need ${cost}, have ${balance}`, cost)
}

/** 403: the response costs more credits than the client allows. */
export function maxCreditsExceeded(cost: number, maxCredits: number): ApiError {
  const message = `Max-Credits is ${maxCredits}, but this request costs ${cost}`
  return tooExpensive('max_credits_exceeded', message, cost)
}

/** 404: the resource or path doesn't exist. */
export function notFound(message: string, code: ErrorCode = 'route_not_found'): ApiError {
  return new ApiError(404, code, message)
}

/** 410: a client asks what has changed since a version that is too old. */
export function changesExpired(since: number, changesSince: number, hasFilters = false): ApiError {
  const message = hasFilters
    ? `With filters, changes are known since version ${changesSince}, but not since version ${since}; ` +
      'fetch the list without changed_since'
    : `Changes since version ${since} are no longer available, only those since version ${changesSince}; ` +
      'fetch all users and repositories again'
  return new ApiError(410, 'changes_expired', message)
}

/** The methods of a read-only service. */
export const readMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
/** The methods of `/mcp`, and of what the programs of connectors request of the sign-in: a body comes with POST. */
export const postMethods: readonly string[] = ['POST', 'OPTIONS']

/** 405: the path accepts only these methods. */
export function methodNotAllowed(methods = readMethods): ApiError {
  const names = `${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`
  return new ApiError(405, 'method_not_allowed', `Method not allowed; use ${names}`, {
    headers: { Allow: methods.join(', ') },
  })
}

/** 422: the idempotency key was used for another request. */
export function idempotencyConflict(): ApiError {
  return new ApiError(
    422,
    'idempotency_conflict',
    'Idempotency-Key was already used for another request; use a new one for this request',
  )
}

/** 413: the body is too large. */
export function bodyTooLarge(maxBytes: number): ApiError {
  return new ApiError(413, 'body_too_large', `Body too large: at most ${maxBytes} bytes`)
}

/** 415: the body is not JSON. */
export function unsupportedMediaType(): ApiError {
  return new ApiError(415, 'unsupported_media_type', 'Unsupported Content-Type: must be application/json')
}

/** 429: the key's rate limit is used up. The client is told to retry after `seconds`. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError(
    429,
    'rate_limit_exceeded',
    `Rate limit exceeded; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

/** 500: a defect of the service or of what it runs on. */
export function internalError(cause?: unknown): ApiError {
  return new ApiError(500, 'internal_error', 'Internal server error', { cause })
}

const retryAfterSeconds = 5

/** 503: the service can't serve the request now. The client is told to retry. */
export function unavailable(
  message: string,
  { code = 'database_unavailable', cause }: { code?: ErrorCode; cause?: unknown } = {},
): ApiError {
  return new ApiError(503, code, `${message}; retry in ${retryAfterSeconds} seconds`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })
}

/** 503: the database lacks a migration of this version. The cause says what to do. */
export function notMigrated(cause: Error): ApiError {
  return unavailable('Database not migrated', { cause })
}

/** 503: the instance has been started, and waits for its database. It has never served a request. */
export function startingUp(): ApiError {
  return unavailable('Starting up', { code: 'starting_up' })
}

/** 503: there is more work than can be done soon. */
export function overCapacity(): ApiError {
  return unavailable('Over capacity', { code: 'over_capacity' })
}

/**
 * 503: the database was upgraded and lacks what these filters need. Nobody knows until when, so there is no
 * `Retry-After`.
 */
export function filterNotReady(names: readonly string[]): ApiError {
  return new ApiError(
    503,
    'filter_not_ready',
    `Filter not ready: ${names.join(', ')}; leave it out until the operator has loaded data again`,
  )
}

/**
 * 503: the service's role in the database may not change keys. Nobody knows until when, so there is no `Retry-After`.
 */
export function keysOverHttpOff(cause: unknown): ApiError {
  return new ApiError(
    503,
    'keys_over_http_off',
    'Keys over HTTP are off: the operator turns them on in the database with roles.sql and -v keys_over_http=on',
    { cause },
  )
}

/** An error that an operator can fix: its message says what to do. No client gets it. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

/** Returns the message of anything that was thrown. */
export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Says why a file-system call failed: `no such file or directory`. The message of Node.js adds a code, the call and the
 * path.
 */
export function describeFileError(error: unknown): string {
  return getMessage(error).replace(/^[A-Z]\w+: (.+?), \w+(?: '.*)?$/s, '$1')
}

/**
 * For `catch`: throws an `OperatorError` that names the file and says why it can't be written. An error of an open file
 * doesn't name it.
 */
export function refuseWriting(file: string): (error: unknown) => never {
  return (error) => {
    throw new OperatorError(`${file} can't be written: ${describeFileError(error)}`)
  }
}

/** Returns the code of an error: PostgreSQL's SQLSTATE, or that of Node.js or the driver; empty if it has none. */
export function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
