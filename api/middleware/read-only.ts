import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { allowedMethods, methodNotAllowed } from '../errors.ts'

/** Answers every method but those of a read-only service with 405, on every path. */
export function readOnly() {
  return createMiddleware<Environment>(function readOnly(c, next) {
    if (!allowedMethods.includes(c.req.method)) throw methodNotAllowed()
    return next()
  })
}
