import { createMiddleware } from 'hono/factory'
import { allowedMethods, methodNotAllowed } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/** Throws 405 for methods that change something, on every path. */
export function assertAllowedMethod() {
  return createMiddleware<HonoEnvironment>(function assertAllowedMethod(c, next) {
    if (!allowedMethods.includes(c.req.method)) throw methodNotAllowed()
    return next()
  })
}
