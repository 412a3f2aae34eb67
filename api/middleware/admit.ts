import { createMiddleware } from 'hono/factory'
import type { Admission } from '../admission.ts'
import type { Environment } from '../environment.ts'
import { ClientGoneError } from '../errors.ts'

/**
 * Lets the callers in by turns; 503 at once when they would have to wait too long. Whoever calls `leave` before its end
 * has to wait for something else, and makes room for others. Drops requests whose client is gone, before they are read.
 */
export function admit(admission: Admission<number>) {
  return createMiddleware<Environment>(async function admit(c, next) {
    const { signal } = c.req.raw
    const leave = await admission.enter(c.get('caller').id, signal)
    c.set('leave', leave)
    try {
      if (signal.aborted) throw new ClientGoneError()
      await next()
    } finally {
      leave()
    }
  })
}
