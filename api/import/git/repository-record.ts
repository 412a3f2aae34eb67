/**
 * The repository's own record, when a clone is loaded: what the dataset has, or what the clone and its URL say.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { selectUrl } from '../../catalog/document-lookup.ts'
import { foldText } from '../../catalog/names.ts'
import type { Sql } from '../../database/connect.ts'
import { ImportError } from '../import-error.ts'
import type { RepositoryRecord } from '../records.ts'
import type { Clone, CloneDates } from './clone.ts'
import { listUrlKeys, readOwnerAndName } from './repository-url.ts'

/** What a clone says about its repository. */
export type CloneDescription = Pick<Clone, 'branch'> & { dates: CloneDates }

/** Begins the `forge_graphql_id` of a repository that only clones have described. */
const localPrefix = 'local_'

/**
 * Makes the record of a repository. What `import ndjson` has loaded for it stays. If only clones have described it, the
 * newest clone does. Throws `ImportError` when `url` and `restId` belong to two repositories.
 */
export async function describeRecord(
  sql: Sql,
  url: string,
  restId: number | undefined,
  clone: CloneDescription,
): Promise<RepositoryRecord> {
  const known = await findRecord(sql, url, restId)
  if (known === undefined) return createRecord(url, restId, clone)
  if (!known.forge_graphql_id.startsWith(localPrefix)) return known
  return { ...known, url, ...describeHistory(clone) }
}

async function findRecord(
  sql: Sql,
  url: string,
  restId: number | undefined,
): Promise<RepositoryRecord | undefined> {
  const [byUrl] = await sql<{ document: string }[]>`
    select '{' || members || '}' as document from repositories
    where url_key = any(${sql.typed.texts(listUrlKeys(url))})
    order by id desc limit 1`
  const known: RepositoryRecord | undefined = byUrl && JSON.parse(byUrl.document)
  if (restId === undefined || known?.forge_rest_id === restId) return known
  if (known !== undefined) {
    throw new ImportError(
      `--rest-id ${restId}: ${url} is already loaded as repository ${known.forge_rest_id}; leave out --rest-id`,
    )
  }
  const [byId] = await sql<{ url: string }[]>`
    select ${selectUrl(sql, sql`members`)} as url from repositories where forge_rest_id = ${restId}`
  if (byId !== undefined) {
    throw new ImportError(
      `--rest-id ${restId}: that repository is already loaded as ${byId.url}; use that --url`,
    )
  }
  return undefined
}

function createRecord(url: string, restId: number | undefined, clone: CloneDescription): RepositoryRecord {
  const { owner, name } = readOwnerAndName(url)
  const hash = createHash('sha256').update(foldText(url)).digest()
  return {
    // Negative, unlike the ids of any forge, so it can't be another repository's.
    forge_rest_id: restId ?? -hash.readUIntBE(0, 6) - 1,
    forge_graphql_id: `${localPrefix}${hash.toString('base64url').slice(0, 16)}`,
    url,
    name,
    full_name: `${owner}/${name}`,
    private: null,
    owner_login: owner,
    owner_avatar_url: null,
    description: null,
    homepage: null,
    fork: null,
    forks_count: null,
    archived: null,
    disabled: null,
    license: null,
    language: null,
    stargazers_count: null,
    watchers_count: null,
    open_issues_count: null,
    has_issues: null,
    has_discussions: null,
    has_projects: null,
    visibility: null,
    size: null,
    dependencies: null,
    ...describeHistory(clone),
  }
}

function describeHistory({ dates, branch }: CloneDescription) {
  return {
    created_at: dates.first,
    updated_at: dates.last,
    pushed_at: dates.last,
    default_branch: branch,
  }
}
