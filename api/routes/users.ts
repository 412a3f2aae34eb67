import type { Hono } from 'hono'
import { lookUpUser } from '../catalog/document-lookup.ts'
import type { Meter } from '../checkout/meter.ts'
import { unknownUserPrice } from '../checkout/price.ts'
import { notFound } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { userParameters } from './catalog-filters.ts'
import { createDocumentQuery } from './documents.ts'
import { createListQuery } from './lists.ts'
import { assertKnownParameters, readForgeName } from './parameters.ts'

/** Adds `GET /users` and `GET /users/{login}`. */
export function addUserRoutes(app: Hono<HonoEnvironment>, meter: Meter): void {
  app.get(
    '/users',
    meter.metered((_, url) =>
      createListQuery(url, userParameters, (catalog, { filter, page }, requester) =>
        catalog.listUsers({ ...filter, page }, requester),
      ),
    ),
  )

  app.get(
    '/users/:login',
    meter.metered((c, url) => {
      assertKnownParameters(url.searchParams, [])
      return createDocumentQuery(url, lookUpUser(readForgeName(c.req.param('login'), 'login')), {
        cost: unknownUserPrice,
        createError: () => notFound('User not found', 'user_not_found'),
      })
    }),
  )
}
