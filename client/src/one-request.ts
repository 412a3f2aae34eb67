/**
 * What takes one request: look-ups and quotes.
 *
 * @module
 */
import { DevdataError } from './errors.ts'
import { createRandomKey } from './idempotency-key.ts'
import { resizePage } from './list-state.ts'
import type { Send } from './request.ts'
import type { ErrorCode } from './types.ts'

/** How an item is looked up. */
export interface ItemOptions {
  /** What the look-up may cost, in credits. Otherwise it throws a `MaxCreditsError`. */
  maxCredits?: number | undefined
  /** A text that no other request has: under it, the look-up is charged once, in another process too. */
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/** How a quote is asked for. */
export interface QuoteOptions {
  signal?: AbortSignal | undefined
}

/** What a whole list would cost. */
export interface Quote {
  items: number
  credits: number
}

/** Returns an item; undefined: the service says with this code that there is none. */
export async function findItem<Item>(
  send: Send,
  path: string,
  absent: ErrorCode,
  { maxCredits, idempotencyKey = createRandomKey(), signal }: ItemOptions = {},
): Promise<Item | undefined> {
  try {
    return (await send<Item>({ path, idempotencyKey, maxCredits, signal })).body
  } catch (error) {
    if (error instanceof DevdataError && error.code === absent) return undefined
    throw error
  }
}

/** Returns what a list would cost. Free. */
export async function quoteList(send: Send, url: string, { signal }: QuoteOptions = {}): Promise<Quote> {
  // The price of a page with one item tells whether the key is metered.
  const { total, cost } = await send<undefined>({ method: 'HEAD', path: resizePage(url, 1), signal })
  return { items: total, credits: total * cost }
}

/** Writes a path. Throws a `TypeError` if a part would change which path it is. */
export function writePath(...parts: readonly string[]): string {
  if (parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new TypeError('a login, an owner or a name must not be empty, a dot or two dots')
  }
  return parts.map(encodeURIComponent).join('/')
}
