import { createMiddleware } from 'hono/factory'
import type { Admission } from '../admission.ts'
import type { Environment } from '../environment.ts'

/**
 * Lets the callers in by turns; 503 at once when they would have to wait too long. Whoever calls `leave` before its end
 * has to wait for something else, and makes room for others.
 */
export function admit(admission: Admission<number>) {
  return createMiddleware<Environment>(async function admit(c, next) {
    const leave = await admission.enter(c.get('caller').id)
    c.set('leave', leave)
    try {
      await next()
    } finally {
      leave()
    }
  })
}
