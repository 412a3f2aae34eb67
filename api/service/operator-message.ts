/**
 * Turns errors that an operator can fix into one-line messages.
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
import { ExportError } from '../export/ndjson.ts'
import { GitError } from '../import/git/git-process.ts'
import { ImportError } from '../import/import-error.ts'
import { KeyError } from '../ledger/keys.ts'

/** The service can't listen on `HOST` and `PORT`. The message names the setting. */
class ListenError extends Error {
  override name = 'ListenError'
}

/** Our errors whose message says what to do. */
const fixableErrors = [
  ConfigError,
  DriverError,
  EmbeddedDatabaseError,
  ExportError,
  GitError,
  ImportError,
  KeyError,
  ListenError,
  MigrationError,
]

/** PostgreSQL's codes for rights, names and modes, which the operator decides. */
const refusals = /^(28...|3D000|42501|25006)$/
const diskFull = '53100'

/** Deno's message for a missing permission, which other messages may contain. */
const denoRefusal = /Requires (\w+) access to (.+?), run again with the --allow-\w+ flag/

/** One line for an error that an operator can fix; undefined for a defect of ours, which needs its stack trace. */
export function toOperatorMessage(error: unknown): string | undefined {
  return findExplanation(error)?.replace(
    denoRefusal,
    (_, permission, resource) =>
      `Deno has no "${permission}" permission for ${resource}: add it to "${permission}" of the task's permissions in ` +
      'deno.json; a data folder or a socket needs both "read" and "write"',
  )
}

/** Ends the process with one line if Deno refuses access inside a timer, where the driver connects to sockets. */
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
  if (isDatabaseUnavailable(error)) return `The database is unreachable: ${describeFailure(error)}`
  return undefined
}

/** Whether the database may become available by itself. A read-only one may be a standby about to be promoted. */
export function isWorthRetrying(error: unknown): error is Error {
  return error instanceof Error && isDatabaseUnavailable(error) && !isCertificateError(error)
}

/** Explains an error of listening; other errors are returned unchanged. */
export function explainListenError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const { code, message } = error
  if (code === 'EADDRINUSE') {
    return new ListenError(
      `PORT: another process uses it (${message}); stop that process, or set another PORT`,
    )
  }
  if (code === 'EACCES') {
    return new ListenError(`PORT: this user may not listen on it (${message}); set a PORT above 1023`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new ListenError(`HOST: it is not an address of this machine (${message})`)
  }
  return error
}

function isDiskFull(error: Error): boolean {
  return error instanceof postgres.PostgresError && error.code === diskFull
}

/** A failed file-system call names a path; so does a failed connection to a Unix socket, which isn't a file error. */
function isFileError(error: Error): boolean {
  return 'code' in error && 'syscall' in error && 'path' in error && error.syscall !== 'connect'
}
