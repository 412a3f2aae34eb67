import { createMiddleware } from 'hono/factory'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { ClientGoneError } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'

/**
 * Lets the callers in by turns; 503 at once when they would have to wait too long. Whoever calls `leave` before its end
 * has to wait for something else, and makes room for others. Drops requests whose client is gone, before they are read.
 */
export function waitForTurn(admission: FairQueue<number>) {
  return createMiddleware<HonoEnvironment>(async function waitForTurn(c, next) {
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
