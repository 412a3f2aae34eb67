/** The database session of a command. */
import { constants } from 'node:os'
import { resolve } from 'node:path'
import process from 'node:process'
import { type Config, readConfig, readEnvironment } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { hasDatabase } from '../database/data-directory.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts'
import { assertMigrated, migrate } from '../database/migrate.ts'
import { OperatorError } from '../errors.ts'

/** Another process may stop its embedded database while this one connects. */
const openAttempts = 5
/** How long a finished command keeps its embedded database running for other processes. */
const othersTimeoutMs = 3_600_000

export interface SessionOptions {
  /** Whether the schema may be that of another version. */
  anySchema?: boolean
  /** Whether to disable the statement timeout. */
  longStatements?: boolean
  /** Whether the command has a use for a new, empty database. The others refuse to create an embedded one. */
  createsDatabase?: boolean
}

export interface Session {
  config: Config
  sql: Sql
  /** Sets what to do on interruption. The connections of `sql` are closed then, so it gets another pool. */
  onInterruption(cleanUp: (sql: Sql) => Promise<void>): void
}

/** The command received a signal. */
export class Interruption extends Error {
  override name = 'Interruption'
  /** 128 plus the signal's number, as in shells. */
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted')
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * Reads the settings, opens the database, runs `work`, and closes the database in any case.
 *
 * Migrates an embedded database first, unless another process runs it. Never migrates a PostgreSQL database, which may
 * be the wrong one, or may be used by instances of another version.
 *
 * @throws what `openDatabase` throws, `ConfigError`, `OperatorError` when there is no embedded database and the command
 *   doesn't create one, `MigrationError` when the schema is not that of this version, and `Interruption` on SIGINT and
 *   SIGTERM, which close the connections and roll transactions back
 */
export async function withDatabase<T>(
  { anySchema = false, longStatements = false, createsDatabase = false }: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = readConfig(readEnvironment(process.env))
  const { databaseUrl, dataDirectory } = config
  const isNew = databaseUrl === undefined && !hasDatabase(dataDirectory)
  if (isNew && !createsDatabase) {
    throw new OperatorError(
      `There is no database in ${dataDirectory}; check DATA_DIR and DATABASE_URL. To create one, start the service, create a key, or load data`,
    )
  }
  const database = await openReady(
    {
      ...config,
      databasePoolSize: 3, // two for the command, one for `onInterruption`
      ...(longStatements && { databaseStatementTimeoutSeconds: 0 }),
    },
    anySchema,
  )
  if (isNew)
    console.error(
      `Created an empty database in ${resolve(dataDirectory)} (DATA_DIR), because DATABASE_URL is not set`,
    )
  else if (process.stderr.isTTY) console.error(`Database: ${describeDatabase(config, database)}`)
  const interruption = listenForInterruption(database)
  let isInterrupted = false
  let cleanUp = async (_sql: Sql): Promise<void> => {}
  const onInterruption = (next: typeof cleanUp) => {
    cleanUp = next
  }
  try {
    return await Promise.race([interruption.promise, work({ config, sql: database.sql, onInterruption })])
  } catch (error) {
    isInterrupted = error instanceof Interruption
    if (isInterrupted) await cleanUp(database.ledgerSql)
    throw error
  } finally {
    interruption.ignore() // from now on, a signal ends the process: closing may wait for others that use the database
    await database.close(isInterrupted ? {} : { othersTimeoutMs })
  }
}

/** Says where the database is, without a password. A person may be in another folder, or have other variables, than they think. */
function describeDatabase({ databaseUrl, dataDirectory }: Config, { sql }: Database): string {
  if (databaseUrl === undefined) return `embedded, in ${resolve(dataDirectory)}`
  const { database, host, port, path } = sql.options
  return `${database} on ${path || `${host}:${port}`}`
}

/**
 * Opens the database, and migrates or checks its schema. If another process stops its embedded database before this
 * one has connected, this process opens it.
 */
async function openReady(options: DatabaseOptions, anySchema: boolean): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    const database = await openDatabase(options)
    try {
      await database.detectPooler()
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

/** A second signal has no listener, and ends the process immediately. */
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
