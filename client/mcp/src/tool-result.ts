/**
 * Makes the result of a tool: reserves credits of the budget, runs a call, and says what it cost and what remains.
 */

import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { MaxCreditsError } from '../../src/client.ts'
import type { Budget } from './budget.ts'
import { type Call, type Connection, startCall } from './call.ts'
import { readPageUrl } from './cursor.ts'
import { type ArgumentError, CostError, describeError } from './messages.ts'

/** Creates the function that runs calls which may cost some credits. It doesn't throw: errors are for the assistant. */
export function createRunner(connection: Connection, budget: Budget) {
  return async function run(
    { filters }: { filters: readonly string[] },
    given: object,
    { mcpReq }: ServerContext,
    credits: number,
    read: (call: Call, granted: number) => Promise<object>,
  ): Promise<CallToolResult> {
    const granted = budget.reserve(credits)
    const call = startCall(connection, budget, mcpReq.signal)
    const outcome = await read(call, granted).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    const { spent, isUnconfirmed, idempotencyKey } = call
    // It counts as paid, once: a cursor may send the same request again.
    const unconfirmed = isUnconfirmed ? Math.min(granted - spent, readMaxCost(call)) : 0
    budget.settle(granted, spent + budget.assume(idempotencyKey, unconfirmed))
    if (outcome instanceof Error)
      return fail(explain(outcome, { call, connection, granted, credits, unconfirmed, budget }))
    // Once, as text, which every assistant reads. With `structuredContent` beside it, it would be sent twice. JSON leaves
    // out members that are undefined.
    const applied = Object.entries(given).filter(([name]) => filters.includes(name))
    const result = {
      ...outcome,
      filters: filters.length > 0 ? Object.fromEntries(applied) : undefined,
      ...describeCredits(call, budget),
    }
    return { content: [{ type: 'text', text: JSON.stringify(result) }] }
  }
}

/** What the last request may have cost: an item costs a credit. */
function readMaxCost({ requestedUrl }: Call): number {
  return readPageUrl(requestedUrl).size || 1
}

function describeCredits({ spent, balance }: Call, { left, name }: Budget) {
  const hasBudget = name === 'DEVDATA_BUDGET' && Number.isFinite(left)
  return { cost: spent, balance, budget_left: hasBudget ? left : undefined }
}

/** Says what limits a call, and what the user can do. */
function describeBudget({ name, total, left }: Budget): string {
  if (name === 'The connection') {
    return `The connection allows ${total} for a call. Tell the user: to raise that, disconnect this assistant, and connect it again.`
  }
  const limit =
    name === 'Max-Credits'
      ? `The header Max-Credits allows ${total} for a call.`
      : `${name} allows ${total} in all, and ${left} are left.`
  return `${limit} Tell the user: only they can raise it.`
}

/** The result of a call whose arguments can't be used. */
export function refuseArguments({ message }: ArgumentError): CallToolResult {
  return fail(`${message}. Cost: 0.`)
}

function fail(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

interface FailedCall {
  call: Call
  connection: Connection
  granted: number
  credits: number
  unconfirmed: number
  budget: Budget
}

function explain(
  error: Error,
  { call, connection, granted, credits, unconfirmed, budget }: FailedCall,
): string {
  const refusal = error instanceof MaxCreditsError ? new CostError(error.cost) : error
  const isOverCost = refusal instanceof CostError
  const { balance, spent } = call
  const sentences = [
    isOverCost ? `${refusal.message}.` : describeError(refusal, connection),
    isOverCost && granted === credits ? `max_credits allows ${credits}.` : '',
    isOverCost && granted < credits ? describeBudget(budget) : '',
    unconfirmed > 0
      ? `Up to ${unconfirmed} credits may have been charged, and count as spent. The same call returns what was paid for, without another payment.`
      : `Cost: ${spent}.`,
    balance === undefined ? '' : `Balance: ${balance}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}
