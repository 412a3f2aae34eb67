import type { Hono } from 'hono'
import type { BuildInfo } from '../build-info.ts'
import { readDataset } from '../catalog/dataset.ts'
import { shareRead } from '../concurrency/shared-read.ts'
import type { Sql } from '../database/connect.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { mayLackMigration } from '../database/migrate.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { HonoEnvironment } from '../http/request-context.ts'

/** What `/version` returns. */
export interface VersionOptions {
  sql: Sql
  buildInfo: BuildInfo
  readLifecyclePhase: () => LifecyclePhase
}

/** Adds `GET /version`: the build info and the dataset's version, which is null while the database is unavailable. */
export function addVersionRoute(
  app: Hono<HonoEnvironment>,
  { sql, buildInfo, readLifecyclePhase }: VersionOptions,
): void {
  // Concurrent requests share a statement, because anybody may send any number of them.
  const readSharedDataset = shareRead(() => readDataset(sql))

  async function readAvailableDataset() {
    if (readLifecyclePhase() === 'waiting') return null
    try {
      return await readSharedDataset()
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
}
