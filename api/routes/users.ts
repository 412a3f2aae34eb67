import { findUser, listUsers } from '../catalog/users.ts'
import type { CatalogRoutes } from './catalog-routes.ts'
import { readList } from './lists.ts'
import { readLogin } from './parameters.ts'

/** What an unknown login costs (`service.md` §4.2). */
const unknownUserCost = 1

/** `GET /users` and `GET /users/{login}` (`service.md` §4.1, §4.2). */
export function addUserRoutes({ app, sql, listings, meter, publicUrl }: CatalogRoutes): void {
  app.get('/users', async (c) => {
    const list = await readList(c, {
      publicUrl,
      filters: ['location', 'dependency_names', 'dependency_files'],
      find: (page, filter) => listUsers(sql, listings, filter, page),
    })
    return meter.answer(c, list)
  })

  app.get('/users/:login{[^/]*}', async (c) => {
    const user = await findUser(sql, readLogin(c))
    if (user === undefined) throw await meter.answerNotFound(c, 'User not found', unknownUserCost)
    return meter.answer(c, { cost: 1, represents: [publicUrl(c).href, user], render: () => user })
  })
}
