/** The commits of a repository. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createBatcher } from '../concurrency/batcher.ts'
import { isCluster } from '../database/cluster.ts'
import { type Fragment, isEmbedded, type Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { unavailable } from '../errors.ts'
import { type ListPage, offsetOf, renderPage, selectPage } from '../paging/page.ts'
import { createRepositoryList, type ReadRepositoryList } from './repository-lists.ts'
import { renderMembers, selectJsonUrl } from './stored-documents.ts'

/** Matches a commit's hash, SHA-1 or SHA-256. */
export const commitHashPattern = /^[\da-f]{40,64}$/

/**
 * Creates a function that lists a repository's commits: newest committer date first, then by hash; those without a date
 * come last. `after` is a commit's hash; it is ignored if the repository doesn't have that commit.
 */
export function createCommitList(sql: Sql): ReadRepositoryList {
  const onServer = createRepositoryList(sql, selectCommits(sql, selectJsonUrl(sql, sql`r.members`)))
  if (isEmbedded(sql)) return onServer
  let list: ReadRepositoryList | undefined
  return async (request, options) => {
    list ??= (await isCluster(sql)) ? createClusterList(sql) : onServer
    return list(request, options)
  }
}

/** SQL: a page of the commits of the repository `r`, as `createRepositoryList` describes it. `url` is JSON text. */
function selectCommits(sql: Sql, url: Fragment): Fragment {
  const commit = renderMembers(sql, sql`members`, { repoUrl: sql`repository.url` })
  // Positions count from the oldest commit, so that a new one doesn't move the others.
  return sql`
      select counted.total, place.skipped as offset, rendered.*
      from (
        select ${url} as url offset 0 -- which computes it once, not for each commit
      ) repository, lateral (
        select coalesce(max(position), 0) as total from commits where repository_id = r.id
      ) counted, lateral (
        select coalesce((
          select counted.total - position + 1 from commits
          where asked.after <> '' and repository_id = r.id and commit_hash = asked.after
        ), asked.skipped) as skipped
      ) place, lateral (
        select ${renderPage(sql, {
          item: commit,
          order: sql`position desc`,
          digest: sql`hashtextextended(${commit}, position)`,
        })}, (array_agg(commit_hash order by position))[1] as next
        from commits
        where repository_id = r.id
          and position > counted.total - place.skipped - asked.size
          and position <= counted.total - place.skipped
      ) rendered`
}

/** A load is committed on the coordinator, and some milliseconds later on the workers. */
const maxAttempts = 6

/**
 * Lists commits on a cluster. The coordinator finds the repository. One statement then goes as a whole to the worker that has its
 * commits, and also reads the version that this worker has. The page is valid if both versions are the same. If they
 * stay different, the worker hasn't committed the last load, and the response is 503.
 */
function createClusterList(sql: Sql): ReadRepositoryList {
  const find = createRepositoryList(
    sql,
    sql`
      select 0 as total, 0 as offset, 0 as count,
        json_build_object('id', r.id, 'url', ${selectJsonUrl(sql, sql`r.members`)})::text as items`,
  )
  // A page takes a connection until its worker responds. If one doesn't, some must be left for other reads.
  const read = createBatcher({
    size: 1,
    maxConcurrent: Math.max(1, Math.floor(sql.options.max / 2)),
    hasRoom: () => countFreeConnections(sql) > 1,
    run: (reads: (() => Promise<ListPage>)[]) =>
      Promise.all(reads.map((readPage) => countStatement(sql, readPage))),
  })
  return async ({ repository, page }, { signal }) => {
    const after = commitHashPattern.test(page.after ?? '') ? page.after : ''
    for (let attempt = 1; ; attempt++) {
      const found = await find({ repository, page }, { signal })
      if (found === 'not_found') return found
      const { id, url }: { id: number; url: string } = JSON.parse(Buffer.from(found.items).toString())
      // Values are literals, because the cluster must know them when it plans the statement, which is not prepared.
      const jsonUrl = sql`convert_from(decode(${sql.unsafe(`'${Buffer.from(url).toString('hex')}'`)}, 'hex'), 'UTF8')`
      const asked = sql.unsafe(`
        (select ${id} as id) r,
        (select '${after}'::text as after, ${offsetOf(page)}::bigint as skipped, ${page.size}::bigint as size) asked`)
      const readPage = () =>
        selectPage(
          sql<ListPage[]>`
            select version, commits.*
            from (select max(version) as version from dataset_versions) dataset, ${asked},
              lateral (${selectCommits(sql, jsonUrl)}) commits`.simple(),
        )
      const commits = await read(readPage, signal)
      if (commits.version === found.version) return commits
      if (attempt === maxAttempts) {
        const versions = `the worker of repository ${id} has version ${commits.version}, the coordinator ${found.version}`
        throw unavailable('Database unavailable', { cause: new Error(versions) })
      }
      await sleep(attempt * attempt * 10)
    }
  }
}
