/**
 * The query parameters of `/users` and `/repos` (`decisions/0003-lists.md`): reads each filter as its row in `filters.ts` says.
 */
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { createFilter, type Filter } from '../catalog/canonical-filter.ts'
import {
  type EntriesFilter,
  type FilterName,
  type FilterValues,
  filterNames,
  filters,
  hasEntries,
  hasNumber,
  listFilters,
  lookUps,
  type NumberFilter,
} from '../catalog/filters.ts'
import { badRequest } from '../errors.ts'
import { isCountryCode, suggestCountryCode } from '../names/places/country-codes.ts'
import { isBatchLookUp, readBatchLookUp } from './batch-parameters.ts'
import type { ListParameters } from './lists.ts'
import {
  emptyFilter,
  readEntries,
  readFlag,
  readForgeName,
  readIdAfter,
  readInteger,
  readNames,
  readOption,
  readOptions,
  readSingle,
  readTime,
  readValues,
  readVersion,
} from './parameters.ts'

/** The parameters of both lists that may be repeated. */
const repeatable = [...filterNames.filter(hasEntries), ...Object.keys(lookUps)]

/** The parameters of `/users`. */
export const userParameters: ListParameters<Filter | BatchLookUp, number> = {
  names: listFilters('users'),
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter,
}

/** Which repositories a list has, and whether with their dependencies. */
export interface RepositoryFilter {
  filter: Filter | BatchLookUp
  excludesDependencies: boolean
}

/** The parameters of `/repos`. */
export const repositoryParameters: ListParameters<RepositoryFilter, number> = {
  names: [...listFilters('repositories'), 'exclude'],
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter: (query) => ({
    filter: readFilter(query),
    excludesDependencies: readOption(query, 'exclude', ['dependencies']) !== undefined,
  }),
}

/** Reads the filters of a query, which has only parameters of its list. */
function readFilter(query: URLSearchParams): Filter | BatchLookUp {
  const lookUp = readBatchLookUp(query)
  if (lookUp !== undefined) return lookUp
  const given: FilterValues = {}
  for (const name of filterNames) {
    if (!query.has(name)) continue
    if (hasEntries(name)) given[name] = readFilterEntries(query, name)
    else if (hasNumber(name)) given[name] = readNumber(query, name)
    else given[name] = readWord(query, name)
  }
  return createFilter(given)
}

function readFilterEntries(query: URLSearchParams, name: EntriesFilter): string[] {
  const row = filters[name]
  if (row.kind === 'options') return readOptions(query, name, row.options, row)
  if (row.kind === 'substrings') return readValues(query, name, row)
  if (row.kind === 'names') return readNames(query, name, row.form, row)
  const entries = readEntries(query, name, row)
  if (row.kind === 'countries') assertCountries(name, entries)
  if (row.kind === 'domains') assertDomains(name, entries)
  return entries
}

function assertCountries(name: string, entries: readonly string[]): void {
  const wrong = entries.findIndex((code) => !isCountryCode(code.toUpperCase()))
  if (wrong < 0) return
  const suggested = suggestCountryCode(entries[wrong] ?? '')
  const example = suggested === undefined ? ', such as DE' : `: ${suggested}`
  throw badRequest(
    `Invalid ${name}: entry ${wrong + 1} must be a country code of two letters (ISO 3166-1)${example}`,
  )
}

function assertDomains(name: string, entries: readonly string[]): void {
  const wrong = entries.findIndex((entry) => entry.includes('@'))
  if (wrong < 0) return
  throw badRequest(
    `Invalid ${name}: entry ${wrong + 1} must be what follows the @ of an address, such as example.com`,
  )
}

function readNumber(query: URLSearchParams, name: NumberFilter): number | undefined {
  switch (filters[name].kind) {
    case 'minimum':
      if (query.get(name)?.trim() === '') throw emptyFilter(name)
      return readInteger(query, name)
    case 'time':
      return readTime(query, name)
    case 'version':
      return readVersion(query, name)
  }
}

function readWord(query: URLSearchParams, name: Exclude<FilterName, EntriesFilter | NumberFilter>) {
  const row = filters[name]
  if (row.kind === 'option') return readOption(query, name, row.options)
  return row.kind === 'flag' ? readFlag(query, name) : readForgeName(readSingle(query, name), name)
}
