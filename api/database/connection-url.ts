/**
 * Parses `DATABASE_URL` as libpq does: server, credentials, TLS and session parameters.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { describeFileError, getMessage } from '../errors.ts'

/** Values of `sslmode`. `require` doesn't check the certificate. */
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** The URL can't be used. The message continues the name of the setting, without the URL, which may have a password. */
export class ConnectionUrlError extends Error {
  override name = 'ConnectionUrlError'
}

const urlRule = 'must be a URL such as postgres://user:password@host:5432/name'
const portRule = 'must have a port from 1 to 65535'

type Take = (name: string) => string | undefined

/** Parses a URL. What is undefined is up to the driver, such as `PGUSER`. Throws `ConnectionUrlError`. */
export function parseConnectionUrl(text: string) {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ConnectionUrlError(urlRule)
  if (!URL.canParse(text)) {
    const isPortWrong = URL.canParse(text.replace(/(?<=\/\/[^/?#]*):[^:/?#@]*(?=[/?#]|$)/, ''))
    throw new ConnectionUrlError(isPortWrong ? portRule : urlRule)
  }
  const url = new URL(text)
  const query = new Map(url.searchParams)
  const take: Take = (name) => {
    const value = query.get(name)
    query.delete(name)
    return value || undefined
  }
  const host = take('host') ?? unescapePart(url.hostname)
  if (host.includes(',')) {
    throw new ConnectionUrlError('must name one host: several, separated by commas, are not supported')
  }
  const port = readPort(take('port') ?? (url.port || '5432'))
  const connectTimeoutSeconds = readConnectTimeout(take('connect_timeout'))
  const tls = takeTls(take)
  if (take('channel_binding') === 'require') {
    throw new ConnectionUrlError('must be without channel_binding=require, which is not supported')
  }
  for (const name of ['gssencmode', 'sslcompression', 'sslsni']) query.delete(name) // of libpq, without effect here
  return {
    host: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port,
    /** A Unix socket instead of host and port. */
    path: host.startsWith('/') ? `${host.replace(/\/$/, '')}/.s.PGSQL.${port}` : undefined,
    /** 0: no limit. */
    connectTimeoutSeconds,
    user: take('user') ?? (unescapePart(url.username) || undefined),
    password: take('password') ?? (unescapePart(url.password) || undefined),
    database: take('dbname') ?? (unescapePart(url.pathname.slice(1)) || undefined),
    tls,
    /** Parameters of the session, such as `search_path`. */
    parameters: Object.fromEntries(query),
  }
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new ConnectionUrlError(portRule)
  return port
}

/** Like libpq: 0 and negative numbers set no limit. */
function readConnectTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,6}$/.test(text)) {
    throw new ConnectionUrlError(
      'must have a connect_timeout of whole seconds, at most 999999; 0 sets no limit',
    )
  }
  return Math.max(0, Number(text))
}

/** Takes the parameters of TLS. The files are in PEM form. */
function takeTls(take: Take) {
  const given = take('sslmode') ?? 'disable'
  const mode = tlsModes.find((mode) => mode === given)
  if (mode === undefined) throw new ConnectionUrlError(`must have an sslmode of ${tlsModes.join(', ')}`)
  const ca = take('sslrootcert')
  const sslcert = take('sslcert')
  const sslkey = take('sslkey')
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw new ConnectionUrlError('must have both sslcert and sslkey, or neither')
  }
  if (take('sslpassword') !== undefined) {
    throw new ConnectionUrlError('must be without sslpassword: an sslkey with a passphrase is not supported')
  }
  // Like libpq: the system's CAs imply the full check; with a CA of a file, `require` checks the certificate.
  if (ca === 'system') return { mode: 'verify-full', sslrootcert: undefined, sslcert, sslkey } as const
  if (sslcert !== undefined && (mode === 'disable' || mode === 'prefer')) {
    throw new ConnectionUrlError('must have an sslmode of require, verify-ca or verify-full beside sslcert')
  }
  const isChecked = mode === 'require' && ca !== undefined
  return { mode: isChecked ? 'verify-ca' : mode, sslrootcert: ca, sslcert, sslkey } as const
}

function unescapePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConnectionUrlError('must have a literal % written as %25')
  }
}

/** Returns the driver's `ssl` option. Throws `ConnectionUrlError` if a file can't be read or used. */
export function readTls(tls: ReturnType<typeof takeTls>): false | 'prefer' | object {
  const { mode } = tls
  if (mode === 'disable') return false
  if (mode === 'prefer') return mode
  const readPem = (name: 'sslrootcert' | 'sslcert' | 'sslkey') => {
    const path = tls[name]
    try {
      return path && readFileSync(path, 'utf8')
    } catch (error) {
      throw new ConnectionUrlError(
        `names a file that can't be read: ${name} ${path}: ${describeFileError(error)}`,
      )
    }
  }
  const pem = { ca: readPem('sslrootcert'), cert: readPem('sslcert'), key: readPem('sslkey') }
  try {
    createSecureContext(pem) // each connection creates one, where an error would be lost
  } catch (error) {
    throw new ConnectionUrlError(
      `names certificates or a key that can't be used together: ${getMessage(error)}`,
    )
  }
  return {
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...pem,
  }
}
