/** What a person allows a connector. */
import { maxBalance } from '../ledger/keys.ts'

/** The limits of a connection. */
export interface Limits {
  /** In credits; null: no limit. */
  maxCreditsPerCall: number | null
  /** In credits. */
  creditLimit: number
  lifetimeDays: number
}

/** The fields of the limits, and what is in them. */
export type EnteredLimits = Record<'credits' | 'credits_per_call' | 'days', string>

/** What is wrong in a field. */
export interface WrongLimit {
  field: keyof EnteredLimits
  text: string
}

const maxDays = 365
const offeredCredits = 1_000

/**
 * What the page offers: never more credits than the key has. A key without credits may get some later, so then the field
 * is empty, and the person decides.
 */
export function offerLimits(balance: number): EnteredLimits {
  return {
    credits: balance > 0 ? String(Math.min(balance, offeredCredits)) : '',
    credits_per_call: '',
    days: '30',
  }
}

/** Reads the limits that were entered, or says which is wrong. */
export function readLimits(form: URLSearchParams): Limits | WrongLimit {
  const readNumber = (name: keyof EnteredLimits, max: number) => {
    const text = form.get(name)?.trim() ?? ''
    const number = /^\d{1,16}$/.test(text) ? Number(text) : 0
    return number >= 1 && number <= max ? number : undefined
  }
  const creditLimit = readNumber('credits', maxBalance)
  const hasPerCall = (form.get('credits_per_call')?.trim() ?? '') !== ''
  const perCall = readNumber('credits_per_call', maxBalance)
  const lifetimeDays = readNumber('days', maxDays)
  if (creditLimit === undefined) {
    return { field: 'credits', text: 'Credits in all must be a whole number, 1 or more.' }
  }
  if (hasPerCall && perCall === undefined) {
    const text = 'Credits for each call must be empty, or a whole number, 1 or more.'
    return { field: 'credits_per_call', text }
  }
  if (lifetimeDays === undefined) {
    return { field: 'days', text: `Days must be a whole number from 1 to ${maxDays}.` }
  }
  return { maxCreditsPerCall: perCall ?? null, creditLimit, lifetimeDays }
}
