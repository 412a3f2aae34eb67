import { createMiddleware } from 'hono/factory'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { ClientGoneError } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'

/**
 * Queues requests by their key. Throws `OverCapacityError` when the queue is full or the wait is too long, and
 * `ClientGoneError` when the client has disconnected by then. A request that waits for something else calls `leave` first, and
 * makes room for others.
 */
export function waitForTurn(queue: FairQueue<number>) {
  return createMiddleware<HonoEnvironment>(async function waitForTurn(c, next) {
    const { signal } = c.req.raw
    const leave = await queue.enter(c.get('caller').id, signal)
    c.set('leave', leave)
    try {
      if (signal.aborted) throw new ClientGoneError()
      await next()
    } finally {
      leave()
    }
  })
}
