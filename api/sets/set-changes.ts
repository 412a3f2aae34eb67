/**
 * Changes the stored sets, for first loads and refreshes alike:
 *
 *   which terms items have lost and gained → read in ranges of ids → if there are many, sliced by term
 *     → grouped by term (`term-changes.ts`) → merged into the shelves and parts that have these ids (`set-parts.ts`)
 *     → counts and flags in the rows of terms
 *
 * A set with too many ids for its shelf moves to parts of its own. It stays there until all sets are derived again.
 */
import { batchesOf } from '../concurrency/batches.ts'
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
import { applyRewrites, type Rewrite, rewriteParts, splitIds } from './set-parts.ts'
import {
  createForLists,
  readLastIds,
  type SetList,
  selectTermRows,
  setLists,
  type TermTable,
  termColumns,
} from './stored-sets.ts'
import { mergeChanges, type TermChange, TermChanges } from './term-changes.ts'
import { type ChangedRange, planPieces, planRanges } from './term-slices.ts'

/** What a change did to sets. */
export interface ChangedSets {
  /** Terms whose set of users or repositories has no id any more. */
  emptied: number[]
  /** Whether the set of a dependency has changed. */
  haveUsesChanged: boolean
}

/** Bounds of what is in memory at a time. */
const usualBounds = {
  /** Changes of a range, or of a part of a slice: a term and an id each. */
  changes: 750_000,
  /** Sets of a range, each with its changes and its state. */
  terms: 20_000,
  /** Parts that are rewritten. */
  parts: 4_000,
  /** Sets whose numbers of ids aren't stored yet. */
  sets: 200_000,
}

/**
 * Applies what items have lost and gained. `changes` is a table of `list`, `id`, `lost` and `gained`, both `integer[]`
 * of terms. An item may have several rows. A term that it has lost and gained as often is one that it keeps. The
 * dataset has its new highest ids already, and new terms have rows.
 */
export async function applySetChanges(
  tx: SqlOrTransaction,
  changes: string,
  bounds = usualBounds,
): Promise<ChangedSets> {
  const changed: ChangedSets = { emptied: [], haveUsesChanged: false }
  const sets: ListStates = createForLists(() => new Map())
  const ranges = await planRanges(
    tx,
    `select list, id, cardinality(lost) + cardinality(gained) as size from ${changes}`,
    bounds.changes,
  )
  const collected = new TermChanges(Math.max(0, ...ranges.map(({ size }) => size)))
  if (ranges.length > setLists.length) await tx`create index on ${tx(changes)} (list, id)` // then some list has several
  const pieces = await planPieces(tx, ranges, bounds.changes, collected, (range) =>
    readRange(tx, changes, range, collected),
  )
  const lastIds = await readLastIds(tx)
  for (const ofSlice of Map.groupBy(pieces, ({ slice }) => slice).values()) {
    for (const [index, { list, size, last, read }] of ofSlice.entries()) {
      const left = ofSlice.slice(index).reduce((sum, each) => (each.list === list ? sum + each.size : sum), 0)
      const outlook = { lastId: Math.max(last, lastIds[list]), growth: left / size }
      await read()
      for (const terms of batchTerms(collected.group(), bounds.terms)) {
        const rewrites = listRewrites(outlook, await addStates(tx, list, terms, sets[list]))
        await rewriteSets(tx, list, rewrites, bounds.parts)
        if (Object.values(sets).reduce((sum, { size }) => sum + size, 0) >= bounds.sets) {
          await storeStates(tx, sets, changed)
        }
      }
    }
    await storeStates(tx, sets, changed)
  }
  return changed
}

async function readRange(
  tx: SqlOrTransaction,
  changes: string,
  { list, first, last }: ChangedRange,
  collected: TermChanges,
): Promise<void> {
  const rows = copyRows(
    tx,
    `select id, lost, gained from ${changes} where list = '${list}' and id between ${first} and ${last}`,
  )
  for await (const [item, lost, gained] of rows) {
    const id = readInteger(item)
    collected.add(id, lost, false)
    collected.add(id, gained, true)
  }
}

/**
 * Yields ascending terms in batches of about `size`. The terms of a shelf are in one batch, so the shelf is rewritten
 * once.
 */
function* batchTerms(terms: Iterable<TermChange>, size: number): Generator<TermChange[], void> {
  let batch: TermChange[] = []
  for (const term of terms) {
    const isOfNext = findShelf(term.termId) !== findShelf(batch.at(-1)?.termId ?? 0)
    if (batch.length >= size && isOfNext) {
      yield batch
      batch = []
    }
    batch.push(term)
  }
  if (batch.length > 0) yield batch
}

/** The state of a set, as far as a change must know it. */
interface SetState {
  /** Where the term has a row, which has the number of ids, and whether the set is on a shelf. Null: nowhere. */
  table: TermTable | null
  isShelved: boolean
  /** Of its parts. Null: it has none. */
  width: number | null
  /**
   * Its number of ids. Of a set on a shelf, once that was read: a new row may have the number that it is about to get.
   */
  cardinality: number
}

type ListStates = Record<SetList, Map<number, SetState>>

/** A set that changes. */
interface ChangedSet extends TermChange {
  state: SetState
}

/** Adds the state of each set. `states` has those that are known, and gets the others. */
async function addStates(
  tx: SqlOrTransaction,
  list: SetList,
  terms: readonly TermChange[],
  states: Map<number, SetState>,
): Promise<ChangedSet[]> {
  const unknown = terms.flatMap(({ termId }) => (states.has(termId) ? [] : [termId]))
  // The statements have their values in their texts: the planner then knows how many there are.
  const rows = await tx.unsafe<(SetState & { termId: number })[]>(`
    select term_id as "termId", table_name as table, is_on_shelf as "isShelved", null as width, cardinality
    from (${selectTermRows(list)}) t where term_id = any('{${unknown.join()}}')`)
  for (const { termId, ...state } of rows) states.set(termId, state)
  const unshelved = unknown.filter((termId) => states.get(termId)?.isShelved !== true)
  const parts = await tx.unsafe<{ termId: number; width: number | null; sum: number | null }[]>(`
    select id as "termId", (select width from sets where list = '${list}' and term_id = id limit 1) as width,
      case when not has_row then (select sum(cardinality) from sets where list = '${list}' and term_id = id) end as sum
    from unnest('{${unshelved.join()}}'::integer[], '{${unshelved.map((id) => states.has(id)).join()}}'::boolean[])
      as t(id, has_row)`)
  for (const { termId, width, sum } of parts) {
    const { table, cardinality } = states.get(termId) ?? { table: null, cardinality: sum ?? 0 }
    states.set(termId, { table, isShelved: false, width, cardinality })
  }
  return terms.map((term) => {
    const state = states.get(term.termId)
    if (state === undefined) throw new Error(`the state of term ${term.termId} was not read`)
    return { ...term, state }
  })
}

/** Applies rewrites, many at a time. */
async function rewriteSets(
  tx: SqlOrTransaction,
  list: SetList,
  rewrites: Iterable<readonly [size: number, rewrite: Rewrite]>,
  maxParts: number,
): Promise<void> {
  let batch: Rewrite[] = []
  let parts = 0
  for (const [size, rewrite] of rewrites) {
    batch.push(rewrite)
    parts += size
    if (parts < maxParts) continue
    await applyRewrites(tx, list, batch)
    batch = []
    parts = 0
  }
  await applyRewrites(tx, list, batch)
}

/** What the widths of sets depend on. */
interface Outlook {
  /** The highest id that a set can have. */
  lastId: number
  /** The list's changes from this range on, divided by those of this range. */
  growth: number
}

/** Yields what becomes of each shelf, and of each set that isn't on one, with about how many parts that concerns. */
function* listRewrites(
  outlook: Outlook,
  sets: readonly ChangedSet[],
): Generator<readonly [size: number, rewrite: Rewrite], void> {
  const shelves = Map.groupBy(sets, ({ termId, state }) => (state.isShelved ? findShelf(termId) : undefined))
  for (const [shelf, members] of shelves) {
    if (shelf !== undefined) {
      const changes = members.reduce((sum, each) => sum + each.changes.length, 0)
      yield [1 + changes / partIds, createShelfRewrite(outlook, shelf, members)]
      continue
    }
    for (const set of members) {
      const ids = set.state.cardinality + set.changes.length
      yield [1 + ids / partIds, createSetRewrite(outlook, set)]
    }
  }
}

function createSetRewrite(outlook: Outlook, { termId, changes, state }: ChangedSet): Rewrite {
  const before = state.width
  const width = chooseWidth(
    outlook,
    state,
    changes.reduce((sum, change) => sum + (change & 1) * 2 - 1, 0),
  )
  const partOf = (change: number) => findPart(change >>> 1, width)
  const changedParts = () => changes.map(partOf).filter((part, index, all) => part !== all[index - 1])
  return {
    rowId: termId,
    parts: before === null ? [] : before === width ? [...changedParts()] : 'all',
    *rewrite(stored) {
      state.width = width
      for (const { cardinality } of stored) state.cardinality -= cardinality
      for (const part of rewriteParts(stored, changes, width)) {
        state.cardinality += part.cardinality
        yield [termId, part]
      }
    },
  }
}

function createShelfRewrite(outlook: Outlook, shelf: number, members: readonly ChangedSet[]): Rewrite {
  return {
    rowId: shelf,
    parts: [0],
    *rewrite([stored]: readonly SetPart[]) {
      const sets: Map<number, ArrayLike<number>> = decodeSets(shelf, stored)
      for (const { termId, changes, state } of members) {
        const ids = mergeChanges(new Uint32Array(sets.get(termId) ?? []), changes)
        sets.set(termId, ids)
        state.cardinality = ids.length
        if (ids.length <= maxShelvedIds) continue
        sets.delete(termId)
        state.isShelved = false
        state.width = chooseWidth(outlook, { width: null, cardinality: 0 }, ids.length)
        for (const part of splitIds(ids, state.width)) yield [termId, part]
      }
      yield [shelf, encodeShelf(sets)]
    },
  }
}

/**
 * Chooses the width of a set for the number of ids that it will have, if what follows changes it as this range does. It
 * keeps its width until that number is some four times higher or lower than the one for which the width was chosen.
 */
function chooseWidth(
  { growth, lastId }: Outlook,
  { width, cardinality }: Pick<SetState, 'width' | 'cardinality'>,
  change: number,
): number {
  const expected = Math.max(1, cardinality + change * growth)
  const fitting = fitWidth(expected, lastId)
  if (width === null) return fitting
  const isClose = Math.abs(width - fitting) < 2 || (width === maxWidth && expected < 2 * partIds)
  return isClose ? width : fitting
}

/**
 * Stores each term's number of items and whether its set is on a shelf, adds to `changed`, and clears the states.
 */
async function storeStates(tx: SqlOrTransaction, sets: ListStates, changed: ChangedSets): Promise<void> {
  for (const [table, columns] of Map.groupBy(termColumns, (each) => each.table)) {
    const findState = (termId: number, list: SetList) => {
      const state = sets[list].get(termId)
      return state?.table === table ? state : undefined
    }
    const termIds = new Set<number>()
    for (const { list } of columns) {
      for (const [termId, state] of sets[list]) {
        if (state.table !== table) continue
        termIds.add(termId)
        if (state.cardinality === 0) changed.emptied.push(termId)
      }
    }
    if (termIds.size > 0 && table === 'dependencies') changed.haveUsesChanged = true
    for (const batch of batchesOf([...termIds], maxUpdatedRows)) {
      const rows = batch.flatMap((termId) =>
        columns.flatMap(({ list, count }): UpdatedCount[] => {
          const state = findState(termId, list)
          return state === undefined ? [] : [[termId, count, state]]
        }),
      )
      await updateRows(tx, table, new Map(columns.map(({ count, isOnShelf }) => [count, isOnShelf])), rows)
    }
  }
  for (const states of Object.values(sets)) states.clear()
}

/** Rows of terms that a statement updates: it has their values in its text. */
const maxUpdatedRows = 50_000

/** A term, the column of the number of its items, and what to store. */
type UpdatedCount = readonly [termId: number, count: string, state: SetState]

/**
 * Updates each row once, also that of a dependency with two sets. `columns` has those of numbers of ids, and of flags.
 */
async function updateRows(
  tx: SqlOrTransaction,
  table: TermTable,
  columns: ReadonlyMap<string, string>,
  rows: readonly UpdatedCount[],
): Promise<void> {
  const names = [...columns].flat()
  await tx.unsafe(`
    update ${table} t set ${names.map((name) => `${name} = coalesce(c.${name}, t.${name})`).join()}
    from (
      select term_id, ${Array.from(
        columns,
        ([count, isOnShelf]) => `
          max(cardinality) filter (where count = '${count}') as ${count},
          bool_and(is_on_shelf) filter (where count = '${count}') as ${isOnShelf}`,
      ).join()}
      from unnest(
        '{${rows.map(([termId]) => termId).join()}}'::integer[], '{${rows.map(([, count]) => count).join()}}'::text[],
        '{${rows.map(([, , state]) => state.cardinality).join()}}'::integer[],
        '{${rows.map(([, , state]) => state.isShelved).join()}}'::boolean[]
      ) as r(term_id, count, cardinality, is_on_shelf)
      group by term_id
    ) c
    where c.term_id = t.id and (${names.map((name) => `c.${name} <> t.${name}`).join(' or ')})`)
}
