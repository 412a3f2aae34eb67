/**
 * Reads the items of the forge's responses. What the forge leaves out, refuses, or describes against its own schema
 * concerns that item alone.
 */
import * as v from 'valibot'
import type { ItemError, Reply } from './client.ts'

/** What a response has at a place. */
export type ReplyItem<Item> = { outcome: 'given'; item: Item } | MissingItem

/** Why a response has no usable item at a place. */
export interface MissingItem {
  /**
   * `not_found`: the forge says that it doesn't have it. `refused`: another error. `unexplained`: null without an
   * error. `incomplete`: a field is missing or invalid.
   */
  outcome: 'not_found' | 'refused' | 'unexplained' | 'incomplete'
  reason: string
  /** Present unless the forge says that it doesn't have the item, or has blocked it. */
  isFailure?: true
}

/** The forge refuses the repository to everybody. Other refusals are those of a token, which its owner can change. */
const blocked = /access blocked/i

type Path = readonly (string | number)[]

/** Reads the item at a path. `notFound` is the reason for an item that the forge doesn't have. */
export function readItem<Item>(
  { data, errors }: Reply,
  path: Path,
  schema: v.GenericSchema<unknown, Item>,
  notFound: string,
): ReplyItem<Item> {
  const value = findValue(data, path)
  if (value === undefined || value === null) return explainNull(errors, path, notFound)
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return { outcome: 'given', item: result.output }
  const field = v.getDotPath(result.issues[0]) ?? 'all of it'
  return {
    outcome: 'incomplete',
    reason: `GitHub describes it incompletely: ${field} is missing or invalid`,
    isFailure: true,
  }
}

function findValue(data: unknown, path: Path): unknown {
  let value = data
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.getOwnPropertyDescriptor(value, name)?.value
  }
  return value
}

function explainNull(errors: readonly ItemError[], path: Path, notFound: string): MissingItem {
  // An error in a field that can't be null makes what it belongs to null.
  const error = errors.find((each) =>
    path.slice(0, each.path.length).every((part, index) => part === each.path[index]),
  )
  if (error === undefined) {
    return { outcome: 'unexplained', reason: 'GitHub gives nothing for it, and no reason', isFailure: true }
  }
  // Of an error further inside or outside, something else is not found.
  if (error.type === 'NOT_FOUND' && error.path.length === path.length) {
    return { outcome: 'not_found', reason: notFound }
  }
  const isRefusal = error.type === 'FORBIDDEN'
  const reason = `GitHub ${isRefusal ? 'refuses it' : 'fails at it'}: ${error.message}`
  return {
    outcome: 'refused',
    reason,
    ...(!(isRefusal && blocked.test(error.message)) && { isFailure: true }),
  }
}
