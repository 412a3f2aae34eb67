/**
 * Remembers which histories of clones the dataset has, so that loads skip unchanged clones.
 *
 * What is remembered is written in the transaction of the load, and says what the dataset has of the repository
 * afterwards: digests of its record and its dependencies, the number of its commits, and the highest version that one of
 * them has. A change of a commit gives it a higher version, and a removal lowers the number. So a later change shows,
 * whatever made it, such as a file with other dependencies.
 *
 * The hash of a commit says what can be read from it. Who was forgotten matters, too: forgetting changes commits, which
 * shows, and undoing that calls {@link dropLoadedHistories}.
 *
 * @module
 */
import { readBuildInfo } from '../build-info.ts'
import { isLocalDocument } from '../catalog/document-lookup.ts'
import { renderMembers } from '../catalog/stored-documents.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'

/** A repository whose history was read. */
export interface LoadedHistory {
  url: string
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

/** What a repository's commits are recognized by. */
interface CommitsState {
  id: number
  commits: number
  commitsVersion: number
}

/**
 * Whether the dataset has what reading this history would give. False if it isn't sure, such as for a URL that two
 * repositories have had.
 */
export async function isHistoryLoaded(
  sql: Sql,
  { url, branch, head }: LoadedHistory,
  { allManifests, isComplete }: HistoryReading,
): Promise<boolean> {
  const isOfClone = isLocalDocument(sql, renderMembers(sql, sql`r.members`)) // the forge's record says nothing of clones
  const [noted] = await sql<CommitsState[]>`
    select h.repository_id as id, h.commits, h.commits_version as "commitsVersion"
    from (${selectNamedOnce(sql, [url])}) named join repositories r using (id)
      join loaded_histories h on h.repository_id = r.id
    where h.branch is not distinct from ${branch} and h.head = ${head} and h.read_by = ${readReader()}
      and h.all_manifests = ${allManifests} and (h.is_complete or not ${isComplete})
      and (h.members_digest = ${digest(sql, 'members')} or not ${isOfClone})
      and h.dependencies_digest = ${digest(sql, 'dependencies')}`
  if (noted === undefined) return false
  const [found] = await readCommitsStates(sql, [noted.id])
  return found?.commits === noted.commits && found.commitsVersion === noted.commitsVersion
}

/** Notes what was loaded, in the transaction of the load, after it was applied. */
export async function noteLoadedHistories(
  tx: SqlOrTransaction,
  histories: readonly LoadedHistory[],
  { allManifests, isComplete }: HistoryReading,
): Promise<void> {
  const named = await tx<{ id: number; key: string }[]>`
    ${selectNamedOnce(
      tx,
      histories.map(({ url }) => url),
    )}`
  const ids = new Map(named.map(({ id, key }) => [key, id]))
  const states = new Map((await readCommitsStates(tx, [...ids.values()])).map((state) => [state.id, state]))
  const rows = histories.flatMap(({ url, branch, head }) => {
    const state = states.get(ids.get(keyRepositoryUrl(url)) ?? 0)
    return state === undefined ? [] : [{ ...state, branch, head }]
  })
  await tx`
    insert into loaded_histories (
      repository_id, branch, head, read_by, all_manifests, is_complete, members_digest, dependencies_digest, commits,
      commits_version
    )
    select id, branch, head, ${readReader()}, ${allManifests}, ${isComplete}, ${digest(tx, 'members')},
      ${digest(tx, 'dependencies')}, commits, "commitsVersion"
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as h (id integer, branch text, head text, commits bigint, "commitsVersion" bigint)
      join repositories r using (id)
    on conflict (repository_id) do update set
      branch = excluded.branch, head = excluded.head, read_by = excluded.read_by,
      all_manifests = excluded.all_manifests, is_complete = excluded.is_complete,
      members_digest = excluded.members_digest, dependencies_digest = excluded.dependencies_digest,
      commits = excluded.commits, commits_version = excluded.commits_version`
}

/** Makes the next loads read all histories again. The caller has the lock of changes. */
export async function dropLoadedHistories(tx: SqlOrTransaction): Promise<void> {
  await tx`delete from loaded_histories`
}

/** The service, whose parsers read histories. */
function readReader(): string {
  const { version, commit } = readBuildInfo('')
  return `${version} ${commit ?? ''}`
}

/** SQL: the repositories with these URLs, `id` and `key`. One that shares its URL with another is left out. */
function selectNamedOnce(sql: SqlOrTransaction, urls: readonly string[]) {
  return sql`
    select max(id) as id, url_key as key from repositories
    where url_key = any (${sql.typed.texts(urls.map(keyRepositoryUrl))})
    group by url_key having count(*) = 1`
}

/** SQL: the digest of a column of `repositories r`. */
function digest(sql: SqlOrTransaction, column: 'members' | 'dependencies') {
  return sql`hashtextextended(r.${sql(column)}, 0)`
}

/** A statement of its own, because the commits may be on another server. */
function readCommitsStates(sql: SqlOrTransaction, ids: readonly number[]): Promise<CommitsState[]> {
  return sql<CommitsState[]>`
    select repository_id as id, count(*) as commits, max(version) as "commitsVersion" from commits
    where repository_id = any (${sql.typed.bigints(ids)}) group by repository_id`
}
