import { isTable, readTable, type Table } from './table.ts'
import { parseToml } from './toml.ts'

/** The ones with underscores are what Cargo called them at first, and still reads. */
const sections = [
  'dependencies',
  'dev-dependencies',
  'build-dependencies',
  'dev_dependencies',
  'build_dependencies',
]

/**
 * The crates in a `Cargo.toml`: its own, those of a platform (`target.….dependencies`), and those that it
 * declares for a workspace. `package = "…"` gives the crate's real name.
 *
 * `{ workspace = true }` gives the name as written: a rename would stand in the workspace's own file.
 *
 * @throws {Error} when it is not TOML, or a section is not a table
 */
export function* parseCargoToml(content: string): Generator<string> {
  const document = parseToml(content)
  yield* readSections(document, '')
  const targets = readTable(document, 'target')
  for (const target of Object.keys(targets)) {
    yield* readSections(readTable(targets, target, `target.${target}`), `target.${target}.`)
  }
  yield* readCrates(readTable(readTable(document, 'workspace'), 'dependencies', 'workspace.dependencies'))
}

function* readSections(table: Table, prefix: string): Generator<string> {
  for (const section of sections) yield* readCrates(readTable(table, section, `${prefix}${section}`))
}

function* readCrates(crates: Table): Generator<string> {
  for (const [name, value] of Object.entries(crates)) {
    yield isTable(value) && typeof value.package === 'string' ? value.package : name
  }
}
