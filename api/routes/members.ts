/**
 * Reads the members of JSON bodies. Throws 400 with a message that names the member and its rule, as for parameters
 * (`decisions/0003-lists.md`).
 */
import * as v from 'valibot'
import { badRequest } from '../errors.ts'
import { unknownName } from './parameters.ts'

/** The members of a body. The messages of their schemas are the rules: `must be …`. */
export type Members = Record<string, v.GenericSchema>

/** Their values. */
export type Values<Entries extends Members> = v.InferOutput<v.ObjectSchema<Entries, undefined>>

/** Reads the members of a body. Those that may be missing are optional in their schema. */
export function readMembers<Entries extends Members>(
  body: Record<string, unknown>,
  members: Entries,
): Values<Entries> {
  const known = Object.keys(members)
  // valibot takes names that each object has, such as `toString`, for known ones.
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownName('member', unknown, known)
  const result = v.safeParse(v.object(members), body, { abortEarly: true })
  if (result.success) return result.output
  const [{ path, type, message }] = result.issues
  const name = String(path?.[0]?.key)
  throw badRequest(`Invalid ${name}: ${type === 'object' ? 'missing' : message}`)
}

/** A whole number. */
export function wholeNumber([min, max]: [number, number], rule: string) {
  return v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(min, rule), v.maxValue(max, rule))
}
