/**
 * Changes of the stored sets, by one way for first loads and for refreshes:
 *
 *   which terms items have lost and gained → read in ranges of ids → grouped by term (`term-changes.ts`)
 *     → merged into the shelves and parts that have these ids (`set-parts.ts`) → counts and flags in the rows of terms
 *
 * A set that gets too many ids leaves its shelf for parts of its own, and does not come back until all sets are derived again.
 *
 * @module
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import {
  decodeSets,
  encodeShelf,
  findPart,
  findShelf,
  fitWidth,
  maxShelvedIds,
  maxWidth,
  partIds,
  type SetPart,
} from './set-encoding.ts'
import { PartWriter, rewriteParts, takeParts, type WantedParts } from './set-parts.ts'
import { type SetList, selectTerms, type TermTable, termColumns } from './stored-sets.ts'
import { mergeChanges, type TermChange, TermChanges } from './term-changes.ts'

/** What a change did to sets. */
export interface ChangedSets {
  /** Terms whose set of users or repositories has no id any more. */
  emptied: number[]
  /** Whether the set of a dependency has changed. */
  haveDependencies: boolean
}

/** Bounds of what is in memory at a time. */
export interface ChangeBounds {
  /** Changes of a range: a term and an id each. */
  changes: number
  /** Parts that are taken out of the table. */
  parts: number
  /** Sets whose numbers of ids aren't stored yet. */
  sets: number
}

const usualBounds: ChangeBounds = { changes: 6_000_000, parts: 2_000, sets: 500_000 }

/**
 * Applies what items have lost and gained. `changes` is a table of `list`, `id`, `lost` and `gained`, both `integer[]` of terms.
 * An item may have several rows. A term that it has lost and gained as often is one that it keeps. The dataset has its new highest
 * ids already, and new terms have rows.
 */
export async function applySetChanges(
  tx: SqlOrTransaction,
  changes: string,
  bounds = usualBounds,
): Promise<ChangedSets> {
  const changed: ChangedSets = { emptied: [], haveDependencies: false }
  let sets: ListStates = { users: new Map(), repositories: new Map(), locations: new Map() }
  const ranges = await planRanges(tx, changes, bounds.changes)
  const lastIds = await readLastIds(tx)
  for (const [index, range] of ranges.entries()) {
    const terms = await readRange(tx, changes, range)
    const left = ranges.slice(index).filter(({ list }) => list === range.list)
    const growth = left.reduce((sum, { size }) => sum + size, 0) / range.size
    const states = sets[range.list]
    await readStates(tx, range.list, terms, states)
    const lastId = Math.max(range.last, lastIds[range.list])
    await rewriteSets({ tx, list: range.list, lastId, growth, states, maxParts: bounds.parts }, terms)
    const isLast = index === ranges.length - 1
    if (isLast || sets.users.size + sets.repositories.size + sets.locations.size >= bounds.sets) {
      await storeCounts(tx, sets, changed)
      sets = { users: new Map(), repositories: new Map(), locations: new Map() }
    }
  }
  return changed
}

/** A range of ids with changes, both ends included. */
interface ChangedRange {
  list: SetList
  first: number
  last: number
  /** The number of the changes. */
  size: number
}

/** Plans ranges of about as many changes as the bound. */
async function planRanges(tx: SqlOrTransaction, changes: string, bound: number): Promise<ChangedRange[]> {
  const blocks = await tx<ChangedRange[]>`
    select list::text, min(id) as first, max(id) as last, sum(cardinality(lost) + cardinality(gained)) as size
    from ${tx(changes)} group by list, id / 1024 order by list, first`
  const ranges: ChangedRange[] = []
  for (const block of blocks) {
    const range = ranges.at(-1)
    if (range === undefined || range.list !== block.list || range.size + block.size > bound) {
      ranges.push({ ...block })
      continue
    }
    range.last = block.last
    range.size += block.size
  }
  const filled = ranges.filter(({ size }) => size > 0)
  if (filled.length > 3) await tx`create index on ${tx(changes)} (list, id)` // otherwise, each is most of the table
  return filled
}

async function readLastIds(tx: SqlOrTransaction): Promise<Record<SetList, number>> {
  const [last] = await tx<Record<SetList, number>[]>`
    select last_user_id as users, last_repository_id as repositories,
      (select coalesce(max(id), 0) from locations) as locations
    from dataset`
  if (last === undefined) throw new Error('the dataset row is missing')
  return last
}

async function readRange(
  tx: SqlOrTransaction,
  changes: string,
  { list, first, last, size }: ChangedRange,
): Promise<TermChange[]> {
  const terms = new TermChanges(size)
  const rows = copyRows(
    tx,
    `select id, lost, gained from ${changes} where list = '${list}' and id between ${first} and ${last}`,
  )
  for await (const [item, lost, gained] of rows) {
    const id = readInteger(item)
    terms.add(id, lost, false)
    terms.add(id, gained, true)
  }
  return terms.group()
}

/** The state of a set, as far as a change must know it. */
interface SetState {
  /** Where the term has a row, which has the number of ids, and whether the set is on a shelf. Null: nowhere. */
  table: TermTable | null
  isShelved: boolean
  /** Of its parts. Null: it has none. */
  width: number | null
  /** Its number of ids. Of a set on a shelf, once that was read. */
  cardinality: number
}

type ListStates = Record<SetList, Map<number, SetState>>

/** Adds the states of sets that aren't known yet. */
async function readStates(
  tx: SqlOrTransaction,
  list: SetList,
  terms: readonly TermChange[],
  states: Map<number, SetState>,
): Promise<void> {
  const unknown = terms.flatMap(({ termId }) => (states.has(termId) ? [] : [termId]))
  if (unknown.length === 0) return
  const found = await tx<(SetState & { termId: number })[]>`
    select t.id as "termId", table_name as table, coalesce(is_on_shelf, false) as "isShelved", width,
      case when width is null then 0
        else coalesce(cardinality, (select sum(cardinality) from sets where term_id = t.id and list = ${list}::text::list_name))
      end as cardinality
    from unnest(${tx.typed.bigints(unknown)}::integer[]) as t(id)
      left join (${tx.unsafe(selectTerms(list))}) r on r.term_id = t.id
      left join lateral (
        select width from sets where term_id = t.id and list = ${list}::text::list_name limit 1
      ) p on true`
  for (const { termId, ...state } of found) states.set(termId, state)
}

/** A range of changes as it is applied. */
interface Rewriting {
  tx: SqlOrTransaction
  list: SetList
  /** The highest id of all sets. */
  lastId: number
  /** How many times as many changes follow, this range included. */
  growth: number
  states: ReadonlyMap<number, SetState>
  maxParts: number
}

/** Rows of `sets` that change together, and what becomes of them. */
interface Rewrite extends WantedParts {
  rewrite(stored: readonly SetPart[], writer: PartWriter): void
}

async function rewriteSets(rewriting: Rewriting, terms: readonly TermChange[]): Promise<void> {
  const { tx, list, states, maxParts } = rewriting
  const writer = new PartWriter(tx, list)
  let batch: Rewrite[] = []
  let parts = 0
  async function applyBatch(): Promise<void> {
    const taken = await takeParts(tx, list, batch)
    for (const { rowId, rewrite } of batch) {
      rewrite(taken.get(rowId) ?? [], writer)
      await writer.flush()
    }
    batch = []
    parts = 0
  }
  for (const rewrite of listRewrites(rewriting, terms)) {
    batch.push(rewrite)
    const cardinality = states.get(rewrite.rowId)?.cardinality ?? 0
    parts += rewrite.parts === 'all' ? cardinality / partIds : rewrite.parts.length
    if (parts >= maxParts) await applyBatch()
  }
  await applyBatch()
  await writer.flush(1)
}

/** Yields what is to be rewritten: each changed set that has parts of its own, and each shelf of others. */
function* listRewrites(rewriting: Rewriting, terms: readonly TermChange[]): Generator<Rewrite, void> {
  const shelves = Map.groupBy(terms, ({ termId }) =>
    findState(rewriting, termId).isShelved ? findShelf(termId) : 'none',
  )
  for (const [shelf, shelved] of shelves) {
    if (shelf === 'none') for (const term of shelved) yield createSetRewrite(rewriting, term)
    else yield createShelfRewrite(rewriting, shelf, shelved)
  }
}

function findState({ states }: Rewriting, termId: number): SetState {
  const state = states.get(termId)
  if (state === undefined) throw new Error(`the state of term ${termId} was not read`)
  return state
}

function createSetRewrite(rewriting: Rewriting, { termId, changes }: TermChange): Rewrite {
  const state = findState(rewriting, termId)
  const before = state.width
  const growth = changes.reduce((sum, change) => sum + ((change & 1) === 1 ? 1 : -1), 0)
  const width = chooseWidth(rewriting, state, growth)
  return {
    rowId: termId,
    parts: before === null ? [] : before === width ? listParts(changes, width) : 'all',
    rewrite: (stored, writer) => writeSet(state, writer, { termId, stored, changes, width }),
  }
}

/** The parts that have changes. */
function listParts(changes: Uint32Array, width: number): number[] {
  const parts: number[] = []
  for (let index = 0; index < changes.length; index++) {
    const part = findPart((changes[index] ?? 0) >>> 1, width)
    if (parts.at(-1) !== part) parts.push(part)
  }
  return parts
}

function writeSet(
  state: SetState,
  writer: PartWriter,
  set: { termId: number; stored: readonly SetPart[]; changes: Uint32Array; width: number },
): void {
  const { termId, stored, changes, width } = set
  for (const { cardinality } of stored) state.cardinality -= cardinality
  for (const part of rewriteParts(stored, changes, width)) {
    writer.add(termId, part)
    state.cardinality += part.cardinality
  }
  state.width = width
}

function createShelfRewrite(rewriting: Rewriting, shelf: number, terms: readonly TermChange[]): Rewrite {
  return {
    rowId: shelf,
    parts: [0],
    rewrite([stored], writer) {
      const sets = stored === undefined ? new Map<number, number[]>() : decodeSets(shelf, stored)
      const kept = new Map<number, ArrayLike<number>>(sets)
      for (const { termId, changes } of terms) {
        const state = findState(rewriting, termId)
        const before = Uint32Array.from(sets.get(termId) ?? [])
        const ids = mergeChanges(before, changes)
        if (ids.length <= maxShelvedIds) {
          kept.set(termId, ids)
          state.cardinality = ids.length
          continue
        }
        kept.delete(termId)
        Object.assign(state, { isShelved: false, cardinality: 0 })
        const width = chooseWidth(rewriting, state, ids.length)
        const all = ids.map((id) => id * 2 + 1)
        writeSet(state, writer, { termId, stored: [], changes: all, width })
      }
      writer.add(shelf, encodeShelf(kept))
    },
  }
}

/**
 * Chooses the width of a set for the number of ids that it will have, if what follows changes it as this range does. It keeps
 * its width until that number is some four times higher or lower than the one for which the width was chosen.
 */
function chooseWidth(
  { growth, lastId }: Rewriting,
  { width, cardinality }: SetState,
  change: number,
): number {
  const expected = Math.max(1, cardinality + change * growth)
  const fitting = fitWidth(expected, lastId)
  if (width === null || Math.abs(width - fitting) >= 2) {
    return width === maxWidth && expected < 2 * partIds ? width : fitting
  }
  return width
}

/** Gives the rows of terms the numbers of their items, and says which sets are on shelves. Notes what has changed. */
async function storeCounts(tx: SqlOrTransaction, sets: ListStates, changed: ChangedSets): Promise<void> {
  for (const [table, columns] of Map.groupBy(termColumns, (each) => each.table)) {
    const rows = new Map<number, TermRow>()
    for (const { list, count } of columns) {
      for (const [termId, state] of sets[list]) {
        if (state.table !== table) continue
        rows.set(termId, { ...rows.get(termId), [count]: state })
        if (state.cardinality === 0) changed.emptied.push(termId)
      }
    }
    if (rows.size === 0) continue
    if (table === 'dependencies') changed.haveDependencies = true
    await updateRows(tx, table, rows)
  }
}

/** The changed sets of a term, by the column of their number of ids. */
type TermRow = Partial<Record<string, SetState>>

async function updateRows(
  tx: SqlOrTransaction,
  table: TermTable,
  rows: ReadonlyMap<number, TermRow>,
): Promise<void> {
  const write = (values: Iterable<unknown>, type: string) => `'{${[...values].join()}}'::${type}[]`
  const arrays = [write(rows.keys(), 'integer')]
  const columns: string[] = []
  for (const [count, [{ isOnShelf } = { isOnShelf: '' }]] of Map.groupBy(
    termColumns.filter((each) => each.table === table),
    (each) => each.count,
  )) {
    const states = Array.from(rows.values(), ({ [count]: state }) => state)
    columns.push(count, isOnShelf)
    arrays.push(
      write(
        states.map((state) => state?.cardinality ?? 'null'),
        'integer',
      ),
      write(
        states.map((state) => state?.isShelved ?? 'null'),
        'boolean',
      ),
    )
  }
  await tx.unsafe(`
    update ${table} t set ${columns.map((name) => `${name} = coalesce(c.${name}, t.${name})`).join()}
    from unnest(${arrays.join()}) as c(id, ${columns.join()})
    where c.id = t.id and (${columns.map((name) => `c.${name} <> t.${name}`).join(' or ')})`)
}
