/** Compares the stored sets with what they should have. */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { textTables } from '../names/searchable-texts.ts'
import { findShelf } from './set-encoding.ts'
import {
  allTerm,
  readLastIds,
  readSets,
  type SetList,
  type StoredIds,
  selectTermRows,
  selectVersionTerms,
  setLists,
} from './stored-sets.ts'
import { TermChanges } from './term-changes.ts'

interface VerifiedSet {
  termId: number
  list: SetList
}

/** What a verification found. */
export interface SetVerification {
  /** Sets that were compared. */
  sets: number
  /** Sets whose ids, or the number of these in the row of the term, differ from those that they should have. */
  faults: VerifiedSet[]
}

/** A range of ids, with both ends. */
export interface IdRange {
  first: number
  last: number
}

/** The ids of a sample of each list. */
export type Sample = Record<SetList, IdRange>

/** SQL: `id` of the items of a range, and `term_ids` that they have: those whose sets should have them. */
export type SelectItems = (list: SetList, range: IdRange) => string

/** Ids whose terms are in memory at a time. */
const rangeSize = 2 ** 17

/**
 * Verifies all sets and the stored numbers of items. With a sample, verifies only the sets that should have an id of
 * the sample, and only for those ids. The transaction must see one snapshot. The set of a version may also have items
 * that have changed again since, and what gained or lost something in a version is in sets alone.
 */
export async function compareSets(
  tx: SqlOrTransaction,
  selectItems: SelectItems,
  sample?: Sample,
): Promise<SetVerification> {
  const versions = new Set<number>()
  for await (const [id] of copyRows(tx, selectVersionTerms())) versions.add(readInteger(id))
  const verification: SetVerification = { sets: 0, faults: [] }
  const counts = new Map<SetList, ReadonlyMap<number, number>>()
  for (const list of setLists) {
    const compared = await compareList(tx, list, selectItems, versions, sample)
    verification.sets += compared.counts.size
    counts.set(list, compared.counts)
    for (const termId of compared.faults) verification.faults.push({ termId, list })
  }
  if (sample === undefined) await verifyCounts(tx, counts, verification.faults)
  return verification
}

/** Ranges of all ids. The last one has all that follow. */
function listRanges(lastId: number): IdRange[] {
  const count = Math.floor(lastId / rangeSize) + 1
  const ranges = Array.from({ length: count }, (_, index) => index * rangeSize)
  return ranges.map((first, index) => ({ first, last: (ranges[index + 1] ?? 2 ** 31) - 1 }))
}

/**
 * Reads the terms whose set has parts of its own, as their rows say, or because they have no rows with a number of
 * items.
 */
async function readUnshelved(
  tx: SqlOrTransaction,
  list: SetList,
  versions: ReadonlySet<number>,
): Promise<Set<number>> {
  const unshelved = new Set([allTerm, ...versions])
  const rows = copyRows(tx, `select term_id from (${selectTermRows(list)}) t where not is_on_shelf`)
  for await (const [id] of rows) unshelved.add(readInteger(id))
  return unshelved
}

/**
 * Compares the sets of a list. Returns how many ids each should have, and the terms of wrong ones. Sets of a sample and
 * of versions are compared id by id, range by range. Of all others, a sum of their ids is compared, so that each is read
 * once.
 */
async function compareList(
  tx: SqlOrTransaction,
  list: SetList,
  selectItems: SelectItems,
  versions: ReadonlySet<number>,
  sample: Sample | undefined,
): Promise<{ counts: Map<number, number>; faults: Set<number> }> {
  const unshelved = await readUnshelved(tx, list, versions)
  const isTextList = textTables.some((table) => table === list)
  const counts = new Map<number, number>()
  const faults = new Set<number>()
  /** Of the ids that each set should have, less those that it has. */
  const sums = new Map<number, number>()
  const widths = new Map<number, number>()
  /** Whether the part is where readers look for it, and as changes expect it. */
  const isSound = ({ termId, ids, width, cardinality }: StoredIds) => {
    const hasOwnParts = isTextList || unshelved.has(termId)
    if (width === undefined) return !hasOwnParts
    if (!widths.has(termId)) widths.set(termId, width)
    return hasOwnParts && ids.length === cardinality && width === widths.get(termId)
  }
  for (const range of sample === undefined ? listRanges((await readLastIds(tx))[list]) : [sample[list]]) {
    const items = new TermChanges(0)
    for await (const [id, termIds] of copyRows(tx, selectItems(list, range))) {
      items.add(readInteger(id), termIds, true)
    }
    const expected = new Map<number, Uint32Array>()
    const found = new Map<number, number>()
    for (const { termId, changes } of items.group()) {
      counts.set(termId, (counts.get(termId) ?? 0) + changes.length)
      if (sample !== undefined || versions.has(termId)) expected.set(termId, changes)
      else sums.set(termId, ((sums.get(termId) ?? 0) + sumIds(changes, 1)) | 0)
    }
    // A sample doesn't read parts where none of its ids is expected, so it misses wrong ids there.
    const rowIds = sample ? new Set([...expected.keys()].flatMap((id) => [id, findShelf(id)])) : versions
    const ofTerms = `term_id = any('{${[...rowIds].join()}}')`
    const ofRange = `part::bigint << width <= ${range.last} and (part + 1)::bigint << width > ${range.first}`
    for await (const stored of readSets(tx, list, `${ofTerms} and ${ofRange}`)) {
      const { termId } = stored
      const { common, others } = countCommon(stored.ids, expected.get(termId) ?? new Uint32Array(), range)
      if (common + others === 0) continue
      if (!counts.has(termId)) counts.set(termId, 0)
      found.set(termId, (found.get(termId) ?? 0) + common)
      if (!isSound(stored) || (others > 0 && !versions.has(termId))) faults.add(termId)
    }
    for (const [termId, { length }] of expected) if (found.get(termId) !== length) faults.add(termId)
  }
  if (sample !== undefined) return { counts, faults }
  for await (const stored of readSets(tx, list, `term_id <> all('{${[...versions].join()}}')`)) {
    const { termId, ids } = stored
    if (ids.length === 0) continue
    if (!counts.has(termId)) counts.set(termId, 0)
    sums.set(termId, ((sums.get(termId) ?? 0) - sumIds(ids, 0)) | 0)
    if (!isSound(stored)) faults.add(termId)
  }
  for (const [termId, sum] of sums) if (sum !== 0) faults.add(termId)
  return { counts, faults }
}

/**
 * Sums a number of 32 bits for each id, modulo 2^32. If two sets differ in one id, their sums differ, too; if in several,
 * they do in all but one case of four billion. `shift`: how far to the left an id is.
 */
function sumIds(ids: ArrayLike<number>, shift: number): number {
  let sum = 0
  for (let index = 0; index < ids.length; index++) {
    let bits = (ids[index] ?? 0) >>> shift
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
    sum = (sum + (bits ^ (bits >>> 16))) | 0
  }
  return sum
}

/**
 * Counts the ids of a range that are expected, and the others. Both arrays are ascending; `expected` has id * 2 + 1.
 */
function countCommon(
  ids: ArrayLike<number>,
  expected: Uint32Array,
  { first, last }: IdRange,
): { common: number; others: number } {
  let common = 0
  let others = 0
  let at = 0
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? 0
    if (id < first || id > last) continue
    while (at < expected.length && (expected[at] ?? 0) >>> 1 < id) at++
    if (at < expected.length && (expected[at] ?? 0) >>> 1 === id) {
      common++
      at++
    } else others++
  }
  return { common, others }
}

/** Adds the terms whose rows have other numbers of items than `counts`, by list and term. */
async function verifyCounts(
  tx: SqlOrTransaction,
  counts: ReadonlyMap<SetList, ReadonlyMap<number, number>>,
  faults: VerifiedSet[],
): Promise<void> {
  const found = new Set(faults.map(({ list, termId }) => `${list} ${termId}`))
  for (const [list, own] of counts) {
    const others = [...counts].filter(([other]) => other !== list).map(([, other]) => other)
    const rows = copyRows(
      tx,
      `select term_id, cardinality, table_name = 'attributes' from (${selectTermRows(list)}) t`,
    )
    for await (const [id, stored, isAttribute] of rows) {
      const termId = readInteger(id)
      if (readInteger(stored) === (own.get(termId) ?? 0) || found.has(`${list} ${termId}`)) continue
      const isOfOtherList = readInteger(isAttribute) === 1 && others.some((other) => other.has(termId))
      if (!isOfOtherList) faults.push({ termId, list })
    }
  }
}
