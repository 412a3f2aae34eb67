/** Safe access to parsed documents of unknown shape. */

export type Table = Record<string, unknown>

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads the table under a key; an empty one if the key is missing. PHP writes an empty object as `[]`, so an empty array
 * counts as an empty table.
 *
 * @param where the key's full name, for messages
 * @throws {Error} when the value is not a table
 */
export function readTable(parent: Table, key: string, where = key): Table {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {}
  if (!isTable(value)) throw new Error(`"${where}" is not a table of names`)
  return value
}

/**
 * Parses a JSON object.
 *
 * @throws {Error} with one line when it is not JSON or not an object
 */
export function parseJsonObject(content: string): Table {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new Error(`not valid JSON: ${describeError(error)}`, { cause: error })
  }
  if (!isTable(value)) throw new Error('not a JSON object')
  return value
}

/** Shortens a parser's message to one line: it may quote lines of the file. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
