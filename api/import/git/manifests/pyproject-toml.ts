import { normalizePythonName } from '../../../catalog/names.ts'
import { parseRequirement } from './requirements-txt.ts'
import { parseToml } from './toml.ts'
import { isTable, readTable, type Table } from './untyped-table.ts'

/**
 * The packages in a `pyproject.toml`: PEP 621 `project`, PEP 735 `dependency-groups`, Poetry's tables, and
 * `tool.flit.metadata`, which is older than PEP 621. `build-system` does not count. A project that lists itself to reuse its
 * extras (`name[all]`) does not depend on itself.
 *
 * @throws {Error} when it is not TOML, a section has another form, or an entry is not a PEP 508 requirement
 */
export function* parsePyprojectToml(content: string): Generator<string> {
  const document = parseToml(content)
  const project = readTable(document, 'project')
  const self = typeof project.name === 'string' ? normalizePythonName(project.name) : undefined
  for (const name of readRequirements(document, project)) if (name !== self) yield name
  const tool = readTable(document, 'tool')
  yield* readPoetry(readTable(tool, 'poetry', 'tool.poetry'))
  yield* readFlit(readTable(readTable(tool, 'flit', 'tool.flit'), 'metadata', 'tool.flit.metadata'))
}

function* readRequirements(document: Table, project: Table): Generator<string> {
  yield* readList(project.dependencies, 'project.dependencies')
  const extras = readTable(project, 'optional-dependencies', 'project.optional-dependencies')
  for (const [extra, list] of Object.entries(extras)) {
    yield* readList(list, `project.optional-dependencies.${extra}`)
  }
  for (const [group, list] of Object.entries(readTable(document, 'dependency-groups'))) {
    yield* readList(list, `dependency-groups.${group}`)
  }
}

function* readList(list: unknown, where: string): Generator<string> {
  if (list === undefined) return
  if (!Array.isArray(list)) throw new Error(`"${where}" is not a list of requirements`)
  for (const entry of list) {
    // PEP 735: { include-group = "…" } includes a list that is read anyway.
    if (isTable(entry)) continue
    const name = typeof entry === 'string' ? parseRequirement(entry) : undefined
    if (name === undefined)
      throw new Error(`"${where}" contains something that is not a requirement: ${String(entry)}`)
    yield name
  }
}

function* readFlit(metadata: Table): Generator<string> {
  const where = 'tool.flit.metadata'
  yield* readList(metadata.requires, `${where}.requires`)
  yield* readList(metadata['dev-requires'], `${where}.dev-requires`)
  const extras = readTable(metadata, 'requires-extra', `${where}.requires-extra`)
  for (const [extra, list] of Object.entries(extras))
    yield* readList(list, `${where}.requires-extra.${extra}`)
}

function* readPoetry(poetry: Table): Generator<string> {
  yield* readNames(poetry, 'dependencies', 'tool.poetry')
  yield* readNames(poetry, 'dev-dependencies', 'tool.poetry')
  const groups = readTable(poetry, 'group', 'tool.poetry.group')
  for (const group of Object.keys(groups)) {
    const where = `tool.poetry.group.${group}`
    yield* readNames(readTable(groups, group, where), 'dependencies', where)
  }
}

/** Poetry's tables contain the required Python version beside the packages. */
function* readNames(parent: Table, key: string, where: string): Generator<string> {
  for (const name of Object.keys(readTable(parent, key, `${where}.${key}`))) {
    if (name !== 'python') yield normalizePythonName(name)
  }
}
