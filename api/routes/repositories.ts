import { listCommits } from '../catalog/commits.ts'
import { listDependencies } from '../catalog/dependencies.ts'
import { findRepository, listRepositories } from '../catalog/repositories.ts'
import { notFound } from '../errors.ts'
import type { CatalogRoutes } from './catalog-routes.ts'
import { readList } from './lists.ts'
import { readFullName } from './parameters.ts'

/** The lists of one repository, by the last part of their path. */
const sublists = { commits: listCommits, dependencies: listDependencies }

/** `GET /repos` and everything below it (`service.md` §4.3, §4.4, §4.7). */
export function addRepositoryRoutes({ app, sql, listings, meter, publicUrl }: CatalogRoutes): void {
  app.get('/repos', async (c) => {
    const list = await readList(c, {
      publicUrl,
      filters: ['dependency_names', 'dependency_files'],
      find: (page, filter) => listRepositories(sql, listings, filter, page),
    })
    return meter.answer(c, list)
  })

  app.on('GET', ['/repos/:owner{[^/]*}', '/repos/:owner{[^/]*}/:name{[^/]*}'], async (c) => {
    const { owner, name } = readFullName(c)
    const repository = await findRepository(sql, owner, name)
    if (repository === undefined) throw notFound('Repository not found')
    return meter.answer(c, { cost: 1, represents: [publicUrl(c).href, repository], render: () => repository })
  })

  for (const [path, listItems] of Object.entries(sublists)) {
    app.get(`/repos/:owner{[^/]*}/:name{[^/]*}/${path}`, async (c) => {
      const { owner, name } = readFullName(c)
      const list = await readList(c, {
        publicUrl,
        async find(page) {
          const found = await listItems(sql, owner, name, page)
          if (found === undefined) throw notFound('Repository not found')
          return found
        },
      })
      return meter.answer(c, list)
    })
  }
}
