/**
 * Remembers which histories of clones the dataset has, so that loads read only what is new.
 *
 * What is remembered is written in the transaction of the load, and says what the dataset has of the repository
 * afterwards: digests of its record and its dependencies, the number of its commits, and the highest version that one
 * of them has. A change of a commit gives it a higher version, and a removal lowers the number. So a later change
 * shows, whatever made it, such as a file with other dependencies.
 *
 * The hash of a commit says what can be read from it. Who was forgotten matters, too: forgetting changes commits, which
 * shows, and undoing that calls {@link dropLoadedHistories}.
 */
import { readBuildInfo } from '../build-info.ts'
import { isLocalDocument } from '../catalog/document-lookup.ts'
import { renderDependencies, renderMembers } from '../catalog/stored-documents.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import { ImportError } from '../staging/import-error.ts'
import type { DependencyRecord } from '../staging/records.ts'

/** Up to where a history is read. */
export interface HistoryEnd {
  /** Null for a detached HEAD. */
  branch: string | null
  /** Full hash of the branch's newest commit. */
  head: string
}

/** How a history is read. */
export interface HistoryReading {
  /** Whether manifests in folders of tests and fixtures are read, too. */
  allManifests: boolean
  /** Whether the repository has no commits that the branch doesn't reach. */
  isComplete: boolean
}

/** A history that the dataset has. */
export interface KnownHistory extends CommitsState, HistoryEnd {
  /** Whether the repository's record is the one that the load gave it, or comes from the forge or a file. */
  hasRecord: boolean
  /**
   * Whether a load can continue it: it has the commits that its newest one reaches, and no others, and the manifests of
   * that one say what it declares, without those before it.
   */
  canContinue: boolean
  /** As text: it has 64 bits. */
  dependenciesDigest: string
}

/** Names a repository: by the forge's id, or else by a URL that no other repository has. */
export interface HistoryName {
  url: string
  /** Of a repository that the forge has described. */
  forgeRestId?: number | undefined
}

/** A history that a load has read. */
export interface LoadedHistory extends HistoryName, HistoryEnd {
  /** Whether the manifests of the newest commit alone say what it declares. */
  canContinue: boolean
  /**
   * Whether it needn't be read again. False if a manifest exceeded the limits: a faster machine may parse it. `import
   * github` says true nevertheless, because it would try again every night.
   */
  isRepeatable: boolean
  /** What it continues; undefined: it was read from the beginning. */
  continued: KnownHistory | undefined
}

/** What a repository's commits are recognized by. */
interface CommitsState {
  /** Of the repository. */
  id: number
  commits: number
  /** The highest version of one of them. */
  commitsVersion: number
}

/**
 * Finds the history that the dataset has of a repository, if reading it again would give the same. Returns undefined if
 * that isn't certain, such as for a URL that two repositories share.
 */
export async function findKnownHistory(
  sql: Sql,
  name: HistoryName,
  { allManifests, isComplete }: HistoryReading,
): Promise<KnownHistory | undefined> {
  const isOfClone = isLocalDocument(sql, renderMembers(sql, sql`r.members`))
  const [known] = await sql<KnownHistory[]>`
    select id, h.branch, h.head, h.can_continue as "canContinue", h.commits, h.commits_version as "commitsVersion",
      h.dependencies_digest::text as "dependenciesDigest", h.members_digest = ${digest(sql, 'members')} or not ${isOfClone} as "hasRecord"
    from (${selectNamed(sql, [name])}) named join repositories r using (id)
      join loaded_histories h on h.repository_id = r.id
    where h.read_by = ${identifyService()} and h.all_manifests = ${allManifests} and (h.is_complete or not ${isComplete})
      and h.dependencies_digest = ${digest(sql, 'dependencies')}`
  if (known === undefined) return undefined
  const [found] = await readCommitsStates(sql, [known.id])
  return hasSameCommits(known, found) ? known : undefined
}

/** Reads the dependencies of a known history. Undefined if another load has changed them since it was found. */
export async function readKnownDependencies(
  sql: Sql,
  { id, dependenciesDigest }: KnownHistory,
): Promise<DependencyRecord[] | undefined> {
  const [row] = await sql<{ dependencies: string }[]>`
    select ${renderDependencies(sql)} as dependencies from repositories r
    where r.id = ${id} and ${digest(sql, 'dependencies')}::text = ${dependenciesDigest}`
  return row && JSON.parse(row.dependencies)
}

/**
 * Notes what was loaded, in the transaction of the load, after it was applied. Throws `ImportError` if another load has
 * changed the commits of a history that this load continues.
 */
export async function noteLoadedHistories(
  tx: SqlOrTransaction,
  histories: readonly LoadedHistory[],
  { allManifests, isComplete }: HistoryReading,
): Promise<void> {
  await assertSameCommits(tx, histories)
  const named = await tx<{ id: number; key: string }[]>`
    ${selectNamed(tx, histories)}`
  const ids = new Map(named.map(({ id, key }) => [key, id]))
  const states = new Map((await readCommitsStates(tx, [...ids.values()])).map((state) => [state.id, state]))
  const rows = histories.flatMap(({ branch, head, canContinue, isRepeatable, continued, ...name }) => {
    const state = states.get(ids.get(keyName(name)) ?? 0)
    const hasNoOthers = isComplete || continued !== undefined
    return state === undefined || !isRepeatable
      ? []
      : [{ ...state, branch, head, isComplete: hasNoOthers, canContinue: canContinue && hasNoOthers }]
  })
  await tx`
    insert into loaded_histories (
      repository_id, branch, head, read_by, all_manifests, is_complete, can_continue, members_digest,
      dependencies_digest, commits, commits_version
    )
    select id, branch, head, ${identifyService()}, ${allManifests}, "isComplete", "canContinue",
      ${digest(tx, 'members')}, ${digest(tx, 'dependencies')}, commits, "commitsVersion"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as h (
        id integer, branch text, head text, "isComplete" boolean, "canContinue" boolean, commits bigint,
        "commitsVersion" bigint
      ) join repositories r using (id)
    on conflict (repository_id) do update set
      branch = excluded.branch, head = excluded.head, read_by = excluded.read_by,
      all_manifests = excluded.all_manifests, is_complete = excluded.is_complete, can_continue = excluded.can_continue,
      members_digest = excluded.members_digest, dependencies_digest = excluded.dependencies_digest,
      commits = excluded.commits, commits_version = excluded.commits_version`
}

/**
 * Throws `ImportError` if a continued history lacks commits that it had, or has others that this load didn't give it.
 */
async function assertSameCommits(tx: SqlOrTransaction, histories: readonly LoadedHistory[]): Promise<void> {
  const known = histories.flatMap(({ continued }) => continued ?? [])
  if (known.length === 0) return
  const [dataset] = await tx<{ version: number }[]>`select version from dataset` // the load's own is higher
  const states = await readCommitsStates(
    tx,
    known.map(({ id }) => id),
    dataset?.version,
  )
  const found = new Map(states.map((state) => [state.id, state]))
  if (known.every((each) => hasSameCommits(each, found.get(each.id)))) return
  throw new ImportError(
    'Another load or command has changed the commits of a repository since this import read it. Nothing was changed; run the import again',
  )
}

function hasSameCommits(known: CommitsState, found: CommitsState | undefined): boolean {
  return found?.commits === known.commits && found.commitsVersion === known.commitsVersion
}

/** Makes the next loads read all histories again. The caller has the lock of changes. */
export async function dropLoadedHistories(tx: SqlOrTransaction): Promise<void> {
  await tx`delete from loaded_histories`
}

/** The service, whose parsers read histories. */
function identifyService(): string {
  const { version, commit } = readBuildInfo('')
  return `${version} ${commit ?? ''}`
}

function keyName({ url, forgeRestId }: HistoryName): string {
  return forgeRestId === undefined ? keyRepositoryUrl(url) : String(forgeRestId)
}

/** SQL: the repositories with these names, `id` and `key`. */
function selectNamed(sql: SqlOrTransaction, names: readonly HistoryName[]) {
  const urls = names.filter(({ forgeRestId }) => forgeRestId === undefined).map(keyName)
  const ids = names.flatMap(({ forgeRestId }) => forgeRestId ?? [])
  return sql`
    select max(id) as id, url_key as key from repositories
    where url_key = any (${sql.typed.texts(urls)}) group by url_key having count(*) = 1
    union all
    select id, forge_rest_id::text from repositories
    where forge_rest_id = any (${sql.typed.bigints(ids)})
      and not ${isLocalDocument(sql, renderMembers(sql, sql`members`))}`
}

/** SQL: the digest of a column of `repositories r`, that of dependencies with their commits. */
function digest(sql: SqlOrTransaction, column: 'members' | 'dependencies') {
  const commits = column === 'dependencies' ? sql` || coalesce(r.dependency_commits, '')` : sql``
  return sql`hashtextextended(r.${sql(column)}${commits}, 0)`
}

/**
 * Reads states of commits, of those up to a version of the dataset. A statement of its own, because the commits may be
 * on another server.
 */
function readCommitsStates(
  sql: SqlOrTransaction,
  ids: readonly number[],
  version: number = Number.MAX_SAFE_INTEGER,
): Promise<CommitsState[]> {
  return sql<CommitsState[]>`
    select repository_id as id, count(*) as commits, max(version) as "commitsVersion" from commits
    where repository_id = any (${sql.typed.bigints(ids)}) and version <= ${version} group by repository_id`
}
