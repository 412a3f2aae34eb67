/** Compares the stored dates of uses with what they should be. */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import type { IdRange, SetVerification } from './set-verification.ts'
import { readUses, type UseSource } from './use-changes.ts'
import { decodeChunk, type UseBegin, type UseEnd, Uses } from './use-chunks.ts'

/**
 * Finds the terms of a list whose stored dates aren't those of the items. `items` is SQL: `id` of each item, and what
 * it uses, as in `UseSource`. With a sample, these are its items, and only the chunks that should have their uses are
 * read. The transaction must see one snapshot.
 */
export async function findWrongUses(
  tx: SqlOrTransaction,
  list: 'users' | 'repositories',
  items: string,
  { hasSeconds, undated }: Pick<UseSource, 'hasSeconds'> & { undated: ReadonlySet<number> },
  sample?: IdRange,
): Promise<SetVerification['faults']> {
  // Uses are in another order here and there, so sums of their hashes are compared, term by term.
  const sums = new Map<number, number>()
  const add = (termId: number, hash: number) => sums.set(termId, (sums.get(termId) ?? 0) + hash)
  const sampled = { terms: [] as number[], items: [] as number[] }
  for await (const [id, ...columns] of copyRows(tx, items)) {
    for (const [termId, use] of readUses({ hasSeconds }, columns)) {
      if (undated.has(termId)) continue
      add(termId, hashUse(readInteger(id), use))
      if (sample === undefined) continue
      sampled.terms.push(termId)
      sampled.items.push(readInteger(id))
    }
  }
  const faults = new Set<number>()
  const rows = copyRows(
    tx,
    `select term_id, item_id, bytes from use_dates
    where list = '${list}' and ${sample === undefined ? 'true' : selectChunks(list, sampled)} order by term_id, item_id`,
  )
  let [termId, item] = [0, 0]
  for await (const [firstTerm, firstItem, bytes = Buffer.alloc(0)] of rows) {
    const uses = new Uses(256)
    decodeChunk(bytes, uses)
    if (uses.compare(0, readInteger(firstTerm), readInteger(firstItem)) !== 0)
      faults.add(readInteger(firstTerm))
    for (let place = 0; place < uses.length; place++) {
      if (uses.compare(place, termId, item) <= 0) faults.add(uses.termAt(place))
      termId = uses.termAt(place)
      item = uses.itemAt(place)
      if (sample !== undefined && (item < sample.first || item > sample.last)) continue
      add(termId, -hashUse(item, { begin: uses.beginAt(place) ?? Number.NaN, end: uses.endAt(place) }))
    }
  }
  for (const [each, sum] of sums) if (sum !== 0) faults.add(each)
  return Array.from(faults, (fault) => ({ termId: fault, list }))
}

/**
 * SQL: whether a chunk is one that should have any of these uses, which is the last one that begins at the use or
 * before it.
 */
function selectChunks(list: string, uses: { terms: readonly number[]; items: readonly number[] }): string {
  return `(term_id, item_id) in (
    select c.term_id, c.item_id
    from unnest('{${uses.terms.join()}}'::integer[], '{${uses.items.join()}}'::integer[]) as u(term_id, item_id), lateral (
      select term_id, item_id from use_dates
      where list = '${list}' and (term_id, item_id) <= (u.term_id, u.item_id)
      order by term_id desc, item_id desc limit 1
    ) c
  )`
}

/** A hash of 32 bits, from 1 on: sums of a million million of them are exact. */
function hashUse(item: number, { begin, end }: { begin: UseBegin; end: UseEnd }): number {
  let hash = 0
  for (const number of [
    item,
    begin % 2 ** 32,
    begin / 2 ** 32,
    end === null ? 1 : end % 2 ** 32,
    (end ?? 0) / 2 ** 32,
  ]) {
    hash = Math.imul(hash ^ Math.floor(number), 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  return (hash >>> 0) + 1
}
