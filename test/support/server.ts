/**
 * The PostgreSQL server of the whole run; tests that need it are skipped without. A test that stops or breaks its
 * server starts its own with `startPostgresCluster`.
 */
import { describe, inject, test } from 'vitest'
import { postgresMissing } from './postgres-binaries.ts'

const { postgres } = inject('databases')

/** Whether there is a server. */
export const hasServer = postgres !== undefined
/** A suite that needs the server. */
export const describeOnServer = describe.skipIf(!hasServer)
/** A test that needs the server. */
export const testOnServer = test.skipIf(!hasServer)

/** Superuser's URL of the server. Throws where there is none. */
export function getServerUrl(): string {
  if (postgres === undefined) throw new Error(postgresMissing)
  return postgres
}
