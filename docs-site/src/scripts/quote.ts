/** The price of a request, as the response to its `HEAD` has it. */

import { writeCost, writeCredits } from './credits.ts'
import { createElement } from './elements.ts'

/** The status and the headers of a response to `HEAD`. */
type Head = Pick<Response, 'status' | 'headers'>

/** What the `GET` would cost. */
export interface Quote {
  status: number
  /** In credits. 0 if the `GET` is free or refused. */
  cost: number
  balance: number
  /** Items on all pages; null if the response isn't a list. */
  total: number | null
  /** Whether the request may be paid already, though its response was lost. */
  isLost: boolean
  /** Whether the key has enough credits, or may need none. */
  isAffordable: boolean
}

/** Reads the headers of a response to `HEAD`. */
export function readQuote({ status, headers }: Head, isLost = false): Quote {
  const readNumber = (name: string) => Number(headers.get(name) ?? 0)
  const cost = readNumber('X-Credits-Cost')
  const balance = readNumber('X-Credits-Remaining')
  const total = headers.get('X-Total-Count')
  return {
    status,
    cost,
    balance,
    total: total === null ? null : Number(total),
    isLost,
    isAffordable: isLost || cost <= balance,
  }
}

const nouns: readonly (readonly [path: RegExp, one: string, many: string])[] = [
  [/\/commits/, 'commit', 'commits'],
  [/\/dependencies/, 'dependency', 'dependencies'],
  [/^\/users/, 'user', 'users'],
  [/^\/repos/, 'repository', 'repositories'],
]

/** `51 users`, for a list at this path. */
export function countItems(path: string, count: number): string {
  const noun = nouns.find(([pattern]) => pattern.test(path.split('?')[0] ?? ''))
  return `${count.toLocaleString('en')} ${noun?.[count === 1 ? 1 : 2]}`
}

/** What a response to `HEAD` with a price says that names no number of items, by status. */
const refusals: Readonly<Record<number, string>> = { 403: 'Not enough credits', 404: 'Not found' }

/**
 * Writes `51 users · this page: 2 credits · HEAD was free`, and the balance if it is too low, or that the request may be
 * paid already.
 */
export function writeQuote(path: string, quote: Quote): (string | Node)[] {
  const { status, cost, balance, total, isLost, isAffordable } = quote
  const lack = isAffordable ? [] : [`. You have ${writeCredits(balance)}.`]
  const loss = isLost ? ['. If you paid for the lost response, that counts.'] : []
  const isWhole = total === null || total === cost
  const found = refusals[status] ?? countItems(path, total ?? 1)
  const price = createElement('mark', { textContent: writeCost(cost) })
  return [`${found} · ${isWhole ? '' : 'this page: '}`, price, ' · HEAD was free', ...lack, ...loss]
}
