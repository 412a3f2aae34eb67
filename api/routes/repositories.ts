import { listCommits } from '../catalog/commits.ts'
import { listDependencies } from '../catalog/dependencies.ts'
import { lookUpRepository } from '../catalog/repositories.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../errors.ts'
import { createDocumentResponse } from '../metering/document-response.ts'
import { readCatalog, requesterOf } from '../metering/read-catalog.ts'
import type { ListPage, Page } from '../paging/page.ts'
import type { CatalogRoutes } from './catalog-routes.ts'
import { readList } from './lists.ts'
import {
  catalogFilter,
  type FilterReader,
  noFilterOfCommits,
  noFilterOfDependencies,
  readFullName,
} from './parameters.ts'

const repositoryNotFound = () => notFound('Repository not found', 'repository_not_found')

/** `GET /repos` and everything below it (`service.md` §4.3, §4.4, §4.7). */
export function addRepositoryRoutes({ app, sources, meter, publicUrl }: CatalogRoutes): void {
  app.get(
    '/repos',
    meter.metered((c) =>
      readList(c, {
        publicUrl,
        filter: catalogFilter('dependency_names', 'dependency_files'),
        find: (page, filter) =>
          readCatalog(c, sources, (source) => source.listRepositories({ filter, page, ...requesterOf(c) })),
      }),
    ),
  )

  app.get(
    '/repos/:owner/:name',
    meter.lookedUp((c) => {
      const { owner, name } = readFullName(c)
      const { origin, pathname } = publicUrl(c)
      return {
        lookUp: { ...lookUpRepository(owner, name), costIfAbsent: 0 },
        absent: repositoryNotFound,
        present: (repository) => createDocumentResponse(origin + pathname, repository),
      }
    }),
  )

  function addSublist<After>(
    path: string,
    filter: FilterReader<undefined, After>,
    listItems: (sql: Sql, owner: string, name: string, page: Page<After>) => Promise<ListPage | undefined>,
  ): void {
    app.get(
      `/repos/:owner/:name/${path}`,
      meter.metered((c) => {
        const { owner, name } = readFullName(c)
        return readList(c, {
          publicUrl,
          filter,
          find: (page) => readCatalog(c, sources, ({ sql }) => listItems(sql, owner, name, page)),
          missing: repositoryNotFound,
        })
      }),
    )
  }
  addSublist('commits', noFilterOfCommits, listCommits)
  addSublist('dependencies', noFilterOfDependencies, listDependencies)
}
