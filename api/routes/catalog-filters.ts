/**
 * The query parameters of `/users` and `/repos` (`decisions/0003-lists.md`).
 *
 * @module
 */
import { fieldsToHave, maxFilterTextLength } from '../catalog/attributes.ts'
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { createFilter, type Filter, type FilterParameters, isUnfiltered } from '../catalog/filter.ts'
import { badRequest } from '../errors.ts'
import { isCountryCode, suggestCountryCode } from '../names/places/country-codes.ts'
import { batchNames, isBatchLookUp, readBatchLookUp } from './batch-parameters.ts'
import type { ListParameters } from './lists.ts'
import {
  emptyFilter,
  readEntries,
  readFlag,
  readForgeName,
  readIdAfter,
  readInteger,
  readOption,
  readOptions,
  readSingle,
  readTime,
  readValues,
  readVersion,
} from './parameters.ts'

const locationLimits = { maxEntries: 20, maxLength: maxFilterTextLength }
/** Limits of filters that are lists, such as `dependency_files`. */
export const entryLimits = { maxEntries: 50, maxLength: maxFilterTextLength }
/** Maximum entries of all filters together. */
const maxEntries = 200
/** The filters that both lists have, but for `changed_since`. */
const dependencyFilters = [
  'dependency_names',
  'dependency_match',
  'without_dependency_names',
  'dependency_files',
  'dependency_status',
]
/** The parameters of both lists that may be repeated. */
const repeatable = [
  'location',
  'dependency_names',
  'dependency_files',
  'without_dependency_names',
  'country',
  'type',
  'has',
  'language',
  'license',
  ...batchNames,
]

/** The parameters of `/users`. */
export const userParameters: ListParameters<Filter | BatchLookUp, number> = {
  names: [
    'location',
    'country',
    ...dependencyFilters,
    'type',
    'has',
    'min_followers',
    'active_since',
    'changed_since',
    'logins',
    'forge_rest_ids',
  ],
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter: (query) =>
    readBatchLookUp(query) ??
    readFilter(query, {
      locations: readValues(query, 'location', locationLimits),
      countries: readCountries(query),
      types: readEntries(query, 'type', entryLimits),
      has: readOptions(query, 'has', fieldsToHave, entryLimits),
      minFollowers: readMinimum(query, 'min_followers'),
      activeSince: readTime(query, 'active_since'),
    }),
}

/** Which repositories a list has, and whether with their dependencies. */
export interface RepositoryFilter {
  filter: Filter | BatchLookUp
  excludesDependencies: boolean
}

/** The parameters of `/repos`. */
export const repositoryParameters: ListParameters<RepositoryFilter, number> = {
  names: [
    'owner',
    ...dependencyFilters,
    'language',
    'license',
    'min_stars',
    'fork',
    'archived',
    'pushed_since',
    'changed_since',
    'full_names',
    'forge_rest_ids',
    'exclude',
  ],
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter: (query) => ({
    filter: readBatchLookUp(query) ?? readFilter(query, readRepositoryFilter(query)),
    excludesDependencies: readOption(query, 'exclude', ['dependencies']) !== undefined,
  }),
}

function readRepositoryFilter(query: URLSearchParams): FilterParameters {
  const owner = readSingle(query, 'owner')
  return {
    owner: owner === undefined ? undefined : readForgeName(owner, 'owner'),
    languages: readEntries(query, 'language', entryLimits),
    licenses: readEntries(query, 'license', entryLimits),
    minStars: readMinimum(query, 'min_stars'),
    fork: readFlag(query, 'fork'),
    archived: readFlag(query, 'archived'),
    pushedSince: readTime(query, 'pushed_since'),
  }
}

function readCountries(query: URLSearchParams): string[] {
  const countries = readEntries(query, 'country', entryLimits)
  const wrong = countries.findIndex((code) => !isCountryCode(code.toUpperCase()))
  if (wrong >= 0) {
    const suggested = suggestCountryCode(countries[wrong] ?? '')
    const example = suggested === undefined ? ', such as DE' : `: ${suggested}`
    throw badRequest(
      `Invalid country: entry ${wrong + 1} must be a country code of two letters (ISO 3166-1)${example}`,
    )
  }
  return countries
}

function readMinimum(query: URLSearchParams, name: string): number | undefined {
  if (query.get(name)?.trim() === '') throw emptyFilter(name)
  return readInteger(query, name)
}

/** Reads the filters that both lists have. `own` are those that only one of them has. */
function readFilter(query: URLSearchParams, own: FilterParameters): Filter {
  const dependencyNames = readEntries(query, 'dependency_names', entryLimits)
  const withoutDependencyNames = readEntries(query, 'without_dependency_names', entryLimits)
  const dependencyFiles = readEntries(query, 'dependency_files', entryLimits)
  const dependencyStatus = readOption(query, 'dependency_status', ['active', 'removed'])
  const dependencyMatch = readOption(query, 'dependency_match', ['any', 'all'])
  const asked = [...dependencyNames, ...withoutDependencyNames, ...dependencyFiles]
  if (dependencyStatus !== undefined && asked.length === 0) {
    throw badRequest(
      'Invalid dependency_status: requires dependency_names, without_dependency_names, or dependency_files',
    )
  }
  if (dependencyMatch !== undefined && dependencyNames.length === 0) {
    throw badRequest('Invalid dependency_match: requires dependency_names')
  }
  const parameters = {
    ...own,
    dependencyNames,
    dependencyMatch,
    withoutDependencyNames,
    dependencyFiles,
    dependencyStatus,
  }
  const entries = Object.values(parameters).filter((value) => Array.isArray(value))
  if (entries.flat().length > maxEntries) {
    throw badRequest(`Too many filter entries: at most ${maxEntries} in all lists together; send fewer`)
  }
  const filter = createFilter(parameters)
  const changedSince = readVersion(query, 'changed_since')
  if (changedSince === undefined) return filter
  if (!isUnfiltered(filter)) {
    throw badRequest('Invalid changed_since: can be combined only with page, per_page, after and exclude')
  }
  return { ...filter, changedSince }
}
