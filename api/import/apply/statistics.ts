/**
 * The planner's statistics of the catalog. The embedded database has no autovacuum to refresh them.
 *
 * @module
 */
import type { Sql } from '../../database/connect.ts'

const tables = [
  'dataset',
  'users',
  'repositories',
  'commits',
  'locations',
  'location_users',
  'dependencies',
  'dependency_repositories',
  'dependency_users',
  'identities',
  'contributions',
]

/** Refreshes the statistics if a load made so many changes that they no longer describe the tables. */
export async function refreshOldStatistics(sql: Sql, changeCount: number): Promise<void> {
  if (!(await areStatisticsOld(sql, changeCount))) return
  for (const table of tables) await sql`select analyze_table(${table}::text::regclass)`
}

/** Whether a tenth of the rows, or more, has changed. */
async function areStatisticsOld(sql: Sql, changeCount: number): Promise<boolean> {
  const [found] = await sql<{ old: boolean }[]>`
    select ${changeCount} * 10 > users + repositories + commits
      or (users_count + repositories_count) * 10 > (users + repositories) * 11 as old
    from dataset, (
      select greatest(u.reltuples, 0) as users, greatest(r.reltuples, 0) as repositories, greatest(c.reltuples, 0) as commits
      from pg_class u, pg_class r, pg_class c
      where u.oid = 'users'::regclass and r.oid = 'repositories'::regclass and c.oid = 'commits'::regclass
    ) known`
  return found?.old ?? true
}
