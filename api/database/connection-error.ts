/**
 * What an error of a statement says about the database.
 *
 * @module
 */
import postgres from 'postgres'

const connectionErrorCodes = new Set([
  'ANSWER_TIMEOUT', // patches/postgres-3.4.9
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'TLS_REFUSED', // patches/postgres-3.4.9
])
/** PostgreSQL's classes for: connection exception, insufficient resources, operator intervention. */
const unavailableClasses = new Set(['08', '53', '57'])

/** A lock was not to be had in time. */
export const lockNotAvailable = '55P03'

const queryCanceled = '57014'

/** A read-only database (a standby, or a primary that was set so), and a lock. */
const unavailableCodes = new Set(['25006', lockNotAvailable])

/** What TLS says of a certificate that it does not take (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const certificateCodes = /CERT|_CA$|_CRL|HOSTNAME_MISMATCH|LEAF_SIGNATURE|INVALID_PURPOSE|PATH_LENGTH/

/** Whether an error means that the server's certificate is not to be trusted. */
export function isCertificateError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    certificateCodes.test(error.code)
  )
}

/** Whether an error means that the database is away or overloaded, and not that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isCertificateError(error)) return true
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  if (connectionErrorCodes.has(error.code)) return true
  // The socket of the embedded database is missing; a missing file says nothing of the database.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect'
  if (unavailableCodes.has(error.code)) return true
  return error.code.length === 5 && unavailableClasses.has(error.code.slice(0, 2))
}

/**
 * Whether an error means that the database answers, and has no disk or memory for a statement, or no time: what only
 * reads a little does not notice.
 */
export function isOutOfResources(error: unknown): boolean {
  const code = error instanceof postgres.PostgresError ? error.code : ''
  return code.startsWith('53') || code === queryCanceled
}

/** Whether an error comes from the database, or from the way to it. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof postgres.PostgresError || isDatabaseUnavailable(error)
}

/**
 * What went wrong, with what PostgreSQL advises. A host of several addresses fails with an error for each, and no words
 * of its own.
 */
export function describeFailure(error: Error): string {
  if (error instanceof postgres.PostgresError && error.hint) return `${error.message}; ${error.hint}`
  if (!(error instanceof AggregateError)) return error.message
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ')
}
