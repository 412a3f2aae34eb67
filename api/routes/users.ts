import { createDocumentAnswer } from '../answer/document.ts'
import { listUsers } from '../catalog/users.ts'
import { notFound } from '../errors.ts'
import { type CatalogRoutes, readCatalog } from './catalog-routes.ts'
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
          readCatalog(c, sources, ({ sql, listings }) =>
            listUsers(sql, listings, filter, page, c.get('caller').id),
          ),
      }),
    ),
  )

  app.get(
    '/users/:login{[^/]*}',
    meter.metered(async (c) => {
      const login = readLogin(c)
      const user = await readCatalog(c, sources, ({ findUser }) => findUser(login))
      if (user === undefined) return { cost: unknownUserCost, error: notFound('User not found') }
      return createDocumentAnswer(publicUrl(c), user)
    }),
  )
}
