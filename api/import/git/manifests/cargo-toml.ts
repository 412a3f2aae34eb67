import { parseToml } from './toml.ts'
import { isTable, readTable, type Table } from './untyped-table.ts'

/** Cargo still reads its first names, those with underscores. */
const sections = [
  'dependencies',
  'dev-dependencies',
  'build-dependencies',
  'dev_dependencies',
  'build_dependencies',
]

/**
 * The crates in a `Cargo.toml`: its own, those of a platform (`target.….dependencies`), and those of a workspace.
 * `package = "…"` is the crate's real name. With `{ workspace = true }` a rename would be in the workspace's own file, so the
 * name counts as it is written.
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
