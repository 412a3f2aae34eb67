/**
 * Counts the statements in progress on a pool. When all connections are busy, postgres.js sends a statement behind
 * another one, where it may wait, or be lost with that connection.
 */
import type { Sql } from './connect.ts'

const counts = new WeakMap<Sql, number>()

/** Runs `work`, which has one statement in progress at a time. */
export async function countStatement<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  counts.set(sql, (counts.get(sql) ?? 0) + 1)
  try {
    return await work()
  } finally {
    counts.set(sql, (counts.get(sql) ?? 0) - 1)
  }
}

/** Returns how many connections have no statement that is counted. */
export function countFreeConnections(sql: Sql): number {
  return sql.options.max - (counts.get(sql) ?? 0)
}
