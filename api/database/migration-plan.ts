/**
 * What the missing migrations would do to a database. They are tried on an empty database in memory, which says what
 * they lock, read and rewrite. `migrate` itself locks some tables before. Of the real database, only its list of
 * migrations and the sizes of its tables are read.
 */
import { PGlite } from '@electric-sql/pglite'
import type { Sql } from './connect.ts'
import { compileProgram } from './embedded.ts'
import { listLocked, listMigrations, type Migration, readMissing } from './migrate.ts'

/** A table that the database has. */
export interface PlannedChange {
  table: string
  /** What waits for the end of all migrations. */
  blocks: 'reads and writes' | 'writes' | 'nothing'
  /** What happens to all rows of the table. */
  rows: 'untouched' | 'read' | 'written'
  /** Of the table and its indexes. */
  bytes: number
}

export interface PlannedMigration {
  name: string
  creates: string[]
  removes: string[]
  changes: PlannedChange[]
}

export interface MigrationPlan {
  /** The newest migration that the database has; 0: it has no schema yet. */
  newest: number
  /** Whether instances whose version has the newest migration can run during all missing ones, and afterwards. */
  isRolling: boolean
  migrations: PlannedMigration[]
  /** How long the locks would be held. */
  estimatedSeconds: number
}

/** What a server with a slow disk manages. */
const readBytesPerSecond = 100e6
const writtenBytesPerSecond = 20e6

/** What the estimate assumes. */
export const estimateAssumes =
  `the server reads ${readBytesPerSecond / 1e6} MB or writes ${writtenBytesPerSecond / 1e6} MB a second ` +
  'and no lock has to be waited for'

/** Plans what `migrate` would do, and changes nothing. Throws as `migrate` does, but for rights. */
export async function planMigrations(
  sql: Sql,
  { directory }: { directory?: string } = {},
): Promise<MigrationPlan> {
  const all = listMigrations(directory)
  const names = await readMissing(sql, all)
  const applied = all.filter(({ name }) => !names.includes(name))
  const missing = all.filter(({ name }) => names.includes(name))
  const newest = applied.at(-1)?.number ?? 0
  const migrations =
    missing.length === 0
      ? []
      : await tryOut(applied, missing, newest === 0 ? new Map() : await measureTables(sql))
  return {
    newest,
    isRolling: newest > 0 && missing.every(({ compatibleSince }) => compatibleSince <= newest),
    migrations,
    estimatedSeconds: migrations
      .flatMap(({ changes }) => changes)
      .reduce((sum, each) => sum + estimate(each), 0),
  }
}

function estimate({ rows, bytes }: PlannedChange): number {
  if (rows === 'untouched') return 0
  return bytes / (rows === 'read' ? readBytesPerSecond : writtenBytesPerSecond)
}

/** Measures the tables of devdata's schema. */
async function measureTables(sql: Sql): Promise<Map<string, number>> {
  const tables = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = (select relnamespace from pg_class where oid = to_regclass('migrations'))`
  return new Map(tables.map(({ name, bytes }) => [name, bytes]))
}

interface TriedTable {
  id: number
  table: string
  blocks: PlannedChange['blocks']
  isWritten: boolean
  scans: number
  /** Changes when the table is rewritten. */
  file: number
}

/**
 * What the current transaction has done to the tables. The number of scans begins earlier, and only grows in a
 * transaction.
 */
const listTables = `
  select oid as id, relname as table, relfilenode as file, pg_stat_get_xact_numscans(oid)::integer as scans,
    modes && '{RowExclusiveLock}' as "isWritten",
    case
      when modes && '{AccessExclusiveLock}' then 'reads and writes'
      when modes && '{ShareLock,ShareRowExclusiveLock,ExclusiveLock}' then 'writes'
      else 'nothing'
    end as blocks
  from pg_class, lateral (select array(select mode from pg_locks where relation = oid) as modes) held
  where relkind = 'r' and relnamespace = 'public'::regnamespace
  order by relname`

async function tryOut(
  applied: readonly Migration[],
  missing: readonly Migration[],
  sizes: ReadonlyMap<string, number>,
): Promise<PlannedMigration[]> {
  const database = await PGlite.create({ pgliteWasmModule: await compileProgram() })
  try {
    for (const { sql } of applied) await database.exec(sql)
    const planned: PlannedMigration[] = []
    for (const migration of missing) {
      const listed = await database.transaction(async (tx) => {
        const before = (await tx.query<TriedTable>(listTables)).rows
        await tx.exec(migration.sql)
        return { before, after: (await tx.query<TriedTable>(listTables)).rows }
      })
      planned.push({ name: migration.name, ...compareTables(listed, listLocked(migration), sizes) })
    }
    return planned
  } finally {
    await database.close()
  }
}

function compareTables(
  { before, after }: { before: readonly TriedTable[]; after: readonly TriedTable[] },
  locked: readonly string[],
  sizes: ReadonlyMap<string, number>,
): Omit<PlannedMigration, 'name'> {
  const namesBeyond = (tables: readonly TriedTable[], others: readonly TriedTable[]) =>
    tables.filter(({ id }) => !others.some((each) => each.id === id)).map(({ table }) => table)
  const changes = before.flatMap(({ id, table, file, scans }): PlannedChange[] => {
    const now = after.find((each) => each.id === id)
    const bytes = sizes.get(table)
    if (now === undefined || bytes === undefined) return []
    const isRead = now.scans > scans
    const rows = now.isWritten || now.file !== file ? 'written' : isRead ? 'read' : 'untouched'
    const blocks = locked.includes(table) ? 'reads and writes' : now.blocks
    if (blocks === 'nothing' && rows === 'untouched') return []
    return [{ table, blocks, rows, bytes }]
  })
  return { creates: namesBeyond(after, before), removes: namesBeyond(before, after), changes }
}
