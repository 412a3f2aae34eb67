/** Brings a database's schema up to date: numbered SQL files, each applied once, in order. */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { devdataCommand } from '../devdata-command.ts'
import { getMessage, notMigrated, OperatorError, readCode } from '../errors.ts'
import type { Sql, SqlOrTransaction } from './connect.ts'
import { insufficientPrivilege, lockNotAvailable, queryCanceled } from './connection-error.ts'
import { beginLong } from './long-transaction.ts'
import { assertServerVersion } from './server-version.ts'

const migrationsDirectory = join(import.meta.dirname, 'migrations')
/** The key of the advisory lock under which migrations are applied: the bytes of "devd". */
export const migrationLock = 0x6465_7664
/** The key of the advisory lock of changes of the dataset: one at a time is applied. */
export const changeLock = 0x6465_7665

/** The database can't be brought to the schema of this version. */
export class MigrationError extends OperatorError {
  override name = 'MigrationError'
}

/** A numbered SQL file. */
export interface Migration {
  number: number
  name: string
  sql: string
  /** SHA-256 of `sql`. */
  checksum: string
  /**
   * Versions of devdata whose newest migration has this number or a higher one can run on the schema. The database
   * keeps it, because older versions don't have the file.
   */
  compatibleSince: number
}

let known: readonly Migration[] | undefined

/** The migrations of this version of devdata, in order. Reads them once. Those of another `directory` are read anew. */
export function listMigrations(directory?: string): readonly Migration[] {
  if (directory !== undefined) return readMigrations(directory)
  known ??= readMigrations(migrationsDirectory)
  return known
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name), 'utf8')
      const [, since] = /^-- Compatible since: (\d+)\n/.exec(sql) ?? []
      if (since === undefined) throw new Error(`${name} doesn't begin with "-- Compatible since: NUMBER"`)
      const number = Number.parseInt(name, 10)
      return { number, name, sql, checksum: hash('sha256', sql), compatibleSince: Number(since) }
    })
}

const undefinedTable = '42P01'
const undefinedColumn = '42703'
const undefinedFunction = '42883'

/** Whether a statement failed as it does when a migration is missing. A defect in a statement may look the same. */
export function mayLackMigration(error: unknown): boolean {
  return [undefinedTable, undefinedColumn, undefinedFunction].includes(readCode(error))
}

interface Applied {
  number: number
  name: string
  /** Null: a development version applied it. */
  checksum: string | null
  compatibleSince: number
  /** Whether the server accepts no writes. */
  isReadOnly: boolean
}

/**
 * Reads which migrations a database has. Takes one statement if devdata made the database.
 * Throws `MigrationError` when another program or a development version made it.
 */
async function readApplied(sql: Sql): Promise<Applied[]> {
  const applied = await selectApplied(sql)
  if (applied !== undefined) return applied
  const refusal = await findRefusal(sql)
  if (refusal === undefined) return []
  const appliedMeanwhile = await selectApplied(sql) // another process may have created what was found
  if (appliedMeanwhile === undefined) throw new MigrationError(refusal)
  return appliedMeanwhile
}

/** Returns undefined if the database has no migrations of devdata. */
async function selectApplied(sql: SqlOrTransaction): Promise<Applied[] | undefined> {
  // to_jsonb: databases of development versions lack columns.
  const applied = await sql<Applied[]>`
    select number, name, to_jsonb(m) ->> 'checksum' as checksum,
      coalesce((to_jsonb(m) ->> 'compatible_since')::integer, number) as "compatibleSince",
      current_setting('transaction_read_only') = 'on' as "isReadOnly"
    from migrations m`.catch((error: unknown) => {
    if ([undefinedTable, undefinedColumn].includes(readCode(error))) return []
    throw error
  })
  const [first] = listMigrations()
  if (!applied.some(({ number, name }) => number === first?.number && name === first.name)) return undefined
  assertReleased(applied)
  return applied
}

/** Migrations never change after a release, so a migration that differs is from a development version. */
function assertReleased(applied: readonly Applied[]): void {
  const checksums = new Map(listMigrations().map(({ number, checksum }) => [number, checksum]))
  const changed = applied.find(({ number, checksum }) => (checksums.get(number) ?? checksum) !== checksum)
  if (changed === undefined) return
  throw new MigrationError(
    `A development version of devdata created the database, with a different ${changed.name}; create a new one: remove the ` +
      'folder DATA_DIR if the database is embedded, or else drop and create the database',
  )
}

/**
 * Says why devdata must not create its schema in a database: it is a template, or another program uses it. In `public`
 * the whole database must be empty; in another schema that `search_path` names, only that schema.
 * Returns undefined if the schema can be created.
 */
async function findRefusal(sql: Sql): Promise<string | undefined> {
  const [state] = await sql<
    {
      schema: string | null
      hidden: string | null
      isTemplate: boolean
      encoding: string
      relation: string | null
    }[]
  >`
    select current_schema() as schema, datistemplate as "isTemplate", pg_encoding_to_char(encoding) as encoding, (
      select min(nspname) from pg_namespace n join pg_class c on relnamespace = n.oid and relname = 'api_key_secrets'
      where nspname in (select trim(' "' from name) from unnest(string_to_array(current_setting('search_path'), ',')) as name)
        and not has_schema_privilege(n.oid, 'usage')
    ) as hidden, (
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
  if (state?.hidden) {
    return (
      `The schema ${state.hidden} has devdata's tables, but this role may not use it. As the role that owns the schema, run ` +
      `${devdataCommand('migrate')}, and then roles.sql`
    )
  }
  const advice = 'set DATABASE_URL to an empty database, or its search_path to an empty schema'
  if (state?.relation) {
    return `The database belongs to another program: it has ${state.relation}, but no devdata schema; ${advice}`
  }
  if (state?.isTemplate) return `The database is a template, from which new databases are copied; ${advice}`
  if (state !== undefined && state.encoding !== 'UTF8') {
    return (
      `The database has the encoding ${state.encoding}, and texts need UTF8; create another one ` +
      '(createdb --template=template0 --encoding=UTF8 NAME), and set DATABASE_URL to it'
    )
  }
  if (state?.schema === null) {
    return 'None of the schemas in search_path exists in the database; create one, or set another search_path'
  }
  return undefined
}

/** What distinguishes a database's schema from that of this version. */
export interface SchemaState {
  /** Names of the migrations that the database lacks. */
  missing: string[]
  /** Numbers of migrations that a newer version has applied. */
  newer: number[]
  /** Those of them on which this version can't run. */
  incompatible: number[]
  /** Whether the server accepts no writes. */
  isReadOnly: boolean
}

/**
 * Compares a database's migrations with those of this version. Throws `MigrationError` if no release made the database.
 */
export async function readSchemaState(sql: Sql): Promise<SchemaState> {
  return compare(await readApplied(sql), listMigrations())
}

function compare(applied: readonly Applied[], migrations: readonly Migration[]): SchemaState {
  const numbers = applied.map(({ number }) => number)
  const newest = newestOf(migrations)
  const newer = applied.filter(({ number }) => number > newest).sort((a, b) => a.number - b.number)
  return {
    missing: migrations.filter(({ number }) => !numbers.includes(number)).map(({ name }) => name),
    newer: newer.map(({ number }) => number),
    incompatible: newer.filter((each) => each.compatibleSince > newest).map(({ number }) => number),
    isReadOnly: applied.some(({ isReadOnly }) => isReadOnly),
  }
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0
}

/** Throws `MigrationError`, which says what to do, when this version can't run on the schema of a newer one. */
function assertCompatible({ incompatible }: SchemaState, migrations: readonly Migration[]): void {
  const newest = incompatible.at(-1)
  if (newest === undefined) return
  throw new MigrationError(
    `The database has migration ${newest}, on which this version of devdata can't run (it has migrations up to ` +
      `${newestOf(migrations)}); run the version that applied it, or a newer one`,
  )
}

/**
 * Throws `MigrationError`, which says what to do, when the database lacks a migration, or has one of a newer version on
 * which this one can't run.
 */
export async function assertMigrated(sql: Sql): Promise<Pick<SchemaState, 'isReadOnly'>> {
  const state = await readSchemaState(sql)
  assertCompatible(state, listMigrations())
  if (state.missing.length === 0) return state
  throw new MigrationError(
    `The database ${describeLack(state.missing)}; run this first: ${devdataCommand('migrate')}`,
  )
}

/**
 * Creates a function that replaces a request's error if a missing migration caused it: nobody has migrated the database
 * yet, or an old backup was restored. It returns other errors as they are.
 */
export function createSchemaExplainer(
  assertMigrated: () => Promise<unknown>,
): (error: Error) => Promise<Error> {
  return async function explain(error) {
    let reason: unknown = error
    if (mayLackMigration(error)) {
      await assertMigrated().catch((missing: unknown) => {
        reason = missing
      })
    }
    return reason instanceof MigrationError ? notMigrated(reason) : error
  }
}

function describeLack(missing: readonly string[]): string {
  return missing.length === listMigrations().length
    ? 'has no devdata schema yet'
    : `lacks ${missing.join(', ')}`
}

const lockRetryIntervalMs = 5_000

/** What operators are told while a migration waits for a lock. */
export const migrationWaits =
  'another session uses a table that a migration changes (a load or a dump, perhaps); retrying until that session ends'

/**
 * Applies the missing migrations in one transaction, and returns their names. If several processes start at the same
 * time, one applies them, and the others wait and find nothing to do. While another session uses a table that a
 * migration changes, it calls `onWait` and retries; meanwhile, other statements wait for a second at most.
 *
 * @throws {MigrationError} when another program made the database, or a newer version on whose schema this one can't
 * run;
 *   when the server is too old, and when this role may not change the schema
 */
export async function migrate(
  sql: Sql,
  { onWait, directory }: { onWait?: () => void; directory?: string } = {},
): Promise<string[]> {
  const migrations = listMigrations(directory)
  for (; ; await sleep(lockRetryIntervalMs)) {
    try {
      return await applyMissing(sql, migrations)
    } catch (error) {
      if (readCode(error) !== lockNotAvailable) throw error
      onWait?.()
    }
  }
}

async function applyMissing(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  const missing = await readMissing(sql, migrations)
  if (missing.length === 0) return [] // which needs no right to change the schema
  await assertOwnSchema(sql, missing)
  try {
    return await beginLong(sql, (tx) => applyInTransaction(tx, migrations))
  } catch (error) {
    if (readCode(error) !== insufficientPrivilege) throw error
    throw new MigrationError(
      `The database ${describeLack(missing)}, and this role may not change it (${getMessage(error)}); ` +
        `run as the role that owns the schema: ${devdataCommand('migrate')}`,
    )
  }
}

/** Throws `MigrationError` when this role would create tables in another schema than that of the devdata it finds. */
async function assertOwnSchema(sql: Sql, missing: readonly string[]): Promise<void> {
  if (missing.length === listMigrations().length) return // it finds none
  const [other] = await sql<{ found: string; own: string }[]>`
    select nspname as found, current_schema() as own from pg_class c join pg_namespace n on n.oid = relnamespace
    where c.oid = to_regclass('migrations') and nspname <> current_schema()`
  if (other === undefined) return
  throw new MigrationError(
    `The database ${describeLack(missing)}. Its schema is ${other.found}, and this role creates tables in ${other.own}; ` +
      `run as the role that owns the schema, or set its search_path: ${devdataCommand('migrate')}`,
  )
}

/** Names the migrations that a database lacks. Throws as `migrate` does, but for rights. */
export async function readMissing(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  await assertServerVersion(sql)
  return findMissing(await readApplied(sql), migrations)
}

/** Throws `MigrationError` when this version can't run on the schema of a newer one. */
function findMissing(applied: readonly Applied[], migrations: readonly Migration[]): string[] {
  const state = compare(applied, migrations)
  assertCompatible(state, migrations)
  return state.missing
}

async function applyInTransaction(tx: SqlOrTransaction, migrations: readonly Migration[]): Promise<string[]> {
  await tx`select pg_advisory_xact_lock(${migrationLock})`
  await tx`
    create table if not exists migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      compatible_since integer not null,
      applied_at timestamptz not null default now()
    )`
  const missing = findMissing((await selectApplied(tx)) ?? [], migrations)
  const chosen = migrations.filter(({ name }) => missing.includes(name))
  await lockTables(tx, chosen)
  for (const { number, name, sql, checksum, compatibleSince } of chosen) {
    await tx.unsafe(sql)
    await tx`
      insert into migrations (number, name, checksum, compatible_since)
      values (${number}, ${name}, ${checksum}, ${compatibleSince})`
  }
  return missing
}

/**
 * Statements that lock a table against requests; its name follows. In a comment, they may be followed by a word that no
 * table has. A storage parameter alone needs a lock that no request waits for.
 */
const lockingStatements =
  /\b(?:alter table|create (?:unique )?index on|references) (\w+)\b(?! set \(\w+ = \w+\);)/g

/** The names of tables that a migration alters in any way, and other quoted words. */
const namingStatements = /(?<=')\w+(?=')|(?<=\b(?:alter table|create (?:unique )?index on|references) )\w+/g

/** The tables that `migrate` locks against requests for a migration, if the database has them. */
export function listLocked({ sql }: Migration): string[] {
  return [...sql.matchAll(lockingStatements)].map(([, table = '']) => table)
}

/**
 * Locks all tables that migrations change, or none. If this waited for longer than `deadlock_timeout`, a second, a
 * request that holds one of them and waits for another would fail. Only an autovacuum gives way after that time, so a
 * lock that no request waits for comes first, also of tables that a `do` block alters by their quoted names. A change of
 * the dataset takes such locks in its own order, so it must have ended.
 */
async function lockTables(tx: SqlOrTransaction, migrations: readonly Migration[]): Promise<void> {
  const listTables = async (names: string[]): Promise<string> => {
    const [found] = await tx<{ tables: string }[]>`
      select coalesce(string_agg(quote_ident(relname), ', ' order by relname), '') as tables from pg_class
      where relkind = 'r' and relnamespace = quote_ident(current_schema())::regnamespace and relname = any(${tx.typed.texts(names)})`
    return found?.tables ?? ''
  }
  const named = await listTables(migrations.flatMap(({ sql }) => sql.match(namingStatements) ?? []))
  if (named === '') return
  const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${changeLock}) as taken`
  if (lock?.taken !== true) throw new LockTimeoutError()
  await tx`set local lock_timeout = '1500ms'`
  await tx.unsafe(`lock table ${named} in share update exclusive mode`)
  const tables = await listTables(migrations.flatMap(listLocked))
  if (tables === '') return
  await tx`set local statement_timeout = '800ms'`
  await tx.unsafe(`lock table ${tables} in access exclusive mode`).catch((error: unknown) => {
    throw readCode(error) === queryCanceled ? new LockTimeoutError() : error
  })
  await tx`set local statement_timeout = 0`
}

/** Other sessions held a table for too long. `migrate` retries. */
class LockTimeoutError extends Error {
  readonly code = lockNotAvailable
}
