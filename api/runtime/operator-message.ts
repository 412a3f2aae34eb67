/** Turns errors that an operator can fix into one-line messages. */
import process from 'node:process'
import { ConfigError } from '../config.ts'
import {
  describeFailure,
  isCertificateError,
  isDatabaseUnavailable,
  isOutOfResources,
  isSessionRefused,
  isTlsRefused,
} from '../database/connection-error.ts'
import { describeFileError, getMessage, OperatorError, readCode } from '../errors.ts'

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
  if (error.name === 'NotCapable' || error instanceof OperatorError) return error.message
  if (refusals.test(readCode(error)) || isSessionRefused(error)) {
    return `DATABASE_URL: the database refused access: ${error.message}`
  }
  if (isTlsRefused(error)) {
    return 'DATABASE_URL: the server has no TLS, which sslmode requires; turn it on there (ssl = on), or leave sslmode out'
  }
  if (isCertificateError(error)) {
    return `DATABASE_URL: the server's certificate is not trusted: ${error.message}; see sslrootcert and sslmode`
  }
  if (isFileError(error)) return `${error.path}: ${describeFileError(error)}`
  if (readCode(error) === diskFull) return `The database's disk is full: ${describeFailure(error)}`
  if (isOutOfResources(error))
    return `The database lacks memory, connections or time: ${describeFailure(error)}`
  if (isDatabaseUnavailable(error)) return `The database is unreachable: ${describeFailure(error)}`
  return undefined
}

/** Whether the database may become available by itself. A read-only one may be a standby about to be promoted. */
export function isWorthRetrying(error: unknown): error is Error {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false
  return !isCertificateError(error) && !isTlsRefused(error) && !isSessionRefused(error)
}

/** Explains an error of listening on `HOST` and `PORT`; other errors are returned unchanged. */
export function explainListenError(error: unknown): unknown {
  const message = getMessage(error)
  switch (readCode(error)) {
    case 'EADDRINUSE':
      return new ConfigError(
        `PORT is in use by another process (${message}); stop that process, or set another PORT`,
      )
    case 'EACCES':
      return new ConfigError(`PORT is not allowed for this user (${message}); set a PORT above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EINVAL': // of node:http on Deno
      return new ConfigError(`HOST is not an address of this machine (${message})`)
    default:
      return error
  }
}

/** A failed file-system call names a path; so does a failed connection to a Unix socket, which isn't a file error. */
function isFileError(error: Error): error is Error & { path: unknown } {
  return 'code' in error && 'syscall' in error && 'path' in error && error.syscall !== 'connect'
}
