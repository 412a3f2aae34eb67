/** Loading: the first load against `\copy`, and the room that it takes. */
import { deepStrictEqual } from 'node:assert'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'
import { printTable, type Report } from '../figures.ts'
import type { Bench } from '../parts.ts'
import { runPsql } from '../pgbench.ts'
import { type LoadResult, runImport } from '../programs.ts'
import type { BenchDatabase, LoadedDatabase, Stage } from '../stage.ts'

/** What a load fills, in the order in which it does. */
const tables = [
  'locations',
  'companies',
  'attributes',
  'users',
  'identities',
  'dependencies',
  'repositories',
  'repository_dependencies',
  'commits',
  'contributions',
  'user_dependencies',
  'user_activity',
  'sets',
  'use_dates',
]
const mebibyte = 2 ** 20
/** Of the command that loads, with data of any size: 400 MB. */
export const mostMegabytes = 381

/** The first load, all that is derived included, against psql's `\copy` of the rows that it left. */
export async function measureImport({ report, stage, form }: Bench): Promise<void> {
  const database = await stage.open(form.largeUsers)
  const { dataset } = database
  const loaded = database.loaded ?? (await loadAgain(report, stage, database))
  report.say('copying the same rows')
  const copied = await copy(stage, database)
  report.compare(
    { bar: 'import', against: 'psql \\copy', goal: 3.5, better: 'lower', unit: 's' },
    [loaded.seconds],
    [copied],
  )
  report.note(
    { bar: 'memory of the import, peak', against: 'the command', goal: mostMegabytes, unit: 'MiB' },
    loaded.megabytes,
  )
  report.note(
    { bar: 'import', against: 'each second', goal: null, unit: 'MB of NDJSON' },
    dataset.bytes / 1e6 / loaded.seconds,
  )
}

async function loadAgain(report: Report, stage: Stage, { dataset }: LoadedDatabase): Promise<LoadResult> {
  report.say('loading into another database')
  const other = await stage.create('loaded')
  const result = await runImport(other.url, dataset.folder)
  await stage.drop(other)
  return result
}

/** Promises how many seconds it took. */
async function copy(stage: Stage, { url, sql }: LoadedDatabase): Promise<number> {
  const folder = join(stage.folder, 'copied')
  await mkdir(folder, { recursive: true })
  const fileOf = (table: string) => join(folder, table)
  const other = await stage.create('copied')
  try {
    await runPsql(
      url,
      tables.map((table) => `\\copy ${table} to '${fileOf(table)}'`),
    )
    const began = performance.now()
    await runPsql(
      other.url,
      tables.map((table) => `\\copy ${table} from '${fileOf(table)}'`),
    )
    const seconds = (performance.now() - began) / 1000
    for (const table of tables) {
      deepStrictEqual(
        await sumRows(other.sql, table),
        await sumRows(sql, table),
        `the rows of ${table} differ`,
      )
    }
    return seconds
  } finally {
    await stage.drop(other)
    await rm(folder, { recursive: true, force: true })
  }
}

/** The number of a table's rows, and the sum of their hashes. */
async function sumRows(sql: Sql, table: string): Promise<{ rows: number; hash: string } | undefined> {
  const [sums] = await sql<{ rows: number; hash: string }[]>`
    select count(*) as rows, sum(hashtextextended(t::text, 0))::text as hash from ${sql(table)} t`
  return sums && { ...sums }
}

/** What the first load took, in this run or an earlier one. */
export async function readFirstLoad({ sql }: BenchDatabase): Promise<LoadResult> {
  const [row] = await sql<
    LoadResult[]
  >`select to_json(seconds) as seconds, to_json(megabytes) as megabytes from bench_load`
  if (row === undefined) throw new Error('the database has no first load')
  return row
}

/** Tables and indexes, each with its size, against the size of the files. */
export async function measureDisk({ report, stage, form }: Bench): Promise<void> {
  const { sql, dataset, forge } = await stage.open(form.largeUsers)
  const sizes = await readSizes(sql)
  const sum = (kind: string) =>
    sizes.filter((size) => size.kind === kind).reduce((total, { bytes }) => total + bytes, 0) / mebibyte
  printTable([
    ['relation', 'of', 'MiB', 'bytes a user'],
    ...sizes.map(({ name, of, bytes }) => [
      name,
      of,
      (bytes / mebibyte).toFixed(1),
      (bytes / forge.users).toFixed(0),
    ]),
  ])
  const files = dataset.bytes / mebibyte
  const bar = { against: 'the NDJSON', goal: null, better: 'lower', unit: 'MiB' } as const
  report.compare({ ...bar, bar: 'tables' }, [sum('table')], [files])
  report.compare({ ...bar, bar: 'indexes' }, [sum('index')], [files])
  report.compare({ ...bar, bar: 'tables and indexes' }, [sum('table') + sum('index')], [files])
  for (const table of tables) {
    const [row] = await sql<{ count: number }[]>`select count(*) from ${sql(table)}`
    const rows = row?.count ?? 0
    // A set is of many users. Every other row is of one thing.
    const [of, count] = table === 'sets' || table === 'use_dates' ? ['user', forge.users] : ['row', rows]
    const bytes = (kind: string) =>
      sizes
        .filter((size) => size.kind === kind && (size.of || size.name) === table)
        .reduce((total, size) => total + size.bytes, 0)
    report.note({ bar: table, against: 'rows', goal: null, unit: 'rows' }, rows)
    for (const [name, kind] of [
      ['table', 'table'],
      ['indexes', 'index'],
    ] as const) {
      const bar = { bar: table, against: `${name}, for each ${of}`, goal: null, unit: 'bytes' }
      report.note(bar, bytes(kind) / count)
    }
  }
}

function readSizes(sql: Sql) {
  return sql<{ name: string; of: string; kind: 'table' | 'index'; bytes: number }[]>`
    select c.relname as name, coalesce(t.relname, '') as of,
      case when t.oid is null then 'table' else 'index' end as kind,
      case when t.oid is null then pg_table_size(c.oid) else pg_relation_size(c.oid) end as bytes
    from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and coalesce(t.relname, c.relname) = any(${sql.typed.texts(tables)})
      and c.relkind in ('r', 'i')
    order by bytes desc`
}
