/** Parses command-line arguments. Each function throws `InvalidArgumentError`, which states the rule. */
import { CommanderError, InvalidArgumentError } from 'commander'
import {
  adminScopes,
  findAdminScope,
  labelRule,
  parseLabel,
  parseRateLimit,
  type RateLimit,
  type Scope,
  scopes,
} from '../ledger/api-key.ts'
import { maxBalance, maxGraceSeconds, maxKeyId } from '../ledger/keys.ts'
import { isDate, parseTime } from '../routes/parameters.ts'

const readId = wholeNumber([1, maxKeyId], 'It must be the id of a key; "devdata keys list" shows the ids.')

/** Throws `CommanderError` for what looks like a key: unlike other usage errors, it doesn't repeat what was given. */
export function readKeyId(text: string): number {
  if (!/^[\da-f]{8}(-?[\da-f]{4}){4}[\da-f]{8}$/i.test(text.trim())) return readId(text)
  const message =
    'error: the argument looks like a key, but must be the id of one; "devdata keys find" reads a key from standard input and prints its id'
  console.error(message)
  throw new CommanderError(1, 'devdata.keyGiven', message)
}

export const readConnectionId = wholeNumber(
  [1, maxKeyId],
  'It must be the id of a connection; "devdata keys connections" with the id of its key shows it.',
)

export const readPersonNumber = wholeNumber(
  [1, maxKeyId],
  'It must be the number of a person; "devdata forget list" shows the numbers.',
)

/** In credits. */
export const readBalance = wholeNumber([0, maxBalance], `It must be a whole number from 0 to ${maxBalance}.`)

/** In credits. Null: `none`. */
export function readThreshold(text: string): number | null {
  return text === 'none' ? null : readPositive(text)
}

const readPositive = wholeNumber(
  [1, maxBalance],
  `It must be a whole number of credits from 1 to ${maxBalance}, or none.`,
)

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
  const known: Scope[] = ([...scopes, ...adminScopes] as const).filter((scope) => names.has(scope))
  const isAlone = known.length === 1 || findAdminScope({ scopes: known }) === undefined
  if (known.length === names.size && isAlone) return known
  throw new InvalidArgumentError(
    `It must be a comma-separated list of one or more of ${scopes.join(', ')}, or ${adminScopes.join(' or ')} alone.`,
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
  const time = parseTime(text)
  if (time !== 'invalid') return time
  throw new InvalidArgumentError(
    'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.',
  )
}

/** What an operator calls a key or a grant. */
export function readLabel(text: string): string {
  const label = parseLabel(text)
  if (label !== 'invalid') return label
  throw new InvalidArgumentError(`It ${labelRule}.`)
}
