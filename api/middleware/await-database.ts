import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { unavailable } from '../errors.ts'
import type { Phase } from '../phase.ts'

/** Answers 503 until the database was there once, with the schema of this version. */
export function awaitDatabase(readPhase: () => Phase) {
  return createMiddleware<Environment>(function awaitDatabase(_, next) {
    if (readPhase() === 'waiting') throw unavailable('Database unavailable')
    return next()
  })
}
