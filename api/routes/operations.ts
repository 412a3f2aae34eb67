/** What operators call: `/health`, `/version` and `/metrics` (`decisions/0007-operations.md`). */
import type { Hono } from 'hono'
import type { BuildInfo } from '../build-info.ts'
import type { Dataset } from '../catalog/dataset.ts'
import type { Meter } from '../checkout/meter.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import type { Database } from '../database/database.ts'
import { mayLackMigration } from '../database/migrate.ts'
import type { Lifecycle } from '../http/middleware.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { send } from '../http/response.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { HealthCheck } from './health-check.ts'
import { assertKnownParameters } from './parameters.ts'

/** What the endpoints read. */
export interface OperationsOptions {
  database: Pick<Database, 'kind'>
  checkHealth: HealthCheck
  readDataset: () => Promise<Dataset | 'timed_out'>
  lifecycle: Readonly<Lifecycle>
  metrics: Pick<Metrics, 'render' | 'contentType'>
  buildInfo: BuildInfo
}

/**
 * Adds the endpoints. `/health` returns 200 if paid requests can be served, else 503. `/version` returns the build info
 * and the dataset's version, which is null while the database is unavailable. `/metrics` is for
 * admin keys, and works while the database is unavailable, too.
 */
export function addOperationsRoutes(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  { database: { kind }, checkHealth, readDataset, lifecycle, metrics, buildInfo }: OperationsOptions,
): void {
  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    await checkHealth()
    return c.json({ status: 'ok', database: kind })
  })

  async function readAvailableDataset() {
    if (lifecycle.phase === 'waiting') return null
    try {
      const dataset = await readDataset()
      return dataset === 'timed_out' ? null : { version: dataset.version, updated_at: dataset.updated_at }
    } catch (error) {
      if (isDatabaseUnavailable(error) || mayLackMigration(error)) return null
      throw error
    }
  }

  app.get('/version', async (c) => {
    const dataset = await readAvailableDataset()
    c.header('Cache-Control', 'no-cache')
    return c.json({ ...buildInfo, dataset })
  })

  app.get(
    '/metrics',
    meter.freeWithoutDatabase(async (c, url) => {
      assertKnownParameters(url.searchParams, [])
      return send(c, await metrics.render(), { type: metrics.contentType })
    }),
  )
}
