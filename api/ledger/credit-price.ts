/**
 * What a credit costs in money, and what a number of credits does. The arithmetic is exact: amounts are whole numbers
 * of the price's smallest unit. Browsers run this file, too.
 */

/** The price of one credit: `amount` × 10^-`decimals` of a currency. */
export interface CreditPrice {
  amount: bigint
  decimals: number
  /** ISO 4217. */
  currency: string
}

/** Reads an amount and a currency, such as `0.002 EUR`. Returns `'invalid'` for anything else, and for a price of 0. */
export function parseCreditPrice(text: string): CreditPrice | 'invalid' {
  const [, whole = '', fraction = '', currency = ''] =
    /^(\d{1,9})(?:\.(\d{1,9}))? ([A-Z]{3})$/.exec(text) ?? []
  const amount = BigInt(whole + fraction)
  if (amount === 0n || !Intl.supportedValuesOf('currency').includes(currency)) return 'invalid'
  return { amount, decimals: fraction.length, currency }
}

/** The decimals of a currency's usual amounts: 2 for `EUR`, 0 for `JPY`. */
function countDecimals(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 2
  )
}

/** Writes what credits cost, exactly: `1,234.50 EUR`. */
export function writeMoney({ amount, decimals, currency }: CreditPrice, credits: number): string {
  const digits = (amount * BigInt(credits)).toString().padStart(decimals + 1, '0')
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString('en')
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(countDecimals(currency), '0')
  return `${whole}${fraction && '.'}${fraction} ${currency}`
}
