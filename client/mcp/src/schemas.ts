/**
 * Arguments and results of the tools, as JSON Schema. Assistants read these with every conversation, so they are short.
 *
 * @module
 */
import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { DependencyStatus } from 'devdata-client'
import { commitFields, type Fields, repositoryFields, userFields } from './fields.ts'

/** A text, or several. */
type Texts = string | string[]

/** Which dependencies an item must use. */
export interface DependencyArguments {
  dependency_names?: Texts
  dependency_files?: Texts
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
  location?: Texts
}

export interface RepositoryFilterArguments extends DependencyArguments {
  owner?: string
}

const texts = { type: ['string', 'array'], items: { type: 'string' } }
const text = { type: 'string' }
const count = { type: 'integer' }

const dependencyFilters = {
  dependency_names: { ...texts, description: 'Any of these packages, whole names' },
  dependency_files: { ...texts, description: 'Declared in any of these, such as package.json' },
  dependency_status: { enum: ['active', 'removed'] },
}
const location = { ...texts, description: 'Any of these is part of the location' }
const fields = { enum: ['compact', 'all'], default: 'compact' }
const listOptions = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  max_credits: { type: 'integer', minimum: 0, default: 25, description: 'Most that this call may cost' },
  fields,
  cursor: { type: 'string', description: 'next_cursor of a result, to get more' },
}

/** The names of a tool's arguments, and their schema. */
function takes<Arguments>(properties: Record<string, object>, required: string[] = []) {
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) } as const
  return { names: Object.keys(properties), inputSchema: fromJsonSchema<Arguments>(schema) }
}

const credits = { cost: count, balance: count, budget_left: count }

function describeFields(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, {}]))
}

function returnsItems(names: readonly string[]) {
  return fromJsonSchema({
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: describeFields(names) } },
      total: count,
      next_cursor: text,
      note: text,
      ...credits,
    },
    required: ['items', 'cost'],
  })
}

function returnsItem(name: string, names: readonly string[]) {
  return fromJsonSchema({
    type: 'object',
    properties: { [name]: { type: ['object', 'null'], properties: describeFields(names) }, ...credits },
    required: [name, 'cost'],
  })
}

/** Schemas of the tools, by name. */
export const schemas = {
  findUsers: {
    ...takes<UserFilterArguments & ListArguments>({ location, ...dependencyFilters, ...listOptions }),
    outputSchema: returnsItems(userFields),
  },
  findRepositories: {
    ...takes<RepositoryFilterArguments & ListArguments>({
      owner: text,
      ...dependencyFilters,
      ...listOptions,
    }),
    outputSchema: returnsItems(repositoryFields),
  },
  listCommits: {
    ...takes<ListArguments & { full_name: string }>({ full_name: text, ...listOptions }, ['full_name']),
    outputSchema: returnsItems(commitFields),
  },
  getUser: {
    ...takes<{ login: string; fields?: Fields }>({ login: text, fields }, ['login']),
    outputSchema: returnsItem('user', userFields),
  },
  getRepository: {
    ...takes<{ full_name: string; fields?: Fields }>({ full_name: text, fields }, ['full_name']),
    outputSchema: returnsItem('repository', repositoryFields),
  },
  quote: {
    ...takes<UserFilterArguments & RepositoryFilterArguments & { list: 'users' | 'repositories' }>(
      { list: { enum: ['users', 'repositories'] }, location, owner: text, ...dependencyFilters },
      ['list'],
    ),
    outputSchema: fromJsonSchema({
      type: 'object',
      properties: { items: count, credits: count, ...credits },
      required: ['items', 'credits', 'cost'],
    }),
  },
}
