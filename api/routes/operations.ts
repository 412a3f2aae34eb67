import type { Hono } from 'hono'
import type { Sql } from '../database/connect.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { send } from '../http/send.ts'
import { listKeyPage } from '../ledger/keys.ts'
import type { Meter } from '../metering/metered-request.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { sendFreeList } from './lists.ts'
import { type ListParameters, noFilter, readIdAfter } from './parameters.ts'

/** `after` is a key's id. */
const keyParameters: ListParameters<undefined, number> = {
  ...noFilter,
  readAfter: readIdAfter,
}

/** Adds `GET /metrics` and `GET /admin/keys`, for admin keys. */
export function addOperationsRoutes(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  { sql, metrics }: { sql: Sql; metrics: Pick<Metrics, 'render' | 'contentType'> },
): void {
  app.get(
    '/metrics',
    meter.free(async (c) => send(c, await metrics.render(), { type: metrics.contentType })),
  )

  app.get(
    '/admin/keys',
    meter.free((c, url) => sendFreeList(c, url, keyParameters, ({ page }) => listKeyPage(sql, page))),
  )
}
