/** Counts of the items that a filter matches: by the values of an attribute, or by the names of dependencies. */
import { LRUCache } from 'lru-cache'
import { createSharedWork } from '../concurrency/shared-work.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { listStoredKeys } from '../names/dependency-names.ts'
import { countSets, countUnions, uniteSets } from '../sets/set-unions.ts'
import { type SetKey, selectKey } from '../sets/stored-sets.ts'
import { type Filter, isUnfiltered } from './canonical-filter.ts'
import { readOneState } from './dataset.ts'
import type { Discovery } from './discovery.ts'
import type { Division, ListName } from './filters.ts'
import { computeMatches, type MatchCache, type Matches, type MatchFinder, type Requester } from './matches.ts'

/** A value, as a filter can ask for it, and how many of the items have it. */
export interface ValueCount {
  value: string
  count: number
}

/** The most frequent values of the items that a filter matches. */
export interface Counts extends Discovery<ValueCount> {
  /** All items that match. */
  total: number
  /** Items that have another value. Null: an item may have several values. */
  others: number | null
  /** Items without a value. */
  none: number
}

/** What to count. */
export interface CountRequest {
  list: ListName
  filter: Filter
  division: Division
}

/** Counts items. Throws as `find` of a `MatchFinder` does. */
export type CountItems = (request: CountRequest, requester: Requester) => Promise<Counts>

/** Values that a response has. */
const maxValues = 20
/** The names of dependencies that are looked at: the most used ones of the dataset. */
const maxNames = 200
/** Rows of dependencies that are looked at for these: one for each file and status. */
const maxRows = 2_000
/** The name of a dependency that fewer items have may be that of a person. */
const minItems = 3
/** Of the counts that an instance keeps in memory. */
const maxCacheBytes = 4 * 2 ** 20

/** Counts, as far as they follow from one edition of the dataset. */
type Divided = Omit<Counts, 'version'>

/** Creates a function that counts items in one database. */
export function createCounts(
  sql: Sql,
  finder: MatchFinder,
  { takeTurn }: Pick<MatchCache, 'takeTurn'>,
): CountItems {
  const cache = new LRUCache<string, Divided>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ items }, key) =>
      items.reduce((sum, { value }) => sum + 2 * value.length + 100, 2 * key.length + 500),
  })
  const dividing = createSharedWork<Requester, Divided | 'outdated'>(takeTurn)
  const findNames = createNameRanking()

  const divide = (reader: SqlOrTransaction, request: CountRequest, matches: Matches) =>
    request.division.attribute === undefined
      ? countNames(reader, request, matches, findNames)
      : countValues(reader, request, request.division.attribute, matches)

  return async (request, requester) => {
    const { list, filter, division } = request
    return readOneState(
      sql,
      async () => {
        const matches = await finder.find(list, filter, requester)
        if (matches === 'outdated') return matches
        const key = JSON.stringify([matches.edition, list, division.by, filter])
        const findKnown = () => cache.get(key)
        const divided = await dividing.share(key, requester, findKnown, () =>
          countStatement(sql, () => divide(sql, request, matches)),
        )
        const counts = await countStatement(sql, () => completeCounts(sql, divided, matches))
        if (counts === 'outdated' || divided === 'outdated') finder.forget(list, filter, matches)
        else cache.set(key, divided)
        return counts
      },
      async (tx) => {
        const matches = await computeMatches(tx, list, filter)
        return matches === 'outdated'
          ? matches
          : completeCounts(tx, await divide(tx, request, matches), matches)
      },
    )
  }
}

/**
 * Adds the version, unless the dataset has changed since its matches were found: then the statements saw several
 * states.
 */
async function completeCounts(
  sql: SqlOrTransaction,
  divided: Divided | 'outdated',
  { edition }: Matches,
): Promise<Counts | 'outdated'> {
  if (divided === 'outdated') return divided
  const [current] = await sql<
    { version: number }[]
  >`select version from dataset where edition = ${edition}::uuid`
  return current === undefined ? 'outdated' : { ...divided, ...current }
}

/** Counts the values of an attribute. Each item has at most one. */
async function countValues(
  sql: SqlOrTransaction,
  { list, filter }: CountRequest,
  attribute: string,
  { ids, edition }: Matches,
): Promise<Divided | 'outdated'> {
  const terms = await sql<{ value: string; count: number; set: SetKey }[]>`
    select coalesce(spelling, value) as value, items_count as count, ${selectKey(sql, 'attributes', list)} as set
    from attributes where name = ${attribute} and items_count > 0`
  const sets = terms.map(({ set }) => set)
  const counts = isUnfiltered(filter)
    ? terms.map(({ count }) => count)
    : await countSets(sql, list, sets, ids.toBitmap(), edition)
  if (counts === 'outdated') return counts
  const counted = terms.map(({ value }, place) => ({ value, count: counts[place] ?? 0 }))
  const items = takeMostFrequent(counted)
  const withValue = sumCounts(counted)
  const { total } = ids
  return { items, total, others: withValue - sumCounts(items), none: total - withValue }
}

/** Counts the names of dependencies that are used most. An item may have several. */
async function countNames(
  sql: SqlOrTransaction,
  { list, filter }: CountRequest,
  { ids, edition }: Matches,
  findNames: FindNames,
): Promise<Divided | 'outdated'> {
  const found = await findNames(sql, list, edition)
  if (found === 'outdated') return found
  const asked = new Set((filter.dependency_names ?? []).flatMap(listStoredKeys))
  const names = found.names.filter(({ keys }) => !keys.every((key) => asked.has(key)))
  const counts = await countUnions(sql, list, [...names, { sets: found.anyName }], ids.toBitmap(), edition)
  if (counts === 'outdated') return counts
  const counted = names.map(({ name }, place) => ({ value: name, count: counts[place] ?? 0 }))
  const none = ids.total - (counts.at(-1) ?? 0)
  return { items: takeMostFrequent(counted), total: ids.total, others: null, none }
}

function takeMostFrequent(counted: readonly ValueCount[]): ValueCount[] {
  return counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, maxValues)
}

function sumCounts(counted: readonly ValueCount[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0)
}

/** A name of a dependency. */
interface Name {
  name: string
  /** What a filter by the name finds in the dataset, and the sets of these. */
  keys: readonly string[]
  sets: SetKey[]
}

/** The names of dependencies that a list's items use most, in one edition of the dataset. */
interface Names {
  names: Name[]
  /** The sets of all items that use anything. */
  anyName: SetKey[]
}

type FindNames = (sql: SqlOrTransaction, list: ListName, edition: string) => Promise<Names | 'outdated'>

/** Creates a function that ranks names once for each edition. */
function createNameRanking(): FindNames {
  const known = new Map<ListName, { edition: string; names: ReturnType<FindNames> }>()
  return async (sql, list, edition) => {
    let ranked = known.get(list)
    if (ranked?.edition !== edition) {
      ranked = { edition, names: rankNames(sql, list, edition) }
      known.set(list, ranked)
    }
    try {
      const names = await ranked.names
      if (names === 'outdated') forget(list, ranked)
      return names
    } catch (error) {
      forget(list, ranked)
      throw error
    }
  }

  function forget(list: ListName, ranked: { edition: string }): void {
    if (known.get(list) === ranked) known.delete(list)
  }
}

/** Ranks names by the sum of their rows. One whose rows are all behind the `maxRows` largest ones is left out. */
async function rankNames(
  sql: SqlOrTransaction,
  list: ListName,
  edition: string,
): Promise<Names | 'outdated'> {
  const count: Fragment = list === 'users' ? sql`users_count` : sql`repositories_count`
  const ranked = await sql<{ name: string }[]>`
    with largest as materialized (
      select name_key from dependencies where name <> '' and ${count} > 0
      order by ${count} desc, name_key limit ${maxRows}
    )
    select (array_agg(name order by ${count} desc, name))[1] as name
    from (select distinct name_key from largest) ranked join dependencies using (name_key)
    group by name_key order by sum(${count}) desc, name_key limit ${maxNames}`
  // A filter by a name finds it in each ecosystem.
  const names = new Map<string, string>()
  for (const { name } of ranked) {
    const key = listStoredKeys(name).join('\0')
    if (!names.has(key)) names.set(key, name)
  }
  const wanted = [...names.values()].map((name) => ({ name, keys: listStoredKeys(name) }))
  const stored = await sql<{ key: string; most: number; sets: SetKey[] }[]>`
    select name_key as key, max(${count}) as most, json_agg(${selectKey(sql, 'dependencies', list)}) as sets
    from dependencies
    where name_key = any (${sql.typed.texts(['', ...wanted.flatMap(({ keys }) => keys)])}) and ${count} > 0
    group by name_key`
  const rows = new Map(stored.map(({ key, ...row }) => [key, row]))
  const found = wanted.map(({ name, keys: sought }) => {
    const keys = sought.filter((key) => rows.has(key))
    const own = keys.flatMap((key) => rows.get(key) ?? [])
    return {
      name,
      keys,
      sets: own.flatMap(({ sets }) => sets),
      most: Math.max(...own.map(({ most }) => most)),
    }
  })
  const isRare = await findRare(
    sql,
    list,
    found.filter(({ most }) => most < minItems),
    edition,
  )
  if (isRare === 'outdated') return isRare
  return { names: found.filter((name) => !isRare.has(name)), anyName: rows.get('')?.sets ?? [] }
}

/** Finds those of the names that fewer than `minItems` items have. */
async function findRare(
  sql: SqlOrTransaction,
  list: ListName,
  names: readonly Name[],
  edition: string,
): Promise<ReadonlySet<Name> | 'outdated'> {
  const rare = new Set<Name>()
  if (names.length === 0) return rare
  let place = 0
  for await (const union of uniteSets(sql, list, names, edition)) {
    if (union === 'outdated') return union
    const name = names[place++]
    if (name !== undefined && union.toIdSet().total < minItems) rare.add(name)
  }
  return rare
}
