/** Connection pools of postgres.js, to a PostgreSQL server or to the embedded database. */
import { basename } from 'node:path'
import postgres from 'postgres'
import { OperatorError } from '../errors.ts'
import { ConnectionUrlError, parseConnectionUrl, readTls } from './connection-url.ts'
import { dataFiles } from './data-directory.ts'

/** Parameter types beyond strings, numbers and booleans. Arrays are used as `sql.typed.texts(names)`. */
type Types = {
  bigint: number
  texts: readonly string[]
  bigints: readonly number[]
  date: Date | string
  bytea: Uint8Array
  float: number
}

/**
 * 64-bit integers are read as numbers: ours are all safe integers. Arrays have types here because the driver would
 * otherwise ask the server for its array types, one more round trip for each new connection.
 *
 * Settings of a database, a role or a session decide how the server writes times, bytes and floats. A pooler loses what
 * a session sets. So no statement may select one as it is, which would be wrong on some servers alone.
 */
const types: { [Name in keyof Types]: postgres.PostgresType<Types[Name]> } = {
  bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number },
  texts: { to: 1009, from: [1009], serialize: writeTexts, parse: refuse('arrays', 'to_json(…)') },
  bigints: {
    to: 1016,
    from: [1007, 1016], // integer[] too
    serialize: (values: readonly number[]) => `{${values.join(',')}}`,
    parse: refuse('arrays', 'to_json(…)'),
  },
  date: {
    to: 1184,
    from: [1082, 1083, 1114, 1184, 1186, 1266], // dates, times and intervals
    serialize: (time: Date | string) => (time instanceof Date ? time.toISOString() : time), // with any DateStyle, it is read the same
    parse: refuse('times', 'selectTime(…)'),
  },
  bytea: {
    to: 17,
    from: [17],
    serialize: writeBytes,
    parse: refuse('bytes', "encode(…, 'hex')"),
  },
  float: { to: 701, from: [700, 701], serialize: String, parse: refuse('floats', 'a numeric as text') },
}

function writeTexts(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Writes bytes as a parameter of type `bytea`, or within one. */
export function writeBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`
}

function refuse(values: string, select: string): () => never {
  return () => {
    throw new Error(`${values} are not read from the database as they are; select ${select} instead`)
  }
}

/**
 * SQL: a time as ISO 8601 in UTC, to the millisecond, as `Date.toJSON` writes it. It is the same with each `DateStyle`
 * and `TimeZone`.
 */
export function selectTime(sql: SqlOrTransaction, time: Fragment): Fragment {
  return sql`to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A pool of connections. Statements are tagged templates: interpolated values are parameters, never SQL. */
export type Sql = postgres.Sql<Types>

/** A transaction of `Sql`, or `Sql` itself where a statement may run in either. */
export type SqlOrTransaction = postgres.ISql<Types>

/** A part of a statement, to be interpolated into another one. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Throws `OperatorError` if postgres.js lacks our patches, for example after `npm install --ignore-scripts`. */
export function assertPatched(): void {
  if ('response_timeout' in postgres().options) return // the option of a patch; this does not connect
  throw new OperatorError('The installed postgres.js is not patched; run: node patches/apply.mjs')
}

const connectTimeoutSeconds = 10

/** The server closes a connection whose instance reads nothing for this time. */
const unreadTimeoutMs = 10_000

/** Options of all connections. */
const commonOptions = {
  types,
  fetch_types: false,
  connect_timeout: connectTimeoutSeconds,
  // A pooler in transaction mode may lose a statement that is sent before the previous one has its response. With two
  // at a time, the service is no faster. The driver would send two here, too, without
  // patches/postgres-3.4.9/008-one-statement-at-a-time.patch.
  max_pipeline: 1,
  // Constant: requests wait for an attempt, and must soon learn that the database is unavailable, or available again.
  backoff: () => 0.2,
  onnotice: () => {},
}

/** Limits of a pool. */
export interface PoolOptions {
  /** Maximum number of connections. */
  max: number
  /** The server cancels a statement that runs longer; 0: never. */
  statementTimeoutSeconds: number
  /**
   * A connection is closed if the server is silent about a statement for longer. Default: some seconds longer than the
   * statement timeout, because the server must not commit a statement after we gave it up.
   */
  responseTimeoutSeconds?: number
}

/** Default response timeouts exceed statement timeouts by this margin. */
export const responseMarginSeconds = 5

function limitResponse({ statementTimeoutSeconds, responseTimeoutSeconds }: PoolOptions) {
  const byDefault = statementTimeoutSeconds === 0 ? null : statementTimeoutSeconds + responseMarginSeconds
  return { response_timeout: responseTimeoutSeconds ?? byDefault } // patches/postgres-3.4.9/004-response-timeout.patch
}

/** Returns how long a statement of a pool may take, in seconds; null: no limit. */
export function readStatementLimit({ options }: Sql): number | null {
  const responseTimeout = 'response_timeout' in options ? options.response_timeout : null
  return typeof responseTimeout === 'number' ? responseTimeout - responseMarginSeconds : null
}

/** Options of the connections to one server. */
export type Server = ReturnType<typeof describeServer>

/**
 * Reads a URL. Its own connect timeout, if it has one, overrides `timeoutSeconds`.
 *
 * @throws {OperatorError} names the setting
 */
export function describeServer(url: string, setting: string, timeoutSeconds = connectTimeoutSeconds) {
  try {
    const parsed = parseConnectionUrl(url)
    const { host, port, path, user, password, database, tls, parameters } = parsed
    return {
      ...commonOptions,
      connect_timeout: parsed.connectTimeoutSeconds ?? timeoutSeconds,
      host,
      port,
      path,
      password,
      ...(user !== undefined && { user }),
      ...(database !== undefined && { database }),
      ssl: readTls(tls),
      connection: { application_name: 'devdata', ...parameters },
    }
  } catch (error) {
    if (!(error instanceof ConnectionUrlError)) throw error
    throw new OperatorError(`${setting} is invalid: it ${error.message}`)
  }
}

/**
 * Creates a pool to a server. Without `usesSession` nothing is asked of the session: no prepared statements, no timeout
 * and no isolation level.
 */
export function openServerPool(server: Server, options: PoolOptions & { usesSession: boolean }): Sql {
  const { max, usesSession } = options
  // The driver would split a text at the colons of an IPv6 address. It accepts lists, but its types don't have them.
  const place: object = { host: [server.host], port: [server.port] }
  return postgres({
    ...server,
    ...place,
    ...limitResponse(options),
    max,
    prepare: usesSession,
    connection: { ...server.connection, ...(usesSession && createSessionSettings(options)) },
  })
}

/** Settings of a session that is the pool's own. */
function createSessionSettings({ statementTimeoutSeconds }: PoolOptions) {
  return {
    // A settlement waits for locked keys, and must then see what others settled during the wait.
    default_transaction_isolation: 'read committed' as const,
    // Planning a page anew for each request takes longer than reading it. What profits from it says `set local`.
    plan_cache_mode: 'force_generic_plan',
    // A statement that settles holds locks until its rows are sent. The server must not wait for a frozen instance.
    tcp_user_timeout: unreadTimeoutMs,
    statement_timeout: statementTimeoutSeconds * 1000, // also 0: a role may have its own
    idle_session_timeout: 0, // a statement might meet the end of its idle connection
  }
}

/**
 * Creates a pool to the embedded database. While a load is applied, it holds the one session: requests time out, and
 * commands of other processes (`waitsForSession`) wait.
 */
export function openEmbeddedPool(
  socketPath: string,
  options: PoolOptions,
  { waitsForSession }: { waitsForSession: boolean },
): Sql {
  return postgres({
    ...commonOptions,
    ...(waitsForSession ? { connect_timeout: 0 } : limitResponse(options)),
    max: options.max,
    path: socketPath,
    user: 'postgres',
    database: 'postgres',
  })
}

/** Whether the database is the embedded one, which has a single session for all its clients. */
export function isEmbedded({ options }: Pick<Sql, 'options'>): boolean {
  return basename(String(options.path)) === dataFiles.socket
}

/**
 * Creates a function that opens the first connection for reads, so that connecting overlaps with other work. It never
 * rejects: the first read reports what is wrong.
 */
export function createReadConnector({ sql, ledgerSql }: { sql: Sql; ledgerSql: Sql }): () => Promise<void> {
  let connected: Promise<unknown> | undefined
  return async function connectReads() {
    if (sql === ledgerSql) return
    connected ??= sql`select 1`
    await connected.catch(() => {
      connected = undefined
    })
  }
}
