/**
 * Reads the arguments, and the settings of the environment. The key is never an argument: other users of the machine
 * could read it.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { RepositoryFilter, UserFilter } from '../filter-types.ts'
import { isKey } from '../options.ts'
import { UsageError } from './exit.ts'
import { filterNames, filterRules, readChoice, readFilter, readWhole } from './filter-options.ts'
import { type Format, formats } from './format.ts'

/** What a command was given. */
export interface Arguments {
  command: Command | 'help' | 'version'
  /** Which list. */
  list: ListName
  /** The logins or full names to look up; undefined: a list is filtered. */
  names: readonly string[] | undefined
  filter: UserFilter & RepositoryFilter
  /** What items are counted by. */
  by: string | undefined
  /** The version of the dataset at which a watch begins, or the time at which a history does. */
  since: string | undefined
  until: string | undefined
  day: string | undefined
  isByDay: boolean
  budget: number | undefined
  format: Format
  hasByteOrderMark: boolean
  /** Undefined, not false: the states of 0.1.0 lack it. */
  isAsIs: boolean | undefined
  stateFile: string | undefined
  outputFile: string | undefined
  /** What follows the command, such as the folder of a mirror. */
  operand: string
  isQuiet: boolean
  url: string | undefined
  keyFile: string | undefined
}

const options = {
  ...filterRules,
  names: { type: 'string' },
  by: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  day: { type: 'string' },
  'by-day': { type: 'boolean' },
  budget: { type: 'string' },
  state: { type: 'string' },
  output: { type: 'string' },
  format: { type: 'string' },
  bom: { type: 'boolean' },
  'as-is': { type: 'boolean' },
  quiet: { type: 'boolean', default: false },
  url: { type: 'string' },
  'key-file': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

/** Lists that have filters. */
const lists = ['users', 'repos'] as const
const formatOptions = ['format', 'bom', 'as-is']
const readingOptions = ['state', 'output', ...formatOptions]
const payingOptions = [...readingOptions, 'budget']
/** Options that every command has. */
const commonOptions = ['quiet', 'url', 'key-file']

/** Which list a command reads. */
type ListName = 'users' | 'repos' | 'commits' | 'dependencies-of' | 'blame' | 'usage'

/** What a command takes. */
interface CommandRule {
  /** The list that it reads, if it reads a certain one. */
  list?: ListName
  /** What has to follow its name. */
  operand?: string
  /** Its own options. */
  options: readonly string[]
}

const ofRepository = { operand: 'OWNER/NAME', options: payingOptions }

const commands = {
  users: { list: 'users', options: [...filterNames.users, 'names', ...payingOptions] },
  repos: { list: 'repos', options: [...filterNames.repos, 'names', ...payingOptions] },
  user: { list: 'users', operand: 'a LOGIN', options: payingOptions },
  repo: { list: 'repos', ...ofRepository },
  commits: { list: 'commits', ...ofRepository },
  'dependencies-of': { list: 'dependencies-of', ...ofRepository },
  blame: { list: 'blame', ...ofRepository },
  quote: { operand: 'users or repos', options: formatOptions },
  count: { operand: 'users or repos', options: ['by', ...formatOptions] },
  dependencies: { operand: 'a TEXT to look for', options: ['file', ...formatOptions] },
  locations: { operand: 'a TEXT to look for', options: formatOptions },
  companies: { operand: 'a TEXT to look for', options: formatOptions },
  history: { operand: 'the NAME of a dependency', options: ['file', 'since', 'until', ...formatOptions] },
  credits: { options: formatOptions },
  usage: { list: 'usage', options: [...readingOptions, 'day', 'by-day'] },
  watch: { operand: 'users or repos', options: ['since', ...payingOptions] },
  mirror: { operand: 'a FOLDER', options: ['budget'] },
} satisfies Record<string, CommandRule>

/** The name of a command. */
export type Command = keyof typeof commands

/** Reads the arguments of a command. Throws a `UsageError`. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args)
  const [name, operand, ...others] = positionals
  const known = Object.keys(commands) as Command[]
  const command = values.version
    ? 'version'
    : (readChoice('The command', values.help ? undefined : name, known) ?? 'help')
  const rule: CommandRule | undefined =
    command === 'help' || command === 'version' ? undefined : commands[command]
  if (others.length > 0 || (operand !== undefined && rule?.operand === undefined)) {
    throw new UsageError('There are too many arguments')
  }
  const namesList = command === 'quote' || command === 'count' || command === 'watch'
  const named = namesList ? lists.find((list) => list === operand) : undefined
  if (rule?.operand !== undefined && (namesList ? !named : !operand?.trim())) {
    throw new UsageError(`${name} needs ${rule.operand}`)
  }
  if (rule !== undefined) {
    const options = named === undefined ? rule.options : [...rule.options, ...filterNames[named]]
    checkOptions([command, named ?? []].flat().join(' '), options, Object.keys(values))
  }
  const isLookUp = command === 'user' || command === 'repo'
  if (isLookUp && operand?.includes(',')) throw new UsageError(`${name} takes one name, without commas`)
  const format = readChoice('--format', values.format, formats) ?? 'ndjson'
  const ofCsv = (['bom', 'as-is'] as const).find((option) => values[option])
  if (ofCsv !== undefined && format !== 'csv')
    throw new UsageError(`--${ofCsv} needs --format csv; add that, or leave out --${ofCsv}`)
  return {
    command,
    list: named ?? rule?.list ?? 'users',
    names: isLookUp ? [operand ?? ''] : values.names === undefined ? undefined : readNamesFile(values.names),
    filter: readFilter(values),
    by: values.by,
    since: values.since,
    until: values.until,
    day: values.day,
    isByDay: values['by-day'] ?? false,
    budget: readWhole('--budget', values.budget, ' of credits'),
    format,
    hasByteOrderMark: values.bom ?? false,
    isAsIs: values['as-is'],
    stateFile: values.state,
    outputFile: values.output,
    operand: operand ?? '',
    isQuiet: values.quiet,
    url: values.url,
    keyFile: values['key-file'],
  }
}

/** Where the service is, and the key. And where these are from, for messages. */
export interface Settings {
  baseUrl: string
  urlSource: string
  apiKey: string
  keySource: string
}

/** Reads where the service is, and the key. Throws a `UsageError`. */
export function readSettings({ url, keyFile }: Arguments): Settings {
  const { DEVDATA_URL = '', DEVDATA_API_KEY = '' } = process.env
  const baseUrl = url ?? DEVDATA_URL
  const urlSource = url === undefined ? 'DEVDATA_URL' : '--url'
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new UsageError('DEVDATA_URL or --url must be the base URL of the API')
  }
  if (new URL(baseUrl).username !== '') {
    throw new UsageError(`${urlSource} must not have a user name or a password`)
  }
  const apiKey = (keyFile === undefined ? DEVDATA_API_KEY : readText(keyFile, '--key-file')).trim()
  const keySource = keyFile === undefined ? 'DEVDATA_API_KEY' : `the file ${keyFile}`
  if (!isKey(apiKey)) {
    throw new UsageError('DEVDATA_API_KEY or the file of --key-file must have the API key alone')
  }
  return { baseUrl, urlSource, apiKey, keySource }
}

function readText(file: string | number, option: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `The file of ${option} can't be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Parses options. Their rules are applied here, because Node's messages about them are for programmers. */
function parse(args: readonly string[]) {
  const config = { options, allowPositionals: true } as const
  const { tokens } = parseArgs({ ...config, args: [...args], strict: false, tokens: true })
  const checked = tokens.map((token) => {
    if (token.kind !== 'option') return token.kind === 'positional' ? token.value : '--'
    const { name, rawName, value, inlineValue } = token
    const type = Object.hasOwn(options, name) ? options[name as keyof typeof options].type : undefined
    if (type === undefined) throw new UsageError(`There is no option ${rawName}`)
    if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} doesn't have a value`)
    const isOption = value !== undefined && !inlineValue && /^-+[a-z]/i.test(value)
    if (type === 'string' && (value === undefined || isOption)) {
      throw new UsageError(
        `${rawName} needs a value${isOption ? `; one like ${value} is written ${rawName}=${value}` : ''}`,
      )
    }
    return value === undefined ? rawName : `${rawName}=${value}`
  })
  return parseArgs({ ...config, args: checked })
}

/** Reads names, one a line, from a file or, by the name `-`, from standard input. */
function readNamesFile(file: string): string[] {
  const lines = readText(file === '-' ? 0 : file, '--names').split('\n')
  const comma = lines.findIndex((line) => line.includes(','))
  if (comma >= 0) throw new UsageError(`${file}, line ${comma + 1}: one name a line, without commas`)
  const names = lines.map((line) => line.trim()).filter((line) => line !== '')
  if (names.length === 0) throw new UsageError(`${file} has no names: write one a line`)
  return names
}

function checkOptions(command: string, own: readonly string[], given: readonly string[]): void {
  const wrong = given.find((option) => !own.includes(option) && !commonOptions.includes(option))
  if (wrong !== undefined) throw new UsageError(`${command} doesn't have --${wrong}`)
  const filter = given.find((option) => Object.hasOwn(filterRules, option))
  if (given.includes('names') && filter !== undefined) {
    throw new UsageError(`--names and --${filter} can't be combined: names are looked up, not filtered`)
  }
}
