/**
 * Prepares the databases that tests get copies of, once for the whole run: embedded and on a PostgreSQL server, empty
 * and with the sample data.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { type DatabaseOptions, openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { findPostgresBinaries, postgresMissing } from './postgres-binaries.ts'
import { startPostgresCluster } from './postgres-cluster.ts'

/** The prepared databases. */
export interface PreparedDatabases {
  /** The folder of the run, with the data folders `empty` and `sample` of embedded databases. Its end removes it. */
  directory: string
  /** Superuser's URL of a server with the template databases `empty` and `sample`; undefined where there is no PostgreSQL. */
  postgres: string | undefined
}

declare module 'vitest' {
  export interface ProvidedContext {
    databases: PreparedDatabases
    /** The runtime of the service's process. Undefined: tests call the app in their own process. */
    runtime?: 'node' | 'deno'
  }
}

/** Options of `openDatabase` for tests. */
export const testPool = { databasePoolSize: 10, databaseStatementTimeoutSeconds: 30 }

/** vitest's global set-up. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-test-'))
  const settings = { max_connections: '200', jit: 'off' } // compiling a statement takes longer than it saves here
  const cluster = findPostgresBinaries()
    ? await startPostgresCluster({ inMemory: true, settings })
    : undefined
  if (cluster === undefined) {
    if (process.env.CI) throw new Error(`CI must not skip the tests on PostgreSQL: ${postgresMissing}`)
    console.warn(`Tests on PostgreSQL are skipped: ${postgresMissing}`)
  }
  await Promise.all([prepareEmbedded(directory), cluster && preparePostgres(cluster.url)])
  project.provide('databases', { directory, postgres: cluster?.url })
  return async () => {
    await cluster?.[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  }
}

async function prepareEmbedded(directory: string): Promise<void> {
  const at = (name: string) => ({ ...testPool, databaseUrl: undefined, dataDirectory: join(directory, name) })
  await prepare(at('empty'), { sample: false })
  await cp(join(directory, 'empty'), join(directory, 'sample'), { recursive: true })
  await prepare(at('sample'), { sample: true })
}

async function preparePostgres(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const at = (name: string) => ({ ...testPool, databaseUrl: databaseUrl(url, name), dataDirectory: '' })
  await sql`create database empty`
  await prepare(at('empty'), { sample: false })
  await sql`create database sample template empty`
  await prepare(at('sample'), { sample: true })
  await sql.end()
}

async function prepare(options: DatabaseOptions, { sample }: { sample: boolean }): Promise<void> {
  const database = await openDatabase(options)
  await migrate(database.sql)
  if (sample) await loadSampleData(database.sql)
  await database.close()
}

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
