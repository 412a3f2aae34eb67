/**
 * What the connections of a pool do at the moment.
 *
 * @module
 */
import * as v from 'valibot'
import type { Sql } from './connect.ts'

const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
const schema = v.object({
  /** With a statement or a transaction under way. */
  busy: countSchema,
  /** Open, with nothing to do. */
  idle: countSchema,
  /** On their way to the server. */
  connecting: countSchema,
  /** Statements that no connection has taken yet. */
  waiting: countSchema,
})

/** Connections by what they do, and the statements that wait for one. */
export type PoolState = v.InferOutput<typeof schema>

/** Counts a pool's connections. The patched driver tells. */
export function readPoolState(sql: Sql): PoolState {
  const count = 'countConnections' in sql ? sql.countConnections : undefined
  if (typeof count !== 'function')
    throw new Error('postgres.js lacks countConnections: run patches/apply.mjs')
  return v.parse(schema, count())
}

/** Whether a statement would have a connection to itself, and wait behind none. */
export function hasFreeConnection(sql: Sql): boolean {
  const { busy, connecting } = readPoolState(sql)
  return busy + connecting < sql.options.max
}
