/**
 * Stored sets, as they are read from the database.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { readInteger } from '../database/copy.ts'
import { type SetPart, shelfPlaces } from './set-encoding.ts'

/** What a set has ids of: the items of a list, or locations. */
export type SetList = 'users' | 'repositories' | 'locations'

/** The term whose sets have every user and every repository. */
export const allTerm = 0

/** Where the row of a term says how many items it has, and whether their set is on a shelf. */
export const termColumns = [
  { table: 'locations', list: 'users', count: 'users_count', isOnShelf: 'users_on_shelf' },
  { table: 'dependencies', list: 'users', count: 'users_count', isOnShelf: 'users_on_shelf' },
  {
    table: 'dependencies',
    list: 'repositories',
    count: 'repositories_count',
    isOnShelf: 'repositories_on_shelf',
  },
  { table: 'attributes', list: 'users', count: 'items_count', isOnShelf: 'on_shelf' },
  { table: 'attributes', list: 'repositories', count: 'items_count', isOnShelf: 'on_shelf' },
] as const

/** The columns of the table `sets` that `readPart` reads. */
export const partColumns = 'width, part, cardinality, bytes'

/** Whether a row has a part: in a left join, there may be none. */
export function hasPart([width]: readonly Buffer[]): boolean {
  return width !== undefined && width.length > 0
}

/** Reads a part from a row of `copyRows`. */
export function readPart([width, part, cardinality, bytes]: readonly Buffer[]): SetPart {
  return {
    width: readInteger(width),
    part: readInteger(part),
    cardinality: readInteger(cardinality),
    bytes: bytes ?? new Uint8Array(),
  }
}

/** Reads the column `list`. */
export function readList(field: Buffer | undefined): SetList {
  const list = String(field)
  if (list !== 'users' && list !== 'repositories' && list !== 'locations') throw new Error(`no list ${list}`)
  return list
}

/** Reads ids, or codes of a shelf, from `string_agg(int8send(…), '')`, and sorts them: the server takes far longer for that. */
export function readCodes(bytes: Buffer | undefined): Float64Array {
  const codes = new Float64Array((bytes?.length ?? 0) / 8)
  for (let index = 0; index < codes.length; index++) codes[index] = Number(bytes?.readBigInt64BE(index * 8))
  return codes.sort()
}

/** SQL: the id of a term as `Union` has it, from the column `id`. `isOnShelf` is SQL: whether its set is on a shelf. */
export function selectShelvedId(sql: SqlOrTransaction, isOnShelf: Fragment): Fragment {
  return sql`case when ${isOnShelf} then ~id else id end`
}

/**
 * SQL: whether the set of the columns `term_id` and `list` is on a shelf; `join` is what it needs. The sets of versions, of
 * trigrams and of everything never are.
 */
export function selectIsShelved(sql: SqlOrTransaction): { join: Fragment; isShelved: Fragment } {
  return {
    join: sql`
      left join locations l on l.id = term_id left join dependencies d on d.id = term_id
      left join attributes a on a.id = term_id`,
    isShelved: sql`coalesce(case list
      when 'users' then coalesce(l.users_on_shelf, d.users_on_shelf, a.on_shelf)
      when 'repositories' then coalesce(d.repositories_on_shelf, a.on_shelf)
    end, false)`,
  }
}

/** SQL: `shelf` and `code` of what is on a shelf, from the columns `term_id` and `id` (`findShelf`, `encodeShelved`). */
export function selectCode(sql: SqlOrTransaction): { shelf: Fragment; code: Fragment } {
  const places = sql.unsafe(String(shelfPlaces))
  return { shelf: sql`~(term_id / ${places})`, code: sql`id::bigint * ${places} + term_id % ${places}` }
}
