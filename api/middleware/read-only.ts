import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { ApiError } from '../errors.ts'

/** The methods of a read-only service. */
const allowedMethods = ['GET', 'HEAD', 'OPTIONS']

/** Answers every other method with 405, on every path. */
export function readOnly() {
  return createMiddleware<Environment>(function readOnly(c, next) {
    if (!allowedMethods.includes(c.req.method)) {
      throw new ApiError(405, 'Method not allowed; use GET, HEAD or OPTIONS', {
        headers: { Allow: allowedMethods.join(', ') },
      })
    }
    return next()
  })
}
