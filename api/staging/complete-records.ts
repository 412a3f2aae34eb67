/**
 * Finds records that are complete: valid, with all fields, in their order. Valibot would return an equal record, but
 * takes many times as long. Most lines are complete, because exports and the API write them. Valibot decides about all
 * others.
 */

import type { GenericSchema } from 'valibot'

/** What is read of a schema of valibot, or of a rule in its pipe. */
interface Part {
  type: string
  pipe?: readonly Part[]
  requirement?(value: unknown): boolean
  entries?: Readonly<Record<string, Part>>
  item?: Part
  wrapped?: Part
  options?: readonly unknown[]
}

type Check = (value: unknown) => boolean

/** Creates the check of a schema. It is false for everything that has a part which isn't known here. */
export function createCompleteCheck<Output>(
  schema: GenericSchema<unknown, Output>,
): (value: unknown) => value is Output {
  const check = createCheck(schema)
  return (value): value is Output => check(value)
}

function createCheck({ type, pipe, requirement, entries, item, wrapped, options }: Part): Check {
  if (pipe !== undefined) {
    const checks = pipe.map(createCheck)
    return (value) => {
      for (const check of checks) if (!check(value)) return false
      return true
    }
  }
  const inner = item ?? wrapped
  const check = inner === undefined ? () => false : createCheck(inner)
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return (value) => typeof value === type
    case 'unknown':
      return () => true
    case 'check':
      return requirement ?? check
    case 'picklist':
      return (value) => options?.includes(value) === true
    case 'optional':
      return check
    case 'nullish':
      return (value) => value === null || check(value)
    case 'array':
      return (value) => Array.isArray(value) && value.every(check)
    case 'strict_object':
      return createObjectCheck(entries ?? {})
    default:
      return () => false
  }
}

function createObjectCheck(entries: Readonly<Record<string, Part>>): Check {
  const fields = Object.entries(entries).map(([name, part]) => ({
    name,
    isOptional: part.type === 'optional',
    check: createCheck(part),
  }))
  return (value) => {
    if (!hasMembers(value)) return false
    let place = 0
    for (const name in value) {
      while (fields[place]?.isOptional === true && fields[place]?.name !== name) place++
      const field = fields[place++]
      if (field?.name !== name || !field.check(value[name])) return false
    }
    return fields.slice(place).every(({ isOptional }) => isOptional)
  }
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
