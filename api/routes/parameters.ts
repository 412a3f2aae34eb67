/**
 * Reads parameters of queries and paths. Functions throw 400 with a message that names the parameter and its rule
 * (`decisions/0003-lists.md`).
 */
import { isLonger } from '../catalog/attribute-values.ts'
import { filters, isFilter, type NameForm } from '../catalog/filters.ts'
import { type ApiError, badRequest, listAlternatives } from '../errors.ts'
import { forgeNamePattern, forgeNameRule } from '../names/forge-names.ts'
import { findNearest } from '../names/nearest-name.ts'

/** The end of the year 9999, in Unix seconds. */
const maxTime = 253_402_300_799
/** Maximum characters of an unknown name that a message repeats. */
const maxNameLength = 50

/**
 * Throws 400 for a parameter that the endpoint doesn't have. If a filter were ignored, the caller would pay for a list
 * of everything. `known` are the endpoint's parameters, the most important ones first.
 */
export function assertKnownParameters(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw unknownName('parameter', name, known)
  }
}

/** 400: a request has a parameter, or its body a member, that the endpoint doesn't have. */
export function unknownName(kind: 'parameter' | 'member', name: string, known: readonly string[]): ApiError {
  const nearest = findNearest(shorten(name), known)
  const list = known.length === 0 ? `no ${kind}s` : known.join(', ')
  const owner = kind === 'parameter' ? 'this endpoint' : 'this body'
  const hint = nearest === undefined ? `${owner} has ${list}` : `did you mean ${nearest}?`
  return badRequest(`Unknown ${kind}: ${shorten(name)}; ${hint}`)
}

function shorten(name: string): string {
  const characters = [...name.slice(0, 2 * maxNameLength + 2)]
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength).join('')}…`
}

/**
 * Returns the query of a URL with plain names. Throws 400 if an entry ends in a plus sign: it is a space in a query, so
 * `language=C++` would find what is written in C. `repeatable` are the parameters that may be repeated, and
 * `withoutPlusAtEnd` those whose entries may not end in one.
 */
export function readQuery(
  { search, searchParams }: Pick<URL, 'search' | 'searchParams'>,
  repeatable: readonly string[],
  withoutPlusAtEnd: readonly string[] = repeatable.filter(isComparedWhole),
): URLSearchParams {
  if (search.includes('+')) {
    // A valid URL has no NUL.
    const marked = usePlainNames(new URLSearchParams(search.replaceAll('+', '%00')), repeatable)
    for (const name of withoutPlusAtEnd) assertNoPlusAtEnd(marked, name)
  }
  return usePlainNames(searchParams, repeatable)
}

/** Whether the texts of a list parameter are compared whole. Others are parts of what they find. */
export function isComparedWhole(name: string): boolean {
  return !isFilter(name) || filters[name].kind !== 'substrings'
}

function assertNoPlusAtEnd(marked: URLSearchParams, name: string): void {
  const entries = marked.getAll(name).flatMap((list) => list.split(','))
  const wrong = entries.findIndex((entry) => {
    const { length } = entry.replaceAll('\0', ' ').trimEnd()
    return length > 0 && entry.includes('\0', length)
  })
  if (wrong < 0) return
  throw badRequest(
    `Invalid ${name}: entry ${wrong + 1} ends in +, which is a space in URLs; write a plus sign as %2B`,
  )
}

/**
 * Plain names: axios writes a repeated `location` as `location[]`, and PHP as `location[0]`. Other parameters keep such
 * names, so they are unknown.
 */
function usePlainNames(query: URLSearchParams, repeatable: readonly string[]): URLSearchParams {
  const entries = [...query].map(([name, value]): [string, string] => {
    const [, plain = name] = /^(\w+)\[\d{0,3}\]$/.exec(name) ?? []
    return [repeatable.includes(plain) ? plain : name, value]
  })
  return new URLSearchParams(entries)
}

/** 400: a filter has no text. If it were ignored, the caller would pay for a list of everything. */
export function emptyFilter(name: string): ApiError {
  return badRequest(`Invalid ${name}: is empty; leave the parameter out`)
}

/** Reads a parameter that must not be repeated. */
export function readSingle(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name)
  if (second !== undefined) throw badRequest(`Invalid ${name}: given more than once`)
  return value
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

/** The highest id of a key or a connection. */
const maxId = 2 ** 31 - 1

/** Reads an id of a path. `rule` completes the error's `must be`. A key that was sent in its place is not repeated. */
export function readPathId(rule: string, text = ''): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN
  if (id <= maxId) return id
  throw badRequest(`Invalid id: must be ${rule}`)
}

/** Reads `after` where it is an id: a 32-bit integer. */
export function readIdAfter(query: URLSearchParams): number | undefined {
  return readInteger(query, 'after', { max: 2 ** 31 - 1 })
}

/** Reads a version of the dataset. */
export function readVersion(query: URLSearchParams, name: string): number | undefined {
  return readInteger(query, name, { min: 0 })
}

/** Reads a parameter that must be one of `options`. */
export function readOption<Option extends string>(
  query: URLSearchParams,
  name: string,
  options: readonly Option[],
): Option | undefined {
  const value = readSingle(query, name)
  if (value === undefined) return undefined
  if (value.trim() === '') throw emptyFilter(name)
  const option = options.find((each) => each === value)
  if (option === undefined) throw badRequest(`Invalid ${name}: must be ${listAlternatives(options)}`)
  return option
}

/** Reads a parameter that is true or false. Python writes `True` and `False`. */
export function readFlag(query: URLSearchParams, name: string): 'true' | 'false' | undefined {
  const value = readSingle(query, name)
  if (value === 'True') return 'true'
  return value === 'False' ? 'false' : readOption(query, name, ['true', 'false'])
}

/** Reads a comma-separated list of `options`. */
export function readOptions<Option extends string>(
  query: URLSearchParams,
  name: string,
  options: readonly Option[],
  limits: ListLimits,
): Option[] {
  return readEntries(query, name, limits).map((entry, index) => {
    const option = options.find((each) => each === entry)
    if (option === undefined) {
      throw badRequest(`Invalid ${name}: entry ${index + 1} must be one of ${options.join(', ')}`)
    }
    return option
  })
}

/** Reads a time: Unix seconds from 0, or a date, which begins at midnight UTC. Returns Unix seconds. */
export function readTime(query: URLSearchParams, name: string): number | undefined {
  const text = readSingle(query, name)
  if (text === undefined) return undefined
  if (text.trim() === '') throw emptyFilter(name)
  const seconds = isDate(text) ? Date.parse(text) / 1_000 : Number(text)
  if (!(isDate(text) || /^(?:0|[1-9]\d*)$/.test(text)) || seconds > maxTime) {
    throw badRequest(`Invalid ${name}: must be Unix seconds up to ${maxTime}, or a date such as 2026-01-31`)
  }
  return seconds
}

/** Parses a date (0:00 UTC) or a timestamp, in ISO 8601. */
export function parseTime(text: string): Date | 'invalid' {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const time = new Date(text)
  return date !== undefined && isDate(date) && !Number.isNaN(time.getTime()) ? time : 'invalid'
}

/** Whether a text is a date that exists, such as 2026-01-31, from the year 1 on. */
export function isDate(text: string): boolean {
  // `Date` reads the 30th of February as the 1st of March.
  const exists = /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text)
  return exists === true && text >= '0001'
}

/** Limits of a list: the number of its entries, and the characters of each. */
export interface ListLimits {
  maxEntries: number
  /** Default: unlimited. */
  maxLength?: number
  /** Whether an empty parameter is a list without entries. Default: it throws `emptyFilter`. */
  mayBeEmpty?: boolean
}

/** Reads comma-separated lists, and joins them if the parameter is repeated. Trims entries, and drops empty ones. */
export function readEntries(
  query: URLSearchParams,
  name: string,
  { maxEntries, maxLength = Number.POSITIVE_INFINITY, mayBeEmpty = false }: ListLimits,
): string[] {
  const entries = takeTexts(query.getAll(name).flatMap((list) => list.split(',')))
  if (entries.length === 0 && query.has(name) && !mayBeEmpty) throw emptyFilter(name)
  if (entries.length > maxEntries) throw badRequest(`Invalid ${name}: at most ${maxEntries} entries`)
  const tooLong = entries.findIndex((entry) => isLonger(entry, maxLength))
  if (tooLong >= 0) {
    throw badRequest(`Invalid ${name}: entry ${tooLong + 1} is longer than ${maxLength} characters`)
  }
  return entries
}

/** Reads the values of a parameter that may be repeated. Trims them, and drops those whose folded form is empty. */
export function readValues(
  query: URLSearchParams,
  name: string,
  { maxEntries, maxLength = Number.POSITIVE_INFINITY }: Omit<ListLimits, 'mayBeEmpty'>,
  fold: (text: string) => string,
): string[] {
  const values = takeTexts(query.getAll(name)).filter((value) => fold(value) !== '')
  if (values.length === 0 && query.has(name)) throw emptyFilter(name)
  if (values.length > maxEntries) throw badRequest(`Invalid ${name}: given more than ${maxEntries} times`)
  if (values.some((value) => isLonger(value, maxLength))) {
    throw badRequest(`Invalid ${name}: longer than ${maxLength} characters`)
  }
  return values
}

function takeTexts(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '')
}

/** Reads the name of an account or a repository. Messages call it `label`. */
export function readForgeName(value: string | undefined, label: string): string {
  if (value === undefined || !forgeNamePattern.test(value)) {
    throw badRequest(`Invalid ${label}: ${forgeNameRule}`)
  }
  return value
}

/** How entries are written. The rule is for messages. */
const forms: Record<NameForm | 'INTEGER', { isValid(entry: string): boolean; rule: string }> = {
  NAME: { isValid: isForgeName, rule: forgeNameRule },
  'OWNER/NAME': {
    isValid: (entry) => entry.split('/').length === 2 && entry.split('/').every(isForgeName),
    rule: `must be OWNER/NAME, and each ${forgeNameRule}`,
  },
  INTEGER: {
    // Repositories that only clones have described have negative ids.
    isValid: (entry) => /^(?:0|-?[1-9]\d*)$/.test(entry) && Number.isSafeInteger(Number(entry)),
    rule: `must be an integer up to ±${Number.MAX_SAFE_INTEGER}, digits only, no leading zeros`,
  },
}

function isForgeName(text: string): boolean {
  return forgeNamePattern.test(text)
}

/** Reads a comma-separated list of names or ids that are written in a form. */
export function readNames(
  query: URLSearchParams,
  name: string,
  form: NameForm | 'INTEGER',
  limits: ListLimits,
): string[] {
  const entries = readEntries(query, name, limits)
  const invalid = entries.findIndex((entry) => !forms[form].isValid(entry))
  if (invalid >= 0) throw badRequest(`Invalid ${name}: entry ${invalid + 1} ${forms[form].rule}`)
  return entries
}
