/**
 * Brings a database's schema up to date: numbered SQL files, each applied once, in order.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql } from './connect.ts'
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

/** Whether a statement failed as it does where a migration is missing; a defect of ours may look the same. */
export function mayLackMigration(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError &&
    [undefinedTable, undefinedColumn, undefinedFunction].includes(error.code)
  )
}

/** The oldest server that the statements run on. */
export const oldestServer = { number: 150_000, name: 'PostgreSQL 15' }

/**
 * The names of the migrations that a database lacks. Those that it has beyond them are a newer version's, which came
 * while this one runs.
 */
export async function findMissingMigrations(sql: Sql): Promise<string[]> {
  const applied = await sql<{ number: number }[]>`select number from migrations`.catch((error: unknown) => {
    if (error instanceof postgres.PostgresError && error.code === undefinedTable) return []
    throw error
  })
  const numbers = new Set(applied.map(({ number }) => number))
  return listMigrations()
    .filter(({ number }) => !numbers.has(number))
    .map(({ name }) => name)
}

/** Throws `MigrationError`, which says what to do, when the database lacks a migration. */
export async function assertMigrated(sql: Sql): Promise<void> {
  const missing = await findMissingMigrations(sql)
  if (missing.length === 0) return
  const state =
    missing.length === listMigrations().length ? 'has no schema of devdata yet' : `lacks ${missing}`
  throw new MigrationError(`The database ${state}; run "devdata migrate" first`)
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
 * Throws `MigrationError` when the database was made by a newer version, or its server is too old.
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
  const all = listMigrations()
  const pending = await sql.begin(async (tx) => {
    const [server] = await tx<{ number: number; name: string }[]>`
      select current_setting('server_version_num')::integer as number, current_setting('server_version') as name`
    if (server === undefined || server.number < oldestServer.number) {
      throw new MigrationError(
        `The server is PostgreSQL ${server?.name}; ${oldestServer.name} or later is needed`,
      )
    }
    await tx`set local statement_timeout = 0` // waiting for another starter, and a long migration, may take longer
    await tx`select pg_advisory_xact_lock(${migrationLock})`
    await tx`set local lock_timeout = '1s'` // whatever else needs the table waits behind a lock that is waited for
    await tx`
      create table if not exists migrations (
        number integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`
    const applied = new Set(
      (await tx<Migration[]>`select number, name from migrations`).map((row) => row.number),
    )
    const newest = all.at(-1)?.number ?? 0
    const unknown = [...applied].filter((number) => number > newest)
    if (unknown.length > 0) {
      throw new MigrationError(
        `The database has migration ${Math.max(...unknown)}, and this version of devdata knows ${newest} at most; ` +
          'run the version that made it, or a newer one',
      )
    }
    const missing = all.filter(({ number }) => !applied.has(number))
    for (const { number, name } of missing) {
      await tx.unsafe(readFileSync(join(migrationsDirectory, name), 'utf8'))
      await tx`insert into migrations (number, name) values (${number}, ${name})`
    }
    return missing
  })
  return pending.map(({ name }) => name)
}
