/**
 * Parses `DATABASE_URL` as libpq does: server, credentials, TLS and session parameters.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** Values of `sslmode`. `require` doesn't check the certificate. */
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof tlsModes)[number]

/** Whether statements are prepared; `auto`: unless there is a pooler in front of the server. */
export const preparedStatements = ['on', 'off', 'auto'] as const
export type PreparedStatements = (typeof preparedStatements)[number]

/** A parsed URL. */
export interface ConnectionUrl {
  host: string
  port: number
  /** A Unix socket instead of host and port. */
  socketPath: string | undefined
  /** 0: no limit. Undefined: our default. */
  connectTimeoutSeconds: number | undefined
  /** Undefined, like the next two: the driver's default, such as `PGUSER`. */
  user: string | undefined
  password: string | undefined
  database: string | undefined
  tls: TlsMode
  /** Files in PEM form. */
  tlsFiles: { ca: string | undefined; cert: string | undefined; key: string | undefined }
  /** Parameters of the session, such as `search_path`. */
  parameters: Record<string, string>
}

/** The URL can't be used. The message says why, without the URL because it may have a password. */
export class ConnectionUrlError extends Error {
  override name = 'ConnectionUrlError'
  /** Name of the setting with the URL. */
  readonly setting: string

  constructor(message: string, setting = 'DATABASE_URL') {
    super(message)
    this.setting = setting
  }
}

/** Query parameters of libpq that have no effect here. */
const ignoredParameters = new Set(['channel_binding', 'gssencmode', 'sslcompression', 'sslsni'])

const urlRule = 'must be a URL such as postgres://user:password@host:5432/name'
const portRule = 'must have a port from 1 to 65535'

/** Parses a URL. Throws `ConnectionUrlError`, whose message continues the name of the setting. */
export function parseConnectionUrl(text: string): ConnectionUrl {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ConnectionUrlError(urlRule)
  if (!URL.canParse(text)) {
    const isPortWrong = URL.canParse(text.replace(/(?<=\/\/[^/?#]*):[^:/?#@]*(?=[/?#]|$)/, ''))
    throw new ConnectionUrlError(isPortWrong ? portRule : urlRule)
  }
  const url = new URL(text)
  const query = new Map(url.searchParams)
  const take = (name: string) => {
    const value = query.get(name)
    query.delete(name)
    return value === '' ? undefined : value
  }
  const host = take('host') ?? unescapePart(url.hostname)
  const port = readPort(take('port') ?? (url.port || '5432'))
  const connectTimeoutSeconds = readConnectTimeout(take('connect_timeout'))
  const ca = take('sslrootcert')
  const tls = readTlsMode(take('sslmode'), ca)
  if (query.get('channel_binding') === 'require') {
    throw new ConnectionUrlError('must be without channel_binding=require, which is not supported')
  }
  for (const name of ignoredParameters) query.delete(name)
  const tlsFiles = { ca: ca === 'system' ? undefined : ca, cert: take('sslcert'), key: take('sslkey') }
  if ((tlsFiles.cert === undefined) !== (tlsFiles.key === undefined)) {
    throw new ConnectionUrlError('must have both sslcert and sslkey, or neither')
  }
  if (tlsFiles.cert !== undefined && (tls === 'disable' || tls === 'prefer')) {
    throw new ConnectionUrlError('must have an sslmode of require, verify-ca or verify-full beside sslcert')
  }
  if (query.has('sslpassword')) {
    throw new ConnectionUrlError('must be without sslpassword: an sslkey with a passphrase is not supported')
  }
  return {
    host: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port,
    socketPath: host.startsWith('/') ? `${host.replace(/\/$/, '')}/.s.PGSQL.${port}` : undefined,
    connectTimeoutSeconds,
    user: take('user') ?? (unescapePart(url.username) || undefined),
    password: take('password') ?? (unescapePart(url.password) || undefined),
    database: take('dbname') ?? (unescapePart(url.pathname.slice(1)) || undefined),
    tls,
    tlsFiles,
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

/** Like libpq: with a CA, `require` checks the certificate; the system's CAs always imply the full check. */
function readTlsMode(value: string | undefined, ca: string | undefined): TlsMode {
  const mode = tlsModes.find((mode) => mode === value)
  if (value !== undefined && mode === undefined) {
    throw new ConnectionUrlError(`must have an sslmode of ${tlsModes.join(', ')}`)
  }
  if (ca === 'system') return 'verify-full'
  if (mode === 'require' && ca !== undefined) return 'verify-ca'
  return mode ?? 'disable'
}

function unescapePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConnectionUrlError('must have a literal % written as %25')
  }
}

/** Returns the driver's `ssl` option. Throws `ConnectionUrlError` if a file can't be read or used. */
export function readTls({ tls, tlsFiles }: ConnectionUrl, setting: string): false | 'prefer' | object {
  if (tls === 'disable') return false
  if (tls === 'prefer') return 'prefer'
  const readPem = (name: 'ca' | 'cert' | 'key') => {
    const path = tlsFiles[name]
    if (path === undefined) return {}
    try {
      return { [name]: readFileSync(path, 'utf8') }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ConnectionUrlError(
        `names a file that can't be read: ${fileSettings[name]}: ${reason}`,
        setting,
      )
    }
  }
  const pem = { ...readPem('ca'), ...readPem('cert'), ...readPem('key') }
  try {
    createSecureContext(pem) // each connection creates one, where an error would be lost
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConnectionUrlError(
      `names certificates or a key that can't be used together: ${reason}`,
      setting,
    )
  }
  return {
    rejectUnauthorized: tls !== 'require',
    ...(tls === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...pem,
  }
}

/** Libpq's names. */
const fileSettings = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' }
