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
import { readDependencyHistory } from './git/history.ts'
import { countCommits, describeRepository } from './git/repository.ts'
import { ImportError } from './import-error.ts'
import { RecordError, type RepositoryRecord, readRecord, type StagedRow, stageCommit } from './records.ts'
import { beginStaging } from './staging.ts'

/** What to load, and as what. */
export interface GitImportOptions {
  /** A clone, bare or not. */
  path: string
  /** The repository's address on the forge, `https://…/owner/name`. */
  url: string
  /** Its id in the forge's REST interface; without it, the one that is known, or one made from the address. */
  restId?: number | undefined
  onProgress?: (progress: { step: string; done: number; total: number | undefined }) => void
  /** Called for each manifest that could not be read at some commit. */
  onWarning?: (message: string) => void
}

/** What a clone had, and what the load changed. */
export interface GitImportResult extends ImportResult {
  commitsRead: number
  dependencies: { active: number; removed: number }
}

type Clone = Awaited<ReturnType<typeof describeRepository>>

/**
 * Loads a clone. What is there is updated: commits come to those that are known, the repository's dependencies
 * become those of the clone. Throws `ImportError` or `GitError`; then nothing was changed.
 */
export async function importGit(sql: Sql, options: GitImportOptions): Promise<GitImportResult> {
  const { path, onProgress, onWarning } = options
  const url = normalizeUrl(options.url)
  const clone = await describeRepository(path)
  const known = await findKnown(sql, url, options.restId)
  const repository = describe(url, options.restId, { clone, known })
  const head = clone.headCommit

  onProgress?.({ step: 'reading manifests', done: 0, total: undefined })
  const dependencies = await readDependencyHistory(path, {
    head,
    onProgress: ({ parsed, total }) => onProgress?.({ step: 'reading manifests', done: parsed, total }),
    onWarning: ({ commit, path: file, reason }) =>
      onWarning?.(`${commit.slice(0, 12)} ${file}: ${reason}; skipped`),
  })

  const staging = await beginStaging(sql)
  try {
    const uses = dependencies.map((dependency) => describeUse(repository.url, dependency))
    await staging.add('repos', 0, checkRepository({ ...repository, dependencies: uses }))
    const total = await countCommits(path, { head })
    let commitsRead = 0
    for await (const commit of readCommits(path, { head })) {
      await staging.add('commits', commitsRead, stageCommit({ ...commit, repo_url: repository.url }))
      commitsRead++
      onProgress?.({ step: 'reading commits', done: commitsRead, total })
    }
    await staging.flush()
    onProgress?.({ step: 'applying', done: 0, total: undefined })
    const result = await applyImport(sql, staging.id)
    const active = dependencies.filter(({ status }) => status === 'active').length
    return { ...result, commitsRead, dependencies: { active, removed: dependencies.length - active } }
  } catch (error) {
    await staging.discard().catch(() => {}) // the first error is the one that matters; what stays is cleared later
    throw error
  }
}

function normalizeUrl(text: string): string {
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash !== '') {
    url.username = url.password = url.search = url.hash = ''
    throw new ImportError(`--url: must not hold a user name, a token, a query or a fragment; try ${url.href}`)
  }
  const names = url?.pathname.split('/').filter(Boolean) ?? []
  if (!isWeb || names.length < 2 || !isDecodable(url.pathname)) {
    const shown = text.replace(/\/\/[^/]*@/, '//') // who it is for may be a token
    throw new ImportError(
      `--url ${shown}: must be the repository's http or https address, https://HOST/OWNER/NAME`,
    )
  }
  return url.href.replace(/\/+$/, '').replace(/\.git$/, '')
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

/** The repository as it is known by its address. Throws when the address and the id name two different ones. */
async function findKnown(
  sql: Sql,
  url: string,
  restId: number | undefined,
): Promise<RepositoryRecord | undefined> {
  const [byUrl] = await sql<{ document: string }[]>`
    select '{' || members || '}' as document from repositories
    where url_key = ${foldText(url)} and id <= (select repositories_count from dataset)
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
  return known.forge_graphql_id.startsWith(localPrefix) ? { ...known, ...describeHistory(clone) } : known
}

/** What a clone and its address tell of a repository that nobody has described yet. */
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

function describeHistory({ firstCommitDate, lastCommitDate, defaultBranch }: Clone) {
  return {
    created_at: firstCommitDate,
    updated_at: lastCommitDate,
    pushed_at: lastCommitDate,
    default_branch: defaultBranch,
  }
}

/** An address can have a name that no repository could be asked for by. */
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
