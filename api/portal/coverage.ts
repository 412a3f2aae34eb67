/**
 * What the dataset covers, for everybody: `/docs/coverage.json`.
 *
 * @module
 */
import type { Hono } from 'hono'
import type { Coverage } from '../catalog/coverage.ts'
import { shareRead } from '../concurrency/batcher.ts'
import { unavailable } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { sendDocument } from '../http/response.ts'

/** How often the database is asked at most, also while it fails. */
const intervalMs = 10_000
/** While the database can't be reached, what was read before is served for this time. */
const maxAgeMs = 3_600_000

/**
 * Adds `/docs/coverage.json`. It is served from memory: anybody may ask for it, and the database is asked once in ten seconds
 * at most. The route throws what `readCoverage` throws, or an `ApiError` (503) if that takes too long, unless there is
 * something to serve that was read within the last hour.
 */
export function addCoverageRoute(
  app: Hono<HonoEnvironment>,
  readCoverage: () => Promise<Coverage | 'timed_out'>,
): void {
  let read: { text: string; atMs: number } | undefined
  let failure: unknown
  let dueMs = Number.NEGATIVE_INFINITY
  const refresh = shareRead(async () => {
    if (performance.now() < dueMs) return // another call has read it
    try {
      const coverage = await readCoverage()
      if (coverage === 'timed_out') throw unavailable('Database unavailable')
      read = { text: JSON.stringify(coverage), atMs: performance.now() }
    } catch (error) {
      failure = error
    }
    dueMs = performance.now() + intervalMs
  })
  app.get('/docs/coverage.json', async (c) => {
    if (performance.now() >= dueMs) await refresh()
    if (read === undefined || performance.now() - read.atMs > maxAgeMs) throw failure
    return sendDocument(c, read.text, 'application/json')
  })
}
