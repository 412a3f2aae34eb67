/**
 * A command's time with the database.
 *
 * @module
 */
import { constants } from 'node:os'
import process from 'node:process'
import { type Config, readConfig, readEnvironment } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts'
import { assertMigrated, migrate } from '../database/migrate.ts'

/** How often another process may end while this one connects to its embedded database. */
const openAttempts = 5
/** A command that is done leaves the embedded database, which it runs, to others for so long, in milliseconds. */
const othersTimeoutMs = 3_600_000

/** What a command needs of the database. */
export interface SessionOptions {
  /** Whether the command itself sees to the schema. Default: it expects this version's. */
  anySchema?: boolean
  /** Whether statements may take longer than those of a request. */
  longStatements?: boolean
}

/** What a command works with. */
export interface Session {
  config: Config
  sql: Sql
  /** Has something done when the command is interrupted: connections of `sql` are cut off then, these are others. */
  onInterruption(cleanUp: (sql: Sql) => Promise<void>): void
}

/** The command was told to stop before it was done. */
export class Interruption extends Error {
  override name = 'Interruption'
  /** 128 and the signal's number, as shells have it. */
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted')
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * Reads the settings, opens the database, runs `work`, and closes the database whatever happens.
 *
 * The schema of an embedded database that nobody else runs is brought up to date first; it is this folder's own. A
 * PostgreSQL database, which may be the wrong one or have instances of another version on it, is only looked at.
 *
 * @throws what `openDatabase` throws, `ConfigError`, `MigrationError` when the schema is not that of this version,
 *   and `Interruption` on SIGINT and SIGTERM: statements under way are cut off, and their transactions undone
 */
export async function withDatabase<T>(
  { anySchema = false, longStatements = false }: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = readConfig(readEnvironment(process.env))
  const database = await openReady(
    {
      ...config,
      databasePoolSize: 3, // two for the command, which opens what it needs, and one for what an interruption leaves
      ...(longStatements && { databaseStatementTimeoutSeconds: 0 }),
    },
    anySchema,
  )
  const interruption = listenForInterruption(database)
  let isInterrupted = false
  let cleanUp = async (_sql: Sql): Promise<void> => {}
  const session: Session = {
    config,
    sql: database.sql,
    onInterruption(next) {
      cleanUp = next
    },
  }
  try {
    return await Promise.race([interruption.promise, work(session)])
  } catch (error) {
    isInterrupted = error instanceof Interruption
    if (isInterrupted) await cleanUp(database.ledgerSql)
    throw error
  } finally {
    await database.close(isInterrupted ? {} : { othersTimeoutMs })
    interruption.ignore()
  }
}

/**
 * Opens the database, and sees to its schema. Another command that ran the embedded database may be ending just now:
 * then it is opened anew, by this process.
 */
async function openReady(options: DatabaseOptions, anySchema: boolean): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    const database = await openDatabase(options)
    try {
      await database.adapt()
      if (anySchema) await database.sql`select 1`
      else if (database.owned) await migrate(database.sql)
      else await assertMigrated(database.sql)
      return database
    } catch (error) {
      await database.close()
      const left = database.kind === 'embedded' && !database.owned && isDatabaseUnavailable(error)
      if (!left || attempt === openAttempts) throw error
    }
  }
}

/** A second signal finds no listener any more, and ends the process at once. */
function listenForInterruption({ sql }: Database) {
  const { promise, reject } = Promise.withResolvers<never>()
  function interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    ignore()
    reject(new Interruption(signal))
    void sql.end({ timeout: 0 })
  }
  function ignore(): void {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { promise, ignore }
}
