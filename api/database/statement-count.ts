/**
 * Counts the statements in progress on a pool. When all connections are busy, postgres.js sends a statement behind another
 * one, where it may wait, or be lost with that connection.
 *
 * @module
 */
import type { Sql } from './connect.ts'

/** The count of one pool. */
export interface StatementCount {
  /** Runs `work`, which has one statement in progress at a time. */
  count<T>(work: () => Promise<T>): Promise<T>
  /** Connections without a statement that is counted. */
  countFree(): number
}

const counts = new WeakMap<Sql, StatementCount>()

/** Returns the count of a pool, the same for all that use it. */
export function countStatements(sql: Sql): StatementCount {
  let inProgress = 0
  const known = counts.get(sql)
  const count = known ?? {
    async count(work) {
      inProgress++
      try {
        return await work()
      } finally {
        inProgress--
      }
    },
    countFree: () => sql.options.max - inProgress,
  }
  counts.set(sql, count)
  return count
}
