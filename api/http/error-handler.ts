/**
 * Error responses: `{ "error": message }` with an `X-Error-Code`. Internal errors go to the log alone.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import type { ErrorHandler } from 'hono'
import { OverCapacityError } from '../concurrency/fair-queue.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { ApiError, ClientGoneError, internalError, overCapacity, unavailable } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/** The header with the code of an error. */
export const errorCodeHeader = 'X-Error-Code'

/** A failed request, for the log. */
export interface FailedRequest {
  requestId: string
  status: number
  /** The message that the client gets. */
  message: string
  /** What went wrong. */
  cause: unknown
}

/** Creates Hono's error handler. `explain` may replace an error by the one that caused it. */
export function createErrorHandler({
  explain,
  logFailure,
}: {
  explain: (error: Error) => Promise<Error>
  logFailure: (failed: FailedRequest) => void
}): ErrorHandler<HonoEnvironment> {
  return async function respondToError(error, c) {
    // No client receives it. Log and metrics show 499, as proxies do.
    if (error instanceof ClientGoneError) return new Response(null, { status: 499 })
    const { status, code, message, headers, cause } = toApiError(await explain(error))
    if (cause !== undefined) logFailure({ requestId: c.get('requestId'), status, message, cause })
    c.header(errorCodeHeader, code)
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    return c.json({ error: message }, status)
  }
}

function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof OverCapacityError) return overCapacity()
  if (isDatabaseUnavailable(error)) return unavailable('Database unavailable', { cause: error })
  return internalError(error)
}

/** An error response to a request that doesn't reach the app. Any server can write it. */
export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Renders the error response to a request that doesn't reach the app, and counts it. */
export type Refuse = (method: string, error: ApiError) => PlainResponse

/** Renders an error with its own headers and the standard ones. */
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

/** The response to a request with this method: `HEAD` gets no body. */
export function toResponse({ body, ...init }: PlainResponse, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, init)
}

/**
 * Creates the handler of failures outside the app: in the runtime's server, or while a response is sent. The log has the
 * cause under the response's request id.
 */
export function createDefectHandler(
  logFailure: (failed: FailedRequest) => void,
): (defect: unknown) => Response {
  return function respondToDefect(defect) {
    const error = internalError(defect)
    const { status, message } = error
    const response = renderError(error)
    logFailure({ requestId: response.headers['X-Request-Id'] ?? '', status, message, cause: defect })
    return toResponse(response, '')
  }
}
