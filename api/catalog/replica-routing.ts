/**
 * Replica routing: which database the catalog is read on. `database/replica-checks.ts` says which replicas are fit.
 */
import type { Sql } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { ApiError, ClientGoneError } from '../errors.ts'
import { createBlameList } from './blame-list.ts'
import { createCommitList } from './commit-list.ts'
import { type CountItems, createCounts } from './counts.ts'
import { createDependencyList } from './dependency-list.ts'
import { createLookup, type LookUp } from './document-lookup.ts'
import { createList, type ReadList } from './list.ts'
import type { MatchCache, MatchFinder } from './matches.ts'
import type { ReadPage } from './page-reader.ts'
import type { ReadRepositoryList } from './repository-lists.ts'

/** The catalog in one database. */
export interface Catalog {
  listUsers: ReadList
  listRepositories: ReadList
  /** Lists them without their dependencies. */
  listRepositoriesAlone: ReadList
  listCommits: ReadRepositoryList
  listDependencies: ReadRepositoryList
  listBlame: ReadRepositoryList
  lookUp: ReadPage<LookUp, 'not_found'>
}

/** The catalog on the primary and on its replicas. */
export interface ReplicaRouting {
  primary: Catalog
  /** Counts on the primary. */
  countItems: CountItems
  /** Whether a replica is fit for reading now. */
  hasReplica(): boolean
  /** Reads on a replica; the primary may have a later version. */
  readReplica<T>(read: (catalog: Catalog) => Promise<T>): Promise<T | 'no_replica' | 'read_failed'>
}

/** Creates the routing of a database. */
export function createReplicaRouting(
  { sql, replicas }: Pick<Database, 'sql' | 'replicas'>,
  matchCache: MatchCache,
): ReplicaRouting {
  const replicaCatalogs = new Map(
    replicas.list().map(({ sql }) => [sql, createCatalog(sql, matchCache.createFinder(sql))]),
  )
  const finder = matchCache.createFinder(sql)
  return {
    primary: createCatalog(sql, finder),
    countItems: createCounts(sql, finder, matchCache),
    hasReplica: replicas.hasUsable,
    async readReplica(read) {
      const replica = replicas.pick()
      const catalog = replica && replicaCatalogs.get(replica.sql)
      if (replica === undefined || catalog === undefined) return 'no_replica'
      try {
        return await read(catalog)
      } catch (error) {
        // A full queue, and a client that has left, say nothing about the replica.
        if (error instanceof ClientGoneError || error instanceof ApiError) throw error
        replicas.reportFailure(replica, error)
        return 'read_failed'
      }
    },
  }
}

function createCatalog(sql: Sql, finder: MatchFinder): Catalog {
  return {
    listUsers: createList(sql, finder, 'users'),
    listRepositories: createList(sql, finder, 'repositories'),
    listRepositoriesAlone: createList(sql, finder, 'repositoriesAlone'),
    listCommits: createCommitList(sql),
    listDependencies: createDependencyList(sql),
    listBlame: createBlameList(sql),
    lookUp: createLookup(sql),
  }
}
