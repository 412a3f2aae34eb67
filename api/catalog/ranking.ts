/**
 * Matches in another order than that of their ids. The terms of an attribute are walked from the highest value down, and what each
 * has of the matches is counted. A page then reads the sets of the terms that it has items of.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { filterNotReady } from '../errors.ts'
import { offsetOf, type Page } from '../paging/page.ts'
import type { IdSet } from '../sets/id-set.ts'
import { uniteSets, visitSets } from '../sets/set-unions.ts'
import { type SetKey, selectKey } from '../sets/stored-sets.ts'
import { dayOf } from './attribute-values.ts'
import { selectUnready } from './derived-terms.ts'
import {
  comparePlaces,
  compareValues,
  type Sort,
  type SortPlace,
  type SortRow,
  type SortValue,
  sortOrders,
} from './sort-orders.ts'
import { selectMember } from './stored-documents.ts'

/** The order of matches. */
export interface Ranking {
  sort: Sort
  /** In their order. */
  groups: readonly Group[]
  /** The number of matches before each group, and of all. */
  starts: readonly number[]
  /** The matches of groups that were read, by the group's index. */
  known: Map<number, RankedItems>
}

/** Matches that have one term, or none. */
interface Group {
  /** Their value, or its day; the lowest one, if they have several. */
  value: SortValue
  count: number
  /** Undefined: they have no term. */
  key?: SetKey
}

/** Matches of a group, in their order. */
interface RankedItems {
  bytes: number
  /** Returns the number of items that aren't behind a place. */
  rank(place: SortPlace): number
  select(offset: number, count: number): SortPlace[]
}

/** Matches that were computed from an edition of the dataset. */
interface EditionMatches {
  ids: IdSet
  edition: string
}

/** The values of so few matches are read from their rows, which costs less than all sets of an attribute. */
const maxRows = 1_000

/** Estimated memory of a group and of a place. */
const groupBytes = 64
const placeBytes = 48

/** The memory that a ranking takes. */
export function measureRanking({ groups, known }: Ranking): number {
  let bytes = groups.length * groupBytes
  for (const items of known.values()) bytes += items.bytes
  return bytes
}

/** Ranks matches. Throws `filterNotReady`. */
export async function rankMatches(
  sql: SqlOrTransaction,
  sort: Sort,
  { ids, edition }: EditionMatches,
): Promise<Ranking | 'outdated'> {
  if (ids.total <= maxRows) {
    const places = await readPlaces(sql, sort, ids.select(0, ids.total), edition)
    if (places === 'outdated') return places
    const group = { value: places.at(-1)?.value ?? null, count: ids.total }
    return createRanking(sort, [group], rankPlaces(places))
  }
  const { list, valueWithoutTerm }: SortRow = sortOrders[sort]
  const terms = await readTerms(sql, sort, edition)
  if (terms === 'outdated') return terms
  const counts = terms.map(() => 0)
  const others = ids.toBitmap().copy()
  const keys = terms.map(({ key }) => key)
  const visited = await visitSets(sql, list, keys, edition, (place, members) => {
    counts[place] = (counts[place] ?? 0) + others.takeAll(members)
  })
  if (visited === 'outdated') return visited
  const rest = others.toIdSet()
  const groups: Group[] = terms.map((term, place) => ({ ...term, count: counts[place] ?? 0 }))
  const withoutTerm: Group = { value: valueWithoutTerm, count: rest.total }
  const sorted = [...groups, withoutTerm]
    .filter(({ count }) => count > 0)
    .sort((a, b) => compareValues(a.value, b.value))
  return createRanking(sort, sorted, rankTies(valueWithoutTerm, rest))
}

/** Creates a ranking in which the items of the group without a term are known. */
function createRanking(sort: Sort, groups: readonly Group[], withoutTerm: RankedItems): Ranking {
  const starts = [0]
  for (const { count } of groups) starts.push((starts.at(-1) ?? 0) + count)
  const index = groups.findIndex(({ key }) => key === undefined)
  return { sort, groups, starts, known: new Map(index < 0 ? [] : [[index, withoutTerm]]) }
}

/** The matches on a page. */
export interface RankedPage {
  places: SortPlace[]
  /** Matches before the page. */
  skipped: number
}

/** Finds the matches on a page. Reads the groups that the ranking doesn't know yet, which adds them to it. */
export async function selectRanked(
  sql: SqlOrTransaction,
  ranking: Ranking,
  matches: EditionMatches,
  page: Page<SortPlace>,
): Promise<RankedPage | 'outdated'> {
  const span = findSpan(ranking, page)
  if ((await readGroups(sql, ranking, matches, span)) === 'outdated') return 'outdated'
  return selectKnown(ranking, page) ?? 'outdated'
}

/** Finds the matches on a page. Undefined: the ranking doesn't know all of the page's groups yet. */
export function selectKnown(ranking: Ranking, page: Page<SortPlace>): RankedPage | undefined {
  const { groups, starts, known } = ranking
  const { first, end } = findSpan(ranking, page)
  for (let index = first; index < end; index++) if (!known.has(index)) return undefined
  const start = starts[first] ?? 0
  const skipped =
    page.after === undefined ? offsetOf(page) : start + (known.get(first)?.rank(page.after) ?? 0)
  const places: SortPlace[] = []
  for (let index = first; index < Math.min(end, groups.length); index++) {
    const offset = Math.max(0, skipped - (starts[index] ?? 0))
    places.push(...(known.get(index)?.select(offset, page.size - places.length) ?? []))
  }
  return { places, skipped }
}

/** Finds the groups that a page may have items of: from `first` on, and before `end`. */
function findSpan({ sort, groups, starts }: Ranking, page: Page<SortPlace>): { first: number; end: number } {
  const { after, size } = page
  const offset = offsetOf(page)
  const value = after && toGroupValue(sort, after.value)
  const first = findFirst(groups.length, (index) =>
    value === undefined
      ? (starts[index + 1] ?? 0) > offset
      : compareValues(groups[index]?.value ?? null, value) >= 0,
  )
  // Behind a place, the page may begin at the end of the first group.
  const last = after === undefined ? offset + size : (starts[first + 1] ?? 0) + size
  return { first, end: findFirst(groups.length, (index) => (starts[index] ?? 0) >= last) }
}

/** Returns the first index for which a test holds, which then holds for all later ones; `length`: there is none. */
function findFirst(length: number, test: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function toGroupValue(sort: Sort, value: SortValue): SortValue {
  return sort === 'pushed' && value !== null ? dayOf(value) : value
}

/** Reads the groups of a span that a ranking doesn't know, and adds them to it. */
async function readGroups(
  sql: SqlOrTransaction,
  { sort, groups, known }: Ranking,
  { ids, edition }: EditionMatches,
  { first, end }: { first: number; end: number },
): Promise<'read' | 'outdated'> {
  const missing = groups.slice(first, end).flatMap(({ key, value }, offset) => {
    const index = first + offset
    return key === undefined || known.has(index) ? [] : [{ index, value, key }]
  })
  if (missing.length === 0) return 'read'
  const matches = ids.toBitmap()
  const found: IdSet[] = []
  const { list } = sortOrders[sort]
  const unions = missing.map(({ key }) => ({ sets: [key] }))
  for await (const union of uniteSets(sql, list, unions, edition)) {
    if (union === 'outdated') return union
    union.intersect(matches)
    found.push(union.toIdSet())
  }
  const add = (items: readonly RankedItems[]) => {
    for (const [place, { index }] of missing.entries()) {
      const group = items[place]
      if (group !== undefined) known.set(index, group)
    }
  }
  if (sort !== 'pushed') {
    add(found.map((set, place) => rankTies(missing[place]?.value ?? null, set)))
    return 'read'
  }
  const all = found.flatMap((set) => set.select(0, set.total))
  const places = await readPlaces(sql, sort, all, edition)
  if (places === 'outdated') return places
  const byDay = Map.groupBy(places, ({ value }) => toGroupValue(sort, value))
  add(missing.map(({ value }) => rankPlaces(byDay.get(value) ?? [])))
  return 'read'
}

/** Ranks items with the same value. */
function rankTies(value: SortValue, ids: IdSet): RankedItems {
  return {
    bytes: ids.bytes,
    rank: (place) => (compareValues(value, place.value) > 0 ? 0 : ids.rank(place.id)),
    select: (offset, count) => ids.select(offset, count).map((id) => ({ value, id })),
  }
}

/** Ranks items that are in their order. */
function rankPlaces(places: readonly SortPlace[]): RankedItems {
  return {
    bytes: places.length * placeBytes,
    rank: (after) => findFirst(places.length, (index) => isBehind(places[index], after)),
    select: (offset, count) => places.slice(offset, offset + count),
  }
}

function isBehind(place: SortPlace | undefined, after: SortPlace): boolean {
  return place !== undefined && comparePlaces(place, after) > 0
}

/** Reads the values of items from their rows. Returns them in their order. */
async function readPlaces(
  sql: SqlOrTransaction,
  sort: Sort,
  ids: readonly number[],
  edition: string,
): Promise<SortPlace[] | 'outdated'> {
  const { list } = sortOrders[sort]
  const values = {
    followers: sql`(document::json ->> 'followers')::bigint`,
    stars: sql`(${selectMember(sql, sql`members`, 'stargazers_count')})::bigint`,
    pushed: sql`pushed_at`,
  }
  const rows = await readPairs<SortValue, number>(
    sql,
    sort,
    edition,
    sql`
      select ${values[sort]} as first, id as second from ${sql(list)}
      where id = any(${sql.typed.bigints(ids)}::integer[])`,
  )
  if (rows === 'outdated') return rows
  return rows.map(([value, id]) => ({ value, id })).sort(comparePlaces)
}

/** Reads the terms of an order, with the key of each set. */
async function readTerms(
  sql: SqlOrTransaction,
  sort: Sort,
  edition: string,
): Promise<{ value: SortValue; key: SetKey }[] | 'outdated'> {
  const { list, attribute, unknown }: SortRow = sortOrders[sort]
  const rows = await readPairs<SortValue, SetKey>(
    sql,
    sort,
    edition,
    sql`
      select number as first, ${selectKey(sql, 'attributes', list)} as second from attributes
      where name = ${attribute} or name = ${unknown ?? attribute}`,
  )
  return rows === 'outdated' ? rows : rows.map(([value, key]) => ({ value, key }))
}

/** Reads the columns `first` and `second` of what `select` selects. Throws `filterNotReady`. */
async function readPairs<First, Second>(
  sql: SqlOrTransaction,
  sort: Sort,
  edition: string,
  select: Fragment,
): Promise<[First, Second][] | 'outdated'> {
  const [found] = await sql<{ edition: string; unready: string[]; pairs: [First, Second][] }[]>`
    select edition, ${selectUnready(sql, [`sort=${sort}`])} as unready,
      (select coalesce(json_agg(json_build_array(first, second)), '[]') from (${select}) s) as pairs
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  if (found.unready.length > 0) throw filterNotReady(found.unready)
  return found.edition === edition ? found.pairs : 'outdated'
}
