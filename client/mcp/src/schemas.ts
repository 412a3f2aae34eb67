/**
 * Arguments of the tools, as JSON Schema. Assistants read these with every conversation, so they are short. Some models
 * refuse all tools if a schema has an array of types, or a value without a type.
 *
 * @module
 */

import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { DependencyStatus } from '../../src/client.ts'
import type { Fields } from './fields.ts'

/** Which dependencies an item must use. */
export interface DependencyArguments {
  dependency_names?: string[]
  dependency_match?: 'any' | 'all'
  without_dependency_names?: string[]
  dependency_files?: string[]
  dependency_status?: DependencyStatus
}

/** How much of a list to return. */
export interface ListArguments {
  limit?: number
  max_credits?: number
  fields?: Fields
  cursor?: string
}

export interface UserFilterArguments extends DependencyArguments {
  location?: string[]
  country?: string[]
  type?: string[]
  has?: ('email' | 'name' | 'company' | 'location' | 'bio')[]
  min_followers?: number
  active_since?: string
}

export interface RepositoryFilterArguments extends DependencyArguments {
  owner?: string
  language?: string[]
  license?: string[]
  min_stars?: number
  fork?: boolean
  archived?: boolean
  pushed_since?: string
}

const texts = { type: 'array', items: { type: 'string' } }
const text = { type: 'string' }

const dependencyFilters = {
  dependency_names: { ...texts, description: 'Any of these packages, whole names' },
  dependency_match: { type: 'string', enum: ['any', 'all'] },
  without_dependency_names: { ...texts, description: 'None of these' },
  dependency_files: { ...texts, description: 'Declared in any of these, such as package.json' },
  dependency_status: {
    type: 'string',
    enum: ['active', 'removed'],
    description: 'active: used now; removed: no longer. Default: both',
  },
}
const count = { type: 'integer', minimum: 1 }
const time = { ...text, description: 'Such as 2026-01-31' }
/** Filters that only users have. */
export const userFilters = {
  location: { ...texts, description: 'Any of these is part of the location' },
  country: { ...texts, description: 'Codes such as DE: any of these is what the location names' },
  type: { ...texts, description: 'User, Organization or Bot' },
  has: { type: 'array', items: { type: 'string', enum: ['email', 'name', 'company', 'location', 'bio'] } },
  min_followers: count,
  active_since: time,
}
/** Filters that only repositories have. */
export const repositoryFilters = {
  owner: text,
  language: texts,
  license: texts,
  min_stars: count,
  fork: { type: 'boolean' },
  archived: { type: 'boolean' },
  pushed_since: time,
}
const fields = { type: 'string', enum: ['compact', 'all'], default: 'compact' }
const namedThing = { type: 'string', enum: ['packages', 'locations'] }
const listName = { type: 'string', enum: ['users', 'repositories'] }
const listOptions = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  max_credits: { type: 'integer', minimum: 0, default: 25, description: 'Most that this call may cost' },
  fields,
  cursor: { type: 'string', description: 'next_cursor of a result, to get more' },
}

/** The names of a tool's arguments, and their schema. */
function takes<Arguments>(properties: Record<string, { type: string }>, required: string[] = []) {
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) } as const
  const names = Object.keys(properties)
  const lists = names.filter((name) => properties[name]?.type === 'array')
  return { names, inputSchema: acceptTexts(fromJsonSchema<Arguments>(schema), lists) }
}

/** Accepts a text in place of a list of one text: assistants know the API's parameters, which are texts. */
function acceptTexts<Arguments>(
  schema: StandardSchemaWithJSON<Arguments>,
  lists: readonly string[],
): StandardSchemaWithJSON<Arguments> {
  const standard = schema['~standard']
  const toList = ([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && lists.includes(name) ? [value] : value,
  ]
  return {
    '~standard': {
      ...standard,
      validate: (given, options) =>
        standard.validate(
          isObject(given) ? Object.fromEntries(Object.entries(given).map(toList)) : given,
          options,
        ),
    },
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Schemas of the tools, by name. */
export const schemas = {
  findUsers: takes<UserFilterArguments & ListArguments>({
    ...userFilters,
    ...dependencyFilters,
    ...listOptions,
  }),
  findRepositories: takes<RepositoryFilterArguments & ListArguments>({
    ...repositoryFilters,
    ...dependencyFilters,
    ...listOptions,
  }),
  listCommits: takes<ListArguments & { full_name: string }>({ full_name: text, ...listOptions }, [
    'full_name',
  ]),
  getUser: takes<{ login: string; fields?: Fields }>({ login: text, fields }, ['login']),
  getRepository: takes<{ full_name: string; fields?: Fields }>({ full_name: text, fields }, ['full_name']),
  findNames: takes<{ what: 'packages' | 'locations'; contains: string }>(
    { what: namedThing, contains: text },
    ['what', 'contains'],
  ),
  quote: takes<UserFilterArguments & RepositoryFilterArguments & { list: 'users' | 'repositories' }>(
    {
      list: listName,
      ...userFilters,
      ...repositoryFilters,
      ...dependencyFilters,
    },
    ['list'],
  ),
}
