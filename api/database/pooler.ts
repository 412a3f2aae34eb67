/** Detects a pooler, such as PgBouncer, in front of a server. */
import { OperatorError } from '../errors.ts'
import { openServerPool, type Server, type Sql } from './connect.ts'

/** A session as the server gives it. */
interface SessionState {
  isPooled: boolean
  isolation: string
  /** What a commit waits for. */
  synchronousCommit: string
}

/**
 * Looks at a session of which nothing is asked. A pooler gives its clients an invented process ID, because the real one
 * changes from transaction to transaction.
 */
async function inspectSession(server: Server): Promise<SessionState> {
  const sql = openServerPool(server, {
    max: 1,
    statementTimeoutSeconds: 0,
    responseTimeoutSeconds: 10,
    usesSession: false,
  })
  try {
    // A standby refuses statements of a serializable transaction.
    return await sql.begin('isolation level read committed', async (tx) => {
      const rows = await tx<(Omit<SessionState, 'isPooled'> & { pid: number })[]>`
        select pg_backend_pid() as pid, current_setting('default_transaction_isolation') as isolation,
          current_setting('synchronous_commit') as "synchronousCommit"`
      const [{ pid, ...state } = { pid: 0, isolation: '', synchronousCommit: '' }] = rows
      return { isPooled: rows.state.pid !== pid, ...state }
    })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Creates a `Database.detectPooler`. Behind a pooler each transaction may run on another session of the server, so
 * pools must not rely on their session. It throws `OperatorError` if the pools charge, and that session's
 * isolation level is not the one that charges need, or its commits don't wait for the disk.
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
    const { isPooled, isolation, synchronousCommit } = await inspectSession(server)
    const isAsynchronous = synchronousCommit === 'off'
    if (isPooled || preparedStatements === 'off') {
      if (charges) assertFitForCharges(isolation, isAsynchronous)
      for (const { options } of pools) {
        if (preparedStatements === 'auto') options.prepare = false
        options.connection = server.connection // without settings of a session: poolers refuse those that they can't track
      }
    } else if (isAsynchronous) {
      // Only then: `remote_apply` and others wait for more than the disk, and stay.
      for (const { options } of pools) {
        options.connection = { ...options.connection, ...synchronous }
      }
    }
    isDetected = true
  }
}

/** A crash of the server would lose charges whose responses were sent. */
const synchronous = { synchronous_commit: 'on' }

/**
 * Throws `OperatorError` if charges could go wrong in a session. A settlement waits for locked keys, and must then see what
 * others settled during the wait; and its charge must be on the disk before the response is sent.
 */
function assertFitForCharges(isolation: string, isAsynchronous: boolean): void {
  const refuse = (name: string, value: string, needed: string) => {
    throw new OperatorError(
      `The ${name} of the role or the database is "${value}", and charges need "${needed}"; run: ` +
        `alter role … set ${name} = '${needed}'`,
    )
  }
  if (isolation !== 'read committed') refuse('default_transaction_isolation', isolation, 'read committed')
  if (isAsynchronous) refuse('synchronous_commit', 'off', 'on')
}
