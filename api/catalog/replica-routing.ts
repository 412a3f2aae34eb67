/**
 * Where the catalog is read: on a replica, while there is one that is fit for it, or else on the primary.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { createList, type ReadList } from './list.ts'
import { createLookup } from './lookup.ts'
import { repositoryList } from './repositories.ts'
import type { StoredLists } from './stored-list.ts'
import { userList } from './users.ts'

/** One database, and what there is to read it with. */
export interface Source {
  sql: Sql
  listUsers: ReadList
  listRepositories: ReadList
  lookUp: ReturnType<typeof createLookup>
}

/** What was found, and whether on a replica: then the primary may have a later version of it. */
export interface Reading<T> {
  found: T | undefined
  isReplicated: boolean
}

/** The databases that hold the catalog. */
export interface ReplicaRouting {
  /**
   * Reads on a replica. What is not found there, or can't be read there, is read on the primary: as is all when a
   * version is asked for that no replica may have (`fresh`).
   */
  read<T>(run: (source: Source) => Promise<T | undefined>, options: { fresh: boolean }): Promise<Reading<T>>
  /** Whether there is a replica to read on now. */
  haveReplica(): boolean
}

/** Creates the sources of a database. `stored lists` are made on its primary, and found on replicas once they are there. */
export function createReplicaRouting(
  { sql, replicas }: Pick<Database, 'sql' | 'replicas'>,
  storedLists: StoredLists,
): ReplicaRouting {
  const primary = createSource(sql, storedLists)
  const replicated = new Map<Sql, Source>()
  const foundOnly: StoredLists = {
    ...storedLists,
    build: () => Promise.reject(new Error('a replica makes no stored lists')),
  }

  function sourceOf(replica: Sql): Source {
    const known = replicated.get(replica)
    if (known !== undefined) return known
    const source = createSource(replica, foundOnly)
    replicated.set(replica, source)
    return source
  }

  return {
    haveReplica: () => replicas.hasUsable(),
    async read(run, { fresh }) {
      const replica = fresh ? undefined : replicas.pick()
      if (replica !== undefined) {
        try {
          const found = await run(sourceOf(replica.sql))
          if (found !== undefined) return { found, isReplicated: true }
        } catch (error) {
          replicas.reportFailure(replica, error) // and the primary has the last word
        }
      }
      return { found: await run(primary), isReplicated: false }
    },
  }
}

function createSource(sql: Sql, storedLists: StoredLists): Source {
  return {
    sql,
    listUsers: createList(sql, storedLists, userList),
    listRepositories: createList(sql, storedLists, repositoryList),
    lookUp: createLookup(sql),
  }
}
