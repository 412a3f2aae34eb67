import type { Sql } from '../../database/connect.ts'

/**
 * Has the planner learn what the tables are now, where what it knows is old after a load of so many changes. The embedded
 * database has nobody else to tell it.
 */
export async function refreshOldStatistics(sql: Sql, changes: number): Promise<void> {
  if (await areStatisticsOld(sql, changes)) await refreshStatistics(sql)
}

/** A tenth is other, or more. */
async function areStatisticsOld(sql: Sql, changes: number): Promise<boolean> {
  const [found] = await sql<{ old: boolean }[]>`
    select ${changes} * 10 > users + repositories + commits
      or (users_count + repositories_count) * 10 > (users + repositories) * 11 as old
    from dataset, (
      select greatest(u.reltuples, 0) as users, greatest(r.reltuples, 0) as repositories, greatest(c.reltuples, 0) as commits
      from pg_class u, pg_class r, pg_class c
      where u.oid = 'users'::regclass and r.oid = 'repositories'::regclass and c.oid = 'commits'::regclass
    ) known`
  return found?.old ?? true
}

/** Has the planner learn what the tables are now. */
export async function refreshStatistics(sql: Sql): Promise<void> {
  for (const table of [
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
  ]) {
    await sql`select analyze_table(${table}::text::regclass)`
  }
}
