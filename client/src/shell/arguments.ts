/**
 * Reads the arguments, and the settings of the environment. The key is never an argument: other users of the machine
 * could read it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { RepositoryFilter, UserFilter } from '../filters.ts'
import { keyPattern } from '../request.ts'
import { UsageError } from './exit.ts'
import { type Format, formats } from './format.ts'

/** What a command was given. */
export interface Arguments {
  command: (typeof commands)[number] | 'help' | 'version'
  /** Which list. */
  list: 'users' | 'repos' | 'usage'
  filter: UserFilter & RepositoryFilter
  day: string | undefined
  isByDay: boolean
  budget: number | undefined
  format: Format
  stateFile: string | undefined
  outputFile: string | undefined
  folder: string
  isQuiet: boolean
  url: string | undefined
  keyFile: string | undefined
}

const commands = ['users', 'repos', 'quote', 'credits', 'usage', 'mirror'] as const

const options = {
  location: { type: 'string', multiple: true },
  dependency: { type: 'string', multiple: true },
  file: { type: 'string', multiple: true },
  status: { type: 'string' },
  owner: { type: 'string' },
  'no-dependencies': { type: 'boolean' },
  day: { type: 'string' },
  'by-day': { type: 'boolean' },
  budget: { type: 'string' },
  state: { type: 'string' },
  output: { type: 'string' },
  format: { type: 'string' },
  quiet: { type: 'boolean', default: false },
  url: { type: 'string' },
  'key-file': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

const dependencyOptions = ['dependency', 'file', 'status']
const filterOptions = {
  users: ['location', ...dependencyOptions],
  repos: ['owner', 'no-dependencies', ...dependencyOptions],
}
const readingOptions = ['state', 'output', 'format']
/** Options that every command has. */
const commonOptions = ['quiet', 'url', 'key-file']

/** Reads the arguments of a command. Throws a `UsageError`. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args)
  const [name, operand, ...others] = positionals
  const command = values.version ? 'version' : values.help || name === undefined ? 'help' : readCommand(name)
  const hasOperand = command === 'quote' || command === 'mirror'
  if (others.length > 0 || (operand !== undefined && !hasOperand)) {
    throw new UsageError('There are too many arguments')
  }
  if (command === 'mirror' && operand === undefined) throw new UsageError('mirror needs a FOLDER')
  const list = command === 'quote' ? operand : command
  if (command === 'quote' && list !== 'users' && list !== 'repos') {
    throw new UsageError('quote needs users or repos')
  }
  if (command !== 'help' && command !== 'version') checkOptions(command, list, Object.keys(values))
  return {
    command,
    list: list === 'repos' || list === 'usage' ? list : 'users',
    filter: {
      location: values.location,
      dependencyNames: values.dependency,
      dependencyFiles: values.file,
      dependencyStatus: readChoice('--status', values.status, ['active', 'removed'] as const),
      owner: values.owner,
      exclude: values['no-dependencies'] ? 'dependencies' : undefined,
    },
    day: values.day,
    isByDay: values['by-day'] ?? false,
    budget: readCredits(values.budget),
    format: readChoice('--format', values.format, formats) ?? 'ndjson',
    stateFile: values.state,
    outputFile: values.output,
    folder: operand ?? '',
    isQuiet: values.quiet,
    url: values.url,
    keyFile: values['key-file'],
  }
}

/** Reads where the service is, and the key. Throws a `UsageError`. */
export function readSettings({ url, keyFile }: Arguments): { baseUrl: string; apiKey: string } {
  const { DEVDATA_URL = '', DEVDATA_API_KEY = '' } = process.env
  const baseUrl = url ?? DEVDATA_URL
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new UsageError('DEVDATA_URL or --url must be the base URL of the API')
  }
  const apiKey = (keyFile === undefined ? DEVDATA_API_KEY : readKeyFile(keyFile)).trim()
  if (!keyPattern.test(apiKey)) {
    throw new UsageError('DEVDATA_API_KEY or the file of --key-file must have the API key, and nothing else')
  }
  return { baseUrl, apiKey }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `The file of --key-file can't be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\.? To specify .*/s, '') : String(error),
    )
  }
}

function readCommand(name: string) {
  const command = commands.find((candidate) => candidate === name)
  if (command === undefined) throw new UsageError(`The command must be one of ${commands.join(', ')}`)
  return command
}

function checkOptions(command: (typeof commands)[number], list: string | undefined, given: string[]): void {
  const filters = list === 'users' || list === 'repos' ? filterOptions[list] : []
  const allowed = {
    users: [...filters, ...readingOptions, 'budget'],
    repos: [...filters, ...readingOptions, 'budget'],
    quote: [...filters, 'format'],
    credits: ['format'],
    usage: [...readingOptions, 'day', 'by-day'],
    mirror: ['budget'],
  }[command]
  const wrong = given.find((name) => !allowed.includes(name) && !commonOptions.includes(name))
  if (wrong !== undefined)
    throw new UsageError(
      `${[command, ...(command === 'quote' ? [list] : [])].join(' ')} doesn't have --${wrong}`,
    )
}

function readChoice<Choice extends string>(
  option: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => candidate === value)
  if (value !== undefined && choice === undefined) {
    throw new UsageError(`${option} must be one of ${choices.join(', ')}`)
  }
  return choice
}

function readCredits(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const credits = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(credits)) throw new UsageError('--budget must be a whole number of credits')
  return credits
}
