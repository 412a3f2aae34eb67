/**
 * Idempotency keys: a request that is repeated under one within 24 hours costs only what is not paid yet. The ledger
 * stores digests of the key and of the request, in the form of UUIDs.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Sql } from '../database/connect.ts'
import type { Idempotency } from './settle.ts'

const maxSwept = 10_000

/** Returns what the ledger stores of an idempotency key and of its request (path and query). */
export function digestIdempotency(key: string, request: string): Idempotency {
  return { key: digest(key), request: digest(request) }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** Deletes the oldest keys that are older than 24 hours, `maxSwept` at most. */
export async function sweepIdempotencyKeys(sql: Sql): Promise<void> {
  await sql`
    delete from idempotency_keys where (api_key_id, idempotency_key) in (
      select api_key_id, idempotency_key from idempotency_keys
      where created_at < now() - interval '24 hours'
      order by created_at limit ${maxSwept}
      for update skip locked
    )`
}
