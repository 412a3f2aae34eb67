import type { Hono } from 'hono'
import type { Sql } from '../database/connect.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { sendJson, setHeader } from '../http/send.ts'
import { listUsage, listUsageByDay, type UsagePage } from '../ledger/usage.ts'
import type { Meter } from '../metering/checkout.ts'
import type { ListPage } from '../paging/page.ts'
import { type PublicUrl, sendFreeList } from './lists.ts'
import { dayFilterOfEntries, dayFilterOfSums, type FilterReader } from './parameters.ts'

/** What the routes about the calling key need. */
export interface ApiKeyRoutes {
  app: Hono<HonoEnvironment>
  sql: Sql
  meter: Meter
  publicUrl: PublicUrl
}

/**
 * `GET /api-key/credits` (`service.md` §4.5), and the key's own ledger: `GET /api-key/usage` and its sums,
 * `GET /api-key/usage/days`. All are free, and exact at the moment they are asked.
 */
export function addApiKeyRoutes({ app, sql, meter, publicUrl }: ApiKeyRoutes): void {
  app.get(
    '/api-key/credits',
    meter.free((c, { balance }) => {
      const { secret, role } = c.get('caller')
      setHeader(c, 'Cache-Control', 'no-store')
      return sendJson(c, { api_key: secret, remaining_credits: balance, role })
    }),
  )

  function addList<After>(
    path: string,
    filter: FilterReader<string | null, After>,
    listOf: (sql: Sql, usage: UsagePage<After>) => Promise<ListPage>,
  ): void {
    app.get(
      path,
      meter.free((c) =>
        sendFreeList(c, {
          publicUrl,
          filter,
          find: (page, day) => listOf(sql, { keyId: c.get('caller').id, day, page }),
        }),
      ),
    )
  }
  addList('/api-key/usage', dayFilterOfEntries, listUsage)
  addList('/api-key/usage/days', dayFilterOfSums, listUsageByDay)
}
