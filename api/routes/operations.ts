import { Buffer } from 'node:buffer'
import type { Hono } from 'hono'
import type { Meter } from '../answer/metered.ts'
import { offsetOf } from '../catalog/page.ts'
import type { Sql } from '../database/connect.ts'
import { takeOwnBytes } from '../database/own-bytes.ts'
import type { Environment } from '../environment.ts'
import { countKeys, listKeys } from '../ledger/keys.ts'
import type { Metrics } from '../metrics.ts'
import { answerFreeList, type PublicUrl } from './lists.ts'
import { noFilter } from './parameters.ts'

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
    meter.free(async (c) => c.body(await metrics.render(), 200, { 'Content-Type': metrics.contentType })),
  )

  app.get(
    '/admin/keys',
    meter.free((c) =>
      answerFreeList(c, {
        publicUrl,
        filter: noFilter,
        async find(page) {
          const keys = await listKeys(sql, { offset: offsetOf(page), limit: page.size })
          const items = takeOwnBytes(Buffer.from(keys.map((key) => JSON.stringify(key)).join(',')))
          return { total: await countKeys(sql), count: keys.length, items }
        },
      }),
    ),
  )
}
