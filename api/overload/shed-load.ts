import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMiddleware } from 'hono/factory'
import type { HonoEnvironment } from '../http/request-context.ts'
import type { LoadShedder } from './load-shedding.ts'

/** Lets requests through the door. Where the runtime's own server has asked it before, they were let in already. */
export function shedLoad(loadShedder: LoadShedder) {
  return createMiddleware<HonoEnvironment>(async function shedLoad(c, next) {
    const closed = loadShedder.refuse(c.req.method, c.req.header('Authorization'))
    if (closed !== undefined) {
      // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
      await nextTurn()
      return new Response(c.req.method === 'HEAD' ? null : closed.body, closed)
    }
    const leave = loadShedder.enter()
    try {
      await next()
    } finally {
      // Until then the response takes memory, though it is made.
      if (c.env?.onClosed) c.env.onClosed(leave)
      else leave()
    }
  })
}
