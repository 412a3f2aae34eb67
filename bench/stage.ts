/**
 * Where it is measured: a PostgreSQL cluster that keeps what it says it keeps, with a database for each size. `devdata
 * import` loads them. In a folder that is kept, files and databases of another run are found again.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Sql } from '../api/database/connect.ts'
import { openDatabase } from '../api/database/database.ts'
import { migrate } from '../api/database/migrate.ts'
import { databaseUrl } from '../test/support/databases.ts'
import { startPostgresCluster } from '../test/support/postgres-cluster.ts'
import { type Dataset, writeDataset } from './dataset.ts'
import type { Report } from './figures.ts'
import { fillKeys } from './fill.ts'
import { describeMachine } from './machine.ts'
import { type LoadResult, runImport } from './programs.ts'
import type { Forge } from './records.ts'

const seed = 'devdata'
/** All with a grant that nobody can use up. */
export const keyCount = 1_000
const settings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: `${Math.floor(totalmem() / 2 ** 22)}MB`, // a quarter of the memory, as PostgreSQL's manual advises
  maintenance_work_mem: '1GB',
  max_connections: '200',
  max_wal_size: '16GB',
  checkpoint_timeout: '30min', // none of the runs is to be the one that pays for it
}

/** A database, and the bench's own connection to it. */
export interface BenchDatabase {
  url: string
  sql: Sql
}

/** A database with all that was made for a number of users. */
export interface LoadedDatabase extends BenchDatabase {
  forge: Forge
  dataset: Dataset
  /** What loading it took, if that was in this run. */
  loaded: LoadResult | undefined
}

/** The cluster, and its databases by size. */
export interface Stage extends AsyncDisposable {
  /** Where files may be put. */
  folder: string
  /** Finds or makes the database of a size. */
  open(users: number): Promise<LoadedDatabase>
  /** Makes a database with the schema and nothing in it. */
  create(name: string): Promise<BenchDatabase>
  /** Makes a copy of a database, which ends its connections. */
  copy(database: LoadedDatabase, name: string): Promise<LoadedDatabase>
  drop(database: BenchDatabase): Promise<void>
}

/** Opens a database with one connection, on which a statement may take as long as it needs. */
async function openBenchDatabase(url: string): Promise<BenchDatabase> {
  const { sql } = await openDatabase({
    databaseUrl: url,
    dataDirectory: '',
    databasePoolSize: 1,
    databaseStatementTimeoutSeconds: 0,
  })
  return { url, sql }
}

/** Opens the stage. `folder` is kept; undefined: a temporary one, which is removed in the end. */
export async function openStage(folder: string | undefined, report: Report): Promise<Stage> {
  const place = folder === undefined ? await mkdtemp(join(tmpdir(), 'devdata-bench-')) : resolve(folder)
  await mkdir(place, { recursive: true })
  report.say(`starting PostgreSQL${folder === undefined ? '' : ` in ${place}`}`)
  await using opening = new AsyncDisposableStack()
  const cluster = opening.use(
    await startPostgresCluster({
      hasUsualSettings: true,
      settings,
      ...(folder !== undefined && { folder: join(place, 'cluster') }),
    }),
  )
  const admin = await openBenchDatabase(cluster.url)
  const opened = new Map<string, BenchDatabase>([['postgres', admin]])
  const bySize = new Map<number, LoadedDatabase>()

  async function connect(name: string): Promise<BenchDatabase> {
    const database = await openBenchDatabase(databaseUrl(cluster.url, name))
    opened.set(name, database)
    return database
  }

  async function create(name: string): Promise<BenchDatabase> {
    await admin.sql`drop database if exists ${admin.sql(name)} with (force)`
    await admin.sql`create database ${admin.sql(name)}`
    const database = await connect(name)
    await migrate(database.sql)
    return database
  }

  async function load(name: string, dataset: Dataset): Promise<LoadResult> {
    const unfinished = `${name}_loading`
    const { url, sql } = await create(unfinished)
    const result = await runImport(url, dataset.folder)
    report.say(`loaded in ${result.seconds.toFixed(0)} s, with ${result.megabytes.toFixed(0)} MiB at most`)
    await sql`create table bench_load as select ${result.seconds}::float as seconds, ${result.megabytes}::float as megabytes`
    await fillKeys(sql, keyCount)
    await sql`vacuum analyze`
    await sql.end()
    opened.delete(unfinished)
    await admin.sql`alter database ${admin.sql(unfinished)} rename to ${admin.sql(name)}`
    await admin.sql`checkpoint`
    return result
  }

  const stage: Stage = {
    folder: place,
    async open(users) {
      const known = bySize.get(users)
      if (known !== undefined) return known
      const name = `users_${users}`
      const forge = { seed, users }
      report.say(`data of ${users.toLocaleString('en')} users`)
      const dataset = await writeDataset(join(place, `users-${users}`), forge)
      const [there] = await admin.sql`select 1 from pg_database where datname = ${name}`
      const loaded = there === undefined ? await load(name, dataset) : undefined
      const database = { ...(await connect(name)), forge, dataset, loaded }
      await migrate(database.sql)
      bySize.set(users, database)
      return database
    },
    create,
    async copy(database, name) {
      const original = `users_${database.forge.users}`
      await admin.sql`drop database if exists ${admin.sql(name)} with (force)`
      await admin.sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${original}`
      await admin.sql`create database ${admin.sql(name)} template ${admin.sql(original)}`
      return { ...database, ...(await connect(name)) }
    },
    async drop({ sql }) {
      const [row] = await sql<{ name: string }[]>`select current_database() as name`
      const name = row?.name ?? ''
      await sql.end()
      opened.delete(name)
      await admin.sql`drop database ${admin.sql(name)} with (force)`
    },
    async [Symbol.asyncDispose]() {
      for (const { sql } of opened.values()) await sql.end({ timeout: 5 })
      await cluster[Symbol.asyncDispose]()
      if (folder === undefined) await rm(place, { recursive: true, force: true })
    },
  }
  report.machine = await describeMachine(admin.sql)
  opening.move() // the stage disposes of it from now on
  return stage
}

/** The dataset's version as the database has it. */
export async function readVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version from dataset`
  return row?.version ?? 0
}
