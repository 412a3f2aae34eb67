import type { Hono } from 'hono'
import type { Meter } from '../answer/metered.ts'
import { send } from '../answer/send.ts'
import type { Sql } from '../database/connect.ts'
import type { Environment } from '../environment.ts'
import { listKeyPage } from '../ledger/keys.ts'
import type { Metrics } from '../metrics.ts'
import { answerFreeList, type PublicUrl } from './lists.ts'
import { noFilterOfKeys } from './parameters.ts'

/** What the operators' routes need. */
export interface OperationsRoutes {
  /** The app to add to. Only admin keys come as far as these routes. */
  app: Hono<Environment>
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
      answerFreeList(c, {
        publicUrl,
        filter: noFilterOfKeys,
        find: (page) => listKeyPage(sql, page),
      }),
    ),
  )
}
