/** Settlements of many keys: what to ask for, and how to check the ledger. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { hashSecret } from '../../api/ledger/api-key.ts'
import type { SettleRequest } from '../../api/ledger/settlement.ts'
import type { TestResponse, TestService } from './service.ts'

/** How many responses have each status. */
export function countStatuses(responses: readonly TestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Makes a list of `count` items. */
export function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Expects of every key that its balance is what was granted less what was charged. */
export async function expectBalanced(service: TestService): Promise<void> {
  const wrong = await service.sql`
    select api_key_id from balances b left join ledger l using (api_key_id)
    group by api_key_id, credits, last_position
    having credits <> coalesce(sum(granted - cost), 0) or last_position <> count(l.position)
    union all
    select id from api_keys k
    where (select coalesce(sum(cost), 0) from ledger where api_key_id = id)
      <> (select coalesce(sum(cost), 0) from usage_days(id))`
  expect(wrong).toEqual([])
}

/** What the service asks the ledger for when a key requests `price` items. */
export function createSettleRequest(
  key: { id: number; secret: string },
  price: number,
  signal?: AbortSignal,
): SettleRequest {
  return {
    ...(signal && { signal }),
    keyId: key.id,
    secretHash: hashSecret(key.secret),
    isCounted: true,
    version: null,
    charge: {
      price,
      maxCredits: null,
      items: price,
      requestId: randomUUID(),
      path: '/users',
      endpoint: '/users',
      idempotency: null,
    },
  }
}
