/**
 * What lists of users and repositories can be filtered by, in the one form that equal filters share.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { SqlOrTransaction } from '../database/connect.ts'
import { foldText } from './text-key.ts'

/** What is listed. */
export type ListName = 'users' | 'repositories'

/** A filter in its canonical form: folded, sorted, without repetitions. Empty parts do not filter. */
export interface Filter {
  /** Part of the user's location. */
  locationKey: string
  /** Any of these dependencies … */
  nameKeys: readonly string[]
  /** … declared in any of these files. */
  files: readonly string[]
}

/** What a client asks for (`decisions.md`, Lists). */
export interface FilterRequest {
  location?: string
  dependencyNames?: readonly string[]
  dependencyFiles?: readonly string[]
}

/** Brings a request into the canonical form. */
export function createFilter({
  location = '',
  dependencyNames = [],
  dependencyFiles = [],
}: FilterRequest): Filter {
  return {
    locationKey: foldText(location),
    nameKeys: [...new Set(dependencyNames.map(foldText))].sort(),
    files: [...new Set(dependencyFiles)].sort(),
  }
}

/** Whether a filter lets everything through. */
export function isUnfiltered({ locationKey, nameKeys, files }: Filter): boolean {
  return locationKey === '' && nameKeys.length === 0 && files.length === 0
}

/** The SHA-256 under which a filter's listing is kept. */
export function hashFilter(list: ListName, { locationKey, nameKeys, files }: Filter): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([list, locationKey, nameKeys, files]))
    .digest()
}

/** SQL: the column `id` of everything that a filter matches, each once, in no order. */
export function selectMatches(
  sql: SqlOrTransaction,
  list: ListName,
  { locationKey, nameKeys, files }: Filter,
) {
  const byLocation = sql`
    select u.user_id as id from locations l join location_users u on u.location_id = l.id
    where strpos(l.location_key, ${locationKey}) > 0`
  if (nameKeys.length === 0 && files.length === 0) return byLocation

  const wanted = sql`
    select id from dependencies where
      ${nameKeys.length > 0 ? sql`name_key = any(${sql.typed.texts(nameKeys)})` : sql`name_key = ''`}
      ${files.length > 0 ? sql`and file = any(${sql.typed.texts(files)})` : sql``}`
  const byDependency =
    list === 'users'
      ? sql`select distinct user_id as id from dependency_users where dependency_id in (${wanted})`
      : sql`select distinct repository_id as id from dependency_repositories where dependency_id in (${wanted})`
  return locationKey === '' ? byDependency : sql`${byDependency} intersect ${byLocation}`
}
