/** Safe access to JSON and TOML documents of unknown shape, and to what other formats parse to. */
import { parse, TomlError } from 'smol-toml'

export type Table = Record<string, unknown>

/**
 * Parses a JSON object.
 *
 * @throws {Error} when it is not JSON or not an object
 */
export function parseJsonObject(content: string): Table {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new Error(`not valid JSON: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  if (!isTable(value)) throw new Error('not a JSON object')
  return value
}

/**
 * Parses a TOML document.
 *
 * @throws {Error} with line and column when it is not TOML
 */
export function parseToml(content: string): Table {
  try {
    // TOML allows integers that JavaScript numbers can't represent.
    return parse(content, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The first line is the reason. An excerpt of the file follows.
    const [reason] = error.message.split('\n')
    throw new Error(`not valid TOML: line ${error.line}, column ${error.column}: ${reason}`, { cause: error })
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads the table at a path of keys; an empty one if it is missing. PHP writes an empty object as `[]`, so an empty
 * array counts as an empty table.
 *
 * @throws {Error} when a value on the path is not a table
 */
export function readTable(document: Table, ...path: readonly string[]): Table {
  let table = document
  for (const [index, key] of path.entries()) {
    const value = Object.hasOwn(table, key) ? table[key] : undefined
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {}
    if (!isTable(value)) throw new Error(`"${path.slice(0, index + 1).join('.')}" is not a table of names`)
    table = value
  }
  return table
}

/** The elements of a list; none if it is missing or something else. */
export function readList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
