import { lookUpUser } from '../catalog/users.ts'
import { notFound } from '../errors.ts'
import { createDocumentResponse } from '../metering/document-response.ts'
import { readCatalog, requesterOf } from '../metering/read-catalog.ts'
import type { CatalogRoutes } from './catalog-routes.ts'
import { readList } from './lists.ts'
import { catalogFilter, readLogin } from './parameters.ts'

/** What an unknown login costs (`service.md` §4.2). */
const unknownUserCost = 1

/** `GET /users` and `GET /users/{login}` (`service.md` §4.1, §4.2). */
export function addUserRoutes({ app, sources, meter, publicUrl }: CatalogRoutes): void {
  app.get(
    '/users',
    meter.metered((c) =>
      readList(c, {
        publicUrl,
        filter: catalogFilter('location', 'dependency_names', 'dependency_files'),
        find: (page, filter) =>
          readCatalog(c, sources, (source) => source.listUsers({ filter, page, ...requesterOf(c) })),
      }),
    ),
  )

  app.get(
    '/users/:login',
    meter.lookedUp((c) => {
      const { origin, pathname } = publicUrl(c)
      return {
        lookUp: { ...lookUpUser(readLogin(c)), costIfAbsent: unknownUserCost },
        absent: () => notFound('User not found', 'user_not_found'),
        present: (user) => createDocumentResponse(origin + pathname, user),
      }
    }),
  )
}
