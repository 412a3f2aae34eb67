/**
 * Matches in another order than that of their ids. The terms of an attribute are walked from the highest value down, and what each
 * has of the matches is counted. A page then reads the sets of the terms that it has items of.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { filterNotReady } from '../errors.ts'
import { offsetOf, type Page } from '../paging/page.ts'
import { Bitmap, type IdSet } from '../sets/id-set.ts'
import { countSets, uniteSets } from '../sets/set-unions.ts'
import { type SetKey, selectKey } from '../sets/stored-sets.ts'
import { dayOf, secondsPerDay } from './attribute-values.ts'
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
  term?: Term
}

/** A term of an order. */
interface Term {
  key: SetKey
  /** Items that have it, whether they match or not. */
  items: number
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

/** The memory of the groups that a ranking knows, unless those of one page take more. */
const maxKnownBytes = 4 * 2 ** 20

/** The memory that a ranking takes. */
export function measureRanking({ groups, known }: Ranking): number {
  return groups.length * groupBytes + measureKnown(known)
}

function measureKnown(known: Ranking['known']): number {
  let sum = 0
  for (const { bytes } of known.values()) sum += bytes
  return sum
}

/** Ranks matches. If they are all items, the rows of terms have the counts. Throws `filterNotReady`. */
export async function rankMatches(
  sql: SqlOrTransaction,
  sort: Sort,
  { ids, edition }: EditionMatches,
  areAll: boolean,
): Promise<Ranking | 'outdated'> {
  if (ids.total <= maxRows) {
    const places = await readPlaces(sql, sort, ids.select(0, ids.total), edition)
    if (places === 'outdated') return places
    const group = { value: toGroupValue(sort, places.at(-1)?.value ?? null), count: ids.total }
    return createRanking(sort, [group], rankPlaces(places))
  }
  const { list, valueWithoutTerm } = sortOrders[sort]
  const terms = await readTerms(sql, sort, edition)
  if (terms === 'outdated') return terms
  const counted = areAll
    ? { counts: terms.map(({ term }) => term.items), others: undefined }
    : await countSets(
        sql,
        list,
        terms.map(({ term }) => term.key),
        ids.toBitmap(),
        edition,
      )
  if (counted === 'outdated') return counted
  const { counts, others } = counted
  const withoutTerm = {
    value: valueWithoutTerm,
    count: ids.total - counts.reduce((sum, count) => sum + count, 0),
  }
  const groups = [...terms.map((each, place): Group => ({ ...each, count: counts[place] ?? 0 })), withoutTerm]
    .filter(({ count }) => count > 0)
    .sort((a, b) => compareValues(a.value, b.value))
  return createRanking(sort, groups, others && rankTies(valueWithoutTerm, others))
}

/** Creates a ranking. The items of the group without a term may be known. */
function createRanking(sort: Sort, groups: readonly Group[], withoutTerm?: RankedItems): Ranking {
  const starts = [0]
  for (const { count } of groups) starts.push((starts.at(-1) ?? 0) + count)
  const ranking: Ranking = { sort, groups, starts, known: new Map() }
  const index = findWithoutTerm(ranking)
  if (index >= 0 && withoutTerm !== undefined) ranking.known.set(index, withoutTerm)
  return ranking
}

function findWithoutTerm({ groups }: Pick<Ranking, 'groups'>): number {
  return groups.findIndex(({ term }) => term === undefined)
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
  const matches = ids.toBitmap()
  const withoutTerm = findWithoutTerm({ groups })
  if (withoutTerm >= first && withoutTerm < end && !known.has(withoutTerm)) {
    const keys = groups.flatMap(({ term }) => term?.key ?? [])
    const counted = await countSets(sql, sortOrders[sort].list, keys, matches, edition)
    if (counted === 'outdated') return counted
    known.set(withoutTerm, rankTies(groups[withoutTerm]?.value ?? null, counted.others))
  }
  const missing = groups.slice(first, end).flatMap(({ term, ...group }, offset) => {
    const index = first + offset
    return term === undefined || known.has(index) ? [] : [{ ...group, ...term, index }]
  })
  if (missing.length === 0) return 'read'
  // If many items of the days match, the times of all are read. That costs less than finding the matches one by one.
  const readsAll = sort === 'pushed' && sumUp(missing, 'items') <= 4 * sumUp(missing, 'count')
  const keys = missing.map(({ key }) => key)
  const sets = readsAll ? undefined : await intersectSets(sql, sort, keys, matches, edition)
  if (sets === 'outdated') return sets
  const values = missing.map(({ value }) => value ?? 0)
  const found =
    sort === 'pushed'
      ? await readDays(sql, values, sets ?? matches, edition)
      : sets?.map((set, place) => rankTies(missing[place]?.value ?? null, set))
  if (found === 'outdated') return found
  for (const [place, { index }] of missing.entries()) {
    const items = found?.[place]
    if (items !== undefined) known.set(index, items)
  }
  // A client that reads on doesn't come back to those that were read first.
  let knownBytes = measureKnown(known)
  for (const [index, { bytes }] of known) {
    if (knownBytes <= maxKnownBytes) break
    if (groups[index]?.term === undefined || (index >= first && index < end)) continue
    known.delete(index)
    knownBytes -= bytes
  }
  return 'read'
}

function sumUp<Name extends string>(values: readonly Record<Name, number>[], name: Name): number {
  return values.reduce((sum, value) => sum + value[name], 0)
}

/** Returns what sets have of the matches. */
async function intersectSets(
  sql: SqlOrTransaction,
  sort: Sort,
  keys: readonly SetKey[],
  matches: Bitmap,
  edition: string,
): Promise<IdSet[] | 'outdated'> {
  const found: IdSet[] = []
  const unions = keys.map((key) => ({ sets: [key] }))
  for await (const union of uniteSets(sql, sortOrders[sort].list, unions, edition)) {
    if (union === 'outdated') return union
    union.intersect(matches)
    found.push(union.toIdSet())
  }
  return found
}

/** Reads when the matches of some days were pushed: `matches` has a set for each day, or all of them. */
async function readDays(
  sql: SqlOrTransaction,
  days: readonly number[],
  matches: readonly IdSet[] | Bitmap,
  edition: string,
): Promise<RankedItems[] | 'outdated'> {
  const isBitmap = matches instanceof Bitmap
  const idLists = isBitmap ? days.map(() => '') : matches.map((set) => set.select(0, set.total).join())
  // As bytes, because there may be a hundred thousand items on one day.
  const rows = copyRows(
    sql,
    `select d.edition = '${edition}', (
      select string_agg(int4send((pushed_at - start)::integer) || int4send(id), '') from repositories
      where ${isBitmap ? `pushed_at >= start and pushed_at < start + ${secondsPerDay}` : 'id = any(ids::integer[])'}
    )
    from dataset d cross join unnest(
      '{${days.map((day) => day * secondsPerDay).join()}}'::bigint[], '{${idLists.map((ids) => `"{${ids}}"`).join()}}'::text[]
    ) with ordinality as l(start, ids, place)
    order by place`,
  )
  const found: RankedItems[] = []
  let isOutdated = false
  for await (const [isCurrent, bytes = Buffer.alloc(0)] of rows) {
    if (readInteger(isCurrent) === 0) isOutdated = true
    const codes = new Float64Array(bytes.length / 8)
    let length = 0
    for (let at = 0; at < bytes.length; at += 8) {
      const id = bytes.readInt32BE(at + 4)
      if (isBitmap && !matches.has(id)) continue
      codes[length++] = (secondsPerDay - bytes.readInt32BE(at)) * idLimit + id
    }
    found.push(rankDay(days[found.length] ?? 0, codes.slice(0, length).sort()))
  }
  return isOutdated ? 'outdated' : found
}

/** Ids have 31 bits. */
const idLimit = 2 ** 31

/** Ranks the items of a day. Codes are the seconds to the day's end, and the id; ascending. */
function rankDay(day: number, codes: Float64Array): RankedItems {
  const placeAt = (code: number): SortPlace => ({
    value: (day + 1) * secondsPerDay - Math.floor(code / idLimit),
    id: code % idLimit,
  })
  return {
    bytes: codes.byteLength,
    rank: (after) => findFirst(codes.length, (index) => comparePlaces(placeAt(codes[index] ?? 0), after) > 0),
    select: (offset, count) => Array.from(codes.subarray(offset, offset + count), placeAt),
  }
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
    rank: (after) => places.filter((place) => comparePlaces(place, after) <= 0).length,
    select: (offset, count) => places.slice(offset, offset + count),
  }
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
  const rows = await readRows<[value: SortValue, id: number]>(
    sql,
    sort,
    edition,
    sql`
      select json_build_array(${values[sort]}, id) as row from ${sql(list)}
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
): Promise<{ value: SortValue; term: Term }[] | 'outdated'> {
  const { list, attribute, unknown }: SortRow = sortOrders[sort]
  const rows = await readRows<[value: SortValue, key: SetKey, items: number]>(
    sql,
    sort,
    edition,
    sql`
      select json_build_array(number, ${selectKey(sql, 'attributes', list)}, items_count) as row from attributes
      where (name = ${attribute} or name = ${unknown ?? attribute}) and items_count > 0`,
  )
  return rows === 'outdated' ? rows : rows.map(([value, key, items]) => ({ value, term: { key, items } }))
}

/** Reads the column `row` of what `select` selects, which is JSON. Throws `filterNotReady`. */
async function readRows<Row>(
  sql: SqlOrTransaction,
  sort: Sort,
  edition: string,
  select: Fragment,
): Promise<Row[] | 'outdated'> {
  const [found] = await sql<{ edition: string; unready: string[]; rows: Row[] }[]>`
    select edition, ${selectUnready(sql, [`sort=${sort}`])} as unready,
      (select coalesce(json_agg(row), '[]') from (${select}) s) as rows
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  if (found.unready.length > 0) throw filterNotReady(found.unready)
  return found.edition === edition ? found.rows : 'outdated'
}
