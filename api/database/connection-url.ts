/**
 * Parses `DATABASE_URL` as libpq does: server, credentials, TLS and session settings. A parameter that can't be honored
 * is refused, unless ignoring it is harmless.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { describeFileError, getMessage } from '../errors.ts'

/** Values of `sslmode`. `require` doesn't check the certificate. */
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Parameters that are sent to the server. `options` has any others: `-c work_mem=5MB`. */
const sessionParameters = ['application_name', 'options', 'search_path'] as const

/**
 * Parameters of libpq without effect here, with the values that ask for no protection, server or encoding that is
 * lacking.
 */
const harmlessParameters = new Map([
  ...[
    'fallback_application_name',
    'keepalives',
    'keepalives_count',
    'keepalives_idle',
    'keepalives_interval',
    'load_balance_hosts',
    'sslcompression',
    'tcp_user_timeout',
  ].map((name) => [name, /^/] as const),
  ['channel_binding', /^(prefer|disable)$/],
  ['client_encoding', /^utf-?8$/i],
  ['gssencmode', /^(prefer|disable)$/],
  ['sslnegotiation', /^postgres$/],
  ['sslsni', /^1$/],
  ['target_session_attrs', /^any$/],
])

/** What to do instead of a parameter that other clients have. */
const replacements = new Map([
  ['connection_limit', 'set DATABASE_POOL_SIZE'],
  ['currentSchema', 'write search_path instead'],
  ['pgbouncer', 'the service finds out by itself'],
  ['schema', 'write search_path instead'],
  ['statement_timeout', 'set DATABASE_STATEMENT_TIMEOUT_SECONDS'],
])

/** The URL can't be used. The message continues the name of the setting, without the URL, which may have a password. */
export class ConnectionUrlError extends Error {
  override name = 'ConnectionUrlError'
}

const urlRule = 'must be a URL such as postgres://user:password@host:5432/name'
const portRule =
  'must have a port from 1 to 65535; if .env has the URL and its password has a #, write %23, because a # begins a comment'
const oneHostRule =
  'must name one host; instead of several, name one that always leads to the primary, and set ' +
  'DATABASE_REPLICA_URL to streaming replicas'

type Take = (name: string) => string | undefined

/** Parses a URL. What is undefined is up to the driver, such as `PGUSER`. Throws `ConnectionUrlError`. */
export function parseConnectionUrl(text: string) {
  const parts = splitUrl(text)
  const query = splitQuery(parts.query)
  const take: Take = (name) => {
    const value = query.get(name)
    query.delete(name)
    return value || undefined
  }
  const host = readHost(take('host') ?? unescapePart(parts.host))
  const port = readPort(take('port') ?? (parts.port || '5432'))
  const path = host.startsWith('/') ? `${host.replace(/\/$/, '')}/.s.PGSQL.${port}` : undefined
  const connectTimeoutSeconds = readConnectTimeout(take('connect_timeout'))
  const tls = takeTls(take)
  const parsed = {
    host,
    port,
    /** A Unix socket instead of host and port. */
    path,
    /** 0: no limit. */
    connectTimeoutSeconds,
    user: take('user') ?? (unescapePart(parts.user) || undefined),
    password: take('password') ?? (unescapePart(parts.password) || undefined),
    database: take('dbname') ?? (unescapePart(parts.database) || undefined),
    /** None on a Unix socket. */
    tls: path === undefined ? tls : ({ ...tls, mode: 'disable' } as const),
    /** Settings of the session, such as `search_path`. */
    parameters: takeSessionParameters(take),
  }
  for (const [name, value] of query) assertHarmless(name, value)
  return parsed
}

/** Splits a URL into its parts, which are still escaped. They may be empty. */
function splitUrl(text: string) {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text) ?? []
  if (rest === undefined) throw new ConnectionUrlError(urlRule)
  // An unescaped character in a password would make a part of it a host or a parameter, which messages show.
  if (!/^[^@/?]*(@[^@/?]*)?([/?][^@]*)?$/s.test(rest)) {
    throw new ConnectionUrlError(
      'must have @, / and ? in a user name or password written as %40, %2F and %3F',
    )
  }
  const [, user = '', password = '', place = '', database = '', query = ''] =
    /^(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? []
  if (place.includes(',')) throw new ConnectionUrlError(oneHostRule)
  const [, host, port = ''] = /^(\[[^[\]]*\]|[^:[\]]*)(?::(.*))?$/s.exec(place) ?? []
  if (host === undefined) throw new ConnectionUrlError(urlRule)
  return { user, password, host, port, database, query }
}

/** The parameters. The last of several with one name counts. */
function splitQuery(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '')
  return new Map(
    pairs.map((pair) => {
      const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(pair) ?? []
      if (name === undefined) throw new ConnectionUrlError('must have parameters such as connect_timeout=5')
      return [name, unescapePart(value)]
    }),
  )
}

function readHost(text: string): string {
  if (text.includes(',')) throw new ConnectionUrlError(oneHostRule)
  const host = text.replace(/^\[(.*)\]$/, '$1') || 'localhost'
  if (host.startsWith('/') || /^[\p{L}\p{N}._:%-]+$/u.test(host)) return host
  throw new ConnectionUrlError('must have a host that is a name, an IP address, or the folder of a socket')
}

function readPort(text: string): number {
  if (text.includes(',')) throw new ConnectionUrlError(oneHostRule)
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
  const ssl = take('ssl') // of JDBC, which libpq accepts if it is true
  const given = take('sslmode') ?? (ssl === 'true' ? 'require' : (ssl ?? 'disable'))
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

function takeSessionParameters(take: Take): Record<string, string> {
  const given = sessionParameters.map((name) => [name, take(name)] as const)
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Throws `ConnectionUrlError` for a parameter that must not be ignored. */
function assertHarmless(name: string, value: string): void {
  const harmless = harmlessParameters.get(name)
  if (harmless === undefined) {
    const advice = replacements.get(name) ?? 'write a setting of the session as options=-c%20NAME%3DVALUE'
    throw new ConnectionUrlError(`must be without the parameter ${name}, which is not supported; ${advice}`)
  }
  if (value !== '' && !harmless.test(value)) {
    throw new ConnectionUrlError(`must be without ${name}=${value}, which is not supported`)
  }
}

function unescapePart(text: string): string {
  if (text.includes('%00')) throw new ConnectionUrlError('must be without %00')
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
