import type { Hono } from 'hono'
import type { Meter } from '../checkout/meter.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { badRequest, notFound } from '../errors.ts'
import { createMeta } from '../http/data-response.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { send, sendJson, setHeader } from '../http/response.ts'
import { endConnection, listConnections } from '../ledger/connections.ts'
import { listUsage, listUsageByDay, type SumKey, type UsagePage } from '../ledger/usage.ts'
import type { ListPage } from '../paging/page.ts'
import { type ListParameters, sendFreeList } from './lists.ts'
import {
  assertKnownParameters,
  emptyFilter,
  isDate,
  readInteger,
  readPathId,
  readSingle,
} from './parameters.ts'

/** The filter `day`: a date; null: all days. */
const dayFilter = {
  names: ['day'],
  readFilter(query: URLSearchParams) {
    const day = readSingle(query, 'day')?.trim()
    if (day === undefined) return null
    if (day === '') throw emptyFilter('day')
    if (!isDate(day)) throw badRequest('Invalid day: must be a date such as 2030-12-31 (UTC)')
    return day
  },
}

/** `after` is the position of a ledger entry. */
const usageParameters: ListParameters<string | null, number> = {
  ...dayFilter,
  readAfter: (query) => readInteger(query, 'after'),
}

/** `after` is a day with an endpoint behind it. */
const usageByDayParameters: ListParameters<string | null, SumKey> = {
  ...dayFilter,
  readAfter(query) {
    const text = readSingle(query, 'after')
    if (text === undefined) return undefined
    const key = { day: text.slice(0, 10), endpoint: text.slice(10) }
    if (!isDate(key.day) || !key.endpoint.startsWith('/') || !key.endpoint.isWellFormed()) {
      throw badRequest('Invalid after: must be a day and an endpoint, such as 2030-12-31/users')
    }
    return key
  },
}

/** Adds what is below `/api-key`: the key's own balance, ledger and connections. */
export function addApiKeyRoutes(app: Hono<HonoEnvironment>, meter: Meter, sql: Sql): void {
  app.get(
    '/api-key/credits',
    meter.free((c, url, { balance }) => {
      assertKnownParameters(url.searchParams, [])
      const { secret, role } = c.get('caller')
      return sendJson(c, { api_key: secret, remaining_credits: balance, role })
    }),
  )

  app.get(
    '/api-key/connections',
    meter.free(async (c, url) => {
      assertKnownParameters(url.searchParams, [])
      const data = await countStatement(sql, () => listConnections(sql, c.get('caller').id))
      return sendJson(c, { data, meta: createMeta(c) })
    }),
  )
  app.delete(
    '/api-key/connections/:id',
    meter.free(async (c, url) => {
      assertKnownParameters(url.searchParams, [])
      const id = readPathId('the id of a connection, as GET /api-key/connections lists it', c.req.param('id'))
      const ended = await countStatement(sql, () => endConnection(sql, c.get('caller').id, id))
      if (ended === undefined) throw notFound('Connection not found', 'connection_not_found')
      setHeader(c, 'Cache-Control', 'no-store')
      return send(c, null, { status: 204 })
    }),
  )

  function addList<After>(
    path: string,
    parameters: ListParameters<string | null, After>,
    list: (sql: Sql, usage: UsagePage<After>) => Promise<ListPage>,
  ): void {
    app.get(
      path,
      meter.free((c, url) =>
        sendFreeList(c, url, parameters, sql, ({ page, filter: day }) =>
          list(sql, { keyId: c.get('caller').id, day, page }),
        ),
      ),
    )
  }
  addList('/api-key/usage', usageParameters, listUsage)
  addList('/api-key/usage/days', usageByDayParameters, listUsageByDay)
}
