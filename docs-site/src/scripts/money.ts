/** What credits cost in money, on a service that has a price for them. */
import { parseCreditPrice, writeMoney } from '../../../api/ledger/credit-price.ts'
import { writeCredits } from './key-state.ts'

/** Writes `51 credits (0.10 EUR)`, or the credits alone. */
export const writeCost = (credits: number): string => `${writeCredits(credits)} ${writePrice(credits)}`.trim()

/** Writes `(0.10 EUR)`, or nothing. */
export function writePrice(credits: number): string {
  const value = document.querySelector<HTMLDataElement>('data.credit-price')?.value
  const price = value === undefined ? 'invalid' : parseCreditPrice(value)
  return price === 'invalid' ? '' : `(${writeMoney(price, credits)})`
}
