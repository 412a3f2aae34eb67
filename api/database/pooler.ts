/**
 * Connection poolers, such as PgBouncer: each transaction may run on another session of the server, so a pool must not
 * rely on its session.
 *
 * @module
 */
import { describeServer, openServerPool, type Server, type Sql } from './connect.ts'
import type { PreparedStatements } from './connection-url.ts'

/** Whether there is a pooler in front of the server of a URL. Throws connection errors and `ConnectionUrlError`. */
export function findPooler(databaseUrl: string): Promise<boolean> {
  return isPooled(describeServer(databaseUrl, 'DATABASE_URL'))
}

/** A pooler gives its clients an invented process ID, because the real one changes from transaction to transaction. */
async function isPooled(server: Server): Promise<boolean> {
  const sql = openServerPool(server, {
    max: 1,
    statementTimeoutSeconds: null,
    responseTimeoutSeconds: 10,
    usesSession: false,
  })
  try {
    const rows = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return rows.state.pid !== rows[0]?.pid
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Creates a function that adapts the pools of a server to a pooler if there is one. It must run before the first
 * statement. It rejects while the database is unavailable.
 */
export function createPoolerDetector(
  server: Server,
  pools: readonly Sql[],
  preparedStatements: PreparedStatements,
): () => Promise<void> {
  let isDetected = preparedStatements === 'off' // such pools ask nothing of a session
  return async function detectPooler() {
    if (isDetected) return
    if (await isPooled(server)) {
      for (const { options } of pools) {
        if (preparedStatements === 'auto') options.prepare = false
        // Poolers refuse session parameters that they can't track.
        delete options.connection?.statement_timeout
        delete options.connection?.default_transaction_isolation
      }
    }
    isDetected = true
  }
}
