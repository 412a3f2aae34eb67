/**
 * Reads the arguments of a call by their schema, and forgives what assistants get wrong: `null` for an argument that
 * they leave out, and a list, a number or a flag as text. What can't be meant is refused, because a filter that isn't
 * applied costs a list of everyone.
 */
import { textsWithCommas } from './filters.ts'
import { ArgumentError } from './messages.ts'

/** A rule for an argument, in the part of JSON Schema that the tools use. */
export type ArgumentSchema = { description?: string; default?: unknown } & (
  | { type: 'string'; enum?: readonly string[] }
  | { type: 'integer'; minimum: number; maximum?: number }
  | { type: 'boolean' }
  | { type: 'array'; items: { type: 'string'; enum?: readonly string[] } }
)

/** The arguments of a tool. */
export interface ArgumentList {
  properties: Readonly<Record<string, ArgumentSchema>>
  required: readonly string[]
}

/** The service's own limit for a list. The items of a longer one aren't looked at. */
const maxEntries = 50
/** How many problems a message tells. The others are counted. */
const maxProblems = 3
/** Characters of a value or a name that a message repeats. */
const maxQuotedLength = 50

/** Reads the arguments that a tool is called with. Returns an `ArgumentError` if some of them can't be used. */
export function readArguments<Arguments>(
  { properties, required }: ArgumentList,
  given: unknown,
): Arguments | ArgumentError {
  if (typeof given !== 'object' || given === null) return refuse('Arguments', 'must be an object', given)
  const names = Object.keys(properties)
  // What an assistant leaves out, it often sends as null.
  const sent = Object.entries(given).filter(([name, value]) => value !== null && !isNoCursor(name, value))
  const missing = required.filter((name) => !sent.some(([other]) => other === name))
  const problems = missing.map((name) => `${name} is missing`)
  const values: Record<string, unknown> = {}
  for (const [name, value] of sent) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (schema === undefined) {
      problems.push(`There is no argument ${shorten(name)}`)
      continue
    }
    const read = readArgument(name, value, schema, required.includes(name))
    if (read instanceof ArgumentError) problems.push(read.message)
    else values[name] = read
  }
  if (problems.length === 0) return values as Arguments // the type is that of the schema
  const told = problems.slice(0, maxProblems)
  if (told.length < problems.length) {
    const more = problems.length - told.length
    told.push(`${more} more ${more === 1 ? 'error' : 'errors'}`)
  }
  if (sent.some(([name]) => !names.includes(name))) told.push(`The arguments are ${names.join(', ')}`)
  return new ArgumentError(told.join('. '))
}

function readArgument(name: string, value: unknown, schema: ArgumentSchema, isRequired: boolean): unknown {
  if (isBlank(value) && isRequired) return new ArgumentError(`${name} must have at least one character`)
  if (isBlank(value)) return describeEmpty(name)
  if (schema.type === 'array') return readList(name, value, schema.items.enum)
  if (schema.type === 'integer') return readInteger(name, value, schema)
  if (schema.type === 'boolean') return readFlag(name, value)
  return readText(name, value, schema.enum)
}

function readInteger(
  name: string,
  value: unknown,
  { minimum, maximum }: { minimum: number; maximum?: number },
): number | ArgumentError {
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    return refuse(name, 'must be a whole number', value)
  }
  if (number >= minimum && number <= (maximum ?? number)) return number
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  return refuse(name, `must be ${range}`, value)
}

function readFlag(name: string, value: unknown): boolean | ArgumentError {
  const flag = typeof value === 'string' ? { true: true, false: false }[value.trim().toLowerCase()] : value
  return typeof flag === 'boolean' ? flag : refuse(name, 'must be true or false', value)
}

/** A whole number is its digits: of a login, or of a time in Unix seconds. */
function readText(
  name: string,
  value: unknown,
  options: readonly string[] | undefined,
): string | ArgumentError {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string') return refuse(name, 'must be a text', value)
  if (options === undefined) return text
  const option = text.trim()
  return options.includes(option) ? option : refuse(name, `must be ${listOptions(options)}`, value)
}

/** Reads a list of texts. One text may be a list as JSON, or as the API's parameters have it. */
function readList(
  name: string,
  value: unknown,
  options: readonly string[] | undefined,
): readonly string[] | ArgumentError {
  const given = typeof value === 'string' ? parseList(value) : value
  if (given === undefined) {
    return new ArgumentError(`${name} begins with [ but is not JSON; send a list such as ["one", "two"]`)
  }
  if (!Array.isArray(given)) return refuse(name, 'must be a list of texts', value)
  if (given.length > maxEntries) return describeLimit(name)
  const entries: string[] = []
  for (const [index, entry] of given.entries()) {
    if (typeof entry !== 'string') return refuse(`Entry ${index + 1} of ${name}`, 'must be a text', entry)
    const texts = textsWithCommas.includes(name) ? [entry] : entry.split(',')
    if (entries.length + texts.length > maxEntries) return describeLimit(name)
    entries.push(...texts.map((text) => text.trim()).filter((text) => text !== ''))
  }
  if (entries.length === 0) return describeEmpty(name)
  const wrong = entries.find((entry) => options?.includes(entry) === false)
  return wrong === undefined
    ? entries
    : refuse(name, `must be a list of ${listOptions(options ?? [])}`, wrong, 'has')
}

/** Undefined: the text begins as a JSON list, and isn't one. */
function parseList(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return [text]
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeEmpty(name: string): ArgumentError {
  return new ArgumentError(`${name} is empty; leave it out`)
}

function describeLimit(name: string): ArgumentError {
  return new ArgumentError(`${name} must have at most ${maxEntries} entries`)
}

function refuse(name: string, rule: string, value: unknown, verb = 'is'): ArgumentError {
  return new ArgumentError(`${name} ${rule}, but ${verb} ${describeValue(value)}`)
}

/** Lists and objects may be large, so a message only names them. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return value === null ? 'null' : 'an object'
  return typeof value === 'string' ? `"${shorten(value)}"` : String(value)
}

function shorten(text: string): string {
  return text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text
}

function listOptions(options: readonly string[]): string {
  return [options.slice(0, -1).join(', '), ...options.slice(-1)].filter(Boolean).join(' or ')
}

function isNoCursor(name: string, value: unknown): boolean {
  return name === 'cursor' && isBlank(value)
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}
