/**
 * The only way a balance falls on account of a request. One conditional statement takes the credits and writes the
 * ledger row: there is no moment between reading a balance and lowering it.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { isUsable } from './api-key.ts'

/** What is charged, and for which request. */
export interface Charge {
  keyId: number
  secretHash: Buffer
  /** In credits, at least 1. */
  cost: number
  requestId: string
  /** Method and path, without the query. */
  endpoint: string
}

/** What became of a charge. Nothing was taken unless it is `charged`. */
export type ChargeResult =
  | { outcome: 'charged' /** Credits left. */; balance: number }
  | { outcome: 'insufficient' /** Credits there are, less than the cost. */; balance: number }
  | { outcome: 'unusable' }

/** Takes `cost` credits from a key, or nothing at all. A key that was revoked a moment ago is `unusable`. */
export async function chargeCredits(sql: Sql, charge: Charge): Promise<ChargeResult> {
  const { keyId, secretHash, cost, requestId, endpoint } = charge
  for (;;) {
    const [charged] = await sql<{ balance: number }[]>`
      with debit as (
        update api_keys k set credits = k.credits - ${cost}
        from api_key_secrets s
        where k.id = ${keyId} and s.hash = ${secretHash} and s.api_key_id = k.id
          and ${isUsable(sql)} and k.credits >= ${cost}
        returning k.id, k.credits
      )
      insert into ledger (api_key_id, kind, credits, balance, request_id, endpoint)
      select id, 'charge', ${-cost}::bigint, credits, ${requestId}::uuid, ${endpoint}::text from debit
      returning balance`
    if (charged !== undefined) return { outcome: 'charged', ...charged }

    // The refused statement saw the balance as it was before it waited for others: read what it is now.
    const [current] = await sql<{ balance: number }[]>`
      select k.credits as balance from api_keys k join api_key_secrets s on s.api_key_id = k.id
      where k.id = ${keyId} and s.hash = ${secretHash} and ${isUsable(sql)}`
    if (current === undefined) return { outcome: 'unusable' }
    if (current.balance < cost) return { outcome: 'insufficient', ...current }
    // Credits were granted in between: they are enough now.
  }
}
