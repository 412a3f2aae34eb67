/**
 * What can go wrong outside the program, in words for the person who runs it.
 *
 * @module
 */
import postgres from 'postgres'
import { ConfigError } from './config.ts'
import { isDatabaseUnavailable } from './database/connect.ts'
import { EmbeddedDatabaseError } from './database/embedded.ts'
import { MigrationError } from './database/migrate.ts'
import { GitError } from './import/git/git-process.ts'
import { ImportError } from './import/import-error.ts'
import { KeyError } from './ledger/keys.ts'

/** Errors of ours whose message says what to do. */
const mendable = [ConfigError, EmbeddedDatabaseError, GitError, ImportError, KeyError, MigrationError]

/** PostgreSQL's codes for what the deployer decides: who may connect, to which database, with which rights. */
const refusals = /^(28...|3D000|42501|25006)$/

/** One line for what a deployer can mend; undefined for a defect of ours, whose stack trace is wanted. */
export function explainFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (mendable.some((type) => error instanceof type)) return error.message
  if (error instanceof postgres.PostgresError && refusals.test(error.code)) {
    return `DATABASE_URL: the database refuses: ${error.message}`
  }
  if (isFileError(error)) return error.message
  if (isDatabaseUnavailable(error)) return `The database does not answer: ${describe(error)}`
  return undefined
}

/** A failed call of the file system names the file; a failed connection names an address. */
function isFileError(error: Error): boolean {
  return 'code' in error && 'syscall' in error && 'path' in error && error.syscall !== 'connect'
}

/** A host of several addresses fails with an error for each, and no words of its own. */
function describe(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ')
}
