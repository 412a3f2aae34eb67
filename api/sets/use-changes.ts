/**
 * Changes the stored dates of uses, for first loads and refreshes alike:
 *
 *   whose uses have changed → what these are now, read in ranges of ids → if there are many, sliced by term
 *     → ordered by term → merged into the chunks that have these uses or are next to them
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger, readIntegers } from '../database/copy.ts'
import { copyWhileMade, listColumns, type WrittenRow } from '../database/row-buffer.ts'
import { type ChangedRange, planPieces, planRanges } from './term-slices.ts'
import { decodeChunk, encodeUses, type UseBegin, type UseEnd, Uses, unknownBegin } from './use-chunks.ts'

/** Where the uses of a list's items are. */
export interface UseSource {
  /**
   * SQL: for items in a range of ids, by id: `id`; terms that the item no longer uses; and in arrays of one length terms
   * that the item uses now, when each use began, and when it ended. Of several rows about a use, the last one counts.
   */
  selectUses(range: ChangedRange): string
  /** Whether `begins` has Unix seconds. Otherwise, it has what `UseBegin` is. */
  hasSeconds: boolean
}

/** Bounds of what is in memory at a time: uses that are read, and uses that are merged. */
const usualBounds = { range: 500_000, batch: 100_000 }

/**
 * Applies changes of uses. `sizes` is SQL: `list`, `id` and `size` of the changed items, and `undated` are terms whose
 * uses have no dates.
 */
export async function applyUseChanges(
  tx: SqlOrTransaction,
  sizes: string,
  sources: Record<'users' | 'repositories', UseSource>,
  undated: ReadonlySet<number>,
  bounds = usualBounds,
): Promise<void> {
  const ranges = await planRanges(tx, sizes, bounds.range)
  const changed = new Uses(Math.max(1, ...ranges.map(({ size }) => size))) // for all: V8 is slow to free large arrays
  const pieces = await planPieces(tx, ranges, bounds.range, changed, (range) => {
    if (range.list !== 'users' && range.list !== 'repositories') throw new Error('texts use nothing')
    return readChanges(tx, sources[range.list], range, undated, changed)
  })
  for (const piece of pieces) {
    changed.clear()
    await piece.read()
    changed.sort()
    for (let first = 0; first < changed.length; first += bounds.batch) {
      await mergeUses(tx, piece, changed, first, Math.min(changed.length, first + bounds.batch))
    }
  }
}

async function readChanges(
  tx: SqlOrTransaction,
  source: UseSource,
  range: ChangedRange,
  undated: ReadonlySet<number>,
  changed: Uses,
): Promise<void> {
  for await (const [id, lost, ...columns] of copyRows(tx, source.selectUses(range))) {
    const item = readInteger(id)
    const change = (termId: number | null, begin: UseBegin | undefined, end: UseEnd) => {
      if (termId !== null && !undated.has(termId)) changed.add(termId, item, begin, end)
    }
    for (const termId of readIntegers(lost)) change(termId, undefined, null)
    forEachUse(source, columns, change)
  }
}

/** Reads what an item uses, by term, from the columns of a row. */
export function readUses(
  source: Pick<UseSource, 'hasSeconds'>,
  columns: readonly (Buffer | undefined)[],
): Map<number, { begin: UseBegin; end: UseEnd }> {
  const uses = new Map<number, { begin: UseBegin; end: UseEnd }>()
  forEachUse(source, columns, (termId, begin, end) => uses.set(termId, { begin, end }))
  return uses
}

function forEachUse(
  { hasSeconds }: Pick<UseSource, 'hasSeconds'>,
  columns: readonly (Buffer | undefined)[],
  onUse: (termId: number, begin: UseBegin, end: UseEnd) => void,
): void {
  const [terms = [], begins = [], ends = []] = columns.map(readIntegers)
  for (let place = 0; place < terms.length; place++) {
    const [termId = null, begin = null, end = null] = [terms[place], begins[place], ends[place]]
    if (termId === null) throw new Error('a term is null')
    onUse(termId, begin === null ? unknownBegin : hasSeconds ? 2 * begin : begin, end)
  }
}

/** Merges changed uses of a range, from a place to another, into the chunks. */
async function mergeUses(
  tx: SqlOrTransaction,
  range: ChangedRange,
  changed: Uses,
  first: number,
  end: number,
): Promise<void> {
  const { list } = range
  const starts = await findChunks(tx, range, changed, first, end)
  /** The changes of each chunk: those before the next one. */
  const pieces: ChunkChange[] = []
  let chunk = -1
  for (let place = first; place < end; place++) {
    const isBefore = (start: number) =>
      starts.compare(start, changed.termAt(place), changed.itemAt(place)) <= 0
    const from = chunk
    while (chunk + 1 < starts.length && isBefore(chunk + 1)) chunk++
    const last = pieces.at(-1)
    if (last === undefined || chunk !== from) pieces.push({ chunk, from: place, to: place + 1 })
    else last.to = place + 1
  }
  const stored = await takeChunks(
    tx,
    list,
    starts,
    pieces.map((piece) => piece.chunk).filter((number) => number >= 0),
  )
  await copyWhileMade(tx, 'use_dates', chunkColumns, mergeAll(list, changed, pieces, stored))
}

/** A range of changed uses that are merged into one chunk. */
interface ChunkChange {
  /** Number of the chunk. -1: no chunk begins before these uses. */
  chunk: number
  from: number
  to: number
}

const chunkColumns = listColumns({ list: 'text', term_id: 'integer', item_id: 'integer', bytes: 'bytea' })

/** Yields the rows that replace `stored`. */
function* mergeAll(
  list: string,
  changed: Uses,
  pieces: readonly ChunkChange[],
  stored: ReadonlyMap<number, Uses>,
): Generator<WrittenRow, void> {
  for (const piece of pieces) {
    const uses = merge(stored.get(piece.chunk) ?? new Uses(), changed, piece)
    for (const { termId, item, bytes } of encodeUses(uses)) {
      yield { list, term_id: termId, item_id: item, bytes }
    }
  }
}

/** Finds the chunks that may have changed uses of a range, or are before them: their first uses, in order. */
async function findChunks(
  tx: SqlOrTransaction,
  range: ChangedRange,
  changed: Uses,
  first: number,
  end: number,
): Promise<Uses> {
  const terms: number[] = []
  for (let place = first; place < end; place++) {
    if (changed.termAt(place) !== terms.at(-1)) terms.push(changed.termAt(place))
  }
  const starts = new Uses()
  const rows = copyRows(
    tx,
    `select distinct s.term_id, s.item_id
    from unnest('{${terms.join()}}'::integer[]) as t(id), lateral (
      (
        select term_id, item_id from use_dates
        where list = '${range.list}' and term_id = t.id and item_id between ${range.first} and ${range.last}
      )
      union all
      (
        select term_id, item_id from use_dates
        where list = '${range.list}' and (term_id, item_id) < (t.id, ${range.first})
        order by term_id desc, item_id desc limit 1
      )
    ) s
    order by 1, 2`,
  )
  for await (const [termId, item] of rows) starts.add(readInteger(termId), readInteger(item), 0, null)
  return starts
}

/** Deletes chunks, by their numbers in `starts`. Returns what they had. */
async function takeChunks(
  tx: SqlOrTransaction,
  list: string,
  starts: Uses,
  numbers: readonly number[],
): Promise<Map<number, Uses>> {
  const rows = copyRows(
    tx,
    `delete from use_dates u
    using unnest(
      '{${numbers.join()}}'::integer[], '{${numbers.map((number) => starts.termAt(number)).join()}}'::integer[],
      '{${numbers.map((number) => starts.itemAt(number)).join()}}'::integer[]
    ) as k(number, term_id, item_id)
    where u.list = '${list}' and u.term_id = k.term_id and u.item_id = k.item_id
    returning k.number, u.bytes`,
  )
  const stored = new Map<number, Uses>()
  for await (const [number, bytes] of rows) {
    const uses = new Uses(256)
    if (bytes !== undefined) decodeChunk(bytes, uses)
    stored.set(readInteger(number), uses)
  }
  return stored
}

/** Merges changed uses with those of a chunk. Of several changes of one use, the last one counts. */
function merge(before: Uses, changed: Uses, { from, to }: ChunkChange): Uses {
  const after = new Uses(before.length + to - from)
  let kept = 0
  for (let place = from; place < to; place++) {
    const [termId, item] = [changed.termAt(place), changed.itemAt(place)]
    if (place + 1 < to && changed.compare(place + 1, termId, item) === 0) continue
    for (; kept < before.length && before.compare(kept, termId, item) < 0; kept++) after.addFrom(before, kept)
    if (kept < before.length && before.compare(kept, termId, item) === 0) kept++
    if (changed.beginAt(place) !== undefined) after.addFrom(changed, place)
  }
  for (; kept < before.length; kept++) after.addFrom(before, kept)
  return after
}
