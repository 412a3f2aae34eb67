/**
 * Reads what is given on the command line. Each reader throws `InvalidArgumentError` with what would be right.
 *
 * @module
 */
import { InvalidArgumentError } from 'commander'
import { type Scope, scopes } from '../ledger/api-key.ts'
import { largestBalance } from '../ledger/keys.ts'
import { parseRateLimit, type RateLimit } from '../ledger/rate-limit.ts'

const largestKeyId = 2 ** 31 - 1
const longestGrace = 366 * 86_400
const maxNameLength = 100

function readWholeNumber(text: string, least: number, most: number, rule: string): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) throw new InvalidArgumentError(rule)
  return value
}

/** The id of a key. */
export function readKeyId(text: string): number {
  return readWholeNumber(text, 1, largestKeyId, 'It must be the id of a key; "devdata keys list" shows them.')
}

/** A balance to begin with, in credits. */
export function readBalance(text: string): number {
  const rule = `It must be a whole number from 0 to ${largestBalance}.`
  return readWholeNumber(text, 0, largestBalance, rule)
}

/** Credits to add, or with a minus to take away. */
export function readGrant(text: string): number {
  const rule = `It must be a whole number of credits other than 0, such as 500, or -500 to take them away; at most ${largestBalance}.`
  const credits = readWholeNumber(text, -largestBalance, largestBalance, rule)
  if (credits === 0) throw new InvalidArgumentError(rule)
  return credits
}

/** A rate limit; null for `none`. */
export function readRateLimit(text: string): RateLimit | null {
  const limit = parseRateLimit(text)
  if (limit === undefined) {
    throw new InvalidArgumentError('It must be REQUESTS/SECONDS, such as 100/60, or none.')
  }
  return limit
}

/** How long a secret stays, in seconds. */
export function readGrace(text: string): number {
  const rule = `It must be a whole number of seconds from 0 to ${longestGrace} (366 days).`
  return readWholeNumber(text, 0, longestGrace, rule)
}

/** The id of a repository in the forge's REST interface. */
export function readForgeId(text: string): number {
  const most = Number.MAX_SAFE_INTEGER
  return readWholeNumber(text, 1, most, `It must be a whole number from 1 to ${most}.`)
}

/** Scopes, separated by commas. */
export function readScopes(text: string): Scope[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  const known = scopes.filter((scope) => names.has(scope))
  if (known.length < names.size) {
    throw new InvalidArgumentError(`It must be one or more of ${scopes.join(',')}, separated by commas.`)
  }
  return known
}

/** A moment to come: a date, which begins at 0:00 UTC, or a timestamp with its offset. */
export function readExpiry(text: string): Date {
  const expiry = readMoment(text)
  if (expiry.getTime() <= Date.now()) throw new InvalidArgumentError('It must lie in the future.')
  return expiry
}

/** A moment that has been, as a date or a timestamp. */
export function readPast(text: string): Date {
  const moment = readMoment(text)
  if (moment.getTime() > Date.now()) throw new InvalidArgumentError('It must lie in the past.')
  return moment
}

function readMoment(text: string): Date {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const moment = new Date(text)
  // `Date` takes the 30th of February for the 1st of March.
  const exists = date !== undefined && new Date(date).toJSON()?.startsWith(date)
  if (!exists || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError(
      'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.',
    )
  }
  return moment
}

/** What people call a key. */
export function readName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > maxNameLength || /\p{C}/u.test(name)) {
    throw new InvalidArgumentError(
      `It must have 1 to ${maxNameLength} characters, and no control characters or line breaks.`,
    )
  }
  return name
}
