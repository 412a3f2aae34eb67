/**
 * Loads a clone: its commits, and the dependencies that its manifests declare and declared.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { selectUrl } from '../catalog/repositories.ts'
import { foldText } from '../catalog/text-key.ts'
import type { Sql } from '../database/connect.ts'
import { applyImport, type ImportResult } from './apply/apply.ts'
import { readCommits } from './git/commits.ts'
import type { GitDependency } from './git/declarations.ts'
import { type ManifestWarning, readDependencyHistory } from './git/history.ts'
import { countCommits, describeRepository } from './git/repository.ts'
import { ImportError } from './import-error.ts'
import { RecordError, type RepositoryRecord, readRecord, type StagedRow, stageCommit } from './records.ts'
import { beginStaging } from './staging.ts'

/** What to load, and as what. */
export interface GitImportOptions {
  /** A clone, bare or not. */
  path: string
  /** The repository's URL on the forge, `https://…/owner/name`. */
  url: string
  /** Its id in the forge's REST interface; without it, the one that is known, or one made from the URL. */
  restId?: number | undefined
  /** The branch to load; without it, the default branch. */
  branch?: string | undefined
  /** Whether manifests below folders of tests and fixtures count too. */
  allManifests?: boolean | undefined
  /** Called with the id of the load before its first row is staged. */
  onBegin?: (importId: number) => void
  onProgress?: (progress: { step: string; done: number; total: number | undefined }) => void
  /** Called once for each kind of problem with manifests, however many versions of them have it. */
  onWarning?: (message: string) => void
}

/** What a clone had, and what the load changed. */
export interface GitImportResult extends ImportResult {
  commitsRead: number
  /** The branch that was loaded; null on a detached HEAD. */
  branch: string | null
  dependencies: { active: number; removed: number }
  manifests: {
    /** Versions that could not be read, and were skipped. */
    unreadable: number
    /** Manifests that declare something which only running them would tell. */
    computed: number
    /** Manifests below folders of tests and fixtures. */
    leftOut: number
  }
}

type Clone = Awaited<ReturnType<typeof describeRepository>>

/**
 * Loads a clone. What is there is updated: commits come to those that are known, the repository's dependencies
 * become those of the clone. Throws `ImportError` or `GitError`; then nothing was changed.
 */
export async function importGit(sql: Sql, options: GitImportOptions): Promise<GitImportResult> {
  const { path, branch, onProgress } = options
  const url = normalizeUrl(options.url)
  const clone = await describeRepository(path, branch === undefined ? {} : { branch })
  const known = await findKnown(sql, url, options.restId)
  const repository = describe(url, options.restId, { clone, known })
  const head = clone.headCommit

  onProgress?.({ step: 'reading manifests', done: 0, total: undefined })
  const warnings: ManifestWarning[] = []
  const { dependencies, leftOut, computed } = await readDependencyHistory(path, {
    head,
    allManifests: options.allManifests ?? false,
    onProgress: ({ parsed, total }) => onProgress?.({ step: 'reading manifests', done: parsed, total }),
    onWarning: (warning) => warnings.push(warning),
  })
  for (const message of summarizeWarnings(warnings)) options.onWarning?.(message)

  const staging = await beginStaging(sql)
  options.onBegin?.(staging.id)
  try {
    const uses = dependencies.map((dependency) => describeUse(repository.url, dependency))
    await staging.add('repos', 0, checkRepository({ ...repository, dependencies: uses }))
    const total = await countCommits(path, { head })
    let commitsRead = 0
    for await (const commit of readCommits(path, { head })) {
      commitsRead++
      // git tells the newest first. Staged behind those that follow it, each finds its place among the commits at once.
      await staging.add('commits', total - commitsRead, stageCommit({ ...commit, repo_url: repository.url }))
      onProgress?.({ step: 'reading commits', done: commitsRead, total })
    }
    await staging.flush()
    const result = await applyImport(sql, staging.id, (step) =>
      onProgress?.({ step, done: 0, total: undefined }),
    )
    const active = dependencies.filter(({ status }) => status === 'active').length
    return {
      ...result,
      commitsRead,
      branch: clone.branch,
      dependencies: { active, removed: dependencies.length - active },
      manifests: { unreadable: warnings.length, computed, leftOut },
    }
  } catch (error) {
    await staging.discard().catch(() => {}) // the first error is the one that matters; the next load drops what stays
    throw error
  } finally {
    await staging.end()
  }
}

/** One line for each kind of problem with a kind of manifest: where it came first, and how often it came again. */
function summarizeWarnings(warnings: readonly ManifestWarning[]): string[] {
  const kinds = new Map<string, { first: ManifestWarning; count: number }>()
  for (const warning of warnings) {
    const fileName = warning.path.slice(warning.path.lastIndexOf('/') + 1)
    const problem = warning.reason.split(':', 1)[0]?.replace(/\d+/g, 'n')
    const known = kinds.get(`${fileName} ${problem}`)
    if (known === undefined) kinds.set(`${fileName} ${problem}`, { first: warning, count: 1 })
    else known.count++
  }
  return [...kinds.values()].map(({ first: { commit, path, reason }, count }) => {
    const more = count === 1 ? '' : `; so were ${count - 1} more versions with the same problem`
    return `${commit.slice(0, 12)} ${path}: ${reason}; skipped${more}`
  })
}

/** Pages of a repository on a forge, whose URLs begin with the repository's own. */
const repositoryPages = new Set([
  '-',
  'actions',
  'blob',
  'branches',
  'commit',
  'commits',
  'issues',
  'pull',
  'pulls',
  'releases',
  'src',
  'tags',
  'tree',
  'wiki',
])

/**
 * The one URL of a repository: `https://HOST/OWNER/NAME`, without `www.`, `.git`, or the page that was open. `http` stays
 * where a port is named: what listens there may speak nothing else. A group within a group is refused: `owner_login` has
 * no slash, and `/repos/{owner}/{name}` could not find it.
 */
function normalizeUrl(text: string): string {
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash !== '') {
    url.username = url.password = url.search = url.hash = ''
    throw new ImportError(`--url: must not hold a user name, a token, a query or a fragment; try ${url.href}`)
  }
  const [owner, name, page] = url?.pathname.split('/').filter(Boolean) ?? []
  if (!isWeb || owner === undefined || name === undefined || !isDecodable(url.pathname)) {
    const shown = text.replace(/\/\/[^/]*@/, '//') // what stands before the host may be a token
    throw new ImportError(
      `--url ${shown}: must be the repository's http or https URL, https://HOST/OWNER/NAME`,
    )
  }
  if (page !== undefined && !repositoryPages.has(page)) {
    throw new ImportError(
      `--url ${url.href}: has a group within a group; an owner can't contain a slash, so use https://HOST/OWNER/NAME`,
    )
  }
  const protocol = url.port === '' ? 'https:' : url.protocol
  return `${protocol}//${url.host.replace(/^www\./, '')}/${owner}/${name.replace(/\.git$/, '')}`
}

/** The spellings of a repository's URL that a load of lines may have given it. */
function listSpellings(url: string): string[] {
  const rest = url.replace(/^https?:\/\//, '')
  const protocols = new URL(url).port === '' ? ['https://', 'http://'] : [url.slice(0, -rest.length)]
  return protocols.flatMap((protocol) =>
    ['', 'www.'].flatMap((prefix) =>
      ['', '.git', '/'].map((end) => foldText(`${protocol}${prefix}${rest}${end}`)),
    ),
  )
}

/** Whether every percent-escape is one, and together they are UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The repository as it is known by its URL. Throws when the URL and the id name two different ones. */
async function findKnown(
  sql: Sql,
  url: string,
  restId: number | undefined,
): Promise<RepositoryRecord | undefined> {
  const [byUrl] = await sql<{ document: string }[]>`
    select '{' || members || '}' as document from repositories
    where url_key = any(${sql.typed.texts(listSpellings(url))}) and id <= (select repositories_count from dataset)
    order by id desc limit 1`
  const known: RepositoryRecord | undefined = byUrl && JSON.parse(byUrl.document)
  if (restId === undefined || known?.forge_rest_id === restId) return known
  if (known !== undefined) {
    throw new ImportError(
      `--rest-id ${restId}: ${url} is known as repository ${known.forge_rest_id}; leave --rest-id out`,
    )
  }
  const [byId] = await sql<{ url: string }[]>`
    select ${selectUrl(sql, sql`members`)} as url from repositories
    where forge_rest_id = ${restId} and id <= (select repositories_count from dataset)`
  if (byId !== undefined) {
    throw new ImportError(`--rest-id ${restId}: that repository is known as ${byId.url}; give that as --url`)
  }
  return undefined
}

/** Begins the `forge_graphql_id` of a repository that only clones have told of. */
const localPrefix = 'local_'

/** What the forge has told of a repository stays; what only clones have told is what the newest one tells. */
function describe(
  url: string,
  restId: number | undefined,
  { clone, known }: { clone: Clone; known: RepositoryRecord | undefined },
): RepositoryRecord {
  if (known === undefined) return createRepository(url, restId, clone)
  return known.forge_graphql_id.startsWith(localPrefix) ? { ...known, url, ...describeHistory(clone) } : known
}

/** What a clone and its URL tell of a repository that nobody has described yet. */
function createRepository(url: string, restId: number | undefined, clone: Clone): RepositoryRecord {
  // Split first: a slash that is escaped belongs to a name, which may have none.
  const [owner = '', name = ''] = new URL(url).pathname.split('/').slice(-2).map(decodeURIComponent)
  const hash = createHash('sha256').update(foldText(url)).digest()
  return {
    // Below zero, where no forge gives ids: it can't be another repository's.
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

function describeHistory({ firstCommitDate, lastCommitDate, branch }: Clone) {
  return {
    created_at: firstCommitDate,
    updated_at: lastCommitDate,
    pushed_at: lastCommitDate,
    default_branch: branch,
  }
}

/** A URL can have a name that no repository could be asked for by. */
function checkRepository(repository: RepositoryRecord): StagedRow {
  try {
    return readRecord('repos', JSON.stringify(repository))
  } catch (error) {
    if (error instanceof RecordError) throw new ImportError(`--url ${repository.url}: ${error.message}`)
    throw error
  }
}

function describeUse(url: string, { dependency_name, dependency_file, ...use }: GitDependency) {
  return { url, ...use, dependency: { dependency_name, dependency_file } }
}
