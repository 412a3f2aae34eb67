/** What a person allows a connector. */
import { maxBalance } from '../ledger/keys.ts'

/** The limits of a connection. */
export interface Limits {
  /** In credits; null: no limit. */
  maxCreditsPerCall: number | null
  /** In credits. */
  maxCredits: number
  days: number
}

const maxDays = 365

/** Reads the limits that were entered, or says which is wrong. */
export function readLimits(form: URLSearchParams): Limits | string {
  const readNumber = (name: string, max: number) => {
    const text = form.get(name)?.trim() ?? ''
    const number = /^\d{1,16}$/.test(text) ? Number(text) : 0
    return number >= 1 && number <= max ? number : undefined
  }
  const maxCredits = readNumber('credits', maxBalance)
  const hasPerCall = (form.get('credits_per_call')?.trim() ?? '') !== ''
  const perCall = readNumber('credits_per_call', maxBalance)
  const days = readNumber('days', maxDays)
  if (maxCredits === undefined) return 'Credits in all must be a whole number, 1 or more.'
  if (hasPerCall && perCall === undefined)
    return 'Credits for each call must be empty, or a whole number, 1 or more.'
  if (days === undefined) return `Days must be a whole number from 1 to ${maxDays}.`
  return { maxCreditsPerCall: perCall ?? null, maxCredits, days }
}
