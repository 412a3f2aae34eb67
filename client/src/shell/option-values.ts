/**
 * Reads the values of options.
 *
 * @module
 */
import { UsageError } from './exit.ts'

/** Returns the choice that a value is. Throws a `UsageError` if it is none. */
export function readChoice<Choice extends string>(
  option: string,
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => candidate === value)
  if (value !== undefined && choice === undefined) {
    throw new UsageError(`${option} must be one of ${choices.join(', ')}`)
  }
  return choice
}

/** Reads a whole number. Throws a `UsageError` if it isn't one. `unit` follows it in the message. */
export function readWhole(option: string, value: unknown, unit = ''): number | undefined {
  if (value === undefined) return undefined
  const number = /^\d{1,16}$/.test(String(value)) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new UsageError(`${option} must be a whole number${unit}`)
  return number
}
