/**
 * Arguments of the tools, as JSON Schema. Assistants read these with every conversation, so they are short. Some models
 * refuse all tools if a schema has an array of types, or a value without a type.
 *
 * @module
 */

import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { DependencyStatus } from '../../src/client.ts'
import { type ArgumentSchema, readArguments } from './arguments.ts'
import type { Fields } from './fields.ts'
import type { ArgumentError } from './messages.ts'

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

type Schemas = Readonly<Record<string, ArgumentSchema>>

const texts: ArgumentSchema = { type: 'array', items: { type: 'string' } }
const text: ArgumentSchema = { type: 'string' }

const dependencyFilters: Schemas = {
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
const count: ArgumentSchema = { type: 'integer', minimum: 1 }
const time: ArgumentSchema = { ...text, description: 'Such as 2026-01-31' }
/** Filters that only users have. */
export const userFilters: Schemas = {
  location: { ...texts, description: 'Any of these is part of the location' },
  country: { ...texts, description: 'Codes such as DE: any of these is what the location names' },
  type: { ...texts, description: 'User, Organization or Bot' },
  has: { type: 'array', items: { type: 'string', enum: ['email', 'name', 'company', 'location', 'bio'] } },
  min_followers: count,
  active_since: time,
}
/** Filters that only repositories have. */
export const repositoryFilters: Schemas = {
  owner: text,
  language: texts,
  license: texts,
  min_stars: count,
  fork: { type: 'boolean' },
  archived: { type: 'boolean' },
  pushed_since: time,
}
const fields: ArgumentSchema = { type: 'string', enum: ['compact', 'all'], default: 'compact' }
const namedThing: ArgumentSchema = { type: 'string', enum: ['packages', 'locations'] }
const listName: ArgumentSchema = { type: 'string', enum: ['users', 'repositories'] }
const listOptions: Schemas = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  max_credits: { type: 'integer', minimum: 0, default: 25, description: 'Most that this call may cost' },
  fields,
  cursor: { type: 'string', description: 'next_cursor of a result, to get more' },
}

const filters = { ...userFilters, ...repositoryFilters, ...dependencyFilters }

/** The arguments of a tool. */
export interface ToolArguments<Arguments> {
  /** Reads them. It has no issues: what is wrong with them is an `ArgumentError`, in our words. */
  inputSchema: StandardSchemaWithJSON<Arguments, Arguments | ArgumentError>
  /** The names of those that decide what is found. */
  filters: readonly string[]
}

function takes<Arguments>(
  properties: Record<string, ArgumentSchema>,
  required: string[] = [],
): ToolArguments<Arguments> {
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) } as const
  const input = () => schema
  return {
    inputSchema: {
      '~standard': {
        ...{ version: 1, vendor: 'devdata', jsonSchema: { input, output: input } },
        validate: (given) => ({ value: readArguments<Arguments>({ properties, required }, given) }),
      },
    },
    filters: Object.keys(properties).filter((name) => name in filters),
  }
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
