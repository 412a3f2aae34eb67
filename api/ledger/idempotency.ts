/**
 * Idempotency keys: for 24 hours, a request that is sent again under the same one costs only what was not yet paid
 * under it. The ledger knows keys and requests by digest, in the form of a UUID.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Sql } from '../database/connect.ts'
import type { Idempotency } from './settle.ts'

/** Keys cleared away at a time. */
const sweepSize = 10_000

/** What the ledger keeps of an idempotency key and of the request (its path and query) that it was sent with. */
export function digestIdempotency(key: string, request: string): Idempotency {
  return { key: digest(key), request: digest(request) }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** Clears away some of the keys whose 24 hours are over: those that came first. */
export async function sweepIdempotencyKeys(sql: Sql): Promise<void> {
  await sql`
    delete from idempotency_keys where (api_key_id, idempotency_key) in (
      select api_key_id, idempotency_key from idempotency_keys
      where created_at < now() - interval '24 hours'
      order by created_at limit ${sweepSize}
      for update skip locked
    )`
}
