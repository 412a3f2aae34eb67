/**
 * Filters of users and repositories, in the canonical form that equal filters share.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { foldLocation, foldText } from '../names/case-folding.ts'
import { listDependencyKeys } from '../names/dependency-names.ts'
import { identifyLogin } from '../names/forge-names.ts'
import { allTerm } from './stored-sets.ts'

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

/**
 * A condition of a filter. `terms`: an item must be in the set of any of these terms. `ids`: the item must have one of these
 * ids. `select` is SQL with the column `id`. For a term whose set is on a shelf it returns `~id`, which is negative.
 */
export interface Condition {
  kind: 'terms' | 'ids'
  select: Fragment
}

/**
 * The conditions of a filter. An item must meet each. `candidates` are the only locations that may match; undefined: any may.
 */
export function listConditions(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  candidates?: readonly number[],
): Condition[] {
  const { locationKeys, ownerKey, nameKeys, files, changedSince } = filter
  const anyOf = (select: Fragment): Condition => ({ kind: 'terms', select })
  const all = anyOf(sql`select ${allTerm}::integer as id`)
  if (isUnfiltered(filter)) return [all]
  if (changedSince !== undefined) {
    const changed = sql`select term_id as id from dataset_versions where version > ${changedSince}::bigint`
    return [anyOf(changed), all] // what was removed stays in the sets of versions
  }
  return [
    ...(ownerKey === '' ? [] : [{ kind: 'ids' as const, select: selectOwned(sql, ownerKey) }]),
    ...(nameKeys.length + files.length === 0 ? [] : [anyOf(selectDependencies(sql, list, filter))]),
    ...(locationKeys.length === 0 ? [] : [anyOf(selectLocations(sql, locationKeys, candidates))]),
  ]
}

/** SQL: the column `id` of a condition, from the row of a term. */
function selectTerm(sql: SqlOrTransaction, list: ListName): Fragment {
  return sql`case when ${sql(`${list}_on_shelf`)} then ~id else id end as id`
}

function selectDependencies(
  sql: SqlOrTransaction,
  list: ListName,
  { nameKeys, files, status }: Filter,
): Fragment {
  const keys = nameKeys.length > 0 ? nameKeys.flatMap(listDependencyKeys) : ['']
  return sql`
    select ${selectTerm(sql, list)} from dependencies where name_key = any(${sql.typed.texts(keys)})
      ${files.length > 0 ? sql`and file = any(${sql.typed.texts(files)})` : sql``}
      ${status === undefined ? sql`` : sql`and status = ${status}`}`
}

function selectLocations(
  sql: SqlOrTransaction,
  locationKeys: readonly string[],
  candidates: readonly number[] | undefined,
): Fragment {
  const isPlace = locationKeys
    .map((key) => sql`strpos(location_key, ${key}) > 0`)
    .reduce((any, condition) => sql`${any} or ${condition}`)
  return sql`select ${selectTerm(sql, 'users')} from locations
    where (${isPlace}) ${candidates === undefined ? sql`` : sql`and id = any(${sql.typed.bigints(candidates)}::integer[])`}`
}

function selectOwned(sql: SqlOrTransaction, ownerKey: string): Fragment {
  return sql`
    select repository_id as id from contributions where identity = ${identifyLogin(ownerKey)} and kind = 'owner'`
}
