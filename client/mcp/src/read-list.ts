/**
 * Reads a part of a list: as many items as were asked for, may be paid and fit into a result.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import type { List, ListOptions, Quote } from 'devdata-client'
import type { Cursors, SavedList } from './cursors.ts'
import type { ResultItem } from './fields.ts'
import { CostError } from './messages.ts'

/** Bytes of the items, which is some 20,000 tokens. Some assistants refuse results of more than 25,000. */
const maxBytes = 80_000

/** Which part of a list to read. */
export interface ListRequest<Item> {
  /** The tool and its filter, as text. */
  identity: string
  open(options: ListOptions): List<Item>
  describe(item: Item): ResultItem
  /** Returns what the whole list costs; undefined: that can't be asked. */
  quote(): Promise<Quote | undefined>
  /** Where a result ended; undefined: the start. */
  saved: SavedList | undefined
  limit: number
  /** What may be paid, in credits. */
  credits: number
  signal: AbortSignal
}

/** Reads items. Throws a `CostError` if they cost more than may be paid. */
export async function readItems<Item>(
  { identity, open, describe, quote, saved, limit, credits, signal }: ListRequest<Item>,
  cursors: Cursors,
) {
  let rest = (saved?.rest ?? []) as readonly Item[]
  // Without credits, a list that costs nothing can still be read.
  const wanted = Math.min(limit, rest.length + credits) || limit
  const list =
    saved !== undefined && saved.state === undefined
      ? undefined
      : open({
          resume: saved?.state,
          budget: (saved?.state?.spent ?? 0) + credits,
          pageSize: Math.max(1, wanted - rest.length),
          signal,
        })
  const pages = list?.pages()
  const items: ResultItem[] = []
  let size = 0
  let isFull = false
  while (items.length < wanted) {
    const [item] = rest
    if (item === undefined) {
      const page = await pages?.next()
      if (page === undefined || page.done) break
      rest = page.value.items
      continue
    }
    const described = describe(item)
    size += Buffer.byteLength(JSON.stringify(described))
    isFull = size > maxBytes && items.length > 0
    if (isFull) break
    items.push(described)
    rest = rest.slice(1)
  }
  if (items.length === 0 && list?.stoppedBy === 'budget') {
    const whole = await quote()
    throw new CostError(whole === undefined ? limit : Math.min(limit, whole.credits), whole === undefined)
  }
  const total = list?.total ?? saved?.total
  const isComplete = rest.length === 0 && (list?.isComplete ?? true)
  /** Why there are fewer items than were asked for. */
  const endedBy: 'size' | 'credits' | undefined =
    isComplete || items.length >= limit ? undefined : isFull ? 'size' : 'credits'
  return {
    items,
    ...(total !== undefined && { total }),
    ...(!isComplete && { next_cursor: cursors.save({ identity, rest, state: list?.state, total }) }),
    endedBy,
    unread: rest.length,
  }
}
