/** Parts of sets as a change rewrites them. */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { copyWhileMade, listColumns, type WrittenRow } from '../database/row-buffer.ts'
import { decodePart, encodePart, findPart, type SetPart } from './set-encoding.ts'
import { readPart, type SetList, selectVersionTerms, termColumns } from './stored-sets.ts'
import { mergeChanges } from './term-changes.ts'

/** Parts of the set of a term, or a shelf: rows of `sets` with one `term_id`, and what they become. */
export interface Rewrite {
  rowId: number
  parts: readonly number[] | 'all'
  /** Yields all parts that replace those, each with its `term_id`. A part without ids isn't stored. */
  rewrite(stored: readonly SetPart[]): Iterable<readonly [rowId: number, part: SetPart]>
}

/** Replaces parts in the table `sets`. */
export async function applyRewrites(
  tx: SqlOrTransaction,
  list: SetList,
  rewrites: readonly Rewrite[],
): Promise<void> {
  if (rewrites.length === 0) return
  const keys = rewrites.flatMap(({ rowId, parts }) =>
    parts === 'all' ? [[rowId, 0, 2 ** 31 - 1]] : parts.map((part) => [rowId, part, part]),
  )
  const column = (place: number) => `'{${keys.map((key) => key[place]).join()}}'::integer[]`
  const rows = copyRows(
    tx,
    `delete from sets s using unnest(${column(0)}, ${column(1)}, ${column(2)}) as k(term_id, first, last)
    where s.list = '${list}' and s.term_id = k.term_id and s.part between k.first and k.last
    returning s.width, s.part, s.cardinality, s.bytes, s.term_id`,
  )
  const stored = new Map<number, SetPart[]>(rewrites.map(({ rowId }) => [rowId, []]))
  for await (const row of rows) stored.get(readInteger(row[4]))?.push(readPart(row))
  await copyWhileMade(tx, 'sets', writtenColumns, rewriteAll(list, rewrites, stored))
}

const writtenColumns = listColumns({
  term_id: 'integer',
  list: 'text',
  part: 'integer',
  width: 'smallint',
  cardinality: 'integer',
  bytes: 'bytea',
})

/** Yields the rows that replace `stored`. */
function* rewriteAll(
  list: SetList,
  rewrites: readonly Rewrite[],
  stored: ReadonlyMap<number, SetPart[]>,
): Generator<WrittenRow, void> {
  for (const { rowId, rewrite } of rewrites) {
    const parts = stored.get(rowId)?.sort((one, other) => one.part - other.part) ?? []
    for (const [term_id, part] of rewrite(parts)) {
      if (part.cardinality > 0) yield { term_id, list, ...part }
    }
  }
}

/**
 * Yields the parts of a set after a change. `stored` has those that change, or all if they have another width;
 * ascending.
 */
export function* rewriteParts(
  stored: readonly SetPart[],
  changes: Uint32Array,
  width: number,
): Generator<SetPart, void> {
  // Parts of the larger width are rewritten one after the other, with all smaller ones in their range.
  const rangeWidth = Math.max(width, stored[0]?.width ?? width)
  const startOf = (part: SetPart) => part.part * 2 ** part.width
  let taken = 0
  let applied = 0
  while (taken < stored.length || applied < changes.length) {
    const next = stored[taken]
    const first = Math.min(
      next === undefined ? Number.POSITIVE_INFINITY : startOf(next),
      applied < changes.length ? (changes[applied] ?? 0) >>> 1 : Number.POSITIVE_INFINITY,
    )
    const end = (findPart(first, rangeWidth) + 1) * 2 ** rangeWidth
    const own: SetPart[] = []
    for (let part = next; part !== undefined && startOf(part) < end; part = stored[++taken]) own.push(part)
    const ids = new Uint32Array(own.reduce((sum, { cardinality }) => sum + cardinality, 0))
    let length = 0
    for (const part of own) {
      ids.set(decodePart(part), length)
      length += part.cardinality
    }
    const start = applied
    while (applied < changes.length && (changes[applied] ?? 0) >>> 1 < end) applied++
    yield* splitIds(mergeChanges(ids, changes.subarray(start, applied)), width)
  }
}

/** Yields the parts of a width that have the ids, which are ascending. */
export function* splitIds(ids: Uint32Array, width: number): Generator<SetPart, void> {
  for (let start = 0; start < ids.length; ) {
    const part = findPart(ids[start] ?? 0, width)
    const limit = (part + 1) * 2 ** width
    let end = start + 1
    while (end < ids.length && (ids[end] ?? 0) < limit) end++
    yield encodePart(ids.subarray(start, end), { width, part })
    start = end
  }
}

/**
 * Deletes the sets of terms without a stored number of items, such as versions. `terms` selects the ids of the terms.
 */
export async function deleteSets(tx: SqlOrTransaction, terms: Fragment): Promise<void> {
  await tx`delete from sets where term_id in (${terms})`
}

/**
 * Deletes the sets that are derived from rows, and resets the terms' rows: no items, on a shelf. What gained or lost
 * something in a version is in sets alone, so these stay.
 */
export async function deleteDerivedSets(tx: SqlOrTransaction): Promise<void> {
  await tx`delete from sets where term_id not in (${tx.unsafe(selectVersionTerms(['gained_term_id', 'lost_term_id']))})`
  for (const { table, count, isOnShelf } of termColumns) {
    await tx`
      update ${tx(table)} set ${tx(isOnShelf)} = true, ${tx(count)} = 0
      where not ${tx(isOnShelf)} or ${tx(count)} <> 0`
  }
}
