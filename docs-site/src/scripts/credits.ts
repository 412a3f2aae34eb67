/** Writes credits, and what they cost in money on a service that has a price for them. */
import { parseCreditPrice, writeMoney } from '../../../api/ledger/credit-price.ts'

/** Writes a balance: `9,998 credits`. */
export const writeCredits = (credits: number): string =>
  `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`

/** What a balance means for a key of this role. Admin keys don't pay. */
export const writeBalance = (credits: number, role: string | undefined): string =>
  role === 'admin' ? 'An admin key: not charged' : `${writeCredits(credits)} left`

/** Writes `51 credits (0.10 EUR)`, or the credits alone. */
export const writeCost = (credits: number): string => `${writeCredits(credits)} ${writePrice(credits)}`.trim()

/** Writes `(0.10 EUR)`, or nothing. */
export function writePrice(credits: number): string {
  const value = document.querySelector<HTMLDataElement>('data.credit-price')?.value
  const price = value === undefined ? 'invalid' : parseCreditPrice(value)
  return price === 'invalid' ? '' : `(${writeMoney(price, credits)})`
}
