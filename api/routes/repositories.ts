import type { Hono } from 'hono'
import * as v from 'valibot'
import { commitHashPattern } from '../catalog/commit-list.ts'
import { lookUpRepository } from '../catalog/document-lookup.ts'
import type { Meter } from '../checkout/meter.ts'
import { badRequest, notFound } from '../errors.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { repositoryParameters } from './catalog-filters.ts'
import { createDocumentQuery } from './documents.ts'
import { createListQuery, type ListParameters, noFilter } from './lists.ts'
import { assertKnownParameters, readForgeName, readSingle } from './parameters.ts'

/** `after` is a commit's hash. */
const commitParameters: ListParameters<undefined, string> = {
  ...noFilter,
  readAfter(query) {
    const hash = readSingle(query, 'after')
    if (hash !== undefined && !commitHashPattern.test(hash)) {
      throw badRequest('Invalid after: must be the hash of a commit, 40 to 64 lowercase hexadecimal digits')
    }
    return hash
  },
}

const dependencyKey = v.pipe(v.string(), v.parseJson(), v.strictTuple([v.string(), v.string()]))

/** `after` is a dependency's name and file, as JSON. */
const dependencyParameters: ListParameters<undefined, string> = {
  ...noFilter,
  readAfter(query) {
    const value = readSingle(query, 'after')
    if (value === undefined) return undefined
    const key = v.safeParse(dependencyKey, value)
    if (!key.success || key.output.some((text) => text.includes('\0') || !text.isWellFormed())) {
      throw badRequest('Invalid after: must be the name and file of a dependency, ["NAME","FILE"]')
    }
    return JSON.stringify(key.output)
  },
}

const createNotFound = () => notFound('Repository not found', 'repository_not_found')

/** Adds `GET /repos` and the endpoints of one repository. */
export function addRepositoryRoutes(app: Hono<HonoEnvironment>, meter: Meter): void {
  app.get(
    '/repos',
    meter.metered((_, url) =>
      createListQuery(
        url,
        repositoryParameters,
        (catalog, { filter: { excludesDependencies, ...filter }, page }, requester) => {
          const list = excludesDependencies ? 'listRepositoriesAlone' : 'listRepositories'
          return catalog[list]({ ...filter, page }, requester)
        },
      ),
    ),
  )

  app.get(
    '/repos/:owner/:name',
    meter.metered((c, url) => {
      assertKnownParameters(url.searchParams, [])
      return createDocumentQuery(url, lookUpRepository(...readFullName(c)), {
        cost: 0,
        createError: createNotFound,
      })
    }),
  )

  function addSublist(
    path: string,
    parameters: ListParameters<undefined, string>,
    list: 'listCommits' | 'listDependencies' | 'listBlame',
  ): void {
    app.get(
      path,
      meter.metered((c, url) => {
        const repository = lookUpRepository(...readFullName(c))
        return createListQuery(
          url,
          parameters,
          (catalog, { page }, requester) => catalog[list]({ repository, page }, requester),
          createNotFound,
        )
      }),
    )
  }
  addSublist('/repos/:owner/:name/commits', commitParameters, 'listCommits')
  addSublist('/repos/:owner/:name/dependencies', dependencyParameters, 'listDependencies')
  addSublist('/repos/:owner/:name/dependencies/blame', dependencyParameters, 'listBlame')
}

function readFullName(c: ApiContext): [owner: string, name: string] {
  return [readForgeName(c.req.param('owner'), 'owner'), readForgeName(c.req.param('name'), 'repository name')]
}
