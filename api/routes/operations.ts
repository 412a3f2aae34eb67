import type { Hono } from 'hono'
import type { Registry } from 'prom-client'
import { offsetOf } from '../catalog/page.ts'
import type { Sql } from '../database/connect.ts'
import type { Environment } from '../environment.ts'
import { countKeys, listKeys } from '../ledger/keys.ts'
import { type PublicUrl, readList } from './lists.ts'

/** What the operators' routes need. */
export interface OperationsRoutes {
  /** The app to add to. Only admin keys come as far as these routes. */
  app: Hono<Environment>
  sql: Sql
  metrics: Registry
  publicUrl: PublicUrl
}

/** `GET /metrics` and `GET /admin/keys` (`decisions.md`, Authentication). */
export function addOperationsRoutes({ app, sql, metrics, publicUrl }: OperationsRoutes): void {
  app.get('/metrics', async (c) =>
    c.body(await metrics.metrics(), 200, { 'Content-Type': metrics.contentType }),
  )

  app.get('/admin/keys', async (c) => {
    const list = await readList(c, {
      publicUrl,
      async find(page) {
        const keys = await listKeys(sql, { offset: offsetOf(page), limit: page.size })
        return { total: await countKeys(sql), count: keys.length, items: JSON.stringify(keys) }
      },
    })
    c.header('Cache-Control', 'no-store')
    return c.body(list.render(), 200, { 'Content-Type': 'application/json' })
  })
}
