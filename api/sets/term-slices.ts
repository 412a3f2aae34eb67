/**
 * Changes of items in ranges of ids and, if there are more than memory takes, in slices by term. Stored sets and dates of
 * uses are ordered by term. So if each range were merged by itself, it would rewrite nearly all of them.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows } from '../database/copy.ts'
import { copyWhileMade, listColumns, type WrittenRow } from '../database/row-buffer.ts'
import { shelfPlaces } from './set-encoding.ts'
import { readLastTerm, type SetList } from './stored-sets.ts'

/** A range of ids with changes, both ends included. */
export interface ChangedRange {
  list: SetList
  first: number
  last: number
  /** The number of the changes. */
  size: number
}

/**
 * Plans ranges of about as many changes as the bound. `sizes` is SQL: `list`, `id` and the number of changes, `size`.
 */
export function planRanges(tx: SqlOrTransaction, sizes: string, bound: number): Promise<ChangedRange[]> {
  return tx<ChangedRange[]>`
    select list::text, min(first) as first, max(last) as last, sum(size)::bigint as size
    from (
      select *, floor(sum(size) over (partition by list order by first) / ${bound}::bigint) as range
      from (
        select list, min(id) as first, max(id) as last, sum(size) as size
        from (${tx.unsafe(sizes)}) sized group by list, id / 1024
      ) blocks where size > 0
    ) b group by list, range order by list, range`
}

/** Changes in memory that can be sliced by term. */
export interface Sliceable {
  /** Yields the changes of each block of terms, in which they keep their order. Then none are left. */
  split(blocks: TermBlocks): Iterable<TermBlock>
  /** Adds the changes of a block. */
  addBlock(bytes: Uint8Array): void
}

/** Blocks of terms that are next to each other. */
export interface TermBlocks {
  /** A block has 2 to the power of `shift` terms. */
  shift: number
  /** There are 2 to the power of `bits` blocks. Those of higher terms are counted from 0 again. */
  bits: number
}

/** The changes of a block of terms. */
export interface TermBlock {
  block: number
  /** The number of the changes. */
  size: number
  bytes: Uint8Array
}

/** Changes that are merged at a time: those of a range of ids and, if there are many, of the terms of a slice. */
export interface Piece extends ChangedRange {
  /** All changes of a term are in one slice, and in one piece if they are not very many. */
  slice: number
  /** Adds the changes to `collected`. */
  read(): Promise<void>
}

const columns = listColumns({
  list: 'text',
  block: 'integer',
  range: 'integer',
  first: 'integer',
  last: 'integer',
  size: 'integer',
  bytes: 'bytea',
})

/**
 * Plans pieces of about as many changes as the bound, ordered by slice. `readRange` adds the changes of a range to
 * `collected`. An item is in one range. Read a piece when the one before is merged.
 */
export async function planPieces(
  tx: SqlOrTransaction,
  ranges: readonly ChangedRange[],
  bound: number,
  collected: Sliceable,
  readRange: (range: ChangedRange) => Promise<void>,
): Promise<Piece[]> {
  const all = ranges.reduce((sum, { size }) => sum + size, 0)
  if (all <= bound) return ranges.map((range) => ({ ...range, slice: 0, read: () => readRange(range) }))
  await tx`drop table if exists term_slices` // of the changes that were sliced before
  await tx`
    create temporary table term_slices (
      list list_name not null, block integer not null, range integer not null, first integer not null,
      last integer not null, size integer not null, bytes bytea not null
    ) on commit drop`
  await tx`alter table term_slices alter bytes set storage external` // not compressed
  const blocks = planBlocks(all / bound, await readLastTerm(tx))
  for (const [place, range] of ranges.entries()) {
    await readRange(range)
    await copyWhileMade(tx, 'term_slices', columns, listRows(place, range, collected.split(blocks)))
  }
  await tx`create index on term_slices (list, block, range)`
  // A slice has the blocks that begin within three quarters of the bound, so that most are one piece of each list. A
  // slice with more changes is divided by ranges.
  const pieces = await tx<(Omit<Piece, 'read'> & Bounds)[]>`
    with slices as (
      select block, floor((sum(size) over (order by block) - size) / (0.75 * ${bound}::bigint))::integer as slice
      from (select block, sum(size) as size from term_slices group by block) b
    ), parts as (
      select s.*, slice, floor(sum(size) over (partition by slice, list order by range) / ${bound}::bigint) as piece
      from term_slices s join slices using (block)
    )
    select list::text, slice, min(first) as first, max(last) as last, sum(size)::bigint as size,
      min(range) as begin, max(range) as end, min(block) as "firstBlock", max(block) as "lastBlock"
    from parts group by slice, list, piece order by slice, list, piece`
  return pieces.map(({ begin, end, firstBlock, lastBlock, ...piece }) => ({
    ...piece,
    async read() {
      const rows = copyRows(
        tx,
        `select bytes from term_slices
        where list = '${piece.list}' and block between ${firstBlock} and ${lastBlock} and range between ${begin} and ${end}
        order by range`,
      )
      for await (const [bytes] of rows) if (bytes !== undefined) collected.addBlock(bytes)
    },
  }))
}

/** Where the rows of a piece are. */
interface Bounds {
  begin: number
  end: number
  firstBlock: number
  lastBlock: number
}

/** Plans some 32 blocks for each slice: frequent terms are next to each other, so blocks differ in size. */
function planBlocks(slices: number, lastTerm: number): TermBlocks {
  const bits = Math.min(maxBlockBits, Math.ceil(Math.log2(slices)) + 5)
  return { bits, shift: Math.max(Math.log2(shelfPlaces), Math.ceil(Math.log2(lastTerm + 1)) - bits) }
}

/** Each range has a row for each block. */
const maxBlockBits = 11

function* listRows(
  range: number,
  { list, first, last }: ChangedRange,
  blocks: Iterable<TermBlock>,
): Generator<WrittenRow, void> {
  for (const block of blocks) yield { list, range, first, last, ...block }
}
