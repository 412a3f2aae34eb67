/**
 * The one way to a database: postgres.js, whether the other end is a PostgreSQL server or the embedded one.
 *
 * @module
 */
import postgres from 'postgres'
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
}

/** An open database. */
export interface Database {
  sql: Sql
  /** Connections of the ledger's own, so that nothing that reads holds up what settles. */
  ledgerSql: Sql
  kind: 'postgresql' | 'embedded'
  /** Whether this process runs the embedded database itself. */
  owned: boolean
  /** Lets statements under way finish, then disconnects; an embedded database that this process runs stops. */
  close(): Promise<void>
}

/**
 * Opens the database. A PostgreSQL server is not contacted before the first statement; an embedded one is started,
 * or found if another process runs it. Throws `EmbeddedDatabaseError` when the data folder can't be used.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const common = {
    types,
    fetch_types: false,
    connect_timeout: 10,
    backoff: () => reconnectSeconds,
    onnotice: () => {},
  }
  if (options.databaseUrl !== undefined) {
    const { databaseUrl, databaseStatementTimeout } = options
    const pools = openPools(options, (max) =>
      postgres(databaseUrl, {
        ...common,
        max,
        connection: {
          application_name: 'devdata',
          ...(databaseStatementTimeout > 0 && { statement_timeout: databaseStatementTimeout * 1000 }),
        },
      }),
    )
    return { ...pools, kind: 'postgresql', owned: false }
  }
  const embedded = await openEmbeddedDatabase(options.dataDirectory)
  const pools = openPools(options, (max) =>
    postgres({ ...common, max, path: embedded.socketPath, user: 'postgres', database: 'postgres' }),
  )
  return {
    ...pools,
    kind: 'embedded',
    owned: embedded.owned,
    async close() {
      await pools.close()
      await embedded.close()
    },
  }
}

/** Four of ten connections are the ledger's. A single one is shared. */
function openPools({ databasePoolSize }: DatabaseOptions, open: (max: number) => Sql) {
  const ledgerSize = Math.floor(databasePoolSize * 0.4) || 1
  const sql = open(Math.max(1, databasePoolSize - ledgerSize))
  const ledgerSql = databasePoolSize > 1 ? open(ledgerSize) : sql
  return {
    sql,
    ledgerSql,
    close: async () => {
      await Promise.all([sql.end({ timeout: 10 }), ledgerSql.end({ timeout: 10 })])
    },
  }
}

/**
 * Creates a function that opens the first connection for reads, beside something else that has to be waited for: a
 * connection takes as long as all of a request does. It never fails: what reads after it reports what is wrong.
 */
export function createReadConnector({
  sql,
  ledgerSql,
}: Pick<Database, 'sql' | 'ledgerSql'>): () => Promise<void> {
  if (sql === ledgerSql) return async () => {}
  let connected: Promise<void> | undefined
  return () => {
    connected ??= sql`select 1`.then(
      () => {},
      () => {
        connected = undefined
      },
    )
    return connected
  }
}

const connectionErrorCodes = new Set([
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
])
/** PostgreSQL's classes for: connection exception, insufficient resources, operator intervention. */
const unavailableClasses = new Set(['08', '53', '57'])

/** A read-only database (a standby, or a primary that was set so), and a lock that was not to be had in time. */
const unavailableCodes = new Set(['25006', '55P03'])

/** Whether an error means that the database is away or overloaded, and not that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  if (connectionErrorCodes.has(error.code)) return true
  if (unavailableCodes.has(error.code)) return true
  return error.code.length === 5 && unavailableClasses.has(error.code.slice(0, 2))
}
