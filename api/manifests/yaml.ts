/** Safe access to YAML documents of unknown shape. */
import { parseDocument } from 'yaml'
import { isTable, type Table } from './json-and-toml.ts'

/** Copies that aliases may make of nodes. Nested ones could grow without bound. */
const maxAliasCount = 100

/**
 * Parses a YAML document that is a table. An empty one is an empty table.
 *
 * @throws {Error} when it is not YAML or not a table
 */
export function parseYaml(content: string): Table {
  const document = parseDocument(content, { logLevel: 'silent', uniqueKeys: false, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw new Error(`not valid YAML: ${error.message}`)
  const value: unknown = document.toJS({ maxAliasCount })
  if (value === null || value === undefined) return {}
  if (!isTable(value)) throw new Error('not a table of names')
  return value
}
