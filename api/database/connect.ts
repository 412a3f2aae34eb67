/**
 * The one way to a database: postgres.js, whether the other end is a PostgreSQL server or the embedded one.
 *
 * @module
 */
import postgres from 'postgres'
import { readAddress, readTls } from './address.ts'
import { openEmbeddedDatabase } from './embedded.ts'

/** What parameters may be beyond texts, numbers, booleans, dates and bytes: `sql.typed.texts(names)`. */
type Types = {
  bigint: number
  texts: readonly string[]
  bigints: readonly number[]
}

/**
 * 64-bit integers are numbers: all of ours are checked to be safe integers where they enter. Arrays are named here
 * because the driver would ask the server for its array types, which takes a trip on every new connection.
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

/** A pool of connections. Statements are tagged templates: what is interpolated is a parameter, never SQL. */
export type Sql = postgres.Sql<Types>

/** A transaction of `Sql`, or `Sql` itself where a statement may run in either. */
export type SqlOrTransaction = postgres.ISql<Types>

/**
 * Between two attempts of a connection. Callers wait for an attempt, so it must not grow while the database is away:
 * they are to hear of it soon, and so is everybody when it is back.
 */
const reconnectSeconds = 0.2

/** A part of a statement, to be put into another. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Where the database is, and how to speak to it. */
export interface DatabaseOptions {
  /** `postgres://…`; undefined: the embedded database in `dataDirectory`. */
  databaseUrl: string | undefined
  /** Folder of the embedded database. */
  dataDirectory: string
  /** Connections at most. */
  databasePoolSize: number
  /** A statement that runs longer is cancelled by the server. In seconds; 0: never. */
  databaseStatementTimeout: number
  /** Whether statements are prepared once for a connection; `auto`: unless a pooler stands in between. */
  databasePreparedStatements?: PreparedStatements
}

/** Ways to send statements. */
export const preparedStatements = ['on', 'off', 'auto'] as const
export type PreparedStatements = (typeof preparedStatements)[number]

/** An open database. */
export interface Database {
  sql: Sql
  /** Connections of the ledger's own, so that nothing that reads holds up what settles. */
  ledgerSql: Sql
  kind: 'postgresql' | 'embedded'
  /** Whether this process runs the embedded database itself. */
  owned: boolean
  /**
   * Finds out whether a pooler stands in between, if that is to be found out. To be called before the first statement,
   * and again until it resolves: it fails while the database is away.
   */
  adapt(): Promise<void>
  /** Lets statements under way finish, then disconnects; an embedded database that this process runs stops. */
  close(): Promise<void>
}

/** How much longer than a statement may run the server may be silent about it, in seconds. */
const answerMargin = 5
/** The ledger's statements are short: they wait for a key for 5 seconds at most. In seconds. */
const longestSettlement = 10
/** Statements under way may take so long once the database is to be closed, in seconds. */
const closePatience = 5

/** What all connections have in common. */
const common = {
  types,
  fetch_types: false,
  connect_timeout: 10,
  backoff: () => reconnectSeconds,
  onnotice: () => {},
}

/**
 * Opens the database. A PostgreSQL server is not contacted before the first statement; an embedded one is started,
 * or found if another process runs it. Throws `EmbeddedDatabaseError` when the data folder can't be used, and
 * `AddressError` when the URL can't.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.databaseUrl !== undefined) return openServer(options.databaseUrl, options)
  const embedded = await openEmbeddedDatabase(options.dataDirectory)
  const pools = openPools(options, ({ max }) =>
    postgres({ ...common, max, path: embedded.socketPath, user: 'postgres', database: 'postgres' }),
  )
  return {
    ...pools,
    kind: 'embedded',
    owned: embedded.owned,
    adapt: async () => {},
    async close() {
      await pools.close()
      await embedded.close()
    },
  }
}

function openServer(databaseUrl: string, options: DatabaseOptions): Database {
  const { databaseStatementTimeout, databasePreparedStatements = 'auto' } = options
  const server = describeServer(databaseUrl)
  const pools = openPools(options, ({ max, answerTimeout }) =>
    postgres({
      ...server,
      max,
      prepare: databasePreparedStatements !== 'off',
      ...{ answer_timeout: answerTimeout }, // patches/apply.mjs
      connection: {
        ...server.connection,
        ...(databaseStatementTimeout > 0 && { statement_timeout: databaseStatementTimeout * 1000 }),
      },
    }),
  )
  let isAdapted = false
  return {
    ...pools,
    kind: 'postgresql',
    owned: false,
    async adapt() {
      if (isAdapted) return
      if (await isPooled(server)) {
        for (const { options } of [pools.sql, pools.ledgerSql]) {
          // Statements that one server process knows are unknown to the next that a pooler chooses.
          if (databasePreparedStatements === 'auto') options.prepare = false
          // Poolers refuse parameters of a session that they can't follow.
          delete options.connection?.statement_timeout
        }
      }
      isAdapted = true
    },
  }
}

/** What the driver needs to know of a server. */
function describeServer(databaseUrl: string) {
  const address = readAddress(databaseUrl)
  const { host, port, socketPath, user, password, database } = address
  return {
    ...common,
    host,
    port,
    ...(socketPath !== undefined && { path: socketPath }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ssl: readTls(address),
    connection: { application_name: 'devdata', ...address.parameters },
  }
}

/** Whether a pooler stands before the server of a URL. Throws what a connection does, and `AddressError`. */
export function findPooler(databaseUrl: string): Promise<boolean> {
  return isPooled(describeServer(databaseUrl))
}

/**
 * Whether a pooler stands before a server: it names a process of its own invention to its clients, since theirs may be
 * another one for each transaction.
 */
async function isPooled(server: ReturnType<typeof describeServer>): Promise<boolean> {
  const sql = postgres({ ...server, max: 1, prepare: false, ...{ answer_timeout: common.connect_timeout } })
  try {
    const rows = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return rows.state.pid !== rows[0]?.pid
  } finally {
    await sql.end({ timeout: 1 })
  }
}

interface PoolOptions {
  /** Connections at most. */
  max: number
  /** A server that says nothing for so long, while it has a statement, is given up. In seconds; null: never. */
  answerTimeout: number | null
}

/** Four of ten connections are the ledger's. A single one is shared. */
function openPools(
  { databasePoolSize, databaseStatementTimeout }: DatabaseOptions,
  open: (options: PoolOptions) => Sql,
) {
  const ledgerSize = Math.floor(databasePoolSize * 0.4) || 1
  const answerTimeout = databaseStatementTimeout > 0 ? databaseStatementTimeout + answerMargin : null
  const sql = open({ max: Math.max(1, databasePoolSize - ledgerSize), answerTimeout })
  const ledgerTimeout = Math.min(answerTimeout ?? Number.POSITIVE_INFINITY, longestSettlement + answerMargin)
  const ledgerSql = databasePoolSize > 1 ? open({ max: ledgerSize, answerTimeout: ledgerTimeout }) : sql
  return {
    sql,
    ledgerSql,
    close: async () => {
      await Promise.all([sql.end({ timeout: closePatience }), ledgerSql.end({ timeout: closePatience })])
    },
  }
}

const connectionErrorCodes = new Set([
  'ANSWER_TIMEOUT', // patches/apply.mjs
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the embedded database's socket
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'TLS_REFUSED', // patches/apply.mjs
])
/** PostgreSQL's classes for: connection exception, insufficient resources, operator intervention. */
const unavailableClasses = new Set(['08', '53', '57'])

/** A read-only database (a standby, or a primary that was set so), and a lock that was not to be had in time. */
const unavailableCodes = new Set(['25006', '55P03'])

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
  if (unavailableCodes.has(error.code)) return true
  return error.code.length === 5 && unavailableClasses.has(error.code.slice(0, 2))
}
