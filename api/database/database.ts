/** Opens the database that the settings name: a PostgreSQL server with its replicas, or the embedded database. */
import {
  assertPatched,
  describeServer,
  openEmbeddedPool,
  openServerPool,
  type PoolOptions,
  type Sql,
} from './connect.ts'
import { openEmbeddedDatabase } from './embedded.ts'
import { createPoolerDetector } from './pooler.ts'
import { createReplicas, type Replicas } from './replica-checks.ts'

/** Location and limits of the database. */
export interface DatabaseOptions {
  /** `postgres://…`; undefined: the embedded database in `dataDirectory`. */
  databaseUrl: string | undefined
  /** Folder of the embedded database. */
  dataDirectory: string
  /** Maximum number of connections. */
  databasePoolSize: number
  /** The server cancels a statement that runs longer, in seconds; 0: only those of the ledger. */
  databaseStatementTimeoutSeconds: number
  /**
   * Whether statements are prepared. `auto`: unless there is a pooler. `off`: nothing is asked of a session, neither
   * prepared statements nor a timeout nor an isolation level. Default: `auto`.
   */
  databasePreparedStatements?: 'on' | 'off' | 'auto'
  /** URLs of streaming replicas. Each has as many connections as the primary has for reads. */
  databaseReplicaUrls?: readonly string[]
  /** Limit for a replica to connect and to respond, before the primary is asked instead. Default: 3. */
  replicaTimeoutSeconds?: number
}

/** An open database. */
export interface Database {
  /** Connections for reads. */
  sql: Sql
  /** Connections for settling separately from reading, so that slow reads don't delay it. */
  ledgerSql: Sql
  kind: 'postgresql' | 'embedded'
  /** Whether this process runs the embedded database itself. */
  owned: boolean
  replicas: Replicas
  /**
   * Adapts the pools to a pooler if there is one. Call it before the first statement, and again until it resolves: it
   * rejects while the database is unavailable.
   */
  detectPooler(): Promise<void>
  /**
   * Lets statements in progress finish, then disconnects. An embedded database that this process runs stops when other
   * processes have disconnected, or after `othersTimeoutMs` (default 3,000).
   */
  close(options?: { othersTimeoutMs?: number }): Promise<void>
}

/** Settlements are short: they wait for a locked key for 5 seconds at most. */
const maxSettlementSeconds = 10
/** Statements in progress may take this long when the database is closed. */
const closeTimeoutSeconds = 5

/**
 * Opens the database. A PostgreSQL server is not contacted before the first statement. An embedded database is started,
 * or found if another process runs it.
 *
 * @throws {OperatorError} if the data folder or a URL can't be used, or if the driver is not patched
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  assertPatched()
  return options.databaseUrl === undefined ? openEmbedded(options) : openServer(options.databaseUrl, options)
}

async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  const embedded = await openEmbeddedDatabase(options.dataDirectory)
  const pools = openPools(options, (pool) =>
    openEmbeddedPool(embedded.socketPath, pool, { waitsForSession: !embedded.owned }),
  )
  return {
    ...pools,
    kind: 'embedded',
    owned: embedded.owned,
    replicas: createReplicas([]),
    detectPooler: async () => {},
    async close({ othersTimeoutMs } = {}) {
      await pools.close()
      await embedded.close(othersTimeoutMs)
    },
  }
}

function openServer(databaseUrl: string, options: DatabaseOptions): Database {
  const {
    databasePreparedStatements: preparedStatements = 'auto',
    databaseReplicaUrls = [],
    replicaTimeoutSeconds = 3,
  } = options
  const usesSession = preparedStatements !== 'off'
  const server = describeServer(databaseUrl, 'DATABASE_URL')
  const pools = openPools(options, (pool) => openServerPool(server, { ...pool, usesSession }))
  const replicas = createReplicas(
    databaseReplicaUrls.map((url) => {
      const replica = describeServer(url, 'DATABASE_REPLICA_URL', replicaTimeoutSeconds)
      const sql = openServerPool(replica, {
        max: countReaders(options),
        statementTimeoutSeconds: options.databaseStatementTimeoutSeconds,
        responseTimeoutSeconds: replicaTimeoutSeconds,
        usesSession,
      })
      const name = replica.path ?? `${replica.host}:${replica.port}`
      return {
        name,
        sql,
        detectPooler: createPoolerDetector(replica, [sql], preparedStatements, { charges: false }),
      }
    }),
  )
  return {
    ...pools,
    kind: 'postgresql',
    owned: false,
    replicas,
    detectPooler: createPoolerDetector(server, [pools.sql, pools.ledgerSql], preparedStatements),
    async close() {
      await Promise.all([pools.close(), replicas.close()])
    },
  }
}

/** Half of the connections are for reads, the others for the ledger. A single one is shared. */
function countReaders({ databasePoolSize }: DatabaseOptions): number {
  return Math.ceil(databasePoolSize / 2)
}

function openPools(options: DatabaseOptions, open: (options: PoolOptions) => Sql) {
  const statementTimeoutSeconds = options.databaseStatementTimeoutSeconds
  const settlementSeconds = Math.min(statementTimeoutSeconds || maxSettlementSeconds, maxSettlementSeconds)
  const readers = countReaders(options)
  const writers = options.databasePoolSize - readers
  const sql = open({ max: readers, statementTimeoutSeconds })
  const ledgerSql = writers > 0 ? open({ max: writers, statementTimeoutSeconds: settlementSeconds }) : sql
  return {
    sql,
    ledgerSql,
    async close() {
      await Promise.all([sql, ledgerSql].map((pool) => pool.end({ timeout: closeTimeoutSeconds })))
    },
  }
}
