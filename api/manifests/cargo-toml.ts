import { isTable, parseToml, readTable, type Table } from './json-and-toml.ts'

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
  const targets = Object.keys(readTable(document, 'target')).map((target) => ['target', target])
  for (const path of [[], ...targets]) {
    for (const section of sections) yield* readCrates(readTable(document, ...path, section))
  }
  yield* readCrates(readTable(document, 'workspace', 'dependencies'))
}

function* readCrates(crates: Table): Generator<string> {
  for (const [name, value] of Object.entries(crates)) {
    yield isTable(value) && typeof value.package === 'string' ? value.package : name
  }
}
