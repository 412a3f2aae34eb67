import type { Hono } from 'hono'
import type { Sql } from '../database/connect.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { send } from '../http/send.ts'
import { listKeyPage } from '../ledger/keys.ts'
import type { Meter } from '../metering/checkout.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { type PublicUrl, sendFreeList } from './lists.ts'
import { noFilterOfKeys } from './parameters.ts'

/** What the operators' routes need. */
export interface OperationsRoutes {
  /** The app to add to. Only admin keys come as far as these routes. */
  app: Hono<HonoEnvironment>
  sql: Sql
  meter: Meter
  metrics: Pick<Metrics, 'render' | 'contentType'>
  publicUrl: PublicUrl
}

/** `GET /metrics` and `GET /admin/keys` (`decisions.md`, Authentication). */
export function addOperationsRoutes({ app, sql, meter, metrics, publicUrl }: OperationsRoutes): void {
  app.get(
    '/metrics',
    meter.free(async (c) => send(c, await metrics.render(), { type: metrics.contentType })),
  )

  app.get(
    '/admin/keys',
    meter.free((c) =>
      sendFreeList(c, {
        publicUrl,
        filter: noFilterOfKeys,
        find: (page) => listKeyPage(sql, page),
      }),
    ),
  )
}
