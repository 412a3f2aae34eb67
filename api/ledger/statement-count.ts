/**
 * Counts the statements in progress on the ledger's connections. When all connections are busy, postgres.js sends a
 * statement behind another one, where it may wait, or be lost with that connection.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'

/** Counts statements that run through it. */
export interface StatementCount {
  /** Runs `work`, which has one statement in progress at a time. */
  count<T>(work: () => Promise<T>): Promise<T>
  /** Whether there is a connection for another statement. */
  hasFreeConnection(): boolean
}

/** Creates the count for one pool. */
export function createStatementCount(sql: Sql): StatementCount {
  let inProgress = 0
  return {
    async count(work) {
      inProgress++
      try {
        return await work()
      } finally {
        inProgress--
      }
    },
    hasFreeConnection: () => inProgress < sql.options.max,
  }
}
