/** Error responses: `{ "error": message }` with an `X-Error-Code`. Internal errors go to the log alone. */
import { Buffer } from 'node:buffer'
import type { ErrorHandler } from 'hono'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { ApiError, ClientGoneError, internalError, unavailable } from '../errors.ts'
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

type LogFailure = (failed: FailedRequest) => void

/** Creates Hono's error handler. `explain` may replace an error by the one that caused it. */
export function createErrorHandler(
  explain: (error: Error) => Promise<Error>,
  logFailure: LogFailure,
): ErrorHandler<HonoEnvironment> {
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
  if (isDatabaseUnavailable(error)) return unavailable('Database unavailable', { cause: error })
  return internalError(error)
}

/** An error response that any server can write. */
export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Renders an error outside the app with its own headers and the standard ones, and logs its cause. */
export function renderError(
  { status, code, message, headers, cause }: ApiError,
  standardHeaders: Record<string, string>,
  logFailure: LogFailure,
): PlainResponse {
  const requestId = crypto.randomUUID()
  if (cause !== undefined) logFailure({ requestId, status, message, cause })
  const body = JSON.stringify({ error: message })
  return {
    status,
    headers: {
      ...standardHeaders,
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      [errorCodeHeader]: code,
      'X-Request-Id': requestId,
    },
    body,
  }
}

/** The response to a request with this method: `HEAD` gets no body. */
export function toResponse({ body, ...init }: PlainResponse, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, init)
}
