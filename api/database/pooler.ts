/** Detects a pooler, such as PgBouncer, in front of a server. */
import { OperatorError } from '../errors.ts'
import { openServerPool, type Server, type Sql } from './connect.ts'

/**
 * Looks at a session of which nothing is asked. A pooler gives its clients an invented process ID, because the real one
 * changes from transaction to transaction.
 */
async function inspectSession(server: Server): Promise<{ isPooled: boolean; isolation: string }> {
  const sql = openServerPool(server, {
    max: 1,
    statementTimeoutSeconds: 0,
    responseTimeoutSeconds: 10,
    usesSession: false,
  })
  try {
    // A standby refuses statements of a serializable transaction.
    return await sql.begin('isolation level read committed', async (tx) => {
      const rows = await tx<{ pid: number; isolation: string }[]>`
        select pg_backend_pid() as pid, current_setting('default_transaction_isolation') as isolation`
      const [{ pid, isolation } = { pid: 0, isolation: '' }] = rows
      return { isPooled: rows.state.pid !== pid, isolation }
    })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Creates a `Database.detectPooler`. Behind a pooler each transaction may run on another session of the server, so
 * pools must not rely on their session. It throws `OperatorError` if the pools charge, and that session's
 * isolation level is not the one that charges need.
 */
export function createPoolerDetector(
  server: Server,
  pools: readonly Sql[],
  preparedStatements: 'on' | 'off' | 'auto',
  { charges = true }: { charges?: boolean } = {},
): () => Promise<void> {
  let isDetected = false
  return async function detectPooler() {
    if (isDetected) return
    const { isPooled, isolation } = await inspectSession(server)
    if (isPooled || preparedStatements === 'off') {
      if (charges) assertReadCommitted(isolation)
      for (const { options } of pools) {
        if (preparedStatements === 'auto') options.prepare = false
        options.connection = server.connection // without settings of a session: poolers refuse those that they can't track
      }
    }
    isDetected = true
  }
}

/** A settlement waits for locked keys, and must then see what others settled during the wait. */
function assertReadCommitted(isolation: string): void {
  if (isolation === 'read committed') return
  throw new OperatorError(
    `The default_transaction_isolation of the role or the database is "${isolation}", and charges need "read committed"; run: ` +
      `alter role … set default_transaction_isolation = 'read committed'`,
  )
}
