/**
 * Reads parameters of requests by their rules (`service.md` §4, `decisions.md`). Each throws a 400 that names the
 * parameter and its rule.
 *
 * @module
 */
import * as v from 'valibot'
import { commitHashPattern } from '../catalog/commits.ts'
import type { DependencyKey } from '../catalog/dependencies.ts'
import { createFilter, type Filter } from '../catalog/filter.ts'
import { forgeNamePattern, forgeNameRule } from '../catalog/forge-name.ts'
import { type ApiError, badRequest, notFound } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import type { SumKey } from '../ledger/usage.ts'
import { largestPageNumber, largestPageSize, type Page } from '../paging/page.ts'

const defaultPageSize = 30
const maxNames = 50
/** Ids are 32-bit integers. */
const largestId = 2 ** 31 - 1
/** Of a place or the name of a dependency or file, in characters. */
const maxTextLength = 255

/** `page` and `per_page`. */
export function readPage(query: URLSearchParams): Page {
  const number = readInteger(query, 'page', Number.MAX_SAFE_INTEGER) ?? 1
  const size = readInteger(query, 'per_page', largestPageSize) ?? defaultPageSize
  if (number > largestPageNumber(size)) {
    throw badRequest(`Invalid page: (page - 1) × per_page must be at most ${Number.MAX_SAFE_INTEGER}`)
  }
  return { number, size }
}

/** Reads an integer from 1 to `largest`. */
function readInteger(query: URLSearchParams, name: string, largest: number): number | undefined {
  const text = readSingle(query, name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^[1-9]\d*$/.test(text) || number > largest) {
    throw badRequest(
      `Invalid ${name}: must be an integer from 1 to ${largest}, digits only, no leading zeros`,
    )
  }
  return number
}

/** `after`: the id behind which a page begins. */
function readIdAfter(query: URLSearchParams): number | undefined {
  return readInteger(query, 'after', largestId)
}

/** The query parameters that filter a list. */
export interface FilterReader<Filter, After> {
  /** What they are called: links repeat them. */
  names: readonly string[]
  /** Reads them, in their canonical form. */
  read(query: URLSearchParams): Filter
  /** Reads `after`: the item behind which the page begins. */
  readAfter(query: URLSearchParams): After | undefined
}

const noFilter = { names: [], read: () => undefined }

/** The list of keys: `after` is an id. */
export const noFilterOfKeys: FilterReader<undefined, number> = { ...noFilter, readAfter: readIdAfter }

/** The list of a repository's commits: `after` is a hash. */
export const noFilterOfCommits: FilterReader<undefined, string> = {
  ...noFilter,
  readAfter(query) {
    const hash = readSingle(query, 'after')
    if (hash !== undefined && !commitHashPattern.test(hash)) {
      throw badRequest('Invalid after: must be the hash of a commit, 40 to 64 lowercase hexadecimal digits')
    }
    return hash
  },
}

const dependencyKey = v.pipe(v.string(), v.parseJson(), v.strictTuple([v.string(), v.string()]))

/** The list of a repository's dependencies: `after` is a name and a file. */
export const noFilterOfDependencies: FilterReader<undefined, DependencyKey> = {
  ...noFilter,
  readAfter(query) {
    const value = readSingle(query, 'after')
    if (value === undefined) return undefined
    const key = v.safeParse(dependencyKey, value)
    if (!key.success || key.output.some((text) => text.includes('\0') || !text.isWellFormed())) {
      throw badRequest('Invalid after: must be the name and file of a dependency, ["NAME","FILE"]')
    }
    return key.output
  },
}

/** The filters of a list of the catalog; `names` are those that it has. */
export function catalogFilter(...names: CatalogFilterName[]): FilterReader<Filter, number> {
  return {
    names,
    readAfter: readIdAfter,
    read(query) {
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

type CatalogFilterName = 'location' | 'dependency_names' | 'dependency_files'

/** `day`: a date as PostgreSQL reads it; null for all days. */
const dayFilter = {
  names: ['day'],
  read(query: URLSearchParams) {
    const day = readSingle(query, 'day')?.trim() ?? ''
    if (day === '') return null
    if (!isDate(day)) throw badRequest('Invalid day: must be a date such as 2030-12-31 (UTC)')
    return day
  },
}

function isDate(text: string): boolean {
  // `Date` takes the 30th of February for the 1st of March.
  const exists = /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text)
  return exists === true && text >= '0001'
}

/** The entries of a key's ledger: `after` is the number of one. */
export const dayFilterOfEntries: FilterReader<string | null, number> = {
  ...dayFilter,
  readAfter: (query) => readInteger(query, 'after', Number.MAX_SAFE_INTEGER),
}

/** What a key spent by day and endpoint: `after` is a day with an endpoint behind it. */
export const dayFilterOfSums: FilterReader<string | null, SumKey> = {
  ...dayFilter,
  readAfter(query) {
    const text = readSingle(query, 'after')
    if (text === undefined) return undefined
    const key = { day: text.slice(0, 10), endpoint: text.slice(10) }
    if (!isDate(key.day) || !key.endpoint.startsWith('/') || !key.endpoint.isWellFormed()) {
      throw badRequest('Invalid after: must be the day and endpoint of a sum, such as 2030-12-31/users')
    }
    return key
  },
}

/** A list's address as `Link` repeats it: `url` with its filters, and without what the list does not know. */
export function withFilters(url: URL, query: URLSearchParams, names: readonly string[]): URL {
  const filtered = new URL(url)
  filtered.search = ''
  for (const name of names) {
    const value = query.get(name)
    if (value !== null) filtered.searchParams.set(name, value)
  }
  return filtered
}

/** The path parameter `login`. */
export function readLogin(c: ApiContext): string {
  return readForgeName(c.req.param('login'), 'login')
}

/** The path parameters `owner` and `name`. */
export function readFullName(c: ApiContext): { owner: string; name: string } {
  return {
    owner: readForgeName(c.req.param('owner'), 'owner'),
    name: readForgeName(c.req.param('name'), 'repository name'),
  }
}

/** Paths that would be somebody's, if there was a name in them. */
const namelessPaths: readonly [path: RegExp, name: string][] = [
  [/^\/users\/$/, 'Login'],
  [/^\/repos\/(\/[^/]*(\/(commits|dependencies))?)?$/, 'Owner'],
  [/^\/repos\/[^/]+(\/(\/(commits|dependencies))?)?$/, 'Repository name'],
]

/** The error for a path, below the base path, that is no route's. */
export function createNowhereError(path: string): ApiError {
  const [, name] = namelessPaths.find(([pattern]) => pattern.test(path)) ?? []
  return name === undefined ? notFound('Not found') : badRequest(`${name} is missing`)
}

function readForgeName(value: string | undefined, name: string): string {
  if (value === undefined || !forgeNamePattern.test(value))
    throw badRequest(`Invalid ${name}: ${forgeNameRule}`)
  return value
}

function readSingle(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name)
  if (second !== undefined) throw badRequest(`Invalid ${name}: given more than once`)
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

/** Counts as people do: one for a letter beyond the first 65,536 too. */
function countCharacters(text: string): number {
  return [...text].length
}
