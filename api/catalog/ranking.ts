/**
 * Matches in another order than that of their ids. The terms of an attribute are walked from the highest value down,
 * and what each has of the matches is counted. A page then reads the sets of the terms that it has items of.
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
  type SortValue,
  sortOrders,
} from './sort-orders.ts'
import { selectMember } from './stored-documents.ts'

/** The order of matches, in groups: those that have the same term. */
export interface Ranking extends Terms {
  sort: Sort
  /** The number of matches before each group, and of all. */
  starts: readonly number[]
  /** The matches of groups that were read, by the group's index. */
  known: Map<number, RankedItems>
}

/**
 * Terms in their order. Each item of the list has one. There may be a hundred thousand, so they are columns, and not
 * objects.
 */
interface Terms {
  /** The value of the items, or its day. */
  values: readonly SortValue[]
  keys: readonly SetKey[]
  /** The number of items that have the term, whether they match or not. */
  sizes: readonly number[]
}

/** A group of matches. */
interface Group {
  index: number
  value: SortValue
  key: SetKey
  size: number
  matches: number
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
const groupBytes = 32
const placeBytes = 48

/** The memory of the groups that a ranking knows, unless those of one page take more. */
const maxKnownBytes = 4 * 2 ** 20

/** The memory that a ranking takes. */
export function measureRanking({ values, known }: Ranking): number {
  return values.length * groupBytes + measureKnown(known)
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
    // One group, by its lowest value.
    const values = [toGroupValue(sort, places.at(-1)?.value ?? null)]
    return createRanking(sort, { values, keys: [], sizes: [] }, [ids.total], [rankPlaces(places)])
  }
  const terms = await readTerms(sql, sort, edition)
  if (terms === 'outdated') return terms
  const counts = areAll
    ? terms.sizes
    : await countSets(sql, sortOrders[sort].list, terms.keys, ids.toBitmap(), edition)
  return counts === 'outdated' ? counts : createRanking(sort, terms, counts)
}

/** Creates a ranking from the number of matches that have each term. The first groups may be known. */
function createRanking(
  sort: Sort,
  terms: Terms,
  counts: readonly number[],
  known: readonly RankedItems[] = [],
): Ranking {
  const hasMatches = (_: unknown, place: number) => (counts[place] ?? 0) > 0
  const values = terms.values.filter(hasMatches)
  const keys = terms.keys.filter(hasMatches)
  const sizes = terms.sizes.filter(hasMatches)
  const starts = [0]
  let end = 0
  for (const count of counts) {
    if (count === 0) continue
    end += count
    starts.push(end)
  }
  return { sort, values, keys, sizes, starts, known: new Map(known.entries()) }
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
  const { values, starts, known } = ranking
  const { first, end } = findSpan(ranking, page)
  for (let index = first; index < end; index++) if (!known.has(index)) return undefined
  const start = starts[first] ?? 0
  const skipped =
    page.after === undefined ? offsetOf(page) : start + (known.get(first)?.rank(page.after) ?? 0)
  const places: SortPlace[] = []
  for (let index = first; index < Math.min(end, values.length); index++) {
    const offset = Math.max(0, skipped - (starts[index] ?? 0))
    places.push(...(known.get(index)?.select(offset, page.size - places.length) ?? []))
  }
  return { places, skipped }
}

/** Finds the groups that a page may have items of: from `first` on, and before `end`. */
function findSpan({ sort, values, starts }: Ranking, page: Page<SortPlace>): { first: number; end: number } {
  const { after, size } = page
  const offset = offsetOf(page)
  const value = after && toGroupValue(sort, after.value)
  const first = findFirst(values.length, (index) =>
    value === undefined
      ? (starts[index + 1] ?? 0) > offset
      : compareValues(values[index] ?? null, value) >= 0,
  )
  // Behind a place, the page may begin at the end of the first group.
  const last = after === undefined ? offset + size : (starts[first + 1] ?? 0) + size
  return { first, end: findFirst(values.length, (index) => (starts[index] ?? 0) >= last) }
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
  ranking: Ranking,
  { ids, edition }: EditionMatches,
  { first, end }: { first: number; end: number },
): Promise<'read' | 'outdated'> {
  const { sort, known } = ranking
  const matches = ids.toBitmap()
  const missing = listGroups(ranking, first, end).filter(({ index }) => !known.has(index))
  const isDay = ({ value }: Group) => sort === 'pushed' && value !== null
  const days = missing.filter(isDay)
  const ties = missing.filter((group) => !isDay(group))
  // If many items of the days match, the times of all are read. That costs less than finding the matches one by one.
  const readsAll = sumUp(days, 'size') <= 4 * sumUp(days, 'matches')
  const sets = await intersectSets(sql, sort, readsAll ? ties : [...ties, ...days], matches, edition)
  if (sets === 'outdated') return sets
  const times = await readDays(sql, days, readsAll ? matches : sets.slice(ties.length), edition)
  if (times === 'outdated') return times
  for (const [place, { value, index }] of ties.entries()) {
    const set = sets[place]
    if (set !== undefined) known.set(index, rankTies(value, set))
  }
  for (const [place, { index }] of days.entries()) {
    const items = times[place]
    if (items !== undefined) known.set(index, items)
  }
  // A client that reads on doesn't come back to those that were read first.
  let knownBytes = measureKnown(known)
  for (const [index, { bytes }] of known) {
    if (knownBytes <= maxKnownBytes) break
    if (index >= first && index < end) continue
    known.delete(index)
    knownBytes -= bytes
  }
  return 'read'
}

function listGroups({ values, keys, sizes, starts }: Ranking, first: number, end: number): Group[] {
  return keys.slice(first, end).map((key, offset) => {
    const index = first + offset
    const matches = (starts[index + 1] ?? 0) - (starts[index] ?? 0)
    return { index, value: values[index] ?? null, key, size: sizes[index] ?? 0, matches }
  })
}

function sumUp<Name extends string>(values: readonly Record<Name, number>[], name: Name): number {
  return values.reduce((sum, value) => sum + value[name], 0)
}

/** Returns what the sets of groups' terms have of the matches. */
async function intersectSets(
  sql: SqlOrTransaction,
  sort: Sort,
  groups: readonly Group[],
  matches: Bitmap,
  edition: string,
): Promise<IdSet[] | 'outdated'> {
  const found: IdSet[] = []
  if (groups.length === 0) return found
  const unions = groups.map(({ key }) => ({ sets: [key] }))
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
  groups: readonly Group[],
  matches: readonly IdSet[] | Bitmap,
  edition: string,
): Promise<RankedItems[] | 'outdated'> {
  if (groups.length === 0) return []
  const days = groups.map(({ value }) => value ?? 0)
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
  const places = await readJson<SortPlace[]>(
    sql,
    sort,
    edition,
    sql`
      select coalesce(json_agg(json_build_object('value', ${values[sort]}, 'id', id)), '[]') from ${sql(list)}
      where id = any(${sql.typed.bigints(ids)}::integer[])`,
  )
  return places === 'outdated' ? places : places.sort(comparePlaces)
}

/** Reads the terms of an order. */
async function readTerms(sql: SqlOrTransaction, sort: Sort, edition: string): Promise<Terms | 'outdated'> {
  const { list, attribute, rest } = sortOrders[sort]
  return readJson<Terms>(
    sql,
    sort,
    edition,
    sql`
      select json_build_object(
        'values', coalesce(array_agg(number), '{}'), 'keys', coalesce(array_agg(key), '{}'),
        'sizes', coalesce(array_agg(items_count), '{}')
      ) from (
        select number, ${selectKey(sql, 'attributes', list)} as key, items_count from attributes
        where name in (${attribute}, ${rest}) and items_count > 0 order by number desc nulls last
      ) terms`,
  )
}

/** Reads what `select` selects, which is JSON. Throws `filterNotReady`. */
async function readJson<Found>(
  sql: SqlOrTransaction,
  sort: Sort,
  edition: string,
  select: Fragment,
): Promise<Found | 'outdated'> {
  const [row] = await sql<{ edition: string; unready: string[]; found: Found }[]>`
    select edition, ${selectUnready(sql, [`sort=${sort}`])} as unready, (${select}) as found from dataset`
  if (row === undefined) throw new Error('the dataset row is missing')
  if (row.unready.length > 0) throw filterNotReady(row.unready)
  return row.edition === edition ? row.found : 'outdated'
}
