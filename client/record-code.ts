/** Generates what clients have of the schemas in openapi.yml: types of records for TypeScript, and dicts for Python. */
import { isDeepStrictEqual } from 'node:util'

/** The members of a schema that are read. Others, such as `format`, change no generated type. */
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

/** The schemas that clients return. What they refer to is generated, too. */
const returned = [
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

/** The schemas of keys, which the parts for operators have: what is returned, and what is sent. */
const returnedKeys = ['Key', 'CreatedKey', 'KeyGrant']
const sentKeys = ['NewKey', 'KeyChange', 'NewGrant']

/** A record, or another type with a name. References in types lead only to definitions. */
interface Definition {
  name: string
  text: string
  /** The name of a record that has some of the members. */
  base: string | undefined
  /** The other members. Undefined: the type is not a record. */
  members: readonly { name: string; text: string; type: Schema; isRequired: boolean }[] | undefined
  type: Schema
}

/** How a language writes types. */
interface Language {
  simple: Record<string, string>
  writeValues(values: readonly string[]): string
  writeList(type: string): string
}

const python: Language = {
  simple: { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' },
  writeValues: (values) => `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`,
  writeList: (type) => `list[${type}]`,
}

const typeScript: Language = {
  simple: { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' },
  writeValues: (values) => values.map((value) => `'${value}'`).join(' | '),
  writeList: (type) => (type.includes(' ') ? `(${type})[]` : `${type}[]`),
}

/** Generates the files, by their paths in the folder of clients. Throws an `Error` for what their types can't say. */
export function generateRecordFiles(schemas: Record<string, Schema>): Record<string, string> {
  const keys = readDefinitions(schemas, [...returnedKeys, ...sentKeys])
  return {
    'src/types.ts': writeTypes(readDefinitions(schemas, [...returned, 'ErrorCode'])),
    'src/admin-types.ts': writeTypes(keys),
    'python/src/devdata_client/records.py': writePythonTypes(
      readDefinitions(schemas, returned),
      "What the service's responses have in them, as dicts.",
    ),
    'python/src/devdata_client/admin_records.py': writePythonTypes(
      keys,
      'What requests about keys send, and what their responses have in them, as dicts.',
    ),
  }
}

/** Reads schemas, and what they refer to, which comes before them. */
function readDefinitions(schemas: Record<string, Schema>, names: readonly string[]): Definition[] {
  const definitions = new Map<string, Definition>()

  function find(name: string): Schema {
    const schema = schemas[name]
    if (schema === undefined) throw new Error(`openapi.yml has no schema ${name}`)
    return schema
  }

  function resolve(schema: Schema): Schema {
    if (schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      const target = find(name)
      // Numbers and texts with rules are just numbers and texts here.
      if (target.properties === undefined && target.enum === undefined) return resolve(target)
      define(name)
    }
    return {
      ...schema,
      ...(schema.anyOf && { anyOf: schema.anyOf.map(resolve) }),
      ...(schema.items && { items: resolve(schema.items) }),
    }
  }

  function define(name: string): void {
    if (definitions.has(name)) return
    const type = find(name)
    const { description: text = '', properties, required = [] } = type
    const base = [...definitions.keys()].find((other) => hasAllOf(type, find(other)))
    const inherited = Object.keys((base && find(base).properties) ?? {})
    const own = Object.entries(properties ?? {}).filter(([member]) => !inherited.includes(member))
    const members = own.map(([member, schema]) => ({
      name: member,
      text: schema.description ?? (schema.$ref && find(nameOf(schema.$ref)).description) ?? '',
      type: resolve(schema),
      isRequired: required.includes(member),
    }))
    definitions.set(name, { name, text, base, members: properties && members, type })
  }

  for (const name of names) define(name)
  return [...definitions.values()]
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** Whether an object has all members of another one, as they are there. */
function hasAllOf(object: Schema, { properties = {}, required = [] }: Schema): boolean {
  const names = Object.keys(properties)
  return (
    names.length > 0 &&
    names.every((name) => isDeepStrictEqual(object.properties?.[name], properties[name])) &&
    names.every((name) => object.required?.includes(name) === required.includes(name))
  )
}

function writeType(
  { $ref, type, enum: values, anyOf, items, properties }: Schema,
  language: Language,
): string {
  if ($ref !== undefined) return nameOf($ref)
  if (values !== undefined) return language.writeValues(values)
  if (anyOf !== undefined) return anyOf.map((each) => writeType(each, language)).join(' | ')
  if (properties !== undefined) throw new Error('an object must be a schema with a name')
  const types = [type ?? 'none'].flat().map((each) => {
    const isList = each === 'array' && items !== undefined
    const written = isList ? language.writeList(writeType(items, language)) : language.simple[each]
    if (written === undefined) throw new Error(`clients have no type for ${JSON.stringify(type)}`)
    return written
  })
  return types.join(' | ')
}

/**
 * Members of what is sent are in camel case, as in filters. Records are not interfaces, because programs may pass them
 * where any members are accepted, as in `Record<string, unknown>`.
 */
function writeTypes(definitions: readonly Definition[]): string {
  const written = definitions.map(({ name, text, base, members, type }) => {
    if (members === undefined)
      return `${writeComment(text, '')}export type ${name} = ${writeType(type, typeScript)}\n`
    const lines = members.map((member) => {
      const memberName = sentKeys.includes(name) ? toCamelCase(member.name) : member.name
      const memberType = writeType(member.type, typeScript)
      const value = member.isRequired ? `: ${memberType}` : `?: ${memberType} | undefined`
      return `${writeComment(member.text, '  ')}  ${memberName}${value}\n`
    })
    return `${writeComment(text, '')}export type ${name} = ${base === undefined ? '' : `${base} & `}{\n${lines.join('')}}\n`
  })
  return `// Generated from openapi.yml by \`npm run client\`.\n\n${written.join('\n')}`
}

const writeComment = (text: string, indent: string) =>
  `${indent}/** ${text.trim().replaceAll(/\s+/g, ' ')} */\n`

export const toCamelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function writePythonTypes(definitions: readonly Definition[], text: string): string {
  const written = definitions.map(({ name, text, base, members, type }) => {
    if (members === undefined) return `${name} = ${writeType(type, python)}\n${writeDocstring(text, '')}\n`
    const lines = members.map((member) => {
      const memberType = writeType(member.type, python)
      const value = member.isRequired ? memberType : `NotRequired[${memberType}]`
      return `    ${member.name}: ${value}\n${writeDocstring(member.text, '    ')}`
    })
    return `class ${name}(${base ?? 'TypedDict'}):\n${writeDocstring(text, '    ')}\n${lines.join('')}`
  })
  const body = written.join('\n\n')
  return [
    `"""${text} Generated from openapi.yml by \`\`npm run client\`\`."""\n`,
    'from __future__ import annotations\n',
    `from typing import TYPE_CHECKING, ${body.includes('Literal[') ? 'Literal, ' : ''}TypedDict\n`,
    'if TYPE_CHECKING:\n    from typing_extensions import NotRequired\n\n',
    body,
  ].join('\n')
}

/** Writes a docstring, in one line. */
export function writeDocstring(description: string, indent: string): string {
  const text = description.trim().replaceAll('`', '``').replaceAll('\\', '\\\\').replaceAll(/\s+/g, ' ')
  return text === '' ? '' : `${indent}"""${text}"""\n`
}
