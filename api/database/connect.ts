/**
 * Connection pools of postgres.js, to a PostgreSQL server or to the embedded database.
 *
 * @module
 */
import { basename } from 'node:path'
import postgres from 'postgres'
import { OperatorError } from '../errors.ts'
import { ConnectionUrlError, parseConnectionUrl, readTls } from './connection-url.ts'
import { dataFiles } from './data-directory.ts'

/** Parameter types beyond strings, numbers, booleans, dates and bytes, used as `sql.typed.texts(names)`. */
type Types = {
  bigint: number
  texts: readonly string[]
  bigints: readonly number[]
}

/**
 * 64-bit integers are read as numbers: ours are all safe integers. Arrays have types here because the driver would
 * otherwise ask the server for its array types, one more round trip for each new connection.
 */
const types: { [Name in keyof Types]: postgres.PostgresType<Types[Name]> } = {
  bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: Number },
  texts: { to: 1009, from: [1009], serialize: writeTexts, parse: refuseArray },
  bigints: {
    to: 1016,
    from: [1007, 1016], // integer[] too
    serialize: (values: readonly number[]) => `{${values.join(',')}}`,
    parse: refuseArray,
  },
}

function writeTexts(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

function refuseArray(): never {
  throw new Error('arrays are not read from the database; select to_json(…) of them')
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
  // A pooler in transaction mode may lose a statement that is sent before the previous one has its response. With two at a
  // time, the service is no faster. The driver would send two here, too, without
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
  const { max, statementTimeoutSeconds, usesSession } = options
  // The driver would split a text at the colons of an IPv6 address. It accepts lists, but its types don't have them.
  const place: object = { host: [server.host], port: [server.port] }
  return postgres({
    ...server,
    ...place,
    ...limitResponse(options),
    max,
    prepare: usesSession,
    connection: {
      ...server.connection,
      ...(usesSession && {
        // A settlement waits for locked keys, and must then see what others settled during the wait.
        default_transaction_isolation: 'read committed',
        // Planning a page anew for each request takes longer than reading it. What profits from it says `set local`.
        plan_cache_mode: 'force_generic_plan',
        // A statement that settles holds locks until its rows are sent. The server must not wait for a frozen instance.
        tcp_user_timeout: unreadTimeoutMs,
        ...(statementTimeoutSeconds > 0 && { statement_timeout: statementTimeoutSeconds * 1000 }),
      }),
    },
  })
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
