/**
 * What the dataset covers, for everybody: `/docs/coverage.json`.
 *
 * @module
 */
import type { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Coverage } from '../catalog/coverage.ts'
import { unavailable } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { sendDocument } from '../http/response.ts'

/** How long a response may be behind the dataset. */
const maxAgeMs = 10_000

/**
 * Adds `/docs/coverage.json`. It is served from memory, so however often it is asked for, the database is asked every ten
 * seconds at most. While the database can't be reached, the last one that was read is served; without one, the route
 * throws an `ApiError` (503).
 */
export function addCoverageRoute(
  app: Hono<HonoEnvironment>,
  readCoverage: () => Promise<Coverage | 'timed_out'>,
): void {
  const cache = new LRUCache<'coverage', string>({
    max: 1,
    ttl: maxAgeMs,
    allowStaleOnFetchRejection: true,
    async fetchMethod() {
      const coverage = await readCoverage()
      if (coverage === 'timed_out') throw unavailable('Database unavailable')
      return JSON.stringify(coverage)
    },
  })
  app.get('/docs/coverage.json', async (c) =>
    sendDocument(c, await cache.forceFetch('coverage'), 'application/json'),
  )
}
