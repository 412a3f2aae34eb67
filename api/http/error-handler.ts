import { Buffer } from 'node:buffer'
import type { ErrorHandler } from 'hono'
import { OverCapacityError } from '../concurrency/fair-queue.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { ApiError, ClientGoneError, internalError, overCapacity, unavailable } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/** The header of every error response that says what went wrong, for programs. */
export const errorCodeHeader = 'X-Error-Code'

/** A request that failed. */
export interface FailedRequest {
  requestId: string
  status: number
  /** What the client is told. */
  message: string
  /** What went wrong. */
  cause: unknown
}

/** Every error's one way out: `{ "error": message }` (`service.md` §7). What is internal goes to the log alone. */
export function createErrorHandler(
  logFailure: (failed: FailedRequest) => void,
): ErrorHandler<HonoEnvironment> {
  return function respondToError(error, c) {
    // Nobody receives it: log and metrics show 499, the status that proxies use for this.
    if (error instanceof ClientGoneError) return new Response(null, { status: 499 })
    const known = toApiError(error)
    const { status, message, cause } = known
    if (cause !== undefined) logFailure({ requestId: c.get('requestId'), status, message, cause })
    c.header(errorCodeHeader, known.code)
    for (const [name, value] of Object.entries(known.headers)) c.header(name, value)
    return c.json({ error: known.message }, known.status)
  }
}

/** An error response that is made outside the app, which any server can write. */
export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Renders the error response to what never becomes a request of the app, and counts it. */
export type Refuse = (method: string, error: ApiError) => PlainResponse

/** Renders an error outside the app, with headers of its own and those that every response carries. */
export function renderError(error: ApiError, standardHeaders: Record<string, string> = {}): PlainResponse {
  const body = JSON.stringify({ error: error.message })
  return {
    status: error.status,
    headers: {
      ...standardHeaders,
      ...error.headers,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      [errorCodeHeader]: error.code,
      'X-Request-Id': crypto.randomUUID(),
    },
    body,
  }
}

/**
 * Creates the handler of what fails around the app: in the runtime's server, with a response that could not be made or
 * sent. The log has the cause under the request_id of the response.
 */
export function createDefectHandler(
  logFailure: (failed: FailedRequest) => void,
): (defect: unknown) => Response {
  return function respondToDefect(defect) {
    const error = internalError(defect)
    const { status, message } = error
    const { body, ...response } = renderError(error)
    logFailure({ requestId: response.headers['X-Request-Id'] ?? '', status, message, cause: defect })
    return new Response(body, response)
  }
}

function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof OverCapacityError) return overCapacity()
  if (isDatabaseUnavailable(error)) return unavailable('Database unavailable', { cause: error })
  return internalError(error)
}
