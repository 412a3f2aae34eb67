/**
 * Reads request parameters. Each function throws 400 with a message that names the parameter and its rule
 * (`decisions/0003-lists.md`).
 *
 * @module
 */
import { createFilter, type Filter } from '../catalog/filter.ts'
import { forgeNamePattern, forgeNameRule } from '../catalog/names.ts'
import { badRequest } from '../errors.ts'
import { maxPageNumber, maxPageSize, type Page } from '../paging/page.ts'

const defaultPageSize = 30
const maxNames = 50
/** Of a location, or of the name of a dependency or file, in characters. */
const maxTextLength = 255

/** The query parameters of a list, beside `page` and `per_page`. */
export interface ListParameters<Filter, After> {
  /** The filters' names. */
  names: readonly string[]
  /** Reads the filters. */
  readFilter(query: URLSearchParams): Filter
  /** Reads `after`: the key of the item behind which the page begins. */
  readAfter(query: URLSearchParams): After | undefined
}

/** The parameters of a list without filters. */
export const noFilter = { names: [], readFilter: () => undefined }

type CatalogFilterName = 'location' | 'dependency_names' | 'dependency_files'

/** The parameters of a list of users or repositories, with these filters. */
export function catalogParameters(...names: CatalogFilterName[]): ListParameters<Filter, number> {
  return {
    names,
    readAfter: readIdAfter,
    readFilter(query) {
      const read = (name: CatalogFilterName) => (names.includes(name) ? readSingle(query, name) : undefined)
      const location = read('location')?.trim() ?? ''
      if (countCharacters(location) > maxTextLength) {
        throw badRequest(`Invalid location: longer than ${maxTextLength} characters`)
      }
      return createFilter({
        location,
        dependencyNames: splitNames('dependency_names', read('dependency_names')),
        dependencyFiles: splitNames('dependency_files', read('dependency_files')),
      })
    },
  }
}

/** Reads `page` and `per_page`. */
export function readPage(query: URLSearchParams): Page {
  const number = readInteger(query, 'page', Number.MAX_SAFE_INTEGER) ?? 1
  const size = readInteger(query, 'per_page', maxPageSize) ?? defaultPageSize
  if (number > maxPageNumber(size)) {
    throw badRequest(`Invalid page: (page - 1) × per_page must be at most ${Number.MAX_SAFE_INTEGER}`)
  }
  return { number, size }
}

/** Reads `after` where it is an id: a 32-bit integer. */
export function readIdAfter(query: URLSearchParams): number | undefined {
  return readInteger(query, 'after', 2 ** 31 - 1)
}

/** Reads an integer from 1 to `max`. */
export function readInteger(
  query: URLSearchParams,
  name: string,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const text = readSingle(query, name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^[1-9]\d*$/.test(text) || number > max) {
    throw badRequest(`Invalid ${name}: must be an integer from 1 to ${max}, digits only, no leading zeros`)
  }
  return number
}

/** Reads a parameter that may be given once. */
export function readSingle(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name)
  if (second !== undefined) throw badRequest(`Invalid ${name}: given more than once`)
  return value
}

/** Reads a path parameter that names an account or a repository. `label` names it in the message. */
export function readForgeName(value: string | undefined, label: string): string {
  if (value === undefined || !forgeNamePattern.test(value)) {
    throw badRequest(`Invalid ${label}: ${forgeNameRule}`)
  }
  return value
}

function splitNames(parameter: string, value = ''): string[] {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length > maxNames) throw badRequest(`Invalid ${parameter}: at most ${maxNames} entries`)
  const tooLong = entries.findIndex((entry) => countCharacters(entry) > maxTextLength)
  if (tooLong >= 0) {
    throw badRequest(`Invalid ${parameter}: entry ${tooLong + 1} is longer than ${maxTextLength} characters`)
  }
  return entries
}

/** Counts code points: a letter beyond the first 65,536 is one character too. */
function countCharacters(text: string): number {
  return [...text].length
}
