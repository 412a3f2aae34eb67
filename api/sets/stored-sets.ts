/** Stored sets, as they are read from the database. */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { textTables } from '../names/searchable-texts.ts'
import { Bitmap } from './id-set.ts'
import { decodePart, decodeSets, isBitmap, type SetPart } from './set-encoding.ts'

/** What a set has ids of: the items of a list, or searchable texts. */
export const setLists = ['users', 'repositories', ...textTables] as const
export type SetList = (typeof setLists)[number]

/** Reads the highest ids that sets may have. */
export async function readLastIds(sql: SqlOrTransaction): Promise<Record<SetList, number>> {
  const ofTexts = textTables.map((table) => `, (select coalesce(max(id), 0) from ${table}) as ${table}`)
  const [last] = await sql<Record<SetList, number>[]>`
    select last_user_id as users, last_repository_id as repositories ${sql.unsafe(ofTexts.join(''))} from dataset`
  if (last === undefined) throw new Error('the dataset row is missing')
  return last
}

/** Creates something for each list. */
export function createForLists<Value>(create: (list: SetList) => Value): Record<SetList, Value> {
  return {
    users: create('users'),
    repositories: create('repositories'),
    locations: create('locations'),
    companies: create('companies'),
  }
}

/** The term whose sets have every user and every repository. */
export const allTerm = 0

const ofUsers = { list: 'users', count: 'users_count', isOnShelf: 'users_on_shelf' } as const

/** Where the row of a term says how many items it has, and whether their set is on a shelf. */
export const termColumns = [
  ...textTables.map((table) => ({ table, ...ofUsers })),
  { table: 'dependencies', ...ofUsers },
  {
    table: 'dependencies',
    list: 'repositories',
    count: 'repositories_count',
    isOnShelf: 'repositories_on_shelf',
  },
  { table: 'attributes', list: 'users', count: 'items_count', isOnShelf: 'on_shelf' },
  { table: 'attributes', list: 'repositories', count: 'items_count', isOnShelf: 'on_shelf' },
] as const

/** A table whose rows are terms. An attribute has items of one list. */
export type TermTable = (typeof termColumns)[number]['table']

/** Reads the highest id of terms that have rows. */
export async function readLastTerm(sql: SqlOrTransaction): Promise<number> {
  const tables = new Set(termColumns.map(({ table }) => table))
  const ids = [...tables].map((table) => `(select max(id) from ${table})`)
  const [last] = await sql.unsafe<{ id: number | null }[]>(`select greatest(${ids.join()}) as id`)
  return last?.id ?? 0
}

/** SQL: `term_id`, `table_name`, `cardinality` and `is_on_shelf` of the terms that have rows, of sets of a list. */
export function selectTermRows(list: SetList): string {
  const tables = termColumns.filter((columns) => columns.list === list)
  const selects = tables.map(
    ({ table, count, isOnShelf }) => `
      select id as term_id, '${table}' as table_name, ${count} as cardinality, ${isOnShelf} as is_on_shelf from ${table}`,
  )
  return selects.length > 0
    ? selects.join(' union all ')
    : 'select null::integer as term_id, null as table_name, 0 as cardinality, false as is_on_shelf where false'
}

declare const setKey: unique symbol

/** Says which set of a list is meant, and where it is stored. Only the SQL of this file makes one. */
export type SetKey = number & { readonly [setKey]: true }

/** SQL: the key of a term's set, from a row of the table. */
export function selectKey(sql: SqlOrTransaction, table: TermTable, list: SetList): Fragment {
  const columns = termColumns.find((each) => each.table === table && each.list === list)
  if (columns === undefined) throw new Error(`${table} has no sets of ${list}`)
  return sql`case when ${sql(columns.isOnShelf)} then ~id else id end`
}

/**
 * The columns of `dataset_versions` that have terms: of what a version added or changed, and of what gained and lost
 * something.
 */
const versionColumns = ['term_id', 'gained_term_id', 'lost_term_id'] as const

/**
 * SQL: the terms of all versions, which are the keys of their sets, because none is on a shelf. A `where` may follow.
 */
export function selectVersionTerms(
  columns: readonly (typeof versionColumns)[number][] = versionColumns,
): string {
  return `select id from dataset_versions, unnest(array_remove(array[${columns.join()}], null)) as id`
}

/** SQL: the key of the set of all items. */
export function selectKeyOfAll(sql: SqlOrTransaction): Fragment {
  return sql`${allTerm}::integer`
}

/** Whether the set that a key means is on a shelf, and its term. */
export function readKey(key: SetKey): { termId: number; isShelved: boolean } {
  return key < 0 ? { termId: ~key, isShelved: true } : { termId: key, isShelved: false }
}

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

/** Ids of a set, as a row has them. */
export interface StoredIds {
  termId: number
  /** Ascending. */
  ids: ArrayLike<number>
  /** Of the part; undefined: the set is on a shelf. */
  width: number | undefined
  /** The number of ids that the part should have. */
  cardinality: number
}

/** Yields the sets of a list, part by part, in no order. `condition` is SQL: which rows of `sets`. */
export async function* readSets(
  sql: SqlOrTransaction,
  list: SetList,
  condition = 'true',
): AsyncGenerator<StoredIds, void> {
  const rows = copyRows(
    sql,
    `select ${partColumns}, term_id from sets where list = '${list}' and (${condition})`,
  )
  for await (const row of rows) {
    const termId = readInteger(row[4])
    const part = readPart(row)
    if (termId >= 0) yield { termId, ids: listIds(part), width: part.width, cardinality: part.cardinality }
    else {
      for (const [shelved, ids] of decodeSets(termId, part)) {
        yield { termId: shelved, ids, width: undefined, cardinality: ids.length }
      }
    }
  }
}

/** The ids of a part as filters find them: those of a bitmap are its bits, whatever the row says of their number. */
function listIds(part: SetPart): ArrayLike<number> {
  if (!isBitmap(part)) return decodePart(part)
  const bitmap = new Bitmap()
  bitmap.addPart(part)
  const set = bitmap.toIdSet()
  return set.select(0, set.total)
}
