/**
 * Runs a call: reserves credits of the budget, reads, and says what it cost and what remains.
 *
 * @module
 */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { MaxCreditsError } from 'devdata-client'
import type { Budget } from './budget.ts'
import { type Call, startCall } from './call.ts'
import type { Cursors } from './cursors.ts'
import { CostError, describeError } from './messages.ts'
import type { Settings } from './settings.ts'

/** What the calls of a conversation share. */
export interface Conversation {
  settings: Settings
  budget: Budget
  cursors: Cursors
  version: string
}

/** Creates the function that runs calls which may cost some credits. It doesn't throw: errors are for the assistant. */
export function createRunner({ budget, settings }: Conversation) {
  return async function run(
    { names }: { names: string[] },
    given: object,
    { mcpReq }: ServerContext,
    credits: number,
    read: (call: Call, granted: number) => Promise<object>,
  ): Promise<CallToolResult> {
    const unknown = Object.keys(given).find((name) => !names.includes(name))
    if (unknown !== undefined) return fail(`There is no argument ${unknown}. There are ${names.join(', ')}.`)
    const granted = budget.reserve(credits)
    const call = startCall(settings, budget, mcpReq.signal)
    const outcome = await read(call, granted).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    const { spent, isUnconfirmed, idempotencyKey } = call
    // What is reserved counts as paid, once: a cursor may send the same request again.
    const lost = isUnconfirmed ? budget.book(idempotencyKey, granted - spent) : 0
    budget.settle(granted, spent + lost)
    if (outcome instanceof Error) return fail(explain(outcome, call, granted, credits, budget))
    const result = { ...outcome, ...describeCredits(call, budget) }
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
  }
}

function describeCredits({ spent, balance }: Call, { left }: Budget) {
  return {
    cost: spent,
    ...(balance !== undefined && { balance }),
    ...(Number.isFinite(left) && { budget_left: left }),
  }
}

function fail(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function explain(error: Error, call: Call, granted: number, credits: number, budget: Budget): string {
  const refusal = error instanceof MaxCreditsError ? new CostError(error.cost) : error
  const isOverCost = refusal instanceof CostError
  const { balance, spent, isUnconfirmed } = call
  const sentences = [
    isOverCost ? `${refusal.message}.` : describeError(refusal),
    isOverCost && granted === credits ? `max_credits allows ${credits}.` : '',
    isOverCost && granted < credits
      ? `DEVDATA_BUDGET allows ${budget.total} in all, and ${budget.left} are left. Tell the user: only they can raise it.`
      : '',
    isUnconfirmed && granted > 0
      ? `Up to ${granted} credits may have been charged, and count as spent.`
      : `Cost: ${spent}.`,
    balance === undefined ? '' : `Balance: ${balance}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}
