/**
 * Where the catalog is measured: a PostgreSQL cluster with a database for each size, loaded by `devdata import`. In a
 * folder that is kept, files and databases of another run are found again.
 *
 * @module
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'
import { migrate } from '../../api/database/migrate.ts'
import { databaseUrl } from '../../test/support/databases.ts'
import { startPostgresCluster } from '../../test/support/postgres-cluster.ts'
import type { Report } from '../figures.ts'
import { fillKeys } from '../fill.ts'
import { type LoadResult, runImport } from '../programs.ts'
import { type BenchDatabase, describeMachine, openBenchDatabase, serverSettings } from '../stage.ts'
import { type Dataset, writeDataset } from './dataset.ts'
import type { Forge } from './records.ts'

const seed = 'devdata'
/** All with a grant that nobody can use up. */
export const keyCount = 1_000
const settings = {
  ...serverSettings,
  shared_buffers: `${Math.floor(totalmem() / 2 ** 22)}MB`, // a quarter of the memory, as PostgreSQL's manual advises
  max_wal_size: '16GB',
  maintenance_work_mem: '256MB',
}

/** A database with all that was made for a number of users. */
export interface CatalogDatabase extends BenchDatabase {
  forge: Forge
  dataset: Dataset
  /** What loading it took, if that was in this run. */
  loaded: LoadResult | undefined
}

/** The cluster, and its databases by size. */
export interface CatalogStage extends AsyncDisposable {
  /** Where files may be put. */
  folder: string
  /** Finds or makes the database of a size. */
  open(users: number): Promise<CatalogDatabase>
  /** Makes a database with the schema and nothing in it. */
  create(name: string): Promise<BenchDatabase>
  /** Makes a copy of a database, which ends its connections. */
  copy(database: CatalogDatabase, name: string): Promise<CatalogDatabase>
  drop(database: BenchDatabase): Promise<void>
}

/** Opens the stage. `folder` is kept; undefined: a temporary one, which is removed in the end. */
export async function openCatalogStage(folder: string | undefined, report: Report): Promise<CatalogStage> {
  const place = folder === undefined ? await mkdtemp(join(tmpdir(), 'devdata-bench-')) : resolve(folder)
  await mkdir(place, { recursive: true })
  report.say(`starting PostgreSQL${folder === undefined ? '' : ` in ${place}`}`)
  const cluster = await startPostgresCluster({
    hasUsualSettings: true,
    settings,
    ...(folder !== undefined && { folder: join(place, 'cluster') }),
  })
  const admin = await openBenchDatabase(cluster.url)
  const opened = new Map<string, BenchDatabase>([['postgres', admin]])
  const bySize = new Map<number, CatalogDatabase>()

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

  const stage: CatalogStage = {
    folder: place,
    async open(users) {
      const known = bySize.get(users)
      if (known !== undefined) return known
      const name = `catalog_${users}`
      const forge = { seed, users }
      report.say(`data of ${users.toLocaleString('en')} users`)
      const dataset = await writeDataset(join(place, `data-${users}`), forge)
      const [there] = await admin.sql`select 1 from pg_database where datname = ${name}`
      const loaded = there === undefined ? await load(name, dataset) : undefined
      const database = { ...(await connect(name)), forge, dataset, loaded }
      await migrate(database.sql)
      bySize.set(users, database)
      return database
    },
    create,
    async copy(database, name) {
      const original = `catalog_${database.forge.users}`
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
  report.machine = await describeMachine(admin)
  return stage
}

/** The dataset's version as the database has it. */
export async function readVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version from dataset`
  return row?.version ?? 0
}
