/**
 * Detects a pooler, such as PgBouncer, in front of a server.
 *
 * @module
 */
import { openServerPool, type Server, type Sql } from './connect.ts'

/** A pooler gives its clients an invented process ID, because the real one changes from transaction to transaction. */
async function isPooled(server: Server): Promise<boolean> {
  const sql = openServerPool(server, {
    max: 1,
    statementTimeoutSeconds: 0,
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
 * Creates a `Database.detectPooler`. Behind a pooler each transaction may run on another session of the server, so
 * pools must not rely on their session.
 */
export function createPoolerDetector(
  server: Server,
  pools: readonly Sql[],
  preparedStatements: 'on' | 'off' | 'auto',
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
        delete options.connection?.plan_cache_mode
        delete options.connection?.tcp_user_timeout
      }
    }
    isDetected = true
  }
}
