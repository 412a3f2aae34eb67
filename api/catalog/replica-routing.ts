/**
 * Replica routing: which database the catalog is read on. `database/replica-checks.ts` says which replicas are fit.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { ClientGoneError } from '../errors.ts'
import { createCommitList } from './commit-list.ts'
import { createDependencyList } from './dependency-list.ts'
import { createLookup, type LookUp } from './document-lookup.ts'
import { createList, type ReadList } from './list.ts'
import type { ReadPage } from './page-reader.ts'
import type { ReadRepositoryList } from './repository-lists.ts'
import type { StoredLists } from './stored-lists.ts'

/** The catalog in one database. */
export interface Catalog {
  listUsers: ReadList
  listRepositories: ReadList
  /** Lists them without their dependencies. */
  listRepositoriesAlone: ReadList
  listCommits: ReadRepositoryList
  listDependencies: ReadRepositoryList
  lookUp: ReadPage<LookUp, 'not_found'>
}

/** The catalog on the primary and on its replicas. */
export interface ReplicaRouting {
  primary: Catalog
  /** Whether a replica is fit for reading now. */
  hasReplica(): boolean
  /** Reads on a replica; the primary may have a later version. */
  readReplica<T>(read: (catalog: Catalog) => Promise<T>): Promise<T | 'no_replica' | 'read_failed'>
}

/** Creates the routing of a database. Lists are stored on the primary; replicas serve them once they have them. */
export function createReplicaRouting(
  { sql, replicas }: Pick<Database, 'sql' | 'replicas'>,
  storedLists: StoredLists,
): ReplicaRouting {
  const replicaCatalogs = new Map(
    replicas.list().map(({ sql }) => [sql, createCatalog(sql, storedLists, { isReplica: true })]),
  )
  return {
    primary: createCatalog(sql, storedLists, { isReplica: false }),
    hasReplica: replicas.hasUsable,
    async readReplica(read) {
      const replica = replicas.pick()
      const catalog = replica && replicaCatalogs.get(replica.sql)
      if (replica === undefined || catalog === undefined) return 'no_replica'
      try {
        return await read(catalog)
      } catch (error) {
        if (error instanceof ClientGoneError) throw error
        replicas.reportFailure(replica, error)
        return 'read_failed'
      }
    },
  }
}

function createCatalog(sql: Sql, storedLists: StoredLists, options: { isReplica: boolean }): Catalog {
  return {
    listUsers: createList(sql, storedLists, { kind: 'users', ...options }),
    listRepositories: createList(sql, storedLists, { kind: 'repositories', ...options }),
    listRepositoriesAlone: createList(sql, storedLists, { kind: 'repositoriesAlone', ...options }),
    listCommits: createCommitList(sql),
    listDependencies: createDependencyList(sql),
    lookUp: createLookup(sql),
  }
}
