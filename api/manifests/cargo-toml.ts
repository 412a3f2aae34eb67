import { crateSpelling } from '../names/dependency-names.ts'
import { isTable, parseToml, readTable, type Table } from './json-and-toml.ts'
import {
  type Definitions,
  type ManifestFormat,
  maxPathLength,
  type Reference,
  type SharedFile,
} from './manifest-format.ts'

export const cargoToml: ManifestFormat = {
  files: ['Cargo.toml'],
  spelling: crateSpelling,
  parse: parseCargoToml,
}

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
 * `package = "…"` is the crate's real name. A crate with a `path` is one of the same repository, so it is left out.
 *
 * `{ workspace = true }` refers to the workspace's own file: that of `package.workspace`, or the nearest one.
 *
 * @throws {Error} when it is not TOML, or a section is not a table
 */
function* parseCargoToml(content: string): Generator<string | Reference | Definitions> {
  const document = parseToml(content)
  const { workspace } = readTable(document, 'package')
  const folder = typeof workspace === 'string' && workspace.length <= maxPathLength ? workspace : undefined
  const file: SharedFile = { fileNames: ['Cargo.toml'], folder }
  const targets = Object.keys(readTable(document, 'target')).map((target) => ['target', target])
  for (const path of [[], ...targets]) {
    for (const section of sections) yield* readCrates(readTable(document, ...path, section), file)
  }
  if (Object.hasOwn(document, 'workspace')) yield* readWorkspace(document)
}

function* readCrates(crates: Table, file: SharedFile): Generator<string | Reference> {
  for (const [key, crate] of Object.entries(crates)) {
    if (isTable(crate) && crate.workspace === true) yield { key, file, name: key }
    else {
      const name = findName(key, crate)
      if (name !== null) yield name
    }
  }
}

function* readWorkspace(document: Table): Generator<string | Definitions> {
  const definitions = new Map<string, readonly string[]>()
  for (const [key, crate] of Object.entries(readTable(document, 'workspace', 'dependencies'))) {
    const name = findName(key, crate)
    if (name !== null) yield name
    // A reference is the name itself without a definition, so a new version in a workspace changes none of its members.
    if (name !== key) definitions.set(key, name === null ? [] : [name])
  }
  yield { definitions }
}

/** The real name of a crate; null for one of the same repository. */
function findName(key: string, crate: unknown): string | null {
  if (!isTable(crate)) return key
  if (typeof crate.path === 'string') return null
  return typeof crate.package === 'string' ? crate.package : key
}
