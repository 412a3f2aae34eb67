/**
 * Parses command-line arguments. Each function throws `InvalidArgumentError`, which states the rule.
 *
 * @module
 */
import { InvalidArgumentError } from 'commander'
import { parseRateLimit, type RateLimit, type Scope, scopes } from '../ledger/api-key.ts'
import { maxBalance } from '../ledger/keys.ts'

const maxKeyId = 2 ** 31 - 1
const maxGraceSeconds = 366 * 86_400
const maxNameLength = 100

function readWholeNumber(text: string, min: number, max: number, rule: string): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw new InvalidArgumentError(rule)
  return value
}

export function readKeyId(text: string): number {
  return readWholeNumber(text, 1, maxKeyId, 'It must be the id of a key; "devdata keys list" shows the ids.')
}

/** In credits. */
export function readBalance(text: string): number {
  const rule = `It must be a whole number from 0 to ${maxBalance}.`
  return readWholeNumber(text, 0, maxBalance, rule)
}

/** Credits to add; a negative number withdraws them. */
export function readGrant(text: string): number {
  const rule = `It must be a whole number of credits other than 0, such as 500, or -500 to withdraw them; at most ${maxBalance}.`
  const credits = readWholeNumber(text, -maxBalance, maxBalance, rule)
  if (credits === 0) throw new InvalidArgumentError(rule)
  return credits
}

/** Null: `none`. */
export function readRateLimit(text: string): RateLimit | null {
  const limit = parseRateLimit(text)
  if (limit === undefined) {
    throw new InvalidArgumentError('It must be REQUESTS/SECONDS, such as 100/60, or none.')
  }
  return limit
}

/** In seconds. */
export function readGrace(text: string): number {
  const rule = `It must be a whole number of seconds from 0 to ${maxGraceSeconds} (366 days).`
  return readWholeNumber(text, 0, maxGraceSeconds, rule)
}

/** The id of a repository in the forge's REST API. */
export function readForgeId(text: string): number {
  const max = Number.MAX_SAFE_INTEGER
  return readWholeNumber(text, 1, max, `It must be a whole number from 1 to ${max}.`)
}

/** A comma-separated list. */
export function readScopes(text: string): Scope[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  const known = scopes.filter((scope) => names.has(scope))
  if (known.length < names.size) {
    throw new InvalidArgumentError(
      `It must be a comma-separated list of one or more of ${scopes.join(', ')}.`,
    )
  }
  return known
}

/** A date (0:00 UTC) or a timestamp, in the future. */
export function readExpiry(text: string): Date {
  const expiry = readMoment(text)
  if (expiry.getTime() <= Date.now()) throw new InvalidArgumentError('It must be in the future.')
  return expiry
}

/** A date (0:00 UTC) or a timestamp, in the past. */
export function readPast(text: string): Date {
  const moment = readMoment(text)
  if (moment.getTime() > Date.now()) throw new InvalidArgumentError('It must be in the past.')
  return moment
}

function readMoment(text: string): Date {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const moment = new Date(text)
  // `Date` parses the 30th of February as the 1st of March.
  const exists = date !== undefined && new Date(date).toJSON()?.startsWith(date)
  if (!exists || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError(
      'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.',
    )
  }
  return moment
}

export function readName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > maxNameLength || /\p{C}/u.test(name)) {
    throw new InvalidArgumentError(
      `It must have 1 to ${maxNameLength} characters, and no control characters or line breaks.`,
    )
  }
  return name
}
