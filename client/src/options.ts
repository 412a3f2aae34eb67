/** The rules of options. Programs without types may break them. */

/** Throws a `TypeError` if there is an option that the client doesn't have: a misspelled budget would limit nothing. */
export function assertKnownOptions(others: object): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new TypeError(`Unknown option: ${name}`)
}

/** Whether a value is a whole number, from 0. */
export function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Whether a value can be an API key or an idempotency key: visible ASCII characters, up to the service's limit. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[!-~]{1,255}$/.test(value)
}
