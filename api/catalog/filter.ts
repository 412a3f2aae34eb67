/**
 * Filters of users and repositories, in the canonical form that equal filters share.
 *
 * @module
 */
import { badRequest } from '../errors.ts'
import { foldLocation, foldText } from '../names/case-folding.ts'
import {
  type EntriesFilter,
  type FilterName,
  type FilterRow,
  type FilterValues,
  filterNames,
  filters,
  hasEntries,
  hasNumber,
} from './filters.ts'

/** A filter in its canonical form: folded, sorted, without duplicates and without what doesn't filter. */
export type Filter = Readonly<FilterValues>

/** Maximum entries of all filters together. */
const maxEntries = 200

/** Creates the canonical form of a filter. Throws 400 if its parts are too many, or can't be combined. */
export function createFilter(given: Readonly<FilterValues>): Filter {
  const filter: FilterValues = {}
  let entries = 0
  for (const name of filterNames) {
    if (hasEntries(name)) {
      const values = canonicalize(filters[name].kind, given[name] ?? [])
      entries += given[name]?.length ?? 0
      if (values.length > 0) filter[name] = values
    } else if (hasNumber(name)) {
      if (given[name] !== undefined) filter[name] = given[name]
    } else if (given[name] !== undefined) {
      filter[name] = filters[name].kind === 'account' ? foldText(given[name]) : given[name]
    }
  }
  if (entries > maxEntries) {
    throw badRequest(`Too many filter entries: at most ${maxEntries} in all lists together; send fewer`)
  }
  for (const name of filterNames) if (name in filter) assertNeeds(name, filter)
  const { dependency_names: names = [], dependency_match: match, changed_since: since } = filter
  if (match === 'any' || names.length === 1) delete filter.dependency_match
  if (since !== undefined && Object.keys(filter).length > 1) {
    throw badRequest('Invalid changed_since: can be combined only with page, per_page, after and exclude')
  }
  return filter
}

function assertNeeds(name: FilterName, filter: Filter): void {
  const { needs }: FilterRow = filters[name]
  if (needs === undefined || needs.some((other) => other in filter)) return
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(needs)
  throw badRequest(`Invalid ${name}: requires ${list}`)
}

function canonicalize(kind: (typeof filters)[EntriesFilter]['kind'], values: readonly string[]): string[] {
  if (kind === 'substrings') {
    const keys = [...new Set(values.map(foldLocation))]
    // A text that contains another one matches nothing more.
    return keys.filter((key) => !keys.some((other) => other !== key && key.includes(other))).sort()
  }
  const isFolded = kind === 'texts' || kind === 'countries'
  return [...new Set(isFolded ? values.map(foldText) : values)].sort()
}

/** Whether a filter matches everything. */
export function isUnfiltered(filter: Filter): boolean {
  return Object.keys(filter).length === 0
}
