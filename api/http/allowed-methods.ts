import { createMiddleware } from 'hono/factory'
import { allowedMethods, methodNotAllowed } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/** Answers every method but those of a read-only service with 405, on every path. */
export function readOnly() {
  return createMiddleware<HonoEnvironment>(function readOnly(c, next) {
    if (!allowedMethods.includes(c.req.method)) throw methodNotAllowed()
    return next()
  })
}
