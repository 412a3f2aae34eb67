import { normalizeName, parseRequirement } from './requirements-txt.ts'
import { isTable, readTable, type Table } from './table.ts'
import { parseToml } from './toml.ts'

/**
 * The packages in a `pyproject.toml`: PEP 621 `project`, PEP 735 `dependency-groups` and Poetry's tables.
 * What builds the package (`build-system`) is not among its dependencies. A project that lists itself to
 * reuse its extras (`name[all]`) does not depend on itself.
 *
 * @throws {Error} when it is not TOML, a section has another form, or an entry is not a PEP 508 requirement
 */
export function* parsePyprojectToml(content: string): Generator<string> {
  const document = parseToml(content)
  const project = readTable(document, 'project')
  const self = typeof project.name === 'string' ? normalizeName(project.name) : undefined
  for (const name of readRequirements(document, project)) if (name !== self) yield name
  yield* readPoetry(readTable(readTable(document, 'tool'), 'poetry', 'tool.poetry'))
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
    // PEP 735: { include-group = "…" } repeats a list that is read anyway.
    if (isTable(entry)) continue
    const name = typeof entry === 'string' ? parseRequirement(entry) : undefined
    if (name === undefined) throw new Error(`"${where}" holds what is not a requirement: ${String(entry)}`)
    yield name
  }
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

/** Poetry's tables hold the required Python version beside the packages. */
function* readNames(parent: Table, key: string, where: string): Generator<string> {
  for (const name of Object.keys(readTable(parent, key, `${where}.${key}`))) {
    if (name !== 'python') yield normalizeName(name)
  }
}
