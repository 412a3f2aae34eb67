/** Reads the options of filters. `filters.ts` has them. */
import type { RepositoryFilter, UserFilter } from '../filter-types.ts'
import { UsageError } from './exit.ts'
import { repositoryOptions, sharedOptions, userOptions } from './filters.ts'

/** The options of filters, by their names. */
export type FilterOptions = Readonly<Record<string, FilterOption>>

interface FilterOption {
  /** What it is in the client's filters. Default: its name, in camel case. */
  member?: string
  /** Whether it may be repeated. */
  multiple?: boolean
  kind?: 'number' | 'flag'
  choices?: readonly string[]
}

const options: Record<string, FilterOption & { member: string }> = {}
for (const [name, option] of Object.entries({ ...userOptions, ...sharedOptions, ...repositoryOptions })) {
  options[name] = { member: name.replace(/-./g, ([, letter = '']) => letter.toUpperCase()), ...option }
}

/** The names of the options that filter a list. */
export const filterNames = {
  users: Object.keys({ ...userOptions, ...sharedOptions }),
  repos: ['no-dependencies', ...Object.keys({ ...repositoryOptions, ...sharedOptions })],
}

/** The options of filters, as `parseArgs` takes them. */
export const filterRules: object = {
  'no-dependencies': { type: 'boolean' },
  ...Object.fromEntries(
    Object.entries(options).map(([name, { multiple = false }]) => [name, { type: 'string', multiple }]),
  ),
}

/** Returns the name of the option for a member of the client's filters. */
export function nameOption(member: string): string {
  return Object.keys(options).find((name) => options[name]?.member === member) ?? member
}

/** Reads the filter in the values of options. Throws a `UsageError`. */
export function readFilter(values: Record<string, unknown>): UserFilter & RepositoryFilter {
  const filter: Record<string, unknown> = {}
  for (const [name, { member, kind, choices }] of Object.entries(options)) {
    const value = values[name]
    if (choices) for (const text of [value ?? []].flat()) readChoice(`--${name}`, text, choices)
    if (kind === 'flag') filter[member] = value && value === 'true'
    else filter[member] = kind === 'number' ? readWhole(`--${name}`, value) : value
  }
  return { ...filter, exclude: values['no-dependencies'] ? 'dependencies' : undefined }
}

/** Returns the choice that a value is. Throws a `UsageError` if it is none. */
export function readChoice<Choice extends string>(
  option: string,
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => candidate === value)
  if (value !== undefined && choice === undefined) {
    throw new UsageError(`${option} must be one of ${choices.join(', ')}`)
  }
  return choice
}

/** Reads a whole number. Throws a `UsageError` if it isn't one. `unit` follows it in the message. */
export function readWhole(option: string, value: unknown, unit = ''): number | undefined {
  if (value === undefined) return undefined
  const number = /^\d{1,16}$/.test(String(value)) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new UsageError(`${option} must be a whole number${unit}`)
  return number
}
