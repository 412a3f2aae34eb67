/**
 * What operators call: `/health`, `/version`, `/metrics` and `/admin/keys` (`decisions/0007-operations.md`).
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hono } from 'hono'
import type { BuildInfo } from '../build-info.ts'
import type { Dataset } from '../catalog/dataset.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import type { Database } from '../database/database.ts'
import { mayLackMigration } from '../database/migrate.ts'
import { unavailable } from '../errors.ts'
import type { Lifecycle } from '../http/middleware.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { send } from '../http/response.ts'
import { listKeyPage } from '../ledger/keys.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Meter } from '../metering/metered-request.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { type ListParameters, noFilter, sendFreeList } from './lists.ts'
import { assertKnownParameters, readIdAfter } from './parameters.ts'

/** What the endpoints read. */
export interface OperationsOptions {
  database: Pick<Database, 'sql' | 'kind'>
  /** Throws `MigrationError` when the database lacks a migration. */
  checkSchema: () => Promise<{ isReadOnly: boolean }>
  readDataset: () => Promise<Dataset>
  ledger: Pick<Ledger, 'canCharge'>
  lifecycle: Readonly<Lifecycle>
  metrics: Pick<Metrics, 'render' | 'contentType'>
  buildInfo: BuildInfo
}

/** How long the database may take to respond to a health check. */
const timeoutMs = { postgresql: 3_000, embedded: 500 }

/** `after` is a key's id. */
const keyParameters: ListParameters<undefined, number> = { ...noFilter, readAfter: readIdAfter }

/**
 * Adds the endpoints. `/health` returns 200 if paid requests can be served, else 503. `/version` returns the build info
 * and the dataset's version, which is null while the database is unavailable. The others are for admin keys.
 */
export function addOperationsRoutes(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  {
    database: { sql, kind },
    checkSchema,
    readDataset,
    ledger,
    lifecycle,
    metrics,
    buildInfo,
  }: OperationsOptions,
): void {
  // A load may hold the embedded database's only session. If that database had failed, so would this process.
  const busyState = kind === 'embedded' ? { isReadOnly: false } : undefined

  async function readState(): Promise<{ isReadOnly: boolean } | undefined> {
    try {
      return await Promise.race([checkSchema(), sleep(timeoutMs[kind], busyState, { ref: false })])
    } catch (error) {
      if (busyState !== undefined && isDatabaseUnavailable(error)) return busyState
      throw error
    }
  }

  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    if (lifecycle.phase === 'stopping') throw unavailable('Shutting down', { code: 'shutting_down' })
    const state = lifecycle.phase === 'serving' ? await readState() : undefined
    if (state === undefined || state.isReadOnly || !ledger.canCharge())
      throw unavailable('Database unavailable')
    return c.json({ status: 'ok', database: kind })
  })

  async function readAvailableDataset() {
    if (lifecycle.phase === 'waiting') return null
    try {
      const { version, updated_at } = await readDataset()
      return { version, updated_at }
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
    meter.free(async (c, url) => {
      assertKnownParameters(url.searchParams, [])
      return send(c, await metrics.render(), { type: metrics.contentType })
    }),
  )

  app.get(
    '/admin/keys',
    meter.free((c, url) => sendFreeList(c, url, keyParameters, sql, ({ page }) => listKeyPage(sql, page))),
  )
}
