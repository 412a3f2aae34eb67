/**
 * Filters of users and repositories, in the canonical form that equal filters share.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { SqlOrTransaction } from '../database/connect.ts'
import { foldText } from './case-folding.ts'
import { listDependencyKeys } from './dependency-names.ts'

/** A list of the catalog. */
export type ListName = 'users' | 'repositories'

/** A filter in its canonical form: folded, sorted, without duplicates. Empty parts don't filter. */
export interface Filter {
  /** A substring of the user's location. */
  locationKey: string
  /** Any of these dependencies … */
  nameKeys: readonly string[]
  /** … declared in any of these files. */
  files: readonly string[]
  /** Only what was added or changed after this version of the dataset. */
  changedSince?: number | undefined
}

/** Creates the canonical form of a filter that a client has written. */
export function createFilter(written: {
  location?: string
  dependencyNames?: readonly string[]
  dependencyFiles?: readonly string[]
  changedSince?: number | undefined
}): Filter {
  return {
    locationKey: foldText(written.location ?? ''),
    nameKeys: [...new Set(written.dependencyNames?.map(foldText))].sort(),
    files: [...new Set(written.dependencyFiles)].sort(),
    changedSince: written.changedSince,
  }
}

/** Whether a filter matches everything. */
export function isUnfiltered({ locationKey, nameKeys, files, changedSince }: Filter): boolean {
  return locationKey === '' && nameKeys.length === 0 && files.length === 0 && changedSince === undefined
}

/** The SHA-256 that identifies a filter's stored list. */
export function hashFilter(list: ListName, { locationKey, nameKeys, files, changedSince }: Filter): Buffer {
  return hash('sha256', JSON.stringify([list, locationKey, nameKeys, files, changedSince]), 'buffer')
}

/** Finds the ids of the dependencies that a filter names. Undefined when it names none. */
export async function findDependencies(
  sql: SqlOrTransaction,
  { nameKeys, files }: Filter,
): Promise<number[] | undefined> {
  if (nameKeys.length === 0 && files.length === 0) return undefined
  const keys = nameKeys.length > 0 ? nameKeys.flatMap(listDependencyKeys) : ['']
  const rows = await sql<{ id: number }[]>`
    select id from dependencies where name_key = any(${sql.typed.texts(keys)})
      ${files.length > 0 ? sql`and file = any(${sql.typed.texts(files)})` : sql``}`
  return rows.map(({ id }) => id)
}

/** SQL: the column `id` of all matches of a filter, unordered, without duplicates. `dependencies` are those that it names. */
export function selectMatches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  dependencies: readonly number[] | undefined,
) {
  const { locationKey, changedSince } = filter
  if (isUnfiltered(filter)) return sql`select id from ${sql(list)}`
  if (changedSince !== undefined) {
    return sql`select id from ${sql(list)} where version > ${changedSince}::bigint`
  }
  const byLocation = sql`
    select u.user_id as id from locations l join location_users u on u.location_id = l.id
    where strpos(l.location_key, ${locationKey}) > 0`
  if (dependencies === undefined) return byLocation

  const [table, column] =
    list === 'users'
      ? [sql`dependency_users`, sql`user_id`]
      : [sql`dependency_repositories`, sql`repository_id`]
  const [only, ...others] = dependencies
  // The postings of one dependency have no duplicates.
  const byDependency =
    only !== undefined && others.length === 0
      ? sql`select ${column} as id from ${table} where dependency_id = ${only}`
      : sql`select distinct ${column} as id from ${table} where dependency_id = any(${sql.typed.bigints(dependencies)}::integer[])`
  return locationKey === ''
    ? byDependency
    : sql`select id from (${byDependency}) d where id in (${byLocation})`
}
