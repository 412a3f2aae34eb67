/** Generates the types of the Python client's records from openapi.yml: dicts with known members. */
import { isDeepStrictEqual } from 'node:util'

/** The part of a schema that is read. openapi.yml has no others in the bodies of these records. */
export interface Schema {
  $ref?: string
  description?: string
  type?: string | readonly string[]
  enum?: readonly string[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  default?: unknown
  minimum?: number
  pattern?: string
}

/** The schemas of keys, which the parts for operators have: what is sent, and what is returned. */
export const keyRoots = {
  sent: ['NewKey', 'KeyChange', 'NewGrant'],
  returned: ['Key', 'CreatedKey', 'KeyGrant'],
}

/** The schemas that clients return. What they refer to is generated, too. */
export const roots = [
  ...[
    'User',
    'Repository',
    'ListedRepository',
    'RepositoryDependency',
    'DependencyBlame',
    'UsedDependency',
    'LocationText',
    'CompanyText',
    'ValueCount',
    'DependencyHistory',
  ],
  ...['Commit', 'Removal', 'CreditStatus', 'UsageEntry', 'UsageSum', 'Connection'],
]

const simpleTypes: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** Generates the module of schemas. Throws an `Error` for what Python's types can't say. */
export function generateRecords(
  schemas: Record<string, Schema>,
  roots: readonly string[],
  text = "What the service's responses have in them, as dicts.",
): string {
  const definitions = new Map<string, string>()
  const imports = new Set<string>()

  function find(name: string): Schema {
    const schema = schemas[name]
    if (schema === undefined) throw new Error(`openapi.yml has no schema ${name}`)
    return schema
  }

  /** Writes a type. What it refers to is defined first. */
  function write({ $ref, type, enum: values, anyOf, items, properties }: Schema): string {
    if ($ref !== undefined) {
      const name = nameOf($ref)
      const schema = find(name)
      // Numbers and texts with rules are just numbers and texts here.
      if (schema.properties === undefined && schema.enum === undefined) return write(schema)
      define(name)
      return name
    }
    if (values !== undefined) {
      imports.add('Literal')
      return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`
    }
    if (anyOf !== undefined) return anyOf.map(write).join(' | ')
    if (items !== undefined) return `list[${write(items)}]`
    if (properties !== undefined) throw new Error('an object must be a schema with a name')
    const types = [type ?? []].flat().map((each) => simpleTypes[each] ?? '')
    if (types.length === 0 || types.includes(''))
      throw new Error(`no type in Python for ${JSON.stringify(type)}`)
    return types.join(' | ')
  }

  function define(name: string): void {
    if (definitions.has(name)) return
    const { description = '', properties, required = [], ...rest } = find(name)
    if (properties === undefined) {
      definitions.set(name, `${name} = ${write(rest)}\n${writeText(description, '')}\n`)
      return
    }
    const base = [...definitions.keys()].find((other) => hasAllOf({ properties, required }, find(other)))
    const inherited = Object.keys((base && find(base).properties) ?? {})
    const own = Object.entries(properties).filter(([member]) => !inherited.includes(member))
    const lines = own.map(([member, schema]) => {
      const written = write(schema)
      const isOptional = !required.includes(member)
      if (isOptional) imports.add('NotRequired')
      const text = schema.description ?? (schema.$ref && find(nameOf(schema.$ref)).description) ?? ''
      return `    ${member}: ${isOptional ? `NotRequired[${written}]` : written}\n${writeText(text, '    ')}`
    })
    const text = writeText(description, '    ')
    definitions.set(name, `class ${name}(${base ?? 'TypedDict'}):\n${text}\n${lines.join('')}`)
  }

  for (const name of roots) define(name)
  const typing = ['TypedDict', ...imports].filter((name) => name !== 'NotRequired').sort()
  return [
    `"""${text} Generated from openapi.yml by \`\`npm run client\`\`."""\n`,
    'from __future__ import annotations\n',
    `from typing import TYPE_CHECKING, ${typing.join(', ')}\n`,
    'if TYPE_CHECKING:\n    from typing_extensions import NotRequired\n\n',
    [...definitions.values()].join('\n\n'),
  ].join('\n')
}

/** Whether an object has all members of another one, as they are there. */
function hasAllOf(object: Schema, { properties = {}, required = [] }: Schema): boolean {
  const names = Object.keys(properties)
  return (
    names.length > 0 &&
    names.every((name) => isDeepStrictEqual(object.properties?.[name], properties[name])) &&
    names.every((name) => object.required?.includes(name) === required.includes(name))
  )
}

/** Writes a docstring, in one line. */
export function writeText(description: string, indent: string): string {
  const text = description.trim().replaceAll('`', '``').replaceAll('\\', '\\\\').replaceAll(/\s+/g, ' ')
  return text === '' ? '' : `${indent}"""${text}"""\n`
}
