/**
 * Where the catalog is read: on a replica, while there is one that is fit for it, or else on the primary.
 *
 * @module
 */
import type { Database, Sql } from '../database/connect.ts'
import { createList, type ReadList } from './list.ts'
import type { ListingStore } from './listing.ts'
import { createLookup } from './lookup.ts'
import { repositoryList } from './repositories.ts'
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
export interface Sources {
  /**
   * Reads on a replica. What is not found there, or can't be read there, is read on the primary: as is all when a
   * version is asked for that no replica may have (`fresh`).
   */
  read<T>(run: (source: Source) => Promise<T | undefined>, options: { fresh: boolean }): Promise<Reading<T>>
  /** Whether there is a replica to read on now. */
  haveReplica(): boolean
}

/** Creates the sources of a database. `listings` are made on its primary, and found on replicas once they are there. */
export function createSources(
  { sql, replicas }: Pick<Database, 'sql' | 'replicas'>,
  listings: ListingStore,
): Sources {
  const primary = createSource(sql, listings)
  const replicated = new Map<Sql, Source>()
  const foundOnly: ListingStore = {
    ...listings,
    build: () => Promise.reject(new Error('a replica makes no listings')),
  }

  function sourceOf(replica: Sql): Source {
    const known = replicated.get(replica)
    if (known !== undefined) return known
    const source = createSource(replica, foundOnly)
    replicated.set(replica, source)
    return source
  }

  return {
    haveReplica: () => replicas.hasFit(),
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

function createSource(sql: Sql, listings: ListingStore): Source {
  return {
    sql,
    listUsers: createList(sql, listings, userList),
    listRepositories: createList(sql, listings, repositoryList),
    lookUp: createLookup(sql),
  }
}
