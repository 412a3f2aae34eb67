/** What one request does: look-ups and quotes. */
import { DevdataError, InvalidRequestError } from './errors.ts'
import { writeListUrl } from './filters.ts'
import { createRandomKey } from './idempotency-key.ts'
import { resizePage } from './list-state.ts'
import { assertKnownOptions, isKey, isWholeNumber } from './options.ts'
import type { ResponseInfo, Send } from './request.ts'
import type { ErrorCode, ValueCount } from './types.ts'

/** How an item is looked up. */
export interface ItemOptions {
  /** What the look-up may cost, in credits. Otherwise it throws a `MaxCreditsError`. */
  maxCredits?: number | undefined
  /** A text that no other request has. The look-up is charged once under it, even if another process repeats it. */
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/** How a free request is sent. */
export interface QuoteOptions {
  signal?: AbortSignal | undefined
}

/** What a whole list would cost. */
export interface Quote {
  items: number
  credits: number
}

/**
 * Returns what is at a path, or undefined if the service responds with the code `absent`. Throws a `TypeError` if an
 * option breaks its rule or doesn't exist.
 */
export async function findItem<Item>(
  send: Send,
  path: string,
  absent: ErrorCode,
  { maxCredits, idempotencyKey = createRandomKey(), signal, ...others }: ItemOptions = {},
  method: ResponseInfo['method'] = 'GET',
): Promise<Item | undefined> {
  assertKnownOptions(others)
  if (maxCredits !== undefined && !isWholeNumber(maxCredits)) {
    throw new TypeError('maxCredits must be a whole number of credits')
  }
  if (!isKey(idempotencyKey)) {
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters')
  }
  try {
    return (await send<Item>({ method, path, idempotencyKey, maxCredits, signal })).body
  } catch (error) {
    if (error instanceof DevdataError && error.code === absent) return undefined
    throw error
  }
}

/** Returns what a list would cost. Free. */
export async function quoteList(send: Send, url: string, { signal }: QuoteOptions = {}): Promise<Quote> {
  // The price of a page with one item: 1, or 0 if the key isn't metered.
  const path = resizePage(url, 1)
  try {
    const { total, cost } = await send<undefined>({ method: 'HEAD', path, signal })
    return { items: total, credits: total * cost }
  } catch (error) {
    // Only the response to `GET` has a message that says which rule is broken.
    if (error instanceof InvalidRequestError) await send({ path, maxCredits: 0, signal })
    throw error
  }
}

/** What the items of a list can be counted by. */
export const countedBy = {
  users: ['country', 'type', 'dependency'],
  repos: ['language', 'license', 'fork', 'archived', 'dependency'],
} as const

/** What users can be counted by. */
export type UserValue = (typeof countedBy.users)[number]
/** What repositories can be counted by. */
export type RepositoryValue = (typeof countedBy.repos)[number]

/** How many of the items that a filter finds have each value. */
export interface Counts {
  /** The 20 most frequent values, the most frequent one first. */
  values: ValueCount[]
  /** All items. */
  total: number
  /** Items with another value. Null: an item may have several values. */
  others: number | null
  /** Items without a value. */
  none: number
}

/** Counts the items of a list by their values. Free. */
export async function countList(
  send: Send,
  of: 'users' | 'repos',
  by: string,
  filter: object,
  { signal }: QuoteOptions = {},
): Promise<Counts> {
  const path = writeListUrl('counts', { of, by, ...filter })
  const { body } = await send<Omit<Counts, 'values'> & { data: ValueCount[] }>({ path, signal })
  const { data: values, total, others, none } = body
  return { values, total, others, none }
}

/**
 * Writes a path. Throws a `TypeError` if a part would change which path it is, or is not a text: without types, a name
 * that is missing would be looked up as "undefined", and charged.
 */
export function writePath(...parts: readonly string[]): string {
  if (parts.some((part) => typeof part !== 'string' || ['', '.', '..'].includes(part))) {
    throw new TypeError('a login, an owner or a name must be a text, but not empty, a dot or two dots')
  }
  return parts.map(encodeURIComponent).join('/')
}
