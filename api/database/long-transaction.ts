/** Transactions that no time limit ends: loads, verifications, exports, and what else commands do for long. */
import type { Sql, SqlOrTransaction } from './connect.ts'

/** Of a session, a role, a database or a server. `transaction_timeout` is there from PostgreSQL 17 on. */
const timeLimits = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
] as const

type Isolation = 'read committed' | 'repeatable read' | 'repeatable read read only'

/**
 * Runs `work` in a transaction without time limits. A command's session can't do without them on its own: poolers
 * refuse what it asks for, or lose it, and leave the limits that a role has for requests.
 */
export async function beginLong<Result>(
  sql: Sql,
  work: (tx: SqlOrTransaction) => Promise<Result>,
  isolation: Isolation = 'read committed',
): Promise<Result> {
  const { result } = await sql.begin(`isolation level ${isolation}`, async (tx) => {
    await tx`
      select set_config(name, '0', true) from unnest(${tx.typed.texts(timeLimits)}) as name
      where current_setting(name, true) is not null`
    return { result: await work(tx) } // the driver would await the items of an array
  })
  return result
}
