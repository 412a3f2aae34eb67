import { createMiddleware } from 'hono/factory'
import type { HonoEnvironment } from './request-context.ts'

/**
 * Gives each request a unique id, which the response has as `X-Request-Id` and lists repeat in `meta`. An id that the
 * client sends is ignored, because it need not be unique. Also starts the request's clock and its response headers.
 */
export function requestId() {
  return createMiddleware<HonoEnvironment>(function requestId(c, next) {
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    c.set('startedAt', performance.now())
    c.set('headers', { 'X-Request-Id': requestId })
    return next()
  })
}
