/** Parses command-line arguments. Each function throws `InvalidArgumentError`, which states the rule. */
import { InvalidArgumentError } from 'commander'
import { metricsScope, parseRateLimit, type RateLimit, type Scope, scopes } from '../ledger/api-key.ts'
import { maxBalance } from '../ledger/keys.ts'
import { isDate } from '../routes/parameters.ts'

const maxKeyId = 2 ** 31 - 1
const maxGraceSeconds = 366 * 86_400
const maxNameLength = 100
const maxReferenceLength = 100

export const readKeyId = wholeNumber(
  [1, maxKeyId],
  'It must be the id of a key; "devdata keys list" shows the ids.',
)

export const readPersonNumber = wholeNumber(
  [1, maxKeyId],
  'It must be the number of a person; "devdata forget list" shows the numbers.',
)

/** In credits. */
export const readBalance = wholeNumber([0, maxBalance], `It must be a whole number from 0 to ${maxBalance}.`)

/** Credits to add; a negative number withdraws them. */
export const readGrant = wholeNumber(
  [-maxBalance, maxBalance],
  `It must be a whole number of credits other than 0, such as 500, or -500 to withdraw them; at most ${maxBalance}.`,
  (credits) => credits !== 0,
)

export const readGraceSeconds = wholeNumber(
  [0, maxGraceSeconds],
  `It must be a whole number of seconds from 0 to ${maxGraceSeconds} (366 days).`,
)

/** The id of a user or a repository in the forge's REST API. */
export const readForgeId = wholeNumber(
  [1, Number.MAX_SAFE_INTEGER],
  `It must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
)

/** The same, of a repository in the dataset. A repository that only clones have described may have a negative id. */
export const readRepositoryId = wholeNumber(
  [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  `It must be a whole number from ${-Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`,
)

/** Queries and fetches at a time. */
export const readConcurrency = wholeNumber([1, 32], 'It must be a whole number from 1 to 32.')

/** Repositories of a load. */
export const readBatch = wholeNumber([1, 1_000_000], 'It must be a whole number from 1 to 1000000.')

/** Items of each kind that a load may remove. */
export const readMaxRemovals = wholeNumber(
  [0, Number.MAX_SAFE_INTEGER],
  'It must be a whole number of items, 0 or more.',
)

/** Owner and name of a repository. */
export function readRepositoryName(text: string): { owner: string; name: string } {
  const [owner, name, ...rest] = text.split('/')
  if (owner && name && rest.length === 0) return { owner, name }
  throw new InvalidArgumentError('It must be OWNER/NAME, such as honojs/hono.')
}

/** A version of the dataset. */
export const readDatasetVersion = wholeNumber(
  [0, Number.MAX_SAFE_INTEGER],
  `It must be a version of the dataset, a whole number; the manifest.json of an export has it.`,
)

function wholeNumber([min, max]: [number, number], rule: string, allows = (_: number) => true) {
  return function readWholeNumber(text: string): number {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max && allows(value)) return value
    throw new InvalidArgumentError(rule)
  }
}

/** Null: `none`. */
export function readRateLimit(text: string): RateLimit | null {
  const limit = parseRateLimit(text)
  if (limit !== 'invalid') return limit
  throw new InvalidArgumentError('It must be REQUESTS/SECONDS, such as 100/60, or none.')
}

/** A comma-separated list. */
export function readScopes(text: string): Scope[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  const known: Scope[] = ([...scopes, metricsScope] as const).filter((scope) => names.has(scope))
  if (known.length === names.size && !(known.includes(metricsScope) && known.length > 1)) return known
  throw new InvalidArgumentError(
    `It must be a comma-separated list of one or more of ${scopes.join(', ')}, or ${metricsScope} alone.`,
  )
}

export function readFutureTime(text: string): Date {
  const time = readTime(text)
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('It must be in the future.')
  return time
}

export function readPastTime(text: string): Date {
  const time = readTime(text)
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('It must be in the past.')
  return time
}

/** A day (UTC), as text: `2030-12-31`. */
export function readDay(text: string): string {
  if (isDate(text)) return text
  throw new InvalidArgumentError('It must be a date such as 2030-12-31.')
}

/** A date (0:00 UTC) or a timestamp. */
function readTime(text: string): Date {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const time = new Date(text)
  if (date !== undefined && isDate(date) && !Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError(
    'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.',
  )
}

export const readName = shortText(maxNameLength)

/** What an operator calls a grant. */
export const readReference = shortText(maxReferenceLength)

function shortText(maxLength: number) {
  return function readShortText(text: string): string {
    const value = text.trim()
    if (value !== '' && [...value].length <= maxLength && !/\p{C}/u.test(value)) return value
    throw new InvalidArgumentError(
      `It must have 1 to ${maxLength} characters, and no control characters or line breaks.`,
    )
  }
}
