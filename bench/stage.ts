/**
 * Where it is measured: a PostgreSQL cluster of its own that keeps what it says it keeps, and databases with users and
 * keys.
 *
 * @module
 */
import { open as openFile, rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import type { Sql } from '../api/database/connect.ts'
import { openDatabase } from '../api/database/database.ts'
import { migrate } from '../api/database/migrate.ts'
import { databaseUrl } from '../test/support/databases.ts'
import { startPostgresCluster } from '../test/support/postgres-cluster.ts'
import { type Machine, percentile, type Report } from './figures.ts'
import { fillKeys, fillUsers } from './fill.ts'

/** Settings of the server: it keeps what it says it keeps. */
export const serverSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  max_connections: '200',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min', // none of the runs is to be the one that pays for it
}

/** A database, and the bench's own connection to it. */
export interface BenchDatabase {
  url: string
  sql: Sql
}

/** The cluster with its first database. */
export interface Stage extends AsyncDisposable {
  database: BenchDatabase
  machine: Machine
  /** Makes a database with the same users and keys. Nobody may be connected to the first one meanwhile. */
  copy(name: string): Promise<BenchDatabase>
}

/** What is in the database. */
export interface StageOptions {
  users: number
  keys: number
}

/** Opens a database with one connection, on which a statement may take as long as it needs. */
export async function openBenchDatabase(url: string): Promise<BenchDatabase> {
  const { sql } = await openDatabase({
    databaseUrl: url,
    dataDirectory: '',
    databasePoolSize: 1,
    databaseStatementTimeoutSeconds: 0,
  })
  return { url, sql }
}

/** Tells where it is measured. */
export async function describeMachine({ sql }: BenchDatabase): Promise<Machine> {
  const [server] = await sql<{ version: string; folder: string }[]>`
    select current_setting('server_version') as version, current_setting('data_directory') as folder`
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    postgresql: server?.version ?? '',
    cores: cpus().length,
    processor: cpus()[0]?.model ?? '',
    flush: await timeFlush(dirname(server?.folder ?? '')),
  }
}

/** Milliseconds that a write of 8 kB takes until it is on the disk: what a commit waits for. */
async function timeFlush(folder: string): Promise<number> {
  const file = join(folder, `flush-${process.pid}`)
  const handle = await openFile(file, 'w')
  try {
    const page = Buffer.alloc(8_192)
    const times: number[] = []
    for (let time = 0; time < 200; time++) {
      const begin = performance.now()
      await handle.write(page, 0, page.length, (time % 100) * page.length) // the second time nothing is allocated
      await handle.datasync()
      if (time >= 100) times.push(performance.now() - begin)
    }
    return percentile(
      times.sort((a, b) => a - b),
      0.5,
    )
  } finally {
    await handle.close()
    await rm(file)
  }
}

export async function openStage({ users, keys }: StageOptions, report: Report): Promise<Stage> {
  report.say(`starting PostgreSQL; ${users.toLocaleString('en')} users, ${keys.toLocaleString('en')} keys`)
  const cluster = await startPostgresCluster({ settings: serverSettings, hasUsualSettings: true })
  const opened = new Set<BenchDatabase>()
  async function open(url: string): Promise<BenchDatabase> {
    const database = await openBenchDatabase(url)
    opened.add(database)
    return database
  }
  async function close(): Promise<void> {
    for (const { sql } of opened) await sql.end({ timeout: 5 })
    await cluster[Symbol.asyncDispose]()
  }

  try {
    const database = await open(await cluster.createDatabase('bench'))
    const { sql } = database
    await migrate(sql)
    await fillUsers(sql, users)
    await fillKeys(sql, keys)
    return {
      database,
      machine: await describeMachine(database),
      async copy(name) {
        const admin = await open(cluster.url)
        // The bench's own connection would be in the way.
        await admin.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'bench'`
        await admin.sql`create database ${admin.sql(name)} template bench strategy file_copy`
        await admin.sql.end()
        opened.delete(admin)
        return open(databaseUrl(cluster.url, name))
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
