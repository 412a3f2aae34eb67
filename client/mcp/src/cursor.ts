/**
 * Where a list continues, as a text that has everything in it: any process can continue the list. The text is short,
 * because an assistant has to write it. Path and filter come with the call, and the idempotency key comes from the URL.
 */
import { createHash } from 'node:crypto'
import { ArgumentError } from './messages.ts'

/** Where a page begins. */
export interface PageStart {
  /** Its number, from 1. */
  page: number
  /** `after` of its URL; empty: it is the first page. */
  after: string
}

/** Where a list continues. */
export interface Position extends PageStart {
  /** The size of the page, if it is paid for and isn't delivered, or not whole. 0: it is to be paid for. */
  paidSize: number
  /** Keys of items that are delivered, and may be on the page. */
  delivered: readonly (string | number)[]
}

/** Where each list begins. */
export const listStart: Position = { page: 1, after: '', paidSize: 0, delivered: [] }

/** Writes the cursor of a list. `listUrl` has its path and its filter. */
export function writeCursor(listUrl: string, { page, after, paidSize, delivered }: Position): string {
  // Ids may be negative, and so may `after` of a sorted list.
  const parts = [page, after, paidSize, ...delivered].map((part) => String(part).replace('-', '_'))
  const text = parts.join('-')
  return `${createCheck(listUrl, text)}-${text}`
}

/** Reads a cursor. Throws an `ArgumentError` if it is of another list, or wasn't copied exactly. */
export function readCursor(listUrl: string, cursor: string): Position {
  const [check, ...parts] = cursor.trim().split('-')
  if (check !== createCheck(listUrl, parts.join('-'))) {
    throw new ArgumentError(
      'A cursor must be copied exactly, and passed with the tool, the filter and the fields of its result.',
    )
  }
  const [page, after = '', paidSize, ...delivered] = parts.map((part) => part.replace('_', '-'))
  return {
    page: Number(page),
    after,
    paidSize: Number(paidSize),
    // Ids are numbers. Hashes of commits have 40 digits or more.
    delivered: delivered.map((key) => (/^-?\d{1,16}$/.test(key) ? Number(key) : key)),
  }
}

/** Writes the URL of a page. The same page always has the same URL: its idempotency key depends on it. */
export function writePageUrl(listUrl: string, { page, after }: PageStart, size: number): string {
  const [path = '', search = ''] = listUrl.split('?')
  const query = new URLSearchParams(search)
  query.set('per_page', String(size))
  if (after !== '') {
    query.set('page', String(page))
    query.set('after', after)
  }
  return `${path}?${query}`
}

/** Reads where a page begins, and its size. */
export function readPageUrl(url: string): PageStart & { size: number } {
  const query = new URLSearchParams(url.split('?')[1])
  const after = query.get('after') ?? ''
  return { page: Number(query.get('page') ?? 1), after, size: Number(query.get('per_page')) }
}

/**
 * A text that differs for other lists and other positions: a cursor of another list would continue in the wrong place.
 */
function createCheck(listUrl: string, text: string): string {
  return createHash('sha256').update(`${listUrl} ${text}`).digest('hex').slice(0, 8)
}
