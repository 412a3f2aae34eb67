/**
 * Options that don't exist.
 *
 * @module
 */

/** Throws a `TypeError` if there is an option that the client doesn't have: a misspelled budget would limit nothing. */
export function assertKnownOptions(others: object): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new TypeError(`Unknown option: ${name}`)
}
