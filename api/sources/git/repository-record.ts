/**
 * The repository's own record, when a clone is loaded: what the dataset has, or what the clone and its URL say.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { readMembers, selectMember } from '../../catalog/stored-documents.ts'
import type { Sql } from '../../database/connect.ts'
import type { KnownHistory } from '../../dataset/loaded-histories.ts'
import { isLocal, localPrefix } from '../../names/forge-names.ts'
import { keyRepositoryUrl, splitRepositoryUrl } from '../../names/repository-url.ts'
import { ImportError } from '../../staging/import-error.ts'
import { RecordError, type RepositoryRecord, validateRecord } from '../../staging/records.ts'
import { type Clone, readDates } from './clone.ts'
import { hideUser } from './origin.ts'

/** A repository's own record, without its dependencies. */
export interface DescribedRepository {
  repository: RepositoryRecord
  /** What the dataset has of its history, if that needn't be read again. */
  known: KnownHistory | undefined
  /** Whether the dataset has all that the clone has, so that nothing has to be loaded. */
  isUnchanged: boolean
}

/**
 * Creates the record of a repository, without its dependencies. What `import ndjson` or `import github` has loaded for
 * it stays. A record that a clone has created is replaced.
 *
 * @param options.url the repository's URL on the forge
 * @param options.urlSource where the URL is from, for messages
 * @param options.findKnownHistory finds what the dataset has of the history, under the URL of the repository
 * @param replaceOwner replaces a forgotten owner in the URL
 * @param options.restId its id in the forge's REST API. Default: the one in the dataset, or one made from the URL
 * @throws {ImportError} for another kind of URL or one with names that the API can't look up, and when `url` and
 * `restId`
 *   belong to two repositories. A repository that only has an id made from its URL gets `restId`.
 * @throws {GitError} when git fails
 */
export async function describeRepository(
  sql: Sql,
  options: {
    url: string
    urlSource: string
    restId?: number | undefined
    findKnownHistory: (url: string) => Promise<KnownHistory | undefined>
  },
  clone: Clone,
  replaceOwner: (url: string) => string,
): Promise<DescribedRepository> {
  const url = replaceOwner(normalizeUrl(options.url, options.urlSource))
  const stored = await findRecord(sql, url, options.restId)
  const before = stored && {
    ...stored,
    ...(isLocal(stored) && { url }),
    forge_rest_id: options.restId ?? stored.forge_rest_id, // the load gives the id to the row that is there
  }
  const isSame = before !== undefined && isDeepStrictEqual(before, stored)
  const known = isSame ? await options.findKnownHistory(before.url) : undefined
  const isUnchanged = known?.hasRecord === true && known.head === clone.head && known.branch === clone.branch
  if (before !== undefined && (isUnchanged || !isLocal(before))) {
    return { repository: before, known, isUnchanged }
  }
  const { first, last } = await readDates(clone)
  const record = {
    ...(before ?? createRecord(url, options.restId)),
    url,
    created_at: first,
    updated_at: last,
    pushed_at: last,
    default_branch: clone.branch,
  }
  try {
    return { repository: validateRecord('repos', record), known, isUnchanged }
  } catch (error) {
    if (error instanceof RecordError) throw new ImportError(`${options.urlSource} ${url}: ${error.message}`)
    throw error
  }
}

async function findRecord(
  sql: Sql,
  url: string,
  restId: number | undefined,
): Promise<RepositoryRecord | undefined> {
  const [byUrl] = await sql<{ members: string }[]>`
    select members from repositories
    where url_key = ${keyRepositoryUrl(url)}
    order by id desc limit 1`
  const known = byUrl && readMembers<RepositoryRecord>(byUrl.members)
  if (restId === undefined || known?.forge_rest_id === restId) return known
  if (known !== undefined && known.forge_rest_id >= 0) {
    throw new ImportError(
      `--rest-id ${restId}: ${url} is already loaded as repository ${known.forge_rest_id}; leave out --rest-id`,
    )
  }
  const [byId] = await sql<{ url: string }[]>`
    select ${selectMember(sql, sql`members`, 'url')} as url from repositories where forge_rest_id = ${restId}`
  if (byId !== undefined) {
    throw new ImportError(
      `--rest-id ${restId}: that repository is already loaded as ${byId.url}; use that --url`,
    )
  }
  return known
}

/** Creates a record whose other fields are null. */
function createRecord(url: string, restId: number | undefined) {
  // Splits first: an escaped slash would be part of a name.
  const [owner = '', name = ''] = new URL(url).pathname.split('/').slice(-2).map(decodeURIComponent)
  const hash = createHash('sha256').update(keyRepositoryUrl(url)).digest()
  return {
    // Negative, unlike the ids of any forge, so it can't be another repository's.
    forge_rest_id: restId ?? -hash.readUIntBE(0, 6) - 1,
    forge_graphql_id: `${localPrefix}${hash.toString('base64url').slice(0, 16)}`,
    url,
    name,
    full_name: `${owner}/${name}`,
    owner_login: owner,
  }
}

/**
 * Normalizes a repository's URL to `https://HOST/OWNER/NAME`: without `www.`, `.git`, or the path of a page. A URL with
 * a port keeps `http`, because that port may not speak TLS. Nested groups are refused: an owner has no slash in this
 * API.
 */
function normalizeUrl(text: string, source: string): string {
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash !== '') {
    url.username = url.password = url.search = url.hash = ''
    throw new ImportError(
      `${source}: must not contain a user name, a token, a query or a fragment; try ${url.href}`,
    )
  }
  const parts = isWeb ? splitRepositoryUrl(url) : undefined
  if (parts === undefined || url === null || !isDecodable(url.pathname)) {
    throw new ImportError(
      `${source} ${hideUser(text)}: must be the repository's http or https URL, https://HOST/OWNER/NAME`,
    )
  }
  if (parts.isNested) {
    throw new ImportError(
      `${source} ${url.href}: names a group within a group; an owner can't contain a slash, so use https://HOST/OWNER/NAME`,
    )
  }
  const protocol = url.port === '' ? 'https:' : url.protocol
  return `${protocol}//${parts.host}/${parts.owner}/${parts.name}`
}

/** Whether all percent-escapes are valid, and encode UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
