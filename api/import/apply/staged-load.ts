/**
 * A staged load while it is applied, and what its parts share.
 *
 * @module
 */
import type { SqlOrTransaction } from '../../database/connect.ts'
import { assertStaged } from '../staging.ts'

/** A staged load. */
export interface Load {
  importId: number
  /**
   * Whether this load, or all loads since the planner's statistics were refreshed, change more than a tenth of the catalog.
   * Then `analyzeTables` refreshes each table that the load has changed: the embedded database has no autovacuum.
   */
  isLarge: boolean
}

/** Rows that were inserted, and rows that existed with other content. */
export interface Change {
  added: number
  updated: number
}

/** Begins to apply a staged load. Throws `ImportError` if staged rows are missing. */
export async function beginLoad(tx: SqlOrTransaction, importId: number): Promise<Load> {
  await assertStaged(tx, importId)
  await tx`create temporary table affected_users (user_id integer primary key) on commit drop`
  const [load] = await tx<{ isLarge: boolean }[]>`
    select staged * 10 > known.users_and_repositories + known.commits
      or (users_count + repositories_count) * 10 > known.users_and_repositories * 11 as "isLarge"
    from imports, dataset, (
      select
        sum(greatest(reltuples, 0)) filter (where oid <> 'commits'::regclass) as users_and_repositories,
        sum(greatest(reltuples, 0)) filter (where oid = 'commits'::regclass) as commits
      from pg_class where oid in ('users'::regclass, 'repositories'::regclass, 'commits'::regclass)
    ) known
    where id = ${importId}`
  return { importId, isLarge: load?.isLarge ?? true }
}

/** Refreshes the planner's statistics of tables that a large load has changed. */
export async function analyzeTables(
  tx: SqlOrTransaction,
  load: Load,
  tables: readonly string[],
): Promise<void> {
  if (!load.isLarge) return
  for (const table of tables) await tx`select analyze_table(${table}::text::regclass)`
}

/** Counts the rows of a table of changes. */
export async function countChanges(tx: SqlOrTransaction, table: string): Promise<Change> {
  const [change] = await tx<Change[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return change ?? { added: 0, updated: 0 }
}
