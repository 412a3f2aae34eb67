/**
 * What can go wrong outside the program, in words for the person who runs it.
 *
 * @module
 */
import process from 'node:process'
import postgres from 'postgres'
import { ConfigError } from '../config.ts'
import { DriverError } from '../database/connect.ts'
import { describeFailure, isCertificateError, isDatabaseUnavailable } from '../database/connection-error.ts'
import { ConnectionUrlError } from '../database/connection-url.ts'
import { EmbeddedDatabaseError } from '../database/data-directory.ts'
import { MigrationError } from '../database/migrate.ts'
import { GitError } from '../import/git/git-process.ts'
import { ImportError } from '../import/import-error.ts'
import { KeyError } from '../ledger/keys.ts'

/** Errors of ours whose message says what to do. */
const fixableErrors = [
  ConfigError,
  DriverError,
  EmbeddedDatabaseError,
  GitError,
  ImportError,
  KeyError,
  MigrationError,
]

/** PostgreSQL's codes for what the deployer decides: who may connect, to which database, with which rights. */
const refusals = /^(28...|3D000|42501|25006)$/

/** Deno's own words for an access that its permissions don't allow, which other messages may contain. */
const denoRefusal = /Requires (\w+) access to (.+?), run again with the --allow-\w+ flag/

/** One line for what a deployer can mend; undefined for a defect of ours, whose stack trace is wanted. */
export function toOperatorMessage(error: unknown): string | undefined {
  return findExplanation(error)?.replace(
    denoRefusal,
    (_, permission, what) =>
      `Deno has no "${permission}" permission for ${what}: add it to "${permission}" of the task's permissions in ` +
      'deno.json; a data folder or a socket needs both "read" and "write"',
  )
}

/** Ends the process with a line when Deno refuses what a library does in a timer: the driver connects to sockets there. */
export function explainUnhandledRefusals(): void {
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Error && error.name === 'NotCapable')) throw error
    console.error(toOperatorMessage(error))
    process.exit(1)
  })
}

function findExplanation(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'NotCapable') return error.message
  if (fixableErrors.some((type) => error instanceof type)) return error.message
  if (error instanceof ConnectionUrlError) return `${error.setting}: its value is wrong: it ${error.message}`
  if (error instanceof postgres.PostgresError && refusals.test(error.code)) {
    return `DATABASE_URL: the database refuses: ${error.message}`
  }
  if (isCertificateError(error)) {
    return `DATABASE_URL: the server's certificate is not trusted: ${error.message}; see sslrootcert and sslmode`
  }
  if (isFileError(error)) return error.message
  if (isDiskFull(error)) return `The database's disk is full: ${describeFailure(error)}`
  if (isDatabaseUnavailable(error)) return `The database does not answer: ${describeFailure(error)}`
  return undefined
}

/** Whether the database is away for a while, and is worth waiting for: not when it, or who runs it, has to be changed. */
export function isWorthWaiting(error: unknown): error is Error {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false
  const isReadOnly = 'code' in error && error.code === '25006' // a standby that is about to be promoted
  return (
    isReadOnly ||
    isDiskFull(error) ||
    toOperatorMessage(error)?.startsWith('The database does not answer') === true
  )
}

/** Whether PostgreSQL could not write for want of room. */
function isDiskFull(error: Error): boolean {
  return error instanceof postgres.PostgresError && error.code === '53100'
}

/** A failed call of the file system names the file; a failed connection names an address. */
function isFileError(error: Error): boolean {
  return 'code' in error && 'syscall' in error && 'path' in error && error.syscall !== 'connect'
}
