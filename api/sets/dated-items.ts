/** When items used what groups of terms mean. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { decodeChunk, type UseBegin, type UseEnd, Uses } from './use-chunks.ts'

/** A term whose uses have dates. */
export interface DatedTerm {
  termId: number
  /** Uses of this term have not ended, if it is `active`. Null: unknown. */
  status: 'active' | 'removed' | null
}

/** When an item used what any of the terms of a group means: from the earliest beginning to the latest end. */
export interface ItemUse {
  id: number
  begin: UseBegin
  /** Unix seconds. */
  end: UseEnd
  /** Those that it has: a bit for each of `statusBits`. */
  statuses: number
}

/** The bits of the status of terms. */
export const statusBits = { active: 1, removed: 2, unknown: 4 } as const

/** Joins the uses of two terms of a group by the same item. */
export function joinUses(one: ItemUse, other: ItemUse): ItemUse {
  return {
    id: one.id,
    begin: Math.min(one.begin, other.begin),
    end: one.end === null || other.end === null ? null : Math.max(one.end, other.end),
    statuses: one.statuses | other.statuses,
  }
}

/** Uses that are in memory at a time, of terms that have more. Between them, the event loop has a turn. */
const maxPending = 10_000

/**
 * Calls `onUse` for each item of each group, group by group, if the dataset has the edition. Returns false if it
 * doesn't. One statement reads the dates of all groups.
 */
export async function readDatedItems(
  sql: SqlOrTransaction,
  list: 'users' | 'repositories',
  groups: readonly (readonly DatedTerm[])[],
  edition: string,
  onUse: (use: ItemUse) => void,
): Promise<boolean> {
  let pending: PendingGroup | undefined
  let isCurrent = true
  for await (const [current, place, term, first, bytes] of copyChunks(sql, list, groups, edition)) {
    if (readInteger(current) === 0) {
      isCurrent = false
      continue // a stream must be read to its end
    }
    const group = readInteger(place)
    if (pending?.group !== group) {
      pending?.flush(Number.POSITIVE_INFINITY)
      pending = new PendingGroup(group, groups[group] ?? [], onUse)
    }
    if (bytes === undefined || bytes.length === 0) continue // no chunk
    if (pending.size > maxPending) {
      pending.flush(readInteger(first))
      await nextTurn()
    }
    pending.add(readInteger(term), bytes)
  }
  pending?.flush(Number.POSITIVE_INFINITY)
  return isCurrent
}

/**
 * Copies the chunks of groups, each in the order of the first item that it has of the term: whether the dataset has the
 * edition, the group, the term, that item or 0, and the chunk. A group without chunks has one row without them.
 */
function copyChunks(
  sql: SqlOrTransaction,
  list: string,
  groups: readonly (readonly DatedTerm[])[],
  edition: string,
): AsyncGenerator<Buffer[], void> {
  const terms = groups.map((group) => `"{${group.map(({ termId }) => termId).join()}}"`)
  return copyRows(
    sql,
    // Only the keys of chunks are sorted.
    `select d.edition = '${edition}', place - 1, term, first, (
        select bytes from use_dates u where u.list = '${list}' and u.term_id = s.term_id and u.item_id = s.item_id
      )
    from dataset d cross join unnest('{${terms.join()}}'::text[]) with ordinality as g(terms, place)
      left join lateral (
        select term, first, term_id, item_id
        from unnest(terms::integer[]) as t(term), lateral (
          (select item_id as first, term_id, item_id from use_dates where list = '${list}' and term_id = term)
          union all
          (
            select 0, term_id, item_id from use_dates where list = '${list}' and term_id < term
            order by term_id desc, item_id desc limit 1
          )
        ) c
        where d.edition = '${edition}' order by first offset 0
      ) s on true`,
  )
}

/** The uses of a group that were read, and not yet passed on. */
class PendingGroup {
  readonly group: number
  size = 0
  #runs = new Map<number, Run>()
  #onUse: (use: ItemUse) => void

  constructor(group: number, terms: readonly DatedTerm[], onUse: (use: ItemUse) => void) {
    this.group = group
    this.#onUse = onUse
    for (const { termId, status } of terms) this.#runs.set(termId, { status, uses: new Uses(), next: 0 })
  }

  add(termId: number, chunk: Uint8Array): void {
    const run = this.#runs.get(termId)
    if (run === undefined) throw new Error(`term ${termId} is not of the group`)
    const before = run.uses.length
    decodeChunk(chunk, run.uses, termId)
    this.size += run.uses.length - before
  }

  /** Passes on the items before `limit`, of which all uses were read. */
  flush(limit: number): void {
    const runs = [...this.#runs.values()].filter(({ uses, next }) => next < uses.length)
    const headOf = ({ uses, next }: Run) =>
      next < uses.length ? uses.itemAt(next) : Number.POSITIVE_INFINITY
    for (;;) {
      const id = runs.reduce((least, run) => Math.min(least, headOf(run)), Number.POSITIVE_INFINITY)
      if (id >= limit || id === Number.POSITIVE_INFINITY) break
      let use: ItemUse | undefined
      for (const run of runs) {
        if (headOf(run) !== id) continue
        const own = {
          id,
          begin: run.uses.beginAt(run.next) ?? Number.NaN,
          end: run.uses.endAt(run.next),
          statuses: statusBits[run.status ?? 'unknown'],
        }
        use = use === undefined ? own : joinUses(use, own)
        run.next++
      }
      if (use !== undefined) this.#onUse(use)
    }
    this.size = 0
    for (const run of runs) {
      const rest = new Uses()
      for (let place = run.next; place < run.uses.length; place++) rest.addFrom(run.uses, place)
      this.size += rest.length
      run.uses = rest
      run.next = 0
    }
  }
}

/** The uses of a term, by item. Those before `next` were passed on. */
interface Run {
  status: DatedTerm['status']
  uses: Uses
  next: number
}
