/**
 * Arguments of the tools, as JSON Schema. Assistants read these with every conversation, so they are short. Some models
 * refuse all tools if a schema has an array of types, or a value without a type.
 */

import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { type ArgumentSchema, readArguments } from './arguments.ts'
import { repositoryFilters, sharedFilters, userFilters } from './filters.ts'
import type { ArgumentError } from './messages.ts'

/** The type of the values that a schema describes. */
type ValueOf<Schema> = Schema extends { enum: readonly (infer Choice)[] }
  ? Choice
  : Schema extends { type: 'array'; items: infer Items }
    ? readonly ValueOf<Items>[]
    : Schema extends { type: 'integer' }
      ? number
      : Schema extends { type: 'boolean' }
        ? boolean
        : string

/** The type of arguments with these schemas. */
type ArgumentsOf<Schemas, Required extends keyof Schemas = never> = {
  [Name in Exclude<keyof Schemas, Required>]?: ValueOf<Schemas[Name]>
} & { [Name in Required]: ValueOf<Schemas[Name]> }

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The same arguments, as a filter of the client. */
type FilterOf<Schemas> = {
  [Name in keyof Schemas as CamelCase<Name>]?: ValueOf<Schemas[Name]> | undefined
}

const text = { type: 'string' } as const
const fields = { type: 'string', enum: ['compact', 'all'], default: 'compact' } as const
/** What is added to the filters of lists whose items can be new. */
const newness = {
  new_since: {
    type: 'integer',
    minimum: 0,
    description:
      'Only items that were added, changed or gained something since this dataset_version; may repeat items',
  },
} as const
const listOptions = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  max_credits: { type: 'integer', minimum: 0, default: 25, description: 'Most that this call may cost' },
  fields,
  cursor: { type: 'string', description: 'next_cursor of a result, to get more' },
} as const

/** How much of a list to return. */
export type ListArguments = ArgumentsOf<typeof listOptions>

/** Filters of lists, in the order of their parameters in URLs. Idempotency keys depend on it. */
export const filters = {
  users: { ...sharedFilters, ...userFilters },
  repositories: { ...sharedFilters, ...repositoryFilters },
}

/** Writes arguments as a filter of the client. */
export function toFilter<Schemas extends object>(
  schemas: Schemas,
  given: ArgumentsOf<NoInfer<Schemas>>,
): FilterOf<Schemas> {
  const values: Record<string, unknown> = given
  const members = Object.keys(schemas).map((name) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    values[name],
  ])
  return Object.fromEntries(members)
}

/**
 * What the tools that find items say of a filter isn't repeated by `quote`, whose result doesn't depend on the order.
 */
function leaveOutTexts<Schemas extends object>(schemas: Schemas): Omit<Schemas, 'sort'> {
  const short = Object.entries(schemas)
    .filter(([name]) => name !== 'sort')
    .map(([name, { description: _, ...schema }]) => [name, schema])
  return Object.fromEntries(short)
}

/** The arguments of a tool. */
export interface ToolArguments<Arguments> {
  /** Reads them. It has no issues: what is wrong with them is an `ArgumentError`, in our words. */
  inputSchema: StandardSchemaWithJSON<Arguments, Arguments | ArgumentError>
  /** The names of those that decide what is found. */
  filters: readonly string[]
}

function takes<
  Schemas extends Record<string, ArgumentSchema>,
  Required extends keyof Schemas & string = never,
>(properties: Schemas, required: readonly Required[] = []): ToolArguments<ArgumentsOf<Schemas, Required>> {
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) } as const
  const input = () => schema
  return {
    inputSchema: {
      '~standard': {
        ...{ version: 1, vendor: 'devdata', jsonSchema: { input, output: input } },
        validate: (given) => ({ value: readArguments({ properties, required }, given) }),
      },
    },
    filters: Object.keys(properties).filter(
      (name) => name in filters.users || name in filters.repositories || name in newness,
    ),
  }
}

/** What the items of each list can be counted by. */
export const countedBy = {
  users: ['country', 'type', 'dependency'],
  repositories: ['language', 'license', 'fork', 'archived', 'dependency'],
} as const

/** Schemas of the tools, by name. */
export const schemas = {
  findUsers: takes({ ...userFilters, ...sharedFilters, ...newness, ...listOptions }),
  findRepositories: takes({ ...repositoryFilters, ...sharedFilters, ...newness, ...listOptions }),
  listCommits: takes({ full_name: text, ...listOptions }, ['full_name']),
  getUser: takes({ login: text, fields }, ['login']),
  getRepository: takes({ full_name: text, fields }, ['full_name']),
  findNames: takes(
    { what: { type: 'string', enum: ['packages', 'locations', 'companies'] }, contains: text } as const,
    ['what', 'contains'],
  ),
  quote: takes(
    {
      list: { type: 'string', enum: ['users', 'repositories'] },
      by: {
        type: 'string',
        enum: [...new Set([...countedBy.users, ...countedBy.repositories])],
        description: 'Also count them by this',
      },
      ...leaveOutTexts({ ...userFilters, ...repositoryFilters, ...sharedFilters, ...newness }),
    } as const,
    ['list'],
  ),
}
