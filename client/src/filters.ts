/**
 * Filters of lists, and how they are written in a query.
 *
 * @module
 */
import { isWholeNumber } from './options.ts'
import type { DependencyStatus } from './types.ts'

interface DependencyFilter {
  /** Only those that use any of these dependencies: whole names, case-insensitive. */
  dependencyNames?: readonly string[] | undefined
  /** `all`: only those that use each of these names. Default: any. */
  dependencyMatch?: 'any' | 'all' | undefined
  /** Only those that use none of these dependencies. */
  withoutDependencyNames?: readonly string[] | undefined
  /** Only those that use a dependency declared in any of these files, such as `package.json`. */
  dependencyFiles?: readonly string[] | undefined
  /** Only dependencies that are still declared, or that no longer are. Default: both. Needs names or files. */
  dependencyStatus?: DependencyStatus | undefined
  /** Only what was added or changed after this version of the dataset. No other filter is allowed with it. */
  changedSince?: number | undefined
}

/** Which users a list has. Without members: all. */
export interface UserFilter extends DependencyFilter {
  /** Only users whose location contains this text, or any of these texts, case-insensitive. */
  location?: string | readonly string[] | undefined
  /** Only users whose location names any of these countries: codes of ISO 3166-1 alpha-2, such as `DE`, in any case. */
  country?: string | readonly string[] | undefined
  /** Only users of any of these types, such as `User` and `Organization`, case-insensitive. */
  type?: string | readonly string[] | undefined
  /** Only users who have all of these fields. */
  has?: UserField | readonly UserField[] | undefined
  minFollowers?: number | undefined
  /** Only users who authored a commit then or later: Unix seconds, or a date such as `2026-01-31`. */
  activeSince?: string | number | undefined
}

/** Fields that users may lack. */
type UserField = 'email' | 'name' | 'company' | 'location' | 'bio'

/** Which repositories a list has. Without members: all. */
export interface RepositoryFilter extends DependencyFilter {
  /** Only repositories of this login, case-insensitive. */
  owner?: string | undefined
  /** Only repositories with any of these primary languages, case-insensitive. */
  language?: string | readonly string[] | undefined
  /** Only repositories with any of these licenses, such as `MIT`, case-insensitive. */
  license?: string | readonly string[] | undefined
  minStars?: number | undefined
  fork?: boolean | undefined
  archived?: boolean | undefined
  /** Only repositories whose last push was then or later: Unix seconds, or a date such as `2026-01-31`. */
  pushedSince?: string | number | undefined
  /** Leaves the dependencies out of each repository. The price stays the same. */
  exclude?: 'dependencies' | undefined
}

/** Which dependencies to find: either by the beginning of their names, or by a part of them. */
export interface DependencySearch {
  prefix?: string | undefined
  contains?: string | undefined
  /** Only those that are declared in any of these files, such as `package.json`. */
  dependencyFiles?: readonly string[] | undefined
  /** From 1 to 20. Default: 20. */
  limit?: number | undefined
}

/** Which locations to find: those that contain a text. */
export interface LocationSearch {
  contains: string
  /** From 1 to 20. Default: 20. */
  limit?: number | undefined
}

/** Parameters whose values may have commas, and are repeated. Those of all others are joined by commas. */
const repeatedParameters = ['location', 'prefix', 'contains']

/**
 * Writes the path of a list with a filter. Throws a `TypeError` if a value is empty, because the service would refuse it. It
 * also throws for values that are neither texts nor numbers: "null" would be searched for.
 */
export function writeListUrl(path: string, filter: object): string {
  const query = new URLSearchParams()
  if (typeof filter !== 'object' || filter === null) throw new TypeError('a filter must be an object')
  for (const [member, given] of Object.entries(filter as Record<string, unknown>)) {
    if (given === undefined) continue
    const name = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const isRepeated = repeatedParameters.includes(name)
    const values = (Array.isArray(given) ? [...given] : [given]).map((value) => writeValue(member, value))
    if (values.length === 0 || values.some((value) => value.trim() === '')) {
      throw new TypeError(`${member} is empty; leave it out to list everything`)
    }
    if (!isRepeated && values.some((value) => value.includes(','))) {
      throw new TypeError(`${member} must not contain commas; several values are an array`)
    }
    // A space at the end would be a plus sign, which the service refuses in what it compares whole.
    for (const value of isRepeated ? values : [values.map((each) => each.trim()).join(',')]) {
      query.append(name, value)
    }
  }
  return query.size === 0 ? path : `${path}?${query}`
}

/** Members that are true or false. */
const flags = ['fork', 'archived']

function describeType(member: string): string {
  return flags.includes(member) ? 'true or false' : 'a text or a whole number, or an array of them'
}

function writeValue(member: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' && flags.includes(member)) return String(value)
  if (!isWholeNumber(value)) {
    throw new TypeError(`${member} must be ${describeType(member)}, but has ${value}`)
  }
  return String(value)
}

/** Items that a look-up may name. */
const maxBatchSize = 100

/** Writes the paths of batch look-ups, each of a hundred names or ids at most, and each name once. */
export function writeBatchUrls(
  path: string,
  nameParameter: string,
  keys: readonly string[] | readonly number[],
): string[] {
  if (!Array.isArray(keys)) throw new TypeError('names or ids to look up must be an array')
  const names = [...new Map(keys.map((key) => [String(key).toLowerCase(), key])).values()]
  if (new Set(names.map((name) => typeof name)).size > 1) {
    throw new TypeError('names and ids must be looked up separately')
  }
  const parameter = typeof names[0] === 'number' ? 'forgeRestIds' : nameParameter
  const urls: string[] = []
  for (let start = 0; start < names.length; start += maxBatchSize) {
    urls.push(writeListUrl(path, { [parameter]: names.slice(start, start + maxBatchSize) }))
  }
  return urls
}
