/**
 * Filters of users and repositories, in the canonical form that equal filters share.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { foldLocation, foldText } from '../names/case-folding.ts'
import { listDependencyKeys } from '../names/dependency-names.ts'
import { identifyLogin } from '../names/forge-names.ts'

/** A list of the catalog. */
export type ListName = 'users' | 'repositories'

/** The status of a dependency that a filter may ask for. */
export type DependencyStatus = 'active' | 'removed'

/** A filter in its canonical form: folded, sorted, without duplicates. Empty parts don't filter. */
export interface Filter {
  /** Any of these substrings of the user's location. */
  locationKeys: readonly string[]
  /** The login of the repository's owner. */
  ownerKey: string
  /** Any of these dependencies … */
  nameKeys: readonly string[]
  /** … declared in any of these files … */
  files: readonly string[]
  /** … with this status. */
  status?: DependencyStatus | undefined
  /** Only what was added or changed after this version of the dataset. */
  changedSince?: number | undefined
}

/** A filter as the client wrote it. */
export interface FilterParameters {
  locations?: readonly string[]
  owner?: string | undefined
  dependencyNames?: readonly string[]
  dependencyFiles?: readonly string[]
  dependencyStatus?: DependencyStatus | undefined
  changedSince?: number | undefined
}

/** Creates the canonical form of a filter. */
export function createFilter(parameters: FilterParameters): Filter {
  const locationKeys = [...new Set(parameters.locations?.map(foldLocation))]
  return {
    // A location that contains another one matches no further users.
    locationKeys: locationKeys
      .filter((key) => !locationKeys.some((other) => other !== key && key.includes(other)))
      .sort(),
    ownerKey: foldText(parameters.owner ?? ''),
    nameKeys: [...new Set(parameters.dependencyNames?.map(foldText))].sort(),
    files: [...new Set(parameters.dependencyFiles)].sort(),
    status: parameters.dependencyStatus,
    changedSince: parameters.changedSince,
  }
}

/** Whether a filter matches everything. */
export function isUnfiltered({ locationKeys, ownerKey, nameKeys, files, changedSince }: Filter): boolean {
  const isEmpty = locationKeys.length + nameKeys.length + files.length === 0 && ownerKey === ''
  return isEmpty && changedSince === undefined
}

/** The SHA-256 that identifies a filter's stored list. */
export function hashFilter(
  list: ListName,
  { locationKeys, ownerKey, nameKeys, files, status, changedSince }: Filter,
): Buffer {
  const parts = [list, locationKeys, ownerKey, nameKeys, files, status, changedSince]
  return hash('sha256', JSON.stringify(parts), 'buffer')
}

/** SQL: the column `id` of the dependencies that a filter names. `any`: it names none. */
export function selectDependencies(
  sql: SqlOrTransaction,
  { nameKeys, files, status }: Filter,
): Fragment | 'any' {
  if (nameKeys.length === 0 && files.length === 0) return 'any'
  const keys = nameKeys.length > 0 ? nameKeys.flatMap(listDependencyKeys) : ['']
  return sql`
    select id from dependencies where name_key = any(${sql.typed.texts(keys)})
      ${files.length > 0 ? sql`and file = any(${sql.typed.texts(files)})` : sql``}
      ${status === undefined ? sql`` : sql`and status = ${status}`}`
}

/** Finds the ids of the dependencies that a filter names, or returns `any` as `selectDependencies` does. */
export async function findDependencies(sql: SqlOrTransaction, filter: Filter): Promise<number[] | 'any'> {
  const dependencies = selectDependencies(sql, filter)
  if (dependencies === 'any') return dependencies
  const rows = await sql<{ id: number }[]>`${dependencies}`
  return rows.map(({ id }) => id)
}

/**
 * SQL: the column `id` of a filter's matches, unordered and without duplicates. `dependencies` is what `findDependencies`
 * returns.
 */
export function selectMatches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  dependencies: readonly number[] | 'any',
): Fragment {
  const { locationKeys, ownerKey, changedSince } = filter
  if (isUnfiltered(filter)) return sql`select id from ${sql(list)}`
  if (changedSince !== undefined) {
    return sql`select id from ${sql(list)} where version > ${changedSince}::bigint`
  }
  const parts = [
    ...(dependencies === 'any' ? [] : [selectByDependency(sql, list, dependencies)]),
    ...(locationKeys.length === 0 ? [] : [selectByLocation(sql, locationKeys)]),
    ...(ownerKey === '' ? [] : [selectOwned(sql, ownerKey)]),
  ]
  return parts.reduce((all, part) => sql`select id from (${all}) found where id in (${part})`)
}

function selectByDependency(
  sql: SqlOrTransaction,
  list: ListName,
  dependencies: readonly number[],
): Fragment {
  const [table, column] =
    list === 'users'
      ? [sql`dependency_users`, sql`user_id`]
      : [sql`dependency_repositories`, sql`repository_id`]
  const [only, ...others] = dependencies
  // The postings of one dependency have no duplicates. `distinct on` only sorts. `distinct` would hash and then sort,
  // which takes three times as long.
  return only !== undefined && others.length === 0
    ? sql`select ${column} as id from ${table} where dependency_id = ${only}`
    : sql`select distinct on (${column}) ${column} as id from ${table} where dependency_id = any(${sql.typed.bigints(dependencies)}::integer[])`
}

function selectByLocation(sql: SqlOrTransaction, locationKeys: readonly string[]): Fragment {
  const isPlace = locationKeys
    .map((key) => sql`strpos(l.location_key, ${key}) > 0`)
    .reduce((any, condition) => sql`${any} or ${condition}`)
  // A user has one location, so there are no duplicates.
  return sql`
    select u.user_id as id from locations l join location_users u on u.location_id = l.id where ${isPlace}`
}

/** SQL: the column `id` of the repositories of an owner. */
export function selectOwned(sql: SqlOrTransaction, ownerKey: string): Fragment {
  return sql`
    select repository_id as id from contributions where identity = ${identifyLogin(ownerKey)} and kind = 'owner'`
}
