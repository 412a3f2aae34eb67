/**
 * The options of filters: those of openapi.yml in kebab case, some with shorter names.
 *
 * @module
 */
import { repositoryFilters, sharedFilters, userFilters } from '../filter-schemas.ts'
import type { RepositoryFilter, UserFilter } from '../filter-types.ts'
import { readChoice, readWhole } from './option-values.ts'

/** What a filter takes, in the part of JSON Schema that `filter-schemas.ts` has. */
interface FilterSchema {
  type: string
  description: string
  enum?: readonly string[]
  items?: { type: string; enum?: readonly string[] }
}

const shortNames: Record<string, string | undefined> = {
  dependency_names: 'dependency',
  dependency_match: 'match',
  without_dependency_names: 'without',
  dependency_files: 'file',
  dependency_status: 'status',
}

/** Returns the name of the option for a parameter, or for a member of the client's filters. */
export function nameOption(name: string): string {
  const parameter = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return shortNames[parameter] ?? parameter.replaceAll('_', '-')
}

const describeOptions = (schemas: Record<string, FilterSchema>) =>
  Object.entries(schemas).map(([name, { type, description, enum: choices, items }]) => ({
    name: nameOption(name),
    member: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    ...{ type, description },
    choices: type === 'boolean' ? ['true', 'false'] : (items?.enum ?? choices),
  }))

const options = describeOptions({ ...userFilters, ...sharedFilters, ...repositoryFilters })
const namesOf = (schemas: object) => Object.keys(schemas).map(nameOption)

/** The names of the options that filter a list. */
export const filterNames = {
  users: namesOf({ ...userFilters, ...sharedFilters }),
  repos: [...namesOf({ ...repositoryFilters, ...sharedFilters }), 'no-dependencies'],
}

/** The options of filters, as `parseArgs` takes them. */
export const filterOptions: object = Object.fromEntries(
  options.map(({ name, type }) => [name, { type: 'string', multiple: type === 'array' }]),
)

/** Reads the filter in the values of options. Throws a `UsageError`. */
export function readFilter(values: Record<string, unknown>): UserFilter & RepositoryFilter {
  const members = options.map(({ name, member, type, choices }) => {
    const value = values[name]
    for (const text of [value ?? []].flat()) if (choices) readChoice(`--${name}`, text, choices)
    if (type === 'boolean') return [member, value && value === 'true']
    return [member, type === 'integer' ? readWhole(`--${name}`, value) : value]
  })
  return { ...Object.fromEntries(members), exclude: values['no-dependencies'] ? 'dependencies' : undefined }
}

/** What the help says about filters: a line for each. */
export const filterHelp = options
  .map(({ name, type, description, choices }) => {
    const option = `  --${name} ${choices?.join('|') ?? (type === 'integer' ? 'N' : 'TEXT')}`
    const text = `${description}${type === 'array' ? '; may be repeated' : ''}`
    return option.length < 24 ? option.padEnd(24) + text : `${option}\n${' '.repeat(24)}${text}`
  })
  .join('\n')
