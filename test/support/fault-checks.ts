/** Checks of a drill: whether responses, entries of the ledger and balances agree. */
import type { Sql } from '../../api/database/connect.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { type Attempt, type Customer, maxResponseMs } from './fault-clients.ts'
import type { Fault } from './faults.ts'
import type { InstanceProcess } from './process.ts'

/** When the fault began and ended. */
export interface Times {
  began: number
  ended: number
}

/** What of a fault explains a response. */
type Consequences = Omit<Fault, 'inflict'>

/** Lists responses that the fault does not explain. */
export function* findBadResponses(
  attempts: readonly Attempt[],
  fault: Consequences,
  { began, ended }: Times,
) {
  for (const {
    customer,
    outcome,
    reason,
    path,
    place,
    startedAt,
    endedAt,
    cost,
    items,
    replayed,
  } of attempts) {
    const at = `${path} of key ${customer.id}, ${Math.round(startedAt - began)} ms from the fault`
    if (outcome === 'wrong') yield `${at}: ${reason}`
    if (outcome === 'hung') yield `${at}: no response in ${maxResponseMs / 1000} seconds`
    if (
      outcome === 'broken' &&
      !(fault.killsFirst && place === 0 && startedAt <= ended && endedAt >= began)
    ) {
      yield `${at}: broken off by instance ${place}: ${reason}`
    }
    if (outcome !== 'delivered') continue
    if (cost !== (replayed || customer.isAdmin ? 0 : items))
      yield `${at}: ${items} items, replayed ${replayed}, cost ${cost}`
    if (replayed && !customer.insists) yield `${at}: replayed without an idempotency key`
  }
}

interface Entry {
  api_key_id: number
  cost: number
  path: string
  request_id: string
}

/** Compares deliveries with charges in both directions, and the ledger's sums with each other. */
export async function compareWithLedger(
  sql: Sql,
  customers: readonly Customer[],
  attempts: readonly Attempt[],
  fault: Consequences,
  { began, ended }: Times,
): Promise<{ lost: number; wrong: string[] }> {
  const ids = customers.map(({ id }) => id)
  const entries = await sql<Entry[]>`
    select api_key_id, cost, path, request_id from ledger where kind = 'charge' and api_key_id = any(${ids})`
  const { problems } = await verifyLedger(sql)
  const wrong = problems.map(({ keyId, problem }) => `key ${keyId}: ${problem}`)
  const nameOf = (customer: number, path: string) => `${path} of key ${customer}`

  const charged = new Map<string, Entry[]>()
  const byRequest = new Map<string, Entry>()
  for (const entry of entries) {
    const name = nameOf(entry.api_key_id, entry.path)
    charged.set(name, [...(charged.get(name) ?? []), entry])
    if (byRequest.has(entry.request_id)) wrong.push(`${entry.request_id} was charged twice`)
    byRequest.set(entry.request_id, entry)
  }
  const asked = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    if (attempt.customer.isAdmin) continue
    const name = nameOf(attempt.customer.id, attempt.path)
    const others = asked.get(name)
    if (others) others.push(attempt)
    else asked.set(name, [attempt])
  }

  let lost = 0
  for (const name of charged.keys()) if (!asked.has(name)) wrong.push(`${name}: charged, but never asked for`)
  for (const [name, [first, ...more]] of asked) {
    if (first === undefined) continue
    const delivered = [first, ...more].filter(({ outcome }) => outcome === 'delivered')
    const paid = charged.get(name) ?? []
    if (paid.length > 1) wrong.push(`${name}: charged ${paid.length} times`)
    if (first.customer.insists && delivered.length === 0) wrong.push(`${name}: never served`)
    for (const { requestId, cost, items, replayed } of delivered) {
      const entry = byRequest.get(requestId)
      if (replayed) {
        if (entry !== undefined) wrong.push(`${name}: a replay was charged`)
        if (paid[0]?.cost !== items) wrong.push(`${name}: ${items} items replayed, ${paid[0]?.cost} paid`)
      } else if (entry === undefined) wrong.push(`${name}: delivered without a debit`)
      else if (entry !== paid[0] || entry.cost !== cost) wrong.push(`${name}: charged otherwise than said`)
    }
    if (paid.length > 0 && delivered.length === 0) {
      lost++
      const wasInFlight = first.startedAt <= ended && first.endedAt >= began
      if (!wasInFlight || fault.isAmbiguous === false) {
        wrong.push(`${name}: charged and not delivered (${first.outcome}), without a fault to blame`)
      }
    }
  }
  return { lost, wrong }
}

/** The newest 500 in the log of an instance, if there is one. */
export function listDefects(instance: InstanceProcess, place: number): string[] {
  const lines = instance.readLog().split('\n')
  const last = lines.findLastIndex((line) => /\b500 Internal server error\b/.test(line))
  return last < 0 ? [] : [`instance ${place} logged ${lines.slice(last, last + 12).join('\n')}`]
}

/** The longest time without a response of an instance. */
export function findLongestPause(
  attempts: readonly Attempt[],
  place: 0 | 1,
  { since, over }: { since: number; over: number },
): number {
  const ends = attempts
    .filter((made) => made.place === place && made.outcome === 'delivered')
    .map(({ endedAt }) => endedAt)
    .filter((end) => end > since && end < over)
    .sort((a, b) => a - b)
  let longest = 0
  let last = since
  for (const end of [...ends, over]) {
    longest = Math.max(longest, end - last)
    last = end
  }
  return longest
}
