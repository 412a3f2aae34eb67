/** Pages of a repository with its commits, which a cluster has on workers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createBatcher } from '../concurrency/batcher.ts'
import { isCluster } from '../database/cluster.ts'
import { type Fragment, isEmbedded, type Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { unavailable } from '../errors.ts'
import { type ListPage, selectPage } from '../paging/page.ts'
import { createRepositoryList, type ReadRepositoryList, type RepositoryPage } from './repository-lists.ts'

/** How a list is read that needs commits. */
interface CommitPages<Found> {
  /** SQL: a page, as `createRepositoryList` describes it. */
  onServer: Fragment
  /**
   * SQL: the same on the coordinator, without commits, and with what `onWorker` gets as JSON text in place of the
   * items.
   */
  onCoordinator: Fragment
  /**
   * SQL, for `from`: a row `page` with the other columns, of the repository `r`, which has only its `id`. Values are
   * literals.
   */
  onWorker(found: Found, request: RepositoryPage): Fragment
  /** Statements at a time. Default: 1. */
  maxConcurrent?: number | undefined
}

/** Creates a function that reads pages of a list that needs commits. */
export function createCommitPages<Found extends { id: number }>(
  sql: Sql,
  pages: CommitPages<Found>,
): ReadRepositoryList {
  const { onServer, maxConcurrent } = pages
  const read = createRepositoryList(sql, onServer, { maxConcurrent })
  if (isEmbedded(sql)) return read
  let list: ReadRepositoryList | undefined
  return async (request, options) => {
    list ??= (await isCluster(sql)) ? createClusterList(sql, pages) : read
    return list(request, options)
  }
}

/** A load is committed on the coordinator, and some milliseconds later on the workers. */
const maxAttempts = 6

/**
 * Reads pages on a cluster. The coordinator finds the repository. One statement then goes as a whole to the worker that
 * has its commits, and also reads the version that this worker has. The page is valid if both versions are the same. If
 * they stay different, the worker hasn't committed the last load, and the response is 503.
 */
function createClusterList<Found extends { id: number }>(
  sql: Sql,
  { onCoordinator, onWorker }: CommitPages<Found>,
): ReadRepositoryList {
  const find = createRepositoryList(sql, onCoordinator)
  // A page takes a connection until its worker responds. If one doesn't, some must be left for other reads.
  const read = createBatcher({
    size: 1,
    maxConcurrent: Math.max(1, Math.floor(sql.options.max / 2)),
    hasRoom: () => countFreeConnections(sql) > 1,
    run: (reads: (() => Promise<ListPage>)[]) =>
      Promise.all(reads.map((readPage) => countStatement(sql, readPage))),
  })
  return async (request, { signal }) => {
    for (let attempt = 1; ; attempt++) {
      const coordinated = await find(request, { signal })
      if (coordinated === 'not_found') return coordinated
      const found: Found = JSON.parse(Buffer.from(coordinated.items).toString())
      const readPage = () =>
        selectPage(
          sql<ListPage[]>`
            select version, page.*
            from (select max(version) as version from dataset_versions) dataset, (select ${sql.unsafe(String(found.id))} as id) r,
              ${onWorker(found, request)}`.simple(),
        )
      const page = await read(readPage, signal)
      if (page.version === coordinated.version) return { ...coordinated, ...page }
      if (attempt === maxAttempts) {
        const versions = `the worker of repository ${found.id} has version ${page.version}, the coordinator ${coordinated.version}`
        throw unavailable('Database unavailable', { cause: new Error(versions) })
      }
      await sleep(attempt * attempt * 10)
    }
  }
}

/** SQL: a text as a literal. A cluster must know it when it plans a statement, which is not prepared. */
export function writeLiteral(sql: Sql, text: string): Fragment {
  return sql`convert_from(decode(${sql.unsafe(`'${Buffer.from(text).toString('hex')}'`)}, 'hex'), 'UTF8')`
}
