/** Unions of stored sets. */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { Bitmap } from './id-set.ts'
import { decodePart, decodeShelf, findShelf, type SetPart, shelfPlaces } from './set-encoding.ts'
import { hasPart, partColumns, readKey, readPart, type SetKey, type SetList } from './stored-sets.ts'

/** Sets that are to be united. */
export interface Union {
  sets: readonly SetKey[]
  /** Further ids. */
  ids?: readonly number[]
}

/**
 * Yields unions of sets, in the order of `unions`, if the dataset still has the edition; otherwise, `outdated` at the
 * end. One statement reads the sets of all of them.
 */
export async function* uniteSets(
  sql: SqlOrTransaction,
  list: SetList,
  unions: readonly Union[],
  edition: string,
): AsyncGenerator<Bitmap | 'outdated', void> {
  const wanted = unions.map(({ sets }) => groupSets(sets))
  const rows = copySets(
    sql,
    list,
    wanted.map(({ stored, shelves }) => [...stored, ...shelves.keys()]),
    edition,
  )
  let isOutdated = false
  let place = -1
  let union = new Bitmap()
  for await (const row of rows) {
    const [, , , , isCurrent, termId, number] = row
    if (readInteger(isCurrent) === 0) {
      isOutdated = true
      continue // a stream must be read to its end
    }
    if (readInteger(number) !== place) {
      if (place >= 0) yield union
      place++
      if (readInteger(number) !== place) throw new Error('unions are not read in their order')
      union = new Bitmap()
      union.addAll(unions[place]?.ids ?? [])
    }
    if (!hasPart(row)) continue
    const part = readPart(row)
    const places = wanted[place]?.shelves.get(readInteger(termId))
    if (places === undefined) union.addPart(part)
    else union.addAll(listShelvedIds(part, places))
  }
  yield isOutdated ? 'outdated' : union
}

/**
 * Counts the ids that each union has in common with `ids`. Returns `outdated` if the dataset doesn't have the edition.
 */
export async function countUnions(
  sql: SqlOrTransaction,
  list: SetList,
  unions: readonly Union[],
  ids: Bitmap,
  edition: string,
): Promise<number[] | 'outdated'> {
  const wanted = unions.map(({ sets }) => groupSets(sets))
  const termLists = wanted.map(({ stored, shelves }) => [...stored, ...shelves.keys()])
  const counts = unions.map(() => 0)
  let isOutdated = false
  let place = -1
  const untaken = ids.copy()
  for await (const row of copySets(sql, list, termLists, edition)) {
    const [, , , , isCurrent, termId, number] = row
    if (readInteger(isCurrent) === 0) isOutdated = true
    if (!hasPart(row)) continue
    if (readInteger(number) !== place) {
      place = readInteger(number)
      untaken.restore(ids)
    }
    const part = readPart(row)
    const places = wanted[place]?.shelves.get(readInteger(termId))
    const taken =
      places === undefined ? untaken.takePart(part) : untaken.takeAll(listShelvedIds(part, places))
    counts[place] = (counts[place] ?? 0) + taken
  }
  return isOutdated ? 'outdated' : counts
}

/**
 * Copies the parts of sets if the dataset still has the edition: rows with the columns of a part, whether it has the
 * edition, the term and the number of the list that has it, from 0. `termLists` are terms or shelves.
 */
function copySets(
  sql: SqlOrTransaction,
  list: SetList,
  termLists: readonly (readonly number[])[],
  edition: string,
): AsyncGenerator<Buffer[], void> {
  // The inner select runs once for each list, one after the other. A list without sets has one row, whose part is null.
  return copyRows(
    sql,
    `select ${partColumns}, d.edition = '${edition}', term_id, list_number - 1
    from dataset d
      cross join unnest('{${termLists.map((terms) => `"{${terms.join()}}"`).join()}}'::text[])
        with ordinality as l(terms, list_number)
      left join lateral (
        select * from sets where d.edition = '${edition}' and list = '${list}' and term_id = any(terms::integer[]) offset 0
      ) s on true`,
  )
}

/**
 * Counts the ids that each set has in common with `ids`. No two of the sets may have the same id. Returns `outdated` if
 * the dataset doesn't have the edition. One statement reads all sets, in no order.
 */
export async function countSets(
  sql: SqlOrTransaction,
  list: SetList,
  sets: readonly SetKey[],
  ids: Bitmap,
  edition: string,
): Promise<number[] | 'outdated'> {
  const counts = sets.map(() => 0)
  const untaken = ids.copy()
  const places = new Map<number, number>()
  const rowIds = new Set<number>()
  for (const [place, key] of sets.entries()) {
    const { termId, isShelved } = readKey(key)
    places.set(termId, place)
    rowIds.add(isShelved ? findShelf(termId) : termId)
  }
  const count = (termId: number, taken: number) => {
    const place = places.get(termId)
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + taken
  }
  let isOutdated = false
  for await (const row of copySets(sql, list, [[...rowIds]], edition)) {
    const [, , , , isCurrent, rowId] = row
    if (readInteger(isCurrent) === 0) isOutdated = true
    if (!hasPart(row)) continue
    const termId = readInteger(rowId)
    const part = readPart(row)
    if (termId >= 0) {
      count(termId, untaken.takePart(part))
      continue
    }
    const shelf = decodeShelf(part)
    for (const [index, place] of shelf.places.entries()) {
      const shelvedId = ~termId * shelfPlaces + place
      if (places.has(shelvedId)) count(shelvedId, untaken.takeAll(shelf.ids.subarray(index, index + 1)))
    }
  }
  return isOutdated ? 'outdated' : counts
}

/** The terms whose sets have parts of their own, and the shelves of the others, with their places there. */
function groupSets(sets: readonly SetKey[]): { stored: number[]; shelves: Map<number, Uint8Array> } {
  const stored: number[] = []
  const shelves = new Map<number, Uint8Array>()
  let shelf: number | undefined
  let places: Uint8Array = new Uint8Array()
  for (const key of sets) {
    const { termId, isShelved } = readKey(key)
    if (!isShelved) {
      stored.push(termId)
      continue
    }
    if (findShelf(termId) !== shelf) {
      shelf = findShelf(termId)
      places = shelves.get(shelf) ?? new Uint8Array(shelfPlaces)
      shelves.set(shelf, places)
    }
    places[termId % shelfPlaces] = 1
  }
  return { stored, shelves }
}

/** Lists the ids at some places of a shelf, ascending. */
function listShelvedIds(shelf: SetPart, wanted: Uint8Array): Uint32Array {
  const { places, ids } = decodeShelf(shelf)
  let length = 0
  for (let index = 0; index < ids.length; index++) {
    ids[length] = ids[index] ?? 0
    length += wanted[places[index] ?? 0] ?? 0 // without an `if`: the processor could not predict it
  }
  return ids.subarray(0, length)
}

/** Ids, and the edition of the dataset that they were found in. */
export interface FoundIds {
  ids: number[]
  edition: string
}

/**
 * Returns the union of each group's smallest set. None of the sets may be on a shelf. Returns undefined if these sets
 * have more than `maxIdsSql` ids together, which is an SQL expression.
 */
export async function uniteSmallest(
  sql: SqlOrTransaction,
  list: SetList,
  groups: readonly (readonly number[])[],
  maxIdsSql: string,
): Promise<FoundIds | undefined> {
  const members = groups.flatMap((terms, place) => terms.map((term) => ({ place, term })))
  const rows = copyRows(
    sql,
    `with sized as (
      select place, term, coalesce(sum(cardinality), 0) as size
      from unnest(
        '{${members.map(({ place }) => place).join()}}'::integer[], '{${members.map(({ term }) => term).join()}}'::integer[]
      ) as m(place, term) left join sets on list = '${list}' and term_id = term
      group by 1, 2
    ), smallest as materialized (
      select distinct on (place) term, size from sized order by place, size
    ), few as (
      select sum(size) <= ${maxIdsSql} as are_few from smallest
    )
    select ${partColumns}, edition::text, are_few
    from dataset cross join few
      left join sets on are_few and list = '${list}' and term_id in (select term from smallest)`,
  )
  const ids = new Set<number>()
  let found: Pick<FoundIds, 'edition'> | undefined
  for await (const row of rows) {
    const [, , , , edition, areFew] = row
    if (readInteger(areFew) === 0) continue
    found = { edition: String(edition) }
    if (hasPart(row)) for (const id of decodePart(readPart(row))) ids.add(id)
  }
  return found && { ...found, ids: [...ids] }
}
