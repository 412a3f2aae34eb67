/** The wait for the database at the start of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate, migrationWaits, readSchemaState } from '../database/migrate.ts'
import { isWorthRetrying } from './operator-message.ts'

/** Interval between attempts to reach the database. */
const retryIntervalMs = 500

/** Waits until the database is reachable, and migrates it. Reports each reason for waiting once in a row. */
export async function waitForDatabase(
  config: Config,
  database: Database,
  report: (reason: string) => void,
): Promise<void> {
  let lastReason: string | undefined
  function reportOnce(reason: string): void {
    if (reason !== lastReason) report(reason)
    lastReason = reason
  }
  for (; ; await sleep(retryIntervalMs)) {
    try {
      await database.detectPooler()
      const { missing } = await readSchemaState(database.sql)
      if (missing.length === 0 || database.kind === 'embedded') await migrate(database.sql)
      else await migrateWithoutTimeout(config, () => reportOnce(migrationWaits))
      return
    } catch (error) {
      if (database.kind === 'embedded' || !isWorthRetrying(error)) throw error
      reportOnce(describeFailure(error))
    }
  }
}

/**
 * Migrates on a connection without a time limit: a migration, or waiting for that of another instance, may take long.
 */
async function migrateWithoutTimeout(config: Config, onWait: () => void): Promise<void> {
  const database = await openDatabase({
    ...config,
    databasePoolSize: 1,
    databaseStatementTimeoutSeconds: 0,
    databaseReplicaUrls: [],
  })
  try {
    await database.detectPooler()
    await migrate(database.sql, { onWait })
  } finally {
    await database.close()
  }
}
