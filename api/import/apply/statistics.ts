import type { Sql } from '../../database/connect.ts'

/** The planner learns what the tables are now; the embedded database has nobody else to tell it. */
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
    await sql`analyze ${sql(table)}`
  }
}
