/**
 * What can go wrong outside the program, in words for the person who runs it.
 *
 * @module
 */
import postgres from 'postgres'
import { ConfigError } from './config.ts'
import { AddressError } from './database/address.ts'
import { describeFailure, isCertificateError, isDatabaseUnavailable } from './database/connection-error.ts'
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
  if (error instanceof AddressError) return `${error.setting}: its value is wrong: it ${error.message}`
  if (error instanceof postgres.PostgresError && refusals.test(error.code)) {
    return `DATABASE_URL: the database refuses: ${error.message}`
  }
  if (isCertificateError(error)) {
    return `DATABASE_URL: the server's certificate is not trusted: ${error.message}; see sslrootcert and sslmode`
  }
  if (isFileError(error)) return error.message
  if (isDatabaseUnavailable(error)) return `The database does not answer: ${describeFailure(error)}`
  return undefined
}

/** Whether the database is away for a while, and is worth waiting for: not when it, or who runs it, has to be changed. */
export function isWorthWaiting(error: unknown): error is Error {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false
  const isReadOnly = 'code' in error && error.code === '25006' // a standby that is about to be promoted
  return isReadOnly || explainFailure(error)?.startsWith('The database does not answer') === true
}

/** A failed call of the file system names the file; a failed connection names an address. */
function isFileError(error: Error): boolean {
  return 'code' in error && 'syscall' in error && 'path' in error && error.syscall !== 'connect'
}
