/**
 * Reads a part of a list: as many items as were asked for, may be paid and fit into a result.
 *
 * No process keeps anything between calls. The idempotency key of a page depends on its URL alone, and the URLs of a
 * call's pages on its arguments and the data. What was paid for is therefore delivered without another payment, by any
 * process: to the next call, which has the cursor, and to a repetition of the call.
 */
import type { List, ListOptions, Quote } from '../../src/client.ts'
import type { Call } from './call.ts'
import {
  listStart,
  type PageStart,
  type Position,
  readCursor,
  readPageUrl,
  writeCursor,
  writePageUrl,
} from './cursor.ts'
import type { ResultItem } from './fields.ts'
import { pageKeyPrefix } from './idempotency.ts'
import { CostError } from './messages.ts'
import { ResultItems } from './result-size.ts'

/** A list that a tool reads. */
export interface ListSource<Item> {
  open(options: ListOptions): List<Item>
  /** Identifies an item in its list, as the client does. */
  keyOf(item: Item): string | number
  describe(item: Item): ResultItem
  /** Returns what the whole list costs; undefined: that can't be asked. */
  quote(): Promise<Quote | undefined>
  /** Items per page. As a rule, a page fits into a result. */
  pageSize: number
}

/** Which part of a list to read. */
export interface ListPart {
  cursor: string | undefined
  limit: number
  /** What the call may cost, in credits. 0: it reads what costs nothing. */
  maxCredits: number
  /** What is left of it within the budget, in credits. */
  credits: number
}

/** What was read. */
export interface ReadPart {
  items: ResultItem[]
  total: number | undefined
  /** Of the dataset, at the first page. */
  version: number | undefined
  /** Undefined: all is read. */
  cursor: string | undefined
  /** Why there are fewer items than were asked for. An error is that of a later page. */
  endedBy: 'size' | 'credits' | Error | undefined
  /** Items that are paid for and come with the next call, and what their page costs if that comes too late. */
  pending: { items: number; pageCost: number } | undefined
}

/** A page that was read. */
interface PageOfList<Item> extends PageStart {
  items: readonly Item[]
  size: number
  total: number | undefined
  version: number | undefined
  next: Position | undefined
}

/**
 * Reads items. Throws a `CostError` if they cost more than may be paid, and what the client throws. An error after the
 * first page is part of the result, because the items before it are paid for.
 */
export async function readItems<Item>(
  call: Call,
  source: ListSource<Item>,
  { cursor, limit, maxCredits, credits }: ListPart,
): Promise<ReadPart> {
  const listUrl = source.open({}).state?.url ?? ''
  let position: Position | undefined = cursor === undefined ? listStart : readCursor(listUrl, cursor)
  const result = new ResultItems()
  const { items } = result
  let total: number | undefined
  let version: number | undefined
  let endedBy: ReadPart['endedBy']
  let pending: ReadPart['pending']
  /** Items of pages that the call may have to pay for. They count even if they turn out to be paid for. */
  let planned = 0

  while (position !== undefined && items.length < limit && endedBy === undefined) {
    const here: Position = position
    const affordable = maxCredits === 0 ? limit : maxCredits - planned
    const size = here.paidSize || Math.min(source.pageSize, limit - items.length, affordable)
    if (size === 0) endedBy = 'credits'
    else if (here.paidSize === 0 && !result.hasRoomFor(size)) endedBy = 'size'
    if (endedBy !== undefined) break

    const page = await readPage(call, source, { listUrl, position: here, size, credits })
    if (page === 'refused' || page instanceof Error) {
      if (items.length === 0) throw page === 'refused' ? await createCostError(source, limit, here) : page
      endedBy = page === 'refused' ? 'credits' : page
      // It may be paid for, so the next call has to request the same page, which the client may have made smaller.
      if (call.isUnconfirmed) {
        const { size: paidSize, ...start } = readPageUrl(call.requestedUrl)
        position = { ...here, ...start, paidSize }
      }
      break
    }
    total = page.total
    version ??= page.version
    if (here.paidSize === 0) planned += page.items.length
    const wanted = page.items.slice(0, limit - items.length)
    const tooLarge = wanted.findIndex((item) => !result.add(source.describe(item)))
    const count = tooLarge === -1 ? wanted.length : tooLarge
    if (count < wanted.length) endedBy = 'size'
    position = page.next
    if (count < page.items.length) {
      const { page: number, after, size } = page
      const delivered = [...here.delivered, ...page.items.slice(0, count).map(source.keyOf)]
      position = { page: number, after, paidSize: size, delivered }
      pending = { items: page.items.length - count, pageCost: size }
    }
  }
  return { items, total, version, cursor: position && writeCursor(listUrl, position), endedBy, pending }
}

/** Which page to read. */
interface PageRequest {
  listUrl: string
  position: Position
  size: number
  /** What the whole call may cost. */
  credits: number
}

/** Reads a page. */
async function readPage<Item>(
  call: Call,
  { open }: ListSource<Item>,
  { listUrl, position, size, credits }: PageRequest,
): Promise<PageOfList<Item> | 'refused' | Error> {
  const url = writePageUrl(listUrl, position, size)
  const list = open({
    resume: { url, key: pageKeyPrefix, spent: 0, read: [...position.delivered] },
    budget: Math.max(0, credits - call.spent),
    pageSize: size,
    signal: call.signal,
  })
  const page = await list
    .pages()
    .next()
    .then(
      ({ value }) => value ?? undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    )
  if (page instanceof Error) return page
  if (page === undefined && list.stoppedBy === 'budget') return 'refused'
  // With a small budget, the client asks for a smaller page. And if all items of a page are delivered, for the next
  // one.
  const requested = readPageUrl(call.requestedUrl)
  const next = list.state && { ...readPageUrl(list.state.url), paidSize: 0, delivered: list.state.read }
  return { ...requested, items: page?.items ?? [], total: list.total, version: list.version, next }
}

async function createCostError(
  { quote }: ListSource<unknown>,
  limit: number,
  { paidSize }: Position,
): Promise<CostError> {
  if (paidSize > 0) return new CostError(paidSize)
  const whole = await quote()
  return new CostError(whole === undefined ? limit : Math.min(limit, whole.credits), whole === undefined)
}
