/**
 * Lists: reads the page and the filters of a request, finds the page, and responds with its links. Functions that read
 * parameters throw 400 with a message that names the parameter and its rule (`decisions/0003-lists.md`).
 *
 * @module
 */
import { createFilter, type Filter, isUnfiltered } from '../catalog/filter.ts'
import { forgeNamePattern, forgeNameRule } from '../catalog/forge-names.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-lists.ts'
import { ApiError, badRequest, notFound } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { send, setHeader } from '../http/response.ts'
import {
  createListResponse,
  type MeteredQuery,
  renderBody,
  setDataHeaders,
} from '../metering/metered-response.ts'
import { type ListPage, maxPageNumber, maxPageSize, type Page } from '../paging/page.ts'

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

/** A valid request for a page of a list. */
export interface ListRequest<Filter, After> {
  page: Page<After>
  filter: Filter
}

/**
 * Creates the query of a list of the catalog. `find` returns undefined if there is no such list. A 4xx that it throws is a
 * free response.
 */
export function createListQuery<Filter, After>(
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (catalog: Catalog, request: ListRequest<Filter, After> & Requester) => Promise<ListPage | undefined>,
  createError: () => ApiError = () => notFound('Not found'),
): MeteredQuery {
  const request = readListRequest(url, parameters)
  return {
    async read(catalog, requester) {
      try {
        const found = await find(catalog, { ...request, ...requester })
        return found && createListResponse(createListUrl(url, parameters), request.page, found)
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return { cost: 0, error }
        throw error
      }
    },
    createError: () => ({ cost: 0, error: createError() }),
  }
}

/** Sends a page of a list that is free, and that no cache may store. */
export async function sendFreeList<Filter, After>(
  c: ApiContext,
  url: URL,
  parameters: ListParameters<Filter, After>,
  find: (request: ListRequest<Filter, After>) => Promise<ListPage>,
): Promise<Response> {
  const request = readListRequest(url, parameters)
  const response = createListResponse(createListUrl(url, parameters), request.page, await find(request))
  setDataHeaders(c, response)
  setHeader(c, 'Cache-Control', 'no-store')
  return send(c, renderBody(c, response), { type: 'application/json' })
}

function readListRequest<Filter, After>(
  { searchParams }: URL,
  { readFilter, readAfter }: ListParameters<Filter, After>,
): ListRequest<Filter, After> {
  const number = readInteger(searchParams, 'page') ?? 1
  const size = readInteger(searchParams, 'per_page', { max: maxPageSize }) ?? defaultPageSize
  if (number > maxPageNumber(size)) {
    throw badRequest(`Invalid page: (page - 1) × per_page must be at most ${Number.MAX_SAFE_INTEGER}`)
  }
  return { page: { number, size, after: readAfter(searchParams) }, filter: readFilter(searchParams) }
}

/** Returns the list's URL as `Link` has it: with the filters, and without unknown parameters. */
function createListUrl(url: URL, { names }: { names: readonly string[] }): URL {
  const listUrl = new URL(url)
  listUrl.search = ''
  for (const name of names) {
    const value = url.searchParams.get(name)
    if (value !== null) listUrl.searchParams.set(name, value)
  }
  return listUrl
}

/** The parameters of a list without filters. */
export const noFilter = { names: [], readFilter: () => undefined }

type CatalogFilterName = 'location' | 'dependency_names' | 'dependency_files'

/** The parameters of a list of users or repositories, with these filters and `changed_since`. */
export function catalogParameters(...names: CatalogFilterName[]): ListParameters<Filter, number> {
  return {
    names: [...names, 'changed_since'],
    readAfter: readIdAfter,
    readFilter(query) {
      const read = (name: CatalogFilterName) => (names.includes(name) ? readSingle(query, name) : undefined)
      const location = read('location')?.trim() ?? ''
      if (countCharacters(location) > maxTextLength) {
        throw badRequest(`Invalid location: longer than ${maxTextLength} characters`)
      }
      const filter = createFilter({
        location,
        dependencyNames: splitNames('dependency_names', read('dependency_names')),
        dependencyFiles: splitNames('dependency_files', read('dependency_files')),
      })
      const changedSince = readVersion(query, 'changed_since')
      if (changedSince === undefined) return filter
      if (!isUnfiltered(filter)) {
        throw badRequest(
          'Invalid changed_since: no other filter is allowed with it, only page, per_page and after',
        )
      }
      return { ...filter, changedSince }
    },
  }
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

/** Reads `after` where it is an id: a 32-bit integer. */
export function readIdAfter(query: URLSearchParams): number | undefined {
  return readInteger(query, 'after', { max: 2 ** 31 - 1 })
}

/** Reads a version of the dataset. */
export function readVersion(query: URLSearchParams, name: string): number | undefined {
  return readInteger(query, name, { min: 0 })
}

/** Reads an integer from `min` to `max`. */
export function readInteger(
  query: URLSearchParams,
  name: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER }: { min?: 0 | 1; max?: number } = {},
): number | undefined {
  const text = readSingle(query, name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^(?:0|[1-9]\d*)$/.test(text) || number < min || number > max) {
    throw badRequest(
      `Invalid ${name}: must be an integer from ${min} to ${max}, digits only, no leading zeros`,
    )
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
