/** Classifies errors of statements. */
import postgres from 'postgres'
import { getMessage, readCode } from '../errors.ts'

const connectionErrorCodes = new Set([
  'RESPONSE_TIMEOUT', // patches/postgres-3.4.9
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'TLS_REFUSED', // patches/postgres-3.4.9
])
/** SQLSTATE classes: connection exception, insufficient resources, operator intervention. */
const unavailableClasses = new Set(['08', '53', '57'])

/** SQLSTATE of a lock timeout. */
export const lockNotAvailable = '55P03'

/** SQLSTATE of a role that lacks a right. */
export const insufficientPrivilege = '42501'

/** SQLSTATE of a statement that took longer than its limit. */
export const queryCanceled = '57014'
const readOnlyTransaction = '25006' // the server is a standby, or set read-only

/** Node's codes for certificates that TLS rejects (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const certificateCodes = /CERT|_CA$|_CRL|HOSTNAME_MISMATCH|LEAF_SIGNATURE|INVALID_PURPOSE|PATH_LENGTH/

/** Whether TLS rejected the server's certificate. */
export function isCertificateError(error: unknown): boolean {
  return certificateCodes.test(readCode(error))
}

/** Whether the server has no TLS, which the connection's URL requires. */
export function isTlsRefused(error: unknown): boolean {
  return readCode(error) === 'TLS_REFUSED'
}

/** Whether the server, or a pooler, refuses the session that the URL asks for, for example because of `options`. */
export function isSessionRefused(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false
  // PgBouncer also has this code for what passes.
  if (error.code === '08P01') return error.message.startsWith('unsupported startup parameter')
  return error.severity === 'FATAL' && !isOfUnavailableClass(error.code)
}

/**
 * Whether the database is unavailable, overloaded, or refuses the session, as opposed to a wrong statement. A running
 * instance can lose its access, for example because the role has another password.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = readCode(error)
  if (connectionErrorCodes.has(code) || isCertificateError(error) || isSessionRefused(error)) return true
  // The socket of the embedded database is missing. Other missing files have nothing to do with the database.
  if (code === 'ENOENT') return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
  if (code === readOnlyTransaction || code === lockNotAvailable) return true
  return isOfUnavailableClass(code)
}

function isOfUnavailableClass(code: string): boolean {
  return code.length === 5 && unavailableClasses.has(code.slice(0, 2))
}

/** Whether the database is available but lacks disk, memory or time for a statement. Small reads may still succeed. */
export function isOutOfResources(error: unknown): boolean {
  const code = readCode(error)
  return code.startsWith('53') || code === queryCanceled
}

/** Whether an error comes from the database or from the connection to it. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof postgres.PostgresError || isDatabaseUnavailable(error)
}

/**
 * Returns an error's message, with PostgreSQL's hint, or those of all attempts to reach a host with several addresses.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof postgres.PostgresError && error.hint) return `${error.message}; ${error.hint}`
  return error instanceof AggregateError ? error.errors.map(getMessage).join('; ') : getMessage(error)
}
