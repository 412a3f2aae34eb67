import { createMiddleware } from 'hono/factory'
import { unavailable } from '../errors.ts'
import type { LifecyclePhase } from './lifecycle-phase.ts'
import type { HonoEnvironment } from './request-context.ts'

/** Throws 503 until the database was reached and has the schema of this version. */
export function awaitDatabase(readLifecyclePhase: () => LifecyclePhase) {
  return createMiddleware<HonoEnvironment>(function awaitDatabase(_, next) {
    if (readLifecyclePhase() === 'waiting') throw unavailable('Database unavailable')
    return next()
  })
}
