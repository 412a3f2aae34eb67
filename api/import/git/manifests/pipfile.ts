import { normalizePythonName } from '../../../catalog/names.ts'
import { parseToml } from './toml.ts'
import { readTable } from './untyped-table.ts'

/** Tables without packages. All others have packages: projects may name their own categories. */
const otherTables = new Set(['source', 'requires', 'pipenv', 'scripts'])

/**
 * The packages in a `Pipfile`: `packages`, `dev-packages`, and the project's own categories.
 *
 * @throws {Error} when it is not TOML, or a section is not a table
 */
export function* parsePipfile(content: string): Generator<string> {
  const document = parseToml(content)
  for (const section of Object.keys(document)) {
    if (otherTables.has(section)) continue
    for (const name of Object.keys(readTable(document, section))) yield normalizePythonName(name)
  }
}
