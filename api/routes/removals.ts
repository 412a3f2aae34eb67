import type { Hono } from 'hono'
import { listRemovals } from '../catalog/removal-list.ts'
import type { Meter } from '../checkout/meter.ts'
import type { Sql } from '../database/connect.ts'
import { badRequest } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { type ListParameters, sendFreeList } from './lists.ts'
import { readInteger, readVersion } from './parameters.ts'

/** `after` is the id of a removal. */
const removalParameters: ListParameters<number, number> = {
  names: ['since'],
  readFilter(query) {
    const since = readVersion(query, 'since')
    if (since === undefined) {
      throw badRequest('Invalid since: missing; send the X-Dataset-Version of your copy')
    }
    return since
  },
  readAfter: (query) => readInteger(query, 'after'),
}

/** Adds `GET /removals`: the users and repositories that were removed since a version of the dataset. */
export function addRemovalRoutes(app: Hono<HonoEnvironment>, meter: Meter, sql: Sql): void {
  app.get(
    '/removals',
    meter.free((c, url) =>
      sendFreeList(c, url, removalParameters, sql, ({ page, filter: since }) =>
        listRemovals(sql, since, page),
      ),
    ),
  )
}
