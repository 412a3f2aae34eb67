/**
 * The one way to a database: postgres.js, whether the other end is a PostgreSQL server or the embedded one.
 *
 * @module
 */
import { basename } from 'node:path'
import postgres from 'postgres'
import { type PreparedStatements, parseConnectionUrl, readTls } from './connection-url.ts'
import { dataFiles } from './data-directory.ts'
import { openEmbeddedDatabase } from './embedded.ts'
import { createReplicas, type Replicas } from './replicas.ts'

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

/** The installed driver is not the one that the service was tested with. */
export class DriverError extends Error {
  override name = 'DriverError'
}

/**
 * Throws `DriverError` if postgres.js lacks the patches of `patches/`, as after `npm install --ignore-scripts`. Without
 * them a lost connection ends the process, and a settlement may be committed after its request has failed.
 */
function assertPatched(): void {
  if ('answer_timeout' in postgres().options) return // it connects to nothing before the first statement
  throw new DriverError('The installed postgres.js is not patched; run: node patches/apply.mjs')
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
  /** A statement that runs longer is cancelled by the server. In seconds; 0: never, but for the ledger's own connections. */
  databaseStatementTimeout: number
  /**
   * Whether statements are prepared once for a connection; `auto`: unless a pooler stands in between; `off`: nothing is
   * asked of a session, neither that nor a limit of time nor an isolation of transactions.
   */
  databasePreparedStatements?: PreparedStatements
  /** Streaming replicas of the server, as URLs. Each is given as many connections as read from the primary. */
  databaseReplicaUrls?: readonly string[]
  /** A replica has so long to connect, and to answer, before the primary is asked instead. In seconds. Default: 3. */
  replicaTimeoutMs?: number
}

/** An open database. */
export interface Database {
  sql: Sql
  /** Connections of the ledger's own, so that nothing that reads holds up what settles. */
  ledgerSql: Sql
  kind: 'postgresql' | 'embedded'
  /** Whether this process runs the embedded database itself. */
  owned: boolean
  replicas: Replicas
  /**
   * Finds out whether a pooler stands in between, if that is to be found out. To be called before the first statement,
   * and again until it resolves: it fails while the database is away.
   */
  adapt(): Promise<void>
  /**
   * Lets statements under way finish, then disconnects; an embedded database that this process runs stops, when other
   * processes have left it, or after so many milliseconds (default 3,000).
   */
  close(options?: { othersTimeoutMs?: number }): Promise<void>
}

/** How much longer than a statement may run the server may be silent about it, in seconds. */
export const responseMargin = 5
/** The ledger's statements are short: they wait for a key for 5 seconds at most. Whatever the setting, in seconds. */
const longestSettlement = 10
/** Statements under way may take so long once the database is to be closed, in seconds. */
const closeTimeoutMs = 5

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
 * or found if another process runs it. Throws `EmbeddedDatabaseError` when the data folder can't be used,
 * `ConnectionUrlError` when the URL can't, and `DriverError`.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  assertPatched()
  if (options.databaseUrl !== undefined) return openServer(options.databaseUrl, options)
  const embedded = await openEmbeddedDatabase(options.dataDirectory)
  // A load holds the only session. The process that runs the database serves clients, who must not wait as long.
  const limit = ({ responseTimeout }: PoolOptions) =>
    embedded.owned ? { answer_timeout: responseTimeout } : { connect_timeout: 0 }
  const pools = openPools(options, (pool) =>
    postgres({
      ...common,
      ...limit(pool),
      max: pool.max,
      path: embedded.socketPath,
      user: 'postgres',
      database: 'postgres',
    }),
  )
  return {
    ...pools,
    kind: 'embedded',
    owned: embedded.owned,
    replicas: createReplicas([]),
    adapt: async () => {},
    async close({ othersTimeoutMs } = {}) {
      await pools.close()
      await embedded.close({ patience: othersTimeoutMs })
    },
  }
}

function openServer(databaseUrl: string, options: DatabaseOptions): Database {
  const { replicaTimeoutMs = 3 } = options
  const server = describeServer(databaseUrl, 'DATABASE_URL')
  const pools = openPools(options, (pool) => openPool(server, options, pool))
  const replicas = createReplicas(
    (options.databaseReplicaUrls ?? []).map((url) => {
      const replica = describeServer(url, 'DATABASE_REPLICA_URL', replicaTimeoutMs)
      const pool = {
        max: readerCount(options),
        statementTimeout: options.databaseStatementTimeout || null,
        responseTimeout: replicaTimeoutMs,
      }
      const sql = openPool(replica, options, pool)
      const name = replica.path ?? `${replica.host}:${replica.port}`
      return { name, sql, adapt: createAdapter(replica, options, [sql]) }
    }),
  )
  return {
    ...pools,
    kind: 'postgresql',
    owned: false,
    replicas,
    adapt: createAdapter(server, options, [pools.sql, pools.ledgerSql]),
    async close() {
      await Promise.all([pools.close(), replicas.close()])
    },
  }
}

function openPool(
  server: Server,
  { databasePreparedStatements }: DatabaseOptions,
  { max, statementTimeout, responseTimeout }: PoolOptions,
): Sql {
  return postgres({
    ...server,
    max,
    prepare: databasePreparedStatements !== 'off',
    ...{ answer_timeout: responseTimeout }, // patches/postgres-3.4.9/005-answer-timeout.patch
    connection: {
      ...server.connection,
      ...(databasePreparedStatements !== 'off' && {
        // A settlement waits for its keys, and has to see what was settled meanwhile.
        default_transaction_isolation: 'read committed',
        ...(statementTimeout !== null && { statement_timeout: statementTimeout * 1000 }),
      }),
    },
  })
}

/** Creates what `adapt` of a database promises, for some pools of one server. */
function createAdapter(
  server: Server,
  { databasePreparedStatements = 'auto' }: DatabaseOptions,
  pools: readonly Sql[],
): () => Promise<void> {
  let isAdapted = databasePreparedStatements === 'off' // then as if there were one
  return async function adapt() {
    if (isAdapted) return
    if (await isPooled(server)) {
      for (const { options } of pools) {
        // Statements that one server process knows are unknown to the next that a pooler chooses.
        if (databasePreparedStatements === 'auto') options.prepare = false
        // Poolers refuse parameters of a session that they can't follow.
        delete options.connection?.statement_timeout
        delete options.connection?.default_transaction_isolation
      }
    }
    isAdapted = true
  }
}

type Server = ReturnType<typeof describeServer>

/** What the driver needs to know of a server. `connectTimeout`, in seconds, is for a URL that has none. */
function describeServer(databaseUrl: string, setting: string, connectTimeout = common.connect_timeout) {
  const address = parseConnectionUrl(databaseUrl)
  const { host, port, socketPath, user, password, database } = address
  return {
    ...common,
    connect_timeout: address.connectTimeout ?? connectTimeout,
    host,
    port,
    ...(socketPath !== undefined && { path: socketPath }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ssl: readTls(address, setting),
    connection: { application_name: 'devdata', ...address.parameters },
  }
}

/** Whether a pooler stands before the server of a URL. Throws what a connection does, and `ConnectionUrlError`. */
export function findPooler(databaseUrl: string): Promise<boolean> {
  return isPooled(describeServer(databaseUrl, 'DATABASE_URL'))
}

/**
 * Whether a pooler stands before a server: it names a process of its own invention to its clients, since theirs may be
 * another one for each transaction.
 */
async function isPooled(server: Server): Promise<boolean> {
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
  /** A statement that runs longer is cancelled by the server. In seconds; null: never. */
  statementTimeout: number | null
  /** A server that says nothing for so long, while it has a statement, is given up. In seconds; null: never. */
  responseTimeout: number | null
}

/** Connections that read: half of them, the others are the ledger's. A single one is shared. */
function readerCount({ databasePoolSize }: DatabaseOptions): number {
  return Math.ceil(databasePoolSize / 2)
}

function openPools(options: DatabaseOptions, open: (options: PoolOptions) => Sql) {
  const { databasePoolSize } = options
  const statementTimeout = options.databaseStatementTimeout || null
  const sql = open({ max: readerCount(options), ...limitTime(statementTimeout) })
  const settlementTimeout = Math.min(statementTimeout ?? Number.POSITIVE_INFINITY, longestSettlement)
  const ledgerSql =
    databasePoolSize > 1
      ? open({ max: databasePoolSize - readerCount(options), ...limitTime(settlementTimeout) })
      : sql
  return {
    sql,
    ledgerSql,
    close: async () => {
      await Promise.all([sql.end({ timeout: closeTimeoutMs }), ledgerSql.end({ timeout: closeTimeoutMs })])
    },
  }
}

/** The server is the first to lose patience: what was given up here must not be done there afterwards. */
function limitTime(
  statementTimeout: number | null,
): Pick<PoolOptions, 'statementTimeout' | 'responseTimeout'> {
  return { statementTimeout, responseTimeout: statementTimeout && statementTimeout + responseMargin }
}

/** How long a statement may take, so that its answer is waited for still. In seconds; null: for ever. */
export function readStatementLimit({ options }: Sql): number | null {
  const responseTimeout = 'answer_timeout' in options ? options.answer_timeout : null
  return typeof responseTimeout === 'number' ? responseTimeout - responseMargin : null
}

/** Whether the database is the embedded one, which has a single session for all its clients. */
export function isEmbedded({ options }: Pick<Sql, 'options'>): boolean {
  return basename(String(options.path)) === dataFiles.socket
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
