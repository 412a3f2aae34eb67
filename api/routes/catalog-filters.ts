/**
 * The query parameters of `/users` and `/repos` (`decisions/0003-lists.md`): reads each filter as its row in
 * `filters.ts` says.
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
  type ListName,
  listFilters,
  lookUps,
  type NumberFilter,
} from '../catalog/filters.ts'
import { listSorts, readPlace, type Sort, type SortPlace } from '../catalog/sort-orders.ts'
import { badRequest } from '../errors.ts'
import { isCountryCode, suggestCountryCode } from '../names/places/country-codes.ts'
import { isTextName, searchableTexts } from '../names/searchable-texts.ts'
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
export const repeatable = [...filterNames.filter(hasEntries), ...Object.keys(lookUps)]

/** Which users a list has, and their order. */
export interface UserFilter {
  filter: Filter | BatchLookUp
  sort: Sort | undefined
}

/** The parameters of `/users`. */
export const userParameters: ListParameters<UserFilter, SortPlace> = {
  names: [...listFilters('users'), 'sort'],
  repeatable,
  isBatchLookUp,
  readAfter: readPlaceAfter,
  readFilter: (query) => readSortedFilter(query, 'users'),
}

/** Which repositories a list has, their order, and whether with their dependencies. */
export interface RepositoryFilter extends UserFilter {
  excludesDependencies: boolean
}

/** The parameters of `/repos`. */
export const repositoryParameters: ListParameters<RepositoryFilter, SortPlace> = {
  names: [...listFilters('repositories'), 'sort', 'exclude'],
  repeatable,
  isBatchLookUp,
  readAfter: readPlaceAfter,
  readFilter: (query) => ({
    ...readSortedFilter(query, 'repositories'),
    excludesDependencies: excludesDependencies(query),
  }),
}

function excludesDependencies(query: URLSearchParams): boolean {
  const isIgnored = isBatchLookUp(query) && query.getAll('exclude').every((value) => value.trim() === '')
  return !isIgnored && readOption(query, 'exclude', ['dependencies']) !== undefined
}

/** Whether a request has an order of its own. Beside a batch look-up, an empty parameter is ignored. */
function isSorted(query: URLSearchParams): boolean {
  return query.has('sort') && !isBatchLookUp(query)
}

/** Reads `after`. In the order of ids, the value of the place doesn't matter. */
function readPlaceAfter(query: URLSearchParams): SortPlace | undefined {
  if (!isSorted(query)) {
    const id = readIdAfter(query)
    return id === undefined ? undefined : { value: null, id }
  }
  const text = readSingle(query, 'after')
  const place = text === undefined ? undefined : readPlace(text)
  if (text !== undefined && place === undefined) {
    throw badRequest('Invalid after: must be VALUE.ID with sort, such as 1500.123, or .123 without a value')
  }
  return place
}

function readSortedFilter(query: URLSearchParams, list: ListName): UserFilter {
  const filter = readFilter(query)
  const sort = isSorted(query) ? readOption(query, 'sort', listSorts(list)) : undefined
  if (sort !== undefined && 'changed_since' in filter) {
    throw badRequest('Invalid sort: not allowed with changed_since; leave one of them out')
  }
  return { filter, sort }
}

function readFilter(query: URLSearchParams): Filter | BatchLookUp {
  return readBatchLookUp(query) ?? readFilters(query)
}

/** Reads the filters of a query, which has only parameters of its list. */
export function readFilters(query: URLSearchParams): Filter {
  const given: FilterValues = {}
  for (const name of filterNames) {
    if (!query.has(name)) continue
    if (hasEntries(name)) given[name] = readFilterEntries(query, name)
    else if (query.getAll(name).every((value) => value.trim() === '')) throw emptyFilter(name)
    else if (hasNumber(name)) given[name] = readNumber(query, name)
    else given[name] = readWord(query, name)
  }
  return createFilter(given)
}

function readFilterEntries(query: URLSearchParams, name: EntriesFilter): string[] {
  const row = filters[name]
  if (row.kind === 'options') return readOptions(query, name, row.options, row)
  if (isTextName(name)) return readValues(query, name, row, searchableTexts[name].fold)
  if (row.kind === 'names') return readNames(query, name, row.form, row)
  const entries = readEntries(query, name, row)
  if (row.kind === 'countries') assertCountries(name, entries)
  if (row.kind === 'domains') assertDomains(name, entries)
  return entries
}

function assertCountries(name: string, entries: readonly string[]): void {
  // 'ß'.toUpperCase() is 'SS'.
  const wrong = entries.findIndex((code) => !/^[A-Za-z]{2}$/.test(code) || !isCountryCode(code.toUpperCase()))
  if (wrong < 0) return
  const suggested = suggestCountryCode(entries[wrong] ?? '')
  const example = suggested === undefined ? ', such as DE' : `; did you mean ${suggested}?`
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
      return readInteger(query, name)
    case 'time':
    case 'use':
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
