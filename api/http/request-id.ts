import { createMiddleware } from 'hono/factory'
import type { HonoEnvironment } from './request-context.ts'

/**
 * Gives each request an id of its own, which every answer carries as `X-Request-Id` and lists repeat in `meta`
 * (`decisions.md`, Requests and answers). What a client sends under that name is not taken over: it need not be
 * unique.
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
