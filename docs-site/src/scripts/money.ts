/** What credits cost in money, on a service that has a price for them. */
import { parseCreditPrice, writeMoney } from '../../../api/ledger/credit-price.ts'

/** Writes `(0.10 EUR)`, or nothing. */
export function writePrice(credits: number): string {
  const value = document.querySelector<HTMLDataElement>('data.credit-price')?.value
  const price = value === undefined ? 'invalid' : parseCreditPrice(value)
  return price === 'invalid' ? '' : `(${writeMoney(price, credits)})`
}
