/**
 * Brings a database's schema up to date: numbered SQL files, each applied once, in order.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql, SqlOrTransaction } from './connect.ts'
import { lockNotAvailable } from './connection-error.ts'

const migrationsDirectory = join(import.meta.dirname, 'migrations')
/** Any number that nobody else of this database takes: the bytes of "devdata" cut to what fits. */
export const migrationLock = 0x6465_7664

/** The database can't be brought to the schema of this version. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

interface Migration {
  number: number
  name: string
}

let known: readonly Migration[] | undefined

/** The migrations that this version of devdata has, in order. */
export function listMigrations(): readonly Migration[] {
  known ??= readdirSync(migrationsDirectory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ number: Number.parseInt(name, 10), name }))
  return known
}

const undefinedTable = '42P01'
const undefinedColumn = '42703'
const undefinedFunction = '42883'
const insufficientPrivilege = '42501'

/** Whether a statement failed as it does where a migration is missing; a defect of ours may look the same. */
export function mayLackMigration(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError &&
    [undefinedTable, undefinedColumn, undefinedFunction].includes(error.code)
  )
}

/** The oldest server that the statements run on. */
export const oldestServer = { number: 150_000, name: 'PostgreSQL 15' }

interface Applied extends Migration {
  /** Whether the server takes no writes. */
  isReadOnly: boolean
}

/**
 * Reads which migrations a database has; none where it is empty. It is one statement where devdata has made the
 * database, which its first migration tells. Throws `MigrationError` where another program has made it.
 */
async function readApplied(sql: Sql): Promise<Applied[]> {
  const applied = await selectApplied(sql)
  if (applied !== undefined) return applied
  const fault = await findFault(sql)
  if (fault === undefined) return []
  const made = await selectApplied(sql) // another starter may have made what was found
  if (made === undefined) throw new MigrationError(fault)
  return made
}

/** Undefined: there are none of ours. */
async function selectApplied(sql: Sql): Promise<Applied[] | undefined> {
  const applied = await sql<Applied[]>`
    select number, name, current_setting('transaction_read_only') = 'on' as "isReadOnly" from migrations`.catch(
    (error: unknown) => {
      const { code } = error instanceof postgres.PostgresError ? error : { code: undefined }
      if (code === undefinedTable || code === undefinedColumn) return []
      throw error
    },
  )
  const [first] = listMigrations()
  const isOurs = applied.some(({ number, name }) => number === first?.number && name === first.name)
  return isOurs ? applied : undefined
}

/**
 * Says why a schema of ours must not be made in a database: it is a template, or another program has something there.
 * In `public` the whole database has to be empty; another schema that `search_path` names has to be empty alone.
 * Undefined: it may be made.
 */
async function findFault(sql: Sql): Promise<string | undefined> {
  const [state] = await sql<{ schema: string | null; isTemplate: boolean; relation: string | null }[]>`
    select current_schema() as schema, datistemplate as "isTemplate", (
      select min(n.nspname || '.' || c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and (
          n.nspname = current_schema()
          or current_schema() = 'public' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
        )
        and not exists (
          select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e'
        )
    ) as relation
    from pg_database where datname = current_database()`
  const advice = 'name an empty database in DATABASE_URL, or an empty schema in its search_path'
  if (state?.relation) {
    return `The database belongs to another program: it has ${state.relation}, and no schema of devdata; ${advice}`
  }
  if (state?.isTemplate) return `The database is a template, from which new databases are copied; ${advice}`
  if (state?.schema === null) {
    return 'None of the schemas in search_path exists in the database; create one, or name another'
  }
  return undefined
}

/** The migrations of this version that are not among those that a database has. */
function listMissing(applied: readonly Migration[]): Migration[] {
  const numbers = new Set(applied.map(({ number }) => number))
  return listMigrations().filter(({ number }) => !numbers.has(number))
}

/**
 * The names of the migrations that a database lacks. Those that it has beyond them are a newer version's, which came
 * while this one runs. Throws `MigrationError` where another program has made the database.
 */
export async function findMissingMigrations(sql: Sql): Promise<string[]> {
  return listMissing(await readApplied(sql)).map(({ name }) => name)
}

/**
 * Throws `MigrationError`, which says what to do, when the database lacks a migration. Tells whether it takes writes.
 */
export async function assertMigrated(sql: Sql): Promise<{ isReadOnly: boolean }> {
  const applied = await readApplied(sql)
  const missing = listMissing(applied)
  if (missing.length === 0) return { isReadOnly: applied.some(({ isReadOnly }) => isReadOnly) }
  throw new MigrationError(`The database ${describeLack(missing)}; run "devdata migrate" first`)
}

function describeLack(missing: readonly Migration[]): string {
  return missing.length === listMigrations().length
    ? 'has no schema of devdata yet'
    : `lacks ${missing.map(({ name }) => name).join(', ')}`
}

/** A migration that could not have a lock comes again after this, in milliseconds. */
const lockInterval = 5_000

/** What a migration says while it waits. */
export const migrationWaits =
  'somebody reads what a migration changes (a dump, maybe); it is tried again until they have ended'

/**
 * Applies what is missing, all of it in one transaction, and returns the names of what was applied.
 * Several processes may start at once: one applies, the others wait for it and find nothing left to do.
 * While somebody else uses what it changes, it waits, and calls `onWait` now and then; others hardly notice.
 * Throws `MigrationError` when another program or a newer version has made the database, when its server is too old, and
 * when something is missing that this role may not make.
 */
export async function migrate(
  sql: Sql,
  { onWait = () => {} }: { onWait?: () => void } = {},
): Promise<string[]> {
  for (; ; await sleep(lockInterval)) {
    try {
      return await applyMissing(sql)
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || error.code !== lockNotAvailable) throw error
      onWait()
    }
  }
}

async function applyMissing(sql: Sql): Promise<string[]> {
  await assertServerVersion(sql)
  const before = await readApplied(sql)
  assertNotNewer(before)
  const missing = listMissing(before)
  if (missing.length === 0) return [] // which needs no right to change the schema
  const applied = await sql
    .begin((tx) => applyInTransaction(tx))
    .catch((error: unknown) => {
      if (!(error instanceof postgres.PostgresError) || error.code !== insufficientPrivilege) throw error
      throw new MigrationError(
        `The database ${describeLack(missing)}, and this role may not change it (${error.message}); ` +
          'run "devdata migrate" as the role that owns the schema',
      )
    })
  return applied.map(({ name }) => name)
}

async function assertServerVersion(sql: Sql): Promise<void> {
  const [server] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as name`
  if (server === undefined || server.number < oldestServer.number) {
    throw new MigrationError(
      `The server is PostgreSQL ${server?.name}; ${oldestServer.name} or later is needed`,
    )
  }
}

function assertNotNewer(applied: readonly Migration[]): void {
  const newest = listMigrations().at(-1)?.number ?? 0
  const newer = applied.map(({ number }) => number).filter((number) => number > newest)
  if (newer.length === 0) return
  throw new MigrationError(
    `The database has migration ${Math.max(...newer)}, and this version of devdata knows ${newest} at most; ` +
      'run the version that made it, or a newer one',
  )
}

async function applyInTransaction(tx: SqlOrTransaction): Promise<Migration[]> {
  await tx`set local statement_timeout = 0` // waiting for another starter, and a long migration, may take longer
  await tx`select pg_advisory_xact_lock(${migrationLock})`
  await tx`set local lock_timeout = '1s'` // whatever else needs the table waits behind a lock that is waited for
  await tx`
    create table if not exists migrations (
      number integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`
  const applied = await tx<Migration[]>`select number, name from migrations`
  assertNotNewer(applied)
  const missing = listMissing(applied)
  for (const { number, name } of missing) {
    await tx.unsafe(readFileSync(join(migrationsDirectory, name), 'utf8'))
    await tx`insert into migrations (number, name) values (${number}, ${name})`
  }
  return missing
}
