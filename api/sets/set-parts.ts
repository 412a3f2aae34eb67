/**
 * Parts of sets as a change rewrites them: which rows of `sets` it takes out of the table, and which it puts there instead.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyInto, copyRows, readInteger, writeRow } from '../database/copy.ts'
import { decodePart, encodePart, findPart, type SetPart } from './set-encoding.ts'
import { readPart, type SetList, termColumns } from './stored-sets.ts'
import { mergeChanges } from './term-changes.ts'

/** Rows of `sets` with one `term_id`: that of a term, or of a shelf. */
export interface WantedParts {
  rowId: number
  parts: readonly number[] | 'all'
}

/** Removes rows from the table, and returns their parts by `term_id`, ascending. */
export async function takeParts(
  tx: SqlOrTransaction,
  list: SetList,
  wanted: readonly WantedParts[],
): Promise<Map<number, SetPart[]>> {
  const taken = new Map<number, SetPart[]>()
  const take = async (using: string, condition: string) => {
    const rows = copyRows(
      tx,
      `delete from sets s ${using} where s.list = '${list}' and ${condition}
      returning s.width, s.part, s.cardinality, s.bytes, s.term_id`,
    )
    for await (const row of rows) {
      const rowId = readInteger(row[4])
      const part = readPart(row)
      const parts = taken.get(rowId)
      if (parts === undefined) taken.set(rowId, [part])
      else parts.push(part)
    }
  }
  const keys = wanted.flatMap(({ rowId, parts }) =>
    parts === 'all' ? [] : parts.map((part) => ({ rowId, part })),
  )
  if (keys.length > 0) {
    const rowIds = keys.map(({ rowId }) => rowId).join()
    const parts = keys.map(({ part }) => part).join()
    await take(
      `using unnest('{${rowIds}}'::integer[], '{${parts}}'::integer[]) as k(term_id, part)`,
      's.term_id = k.term_id and s.part = k.part',
    )
  }
  const whole = wanted.flatMap(({ rowId, parts }) => (parts === 'all' ? [rowId] : []))
  if (whole.length > 0) await take('', `s.term_id = any('{${whole.join()}}')`)
  for (const parts of taken.values()) parts.sort((one, other) => one.part - other.part)
  return taken
}

/** Yields the parts of a set after a change. `stored` has those that change, or all if they have another width; ascending. */
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
    const before: Uint32Array[] = []
    for (let part = next; part !== undefined && startOf(part) < end; part = stored[++taken]) {
      before.push(decodePart(part))
    }
    const start = applied
    while (applied < changes.length && (changes[applied] ?? 0) >>> 1 < end) applied++
    yield* splitIds(mergeChanges(concatenate(before), changes.subarray(start, applied)), width)
  }
}

/** Yields the parts of a width that have ids. */
function* splitIds(ids: Uint32Array, width: number): Generator<SetPart, void> {
  for (let start = 0; start < ids.length; ) {
    const part = findPart(ids[start] ?? 0, width)
    const limit = (part + 1) * 2 ** width
    let end = start + 1
    while (end < ids.length && (ids[end] ?? 0) < limit) end++
    yield encodePart(ids.subarray(start, end), { width, part })
    start = end
  }
}

function concatenate(arrays: readonly Uint32Array[]): Uint32Array {
  const [first] = arrays
  if (arrays.length === 1 && first !== undefined) return first
  const all = new Uint32Array(arrays.reduce((length, array) => length + array.length, 0))
  let length = 0
  for (const array of arrays) {
    all.set(array, length)
    length += array.length
  }
  return all
}

/** Writes rows of `sets`, many at a time. */
export class PartWriter {
  readonly #tx: SqlOrTransaction
  readonly #list: SetList
  #lines: string[] = []
  #bytes = 0

  constructor(tx: SqlOrTransaction, list: SetList) {
    this.#tx = tx
    this.#list = list
  }

  /** Adds a part. One without ids isn't stored. */
  add(rowId: number, { part, width, cardinality, bytes }: SetPart): void {
    if (cardinality === 0) return
    const digits = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
    this.#lines.push(writeRow([rowId, this.#list, part, width, cardinality, `\\x${digits}`]))
    this.#bytes += digits.length
  }

  /** Writes what was added, if that is much. */
  async flush(atLeastBytes = 4_000_000): Promise<void> {
    if (this.#bytes < atLeastBytes) return
    await copyInto(this.#tx, 'sets (term_id, list, part, width, cardinality, bytes)', this.#lines)
    this.#lines = []
    this.#bytes = 0
  }
}

/** Deletes the sets of terms that have no rows beside them. `terms` selects the terms. */
export async function deleteSets(tx: SqlOrTransaction, terms: Fragment): Promise<void> {
  await tx`delete from sets where term_id in (${terms})`
}

/** Deletes all sets. Terms have no items then, and all sets are small again. */
export async function deleteAllSets(tx: SqlOrTransaction): Promise<void> {
  await tx`delete from sets`
  for (const { table, count, isOnShelf } of termColumns) {
    await tx`
      update ${tx(table)} set ${tx(isOnShelf)} = true, ${tx(count)} = 0
      where not ${tx(isOnShelf)} or ${tx(count)} <> 0`
  }
}
