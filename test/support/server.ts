/**
 * The PostgreSQL server that is prepared for the whole run, and what is skipped on a machine without. A test that stops
 * or breaks its server makes one of its own; see `startPostgresCluster`.
 *
 * @module
 */
import { describe, inject, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { databaseUrl } from './databases.ts'
import { postgresMissing } from './postgres-cluster.ts'

const { postgres } = inject('databases')

/** A suite that needs the server. */
export const describeOnServer = describe.skipIf(postgres === undefined)
/** A test that needs the server. */
export const testOnServer = test.skipIf(postgres === undefined)

/** Superuser's URL of the server. Throws where there is none. */
export function getServerUrl(): string {
  if (postgres === undefined) throw new Error(postgresMissing)
  return postgres
}

/** Superuser's URL of the database that `sql` is connected to, on that server. */
export async function readDatabaseUrl(sql: Sql): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  if (row === undefined) throw new Error('the database has no name')
  return databaseUrl(getServerUrl(), row.name)
}
