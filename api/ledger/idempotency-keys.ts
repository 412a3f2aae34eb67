/**
 * Idempotency keys as the ledger stores them. The SQL function `payment_counts` of `database/migrations/` says for how
 * long what was paid under them counts (decisions/0001-billing.md).
 */
import { hash } from 'node:crypto'
import type { Sql } from '../database/connect.ts'

/** Idempotency keys that a sweep deletes at most. */
const maxSwept = 10_000

/** Digests of an `Idempotency-Key` and of its request, in the form of UUIDs. */
export interface Idempotency {
  key: string
  request: string
}

/** Returns what the ledger stores of an idempotency key and of its request (path and query). */
export function digestIdempotency(key: string, request: string): Idempotency {
  return { key: digest(key), request: digest(request) }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** Deletes the oldest idempotency keys, `maxSwept` at most, if what was paid under them no longer counts. */
export async function sweepIdempotencyKeys(sql: Sql): Promise<void> {
  await sql`select sweep_idempotency_keys(${maxSwept})`
}
