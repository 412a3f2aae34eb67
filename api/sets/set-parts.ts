/**
 * Parts of stored sets as a change of the dataset rewrites them: in batches, each read, merged and written at once.
 *
 * @module
 */

import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import type { SetPart } from './set-encoding.ts'
import { readCodes, readList, readPart, type SetList } from './stored-sets.ts'

/** Bytes of parts and of their changes in a batch, about. */
const batchBytes = 4_000_000

/** A part of the set of a term, or a shelf: a row of `sets`. */
export interface StoredPart extends SetPart {
  termId: number
  list: SetList
}

/** A part with what changes in it: ids, or codes of a shelf, ascending. */
export interface ChangedPart extends StoredPart {
  gained: Float64Array
  lost: Float64Array
  /** Terms whose sets leave the shelf, because they gain too many ids. */
  leaving: Float64Array
}

/**
 * Rewrites parts. `changes` is SQL with the columns `term_id`, `list`, `part` and `width`, and `gained`, `lost` and `leaving`
 * as `readCodes` reads them. `rewrite` gets a batch, and returns the new parts; a part without ids is removed.
 */
export async function rewriteParts(
  tx: SqlOrTransaction,
  changes: Fragment,
  rewrite: (changed: AsyncIterable<ChangedPart>) => Promise<StoredPart[]>,
): Promise<void> {
  await tx`
    create temporary table changed_parts (
      term_id integer not null, list list_name not null, part integer not null, width integer not null,
      gained bytea, lost bytea, leaving bytea, batch integer not null
    ) on commit drop`
  // To compress the ids would take longer than to collect them.
  await tx`
    alter table changed_parts alter gained set storage external, alter lost set storage external`
  await tx`
    insert into changed_parts
    select term_id, list, part, width, gained, lost, leaving, (
      sum(2000 + coalesce(length(gained), 0) + coalesce(length(lost), 0)) over (order by term_id, list, part)
        / ${batchBytes}::integer
    )::integer
    from (${changes}) c`
  await tx`create index on changed_parts (batch)`
  await tx`analyze changed_parts`
  const [last] = await tx<{ batch: number | null }[]>`select max(batch) as batch from changed_parts`
  for (let batch = 0; batch <= (last?.batch ?? -1); batch++) {
    const parts = await rewrite(readBatch(tx, batch))
    await tx`
      delete from sets s using changed_parts c
      where c.batch = ${batch} and s.term_id = c.term_id and s.list = c.list and s.part = c.part`
    await insertParts(
      tx,
      parts.filter(({ cardinality }) => cardinality > 0),
    )
  }
  await tx`drop table changed_parts`
}

async function* readBatch(tx: SqlOrTransaction, batch: number): AsyncGenerator<ChangedPart, void> {
  const rows = copyRows(
    tx,
    `select c.width, c.part, coalesce(s.cardinality, 0), coalesce(s.bytes, ''), c.term_id, c.list, c.gained, c.lost, c.leaving
    from changed_parts c left join sets s using (term_id, list, part) where c.batch = ${batch}`,
  )
  for await (const row of rows) {
    const [, , , , termId, list, gained, lost, leaving] = row
    yield {
      ...readPart(row),
      termId: readInteger(termId),
      list: readList(list),
      gained: readCodes(gained),
      lost: readCodes(lost),
      leaving: readCodes(leaving),
    }
  }
}

/**
 * Merges ascending ids. An id that was gained and lost as often in the same change, in any order, stays as it was before.
 */
export function mergeChanges(
  before: Uint32Array | Float64Array,
  { gained: allGained, lost: allLost }: Pick<ChangedPart, 'gained' | 'lost'>,
): Uint32Array | Float64Array {
  const gained = subtractIds(allGained, allLost)
  const lost = subtractIds(allLost, allGained)
  const size = before.length + gained.length
  const after = before instanceof Uint32Array ? new Uint32Array(size) : new Float64Array(size)
  let length = 0
  let copied = 0
  const copyTo = (end: number) => {
    after.set(before.subarray(copied, end), length)
    length += end - copied
    copied = end
  }
  for (let [g, l] = [0, 0]; g < gained.length || l < lost.length; ) {
    const [nextGained = Number.POSITIVE_INFINITY, nextLost = Number.POSITIVE_INFINITY] = [gained[g], lost[l]]
    const id = Math.min(nextGained, nextLost)
    copyTo(findPlace(before, id, copied))
    if (before[copied] === id) copied++ // a gained one is added again
    if (nextGained < nextLost) {
      g++
      if (after[length - 1] !== id) after[length++] = id
    } else {
      l++
    }
  }
  copyTo(before.length)
  return after.subarray(0, length)
}

/** The place of the first id from `start` on that is not lower than `id`; the length if there is none. */
function findPlace(ids: Uint32Array | Float64Array, id: number, start: number): number {
  let [low, high] = [start, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the ids that occur more often in `ids` than in `others`, each as often as the difference. Both are ascending. */
export function subtractIds(
  ids: Uint32Array | Float64Array,
  others: Uint32Array | Float64Array,
): Uint32Array | Float64Array {
  if (ids.length === 0 || others.length === 0) return ids
  let at = 0
  return Float64Array.from(ids).filter((id) => {
    while (at < others.length && (others[at] ?? 0) < id) at++
    if (others[at] !== id) return true
    at++
    return false
  })
}

/** Inserts parts. Their bytes are one value, because the driver can't send arrays of bytes. */
export async function insertParts(tx: SqlOrTransaction, parts: readonly StoredPart[]): Promise<void> {
  if (parts.length === 0) return
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  const integers = (read: (part: StoredPart) => number) => tx.typed.bigints(parts.map(read))
  await tx`
    insert into sets (term_id, list, part, width, cardinality, bytes)
    select term_id, list::list_name, part, width, cardinality,
      substring(all_bytes from (sum(length) over (order by place) - length + 1)::integer for length::integer)
    from (select ${bytes}::bytea as all_bytes) b, unnest(
      ${integers(({ termId }) => termId)}, ${tx.typed.texts(parts.map(({ list }) => list))},
      ${integers(({ part }) => part)}, ${integers(({ width }) => width)},
      ${integers(({ cardinality }) => cardinality)}, ${integers((part) => part.bytes.length)}
    ) with ordinality as p(term_id, list, part, width, cardinality, length, place)`
}
