import type { Logger } from '@logtape/logtape'
import type { ErrorHandler } from 'hono'
import { OverCapacityError } from '../admission.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import type { Environment } from '../environment.ts'
import { ApiError, overCapacity, unavailable } from '../errors.ts'
import { describeCause } from '../log.ts'

/** Every error's one way out: `{ "error": message }` (`service.md` §7). What is internal goes to the log alone. */
export function createErrorHandler(logger: Logger): ErrorHandler<Environment> {
  return function answerError(error, c) {
    const known = toApiError(error)
    if (known.cause !== undefined) {
      logger.error('{status} {error}', {
        request_id: c.get('requestId'),
        status: known.status,
        error: known.message,
        cause: describeCause(known.cause),
      })
    }
    c.set('refusal', known.refusal)
    for (const [name, value] of Object.entries(known.headers)) c.header(name, value)
    return c.json({ error: known.message }, known.status)
  }
}

/**
 * The way out of what goes wrong around the app: in the runtime's server, with an answer that could not be made or sent.
 * The log has it under the same request_id.
 */
export function createDefectHandler(logger: Logger): (defect: unknown) => Response {
  return function answerDefect(defect) {
    const { status, message } = new ApiError(500, 'Internal server error')
    const requestId = crypto.randomUUID()
    logger.error('{status} {error}', {
      request_id: requestId,
      status,
      error: message,
      cause: describeCause(defect),
    })
    return Response.json({ error: message }, { status, headers: { 'X-Request-Id': requestId } })
  }
}

/** The answer to what is HTTP, but names no URL: a Host that no host could have. */
export function answerUnreadable(): Response {
  return Response.json(
    { error: 'Invalid HTTP request' },
    { status: 400, headers: { 'X-Request-Id': crypto.randomUUID() } },
  )
}

function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof OverCapacityError) return overCapacity()
  if (isDatabaseUnavailable(error)) return unavailable('Database unavailable', error)
  return new ApiError(500, 'Internal server error', { cause: error })
}
