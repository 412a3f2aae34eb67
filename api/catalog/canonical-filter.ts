/** Filters of users and repositories, in the canonical form that equal filters share. */
import { badRequest, listAlternatives } from '../errors.ts'
import { foldDomain, foldText } from '../names/case-folding.ts'
import { isTextName, searchableTexts } from '../names/searchable-texts.ts'
import {
  type EntriesFilter,
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
    if (given[name] === undefined) continue
    if (hasEntries(name)) {
      const values = given[name] ?? []
      entries += values.length
      if (values.length > 0) filter[name] = canonicalize(name, values)
    } else if (hasNumber(name)) {
      filter[name] = given[name]
    } else {
      filter[name] = filters[name].kind === 'account' ? foldText(given[name] ?? '') : given[name]
    }
  }
  if (entries > maxEntries) {
    throw badRequest(`Too many filter entries: at most ${maxEntries} in all lists together; send fewer`)
  }
  assertNeeds(filter)
  const { dependency_names: names = [], dependency_match: match } = filter
  if (match === 'any' || names.length === 1) delete filter.dependency_match
  return filter
}

/** Whether a filter asks for what was added or changed, and for nothing else. */
export function asksChangesAlone(filter: Filter): boolean {
  return filter.changed_since !== undefined && Object.keys(filter).length === 1
}

/** The filters that need others. */
const needy = filterNames.flatMap((name) => {
  const { needs }: FilterRow = filters[name]
  return needs === undefined ? [] : [{ name, needs }]
})

function assertNeeds(filter: Filter): void {
  for (const { name, needs } of needy) {
    if (!(name in filter) || needs.some((other) => other in filter)) continue
    throw badRequest(`Invalid ${name}: requires ${listAlternatives(needs)}`)
  }
}

function canonicalize(name: EntriesFilter, values: readonly string[]): string[] {
  if (isTextName(name)) {
    const keys = [...new Set(values.map(searchableTexts[name].fold))]
    // A text that contains another one matches nothing more.
    return keys.filter((key) => !keys.some((other) => other !== key && key.includes(other))).sort()
  }
  const { kind } = filters[name]
  const isExact = kind === 'exactTexts' || kind === 'options'
  const fold = kind === 'domains' ? foldDomain : foldText
  return [...new Set(isExact ? values : values.map(fold))].sort()
}

/** Whether a filter matches everything. */
export function isUnfiltered(filter: Filter): boolean {
  return Object.keys(filter).length === 0
}
