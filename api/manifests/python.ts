/** `requirements.txt`, `pyproject.toml` and `Pipfile`. */
import { normalizePythonName, pythonSpelling } from '../names/dependency-names.ts'
import { isTable, parseToml, readTable, type Table } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'

export const requirementsTxt: ManifestFormat = {
  files: ['requirements.txt'],
  paths: [
    [/(?:^|\/)(?=requirements[-_.])[^/]*\.(?:txt|in)$/, null],
    [/[-_.]requirements\.(?:txt|in)$/, null],
    [/^(?:(?!requirements\/)[^/]*\/)*requirements\/(?!(?:.*\/)?constraints).*\.(?:txt|in)$/s, null],
  ],
  // Constraints limit versions; they declare no dependencies. The others are lists for another installer.
  except:
    /(?:^|[-_. /])(?:(?:apk|apt|brew|conda|dnf|system(?![-_. ]tests?)|yum)(?=[-_. ])|constraints?(?=[-_. \d]))[^/]*$/i,
  spelling: pythonSpelling,
  parse: parseRequirementsTxt,
}

export const pyprojectToml: ManifestFormat = {
  files: ['pyproject.toml'],
  spelling: pythonSpelling,
  parse: parsePyprojectToml,
}

export const pipfile: ManifestFormat = { files: ['Pipfile'], spelling: pythonSpelling, parse: parsePipfile }

/**
 * The packages in a pip requirements file. Skips options (`-r`, `-e`, `--hash`), paths and URLs, which name no package.
 *
 * @param where names the list that has these lines, for messages
 * @throws {Error} when a line is none of these; pip would refuse the file too
 */
export function* parseRequirementsTxt(content: string, where = ''): Generator<string> {
  for (const { text: joined, line } of joinLines(content.split(/\r\n?|\n/))) {
    // Options may follow a requirement: `name==1 --hash=sha256:…`.
    const text = cutComment(joined).split(/\s-/, 1)[0]?.trim() ?? ''
    if (text === '' || text.startsWith('-') || isLocation(text)) continue
    const requirement = parseRequirement(text)
    if (requirement === undefined)
      throw new Error(`${where}line ${line} is not a requirement: ${text.slice(0, 80)}`)
    if (!requirement.isLocal) yield requirement.name
  }
}

/**
 * Joins lines that end in a backslash with the next one, as pip does: a line that is only a comment is never continued,
 * and ends what it would continue.
 */
function* joinLines(lines: readonly string[]): Generator<{ text: string; line: number }> {
  let parts: string[] = []
  let first = 1
  for (const [index, line] of lines.entries()) {
    if (parts.length === 0) first = index + 1
    const isComment = line.trimStart().startsWith('#')
    const isContinued = line.endsWith('\\') && !isComment
    if (isContinued) parts.push(line.replace(/^\\+/, '').replace(/(?<!\\)\\+$/, ''))
    else parts.push(isComment ? ` ${line}` : line)
    if (isContinued && index + 1 < lines.length) continue
    yield { text: parts.join(''), line: first }
    parts = []
  }
}

/** A comment begins the line or follows white space, unlike the `#` of a URL's fragment. */
function cutComment(line: string): string {
  for (let at = line.indexOf('#'); at !== -1; at = line.indexOf('#', at + 1)) {
    if (at === 0 || /\s/.test(line.charAt(at - 1))) return line.slice(0, at)
  }
  return line
}

/** Whether pip takes a text for a URL, a path or an archive. `name @ URL` is a requirement. */
function isLocation(text: string): boolean {
  const [start = ''] = text.split(/[\s;@[]/, 1)
  return /^[a-z][a-z+]*:/i.test(start) || /^\.|[\\/]|\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(start)
}

/** Where Conda built a package, `…/numpy_1682210216651/work`: `pip freeze` lists it with this folder. */
const buildFolder = /_\d{9,}[\\/]work(?:[\\/\s;#]|$)/

interface Requirement {
  /** Normalized. */
  name: string
  /** Whether it is a file or a folder, so a package of the same repository. */
  isLocal: boolean
}

/**
 * Parses a PEP 508 requirement; undefined when the text is none. Extras, versions, URL and marker are checked only
 * roughly.
 */
function parseRequirement(text: string): Requirement | undefined {
  const [, name, rest = ''] = /^([a-z0-9][a-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/is.exec(text.trim()) ?? []
  if (name === undefined || /[._-]$/.test(name)) return undefined
  const requirement = { name: normalizePythonName(name), isLocal: false }
  // Hatch and PDM write `{root:uri}` and `${PROJECT_ROOT}` for the project's folder.
  const isLocal = /^@\s*(?:file:|[./\\]|\$?\{)/i.test(rest) && !buildFolder.test(rest)
  if (rest.startsWith('@')) return { ...requirement, isLocal }
  const versions = (rest.split(';', 1)[0] ?? '').trim()
  const bare = versions.startsWith('(') && versions.endsWith(')') ? versions.slice(1, -1).trim() : versions
  return areConstraints(bare) ? requirement : undefined
}

/**
 * Whether a text is a comma-separated list of version constraints, which may be empty or end with a comma. It matches
 * each part on its own, because one pattern for all of them could take exponential time.
 */
function areConstraints(text: string): boolean {
  if (text === '') return true
  const parts = text.split(',')
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop()
  return parts.every((part) => /^(?:===|[=~!<>]=|[<>])\s*[^\s;()]+$/.test(part.trim()))
}

/** Yields the name in an entry of a list of requirements. Throws if it is not a requirement. `where` names the list. */
function* readRequirement(entry: unknown, where: string): Generator<string> {
  const requirement = typeof entry === 'string' ? parseRequirement(entry) : undefined
  if (requirement === undefined)
    throw new Error(`${where} contains something that is not a requirement: ${entry}`)
  if (!requirement.isLocal) yield requirement.name
}

/**
 * Yields the names in a text of requirements, one a line, as setuptools reads it: ` #` begins a comment, and a
 * backslash at the end of a line continues it.
 *
 * @throws {Error} when a line is not a requirement; `where` names the text
 */
export function* readRequirementLines(text: string, where: string): Generator<string> {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' #', 1)[0] ?? '')
  for (const joined of joinLines(lines)) yield* readRequirement(joined.text, where)
}

/**
 * The packages in a `pyproject.toml`: PEP 621 `project`, PEP 735 `dependency-groups`, Poetry's tables,
 * `tool.flit.metadata`, which is older than PEP 621, the `dev-dependencies` of PDM, Rye and uv, and Hatch's
 * environments; null for what one of these gets in some cases (`overrides`). `build-system` does not count. A project
 * that lists itself to reuse its extras (`name[all]`) does not depend on itself. Packages that Poetry or uv read from a
 * folder are left out.
 *
 * @throws {Error} when it is not TOML, a section has another form, or an entry is not a PEP 508 requirement
 */
function* parsePyprojectToml(content: string): Generator<string | null> {
  const document = parseToml(content)
  const skipped = new Set([...listOwnNames(document), ...listLocalNames(document)])
  for (const name of readRequirements(document)) if (name === null || !skipped.has(name)) yield name
  for (const path of listPoetryTables(document)) {
    for (const [key, source] of Object.entries(readTable(document, ...path))) {
      const name = readKey(key)
      // Poetry's tables contain the required Python version beside the packages.
      if (name !== 'python' && !isLocalSource(source)) yield name
    }
  }
}

/** The names that a project has in its tables. */
function listOwnNames(document: Table): string[] {
  const flit = readTable(document, 'tool', 'flit', 'metadata')
  return [
    readTable(document, 'project').name,
    readTable(document, 'tool', 'poetry').name,
    flit['dist-name'] ?? flit.module,
  ].flatMap((name) => (typeof name === 'string' ? [normalizePythonName(name)] : []))
}

/** Names for which a table says where in the repository the package is, beside the list that requires it. */
function listLocalNames(document: Table): string[] {
  const tables = [['tool', 'uv', 'sources'], ...listPoetryTables(document)]
  return tables
    .flatMap((path) => Object.entries(readTable(document, ...path)))
    .filter(([, source]) => isLocalSource(source))
    .map(([key]) => readKey(key))
}

/** The name in a table's key, without extras: `"requests[socks]" = "*"`. */
function readKey(key: string): string {
  return normalizePythonName(key.split('[', 1)[0]?.trim() ?? '')
}

/** Whether all sources of a package are in the repository. There may be several, for different platforms. */
function isLocalSource(source: unknown): boolean {
  if (Array.isArray(source)) return source.length > 0 && source.every(isLocalSource)
  return isTable(source) && (typeof source.path === 'string' || source.workspace === true)
}

function* readRequirements(document: Table): Generator<string | null> {
  yield* readRequirementList(document, 'project', 'dependencies')
  yield* readRequirementLists(document, 'project', 'optional-dependencies')
  yield* readRequirementLists(document, 'dependency-groups')
  yield* readRequirementList(document, 'tool', 'flit', 'metadata', 'requires')
  yield* readRequirementList(document, 'tool', 'flit', 'metadata', 'dev-requires')
  yield* readRequirementLists(document, 'tool', 'flit', 'metadata', 'requires-extra')
  yield* readRequirementLists(document, 'tool', 'pdm', 'dev-dependencies')
  yield* readRequirementList(document, 'tool', 'rye', 'dev-dependencies')
  yield* readRequirementList(document, 'tool', 'uv', 'dev-dependencies')
  const environments = ['tool', 'hatch', 'envs']
  for (const key of Object.keys(readTable(document, ...environments))) {
    yield* readRequirementList(document, ...environments, key, 'dependencies')
    yield* readRequirementList(document, ...environments, key, 'extra-dependencies')
    if (hasDependencies(readTable(document, ...environments, key, 'overrides'))) yield null
  }
}

/** Whether overrides of a Hatch environment, `platform.linux.extra-dependencies = […]`, change its packages. */
function hasDependencies(overrides: Table): boolean {
  const conditions = Object.values(overrides).filter(isTable).flatMap(Object.values).filter(isTable)
  return conditions.flatMap(Object.keys).some((key) => /(?:^|-)dependencies$/.test(key))
}

function* readRequirementLists(document: Table, ...path: readonly string[]): Generator<string | null> {
  for (const key of Object.keys(readTable(document, ...path)))
    yield* readRequirementList(document, ...path, key)
}

function* readRequirementList(document: Table, ...path: readonly string[]): Generator<string | null> {
  const list = readTable(document, ...path.slice(0, -1))[path.at(-1) ?? '']
  if (list === undefined) return
  const where = `"${path.join('.')}"`
  if (!Array.isArray(list)) throw new Error(`${where} is not a list of requirements`)
  for (const entry of list) {
    // PEP 735: { include-group = "…" } includes a list that is read anyway.
    if (isTable(entry)) continue
    const [start] = (typeof entry === 'string' && /^\s*(?:-e\s|\{)/.exec(entry)) || []
    // PDM has `-e` and a folder, and Hatch a name in `{env:NAME}`.
    if (start === undefined) yield* readRequirement(entry, where)
    else if (start.endsWith('{')) yield null
  }
}

function listPoetryTables(document: Table): string[][] {
  const groups = Object.keys(readTable(document, 'tool', 'poetry', 'group'))
  return [
    ['tool', 'poetry', 'dependencies'],
    ['tool', 'poetry', 'dev-dependencies'],
    ...groups.map((group) => ['tool', 'poetry', 'group', group, 'dependencies']),
  ]
}

/** Tables of a `Pipfile` without packages. All others have packages: projects may name their own categories. */
const otherTables = new Set(['source', 'requires', 'pipenv', 'scripts'])

/**
 * The packages in a `Pipfile`: `packages`, `dev-packages`, and the project's own categories. A package with a `path` is
 * one of the same repository, so it is left out. Pipenv may give it a hash for a name.
 *
 * @throws {Error} when it is not TOML, or a section is not a table
 */
function* parsePipfile(content: string): Generator<string> {
  const document = parseToml(content)
  for (const section of Object.keys(document)) {
    if (otherTables.has(section)) continue
    for (const [key, source] of Object.entries(readTable(document, section))) {
      if (!isLocalSource(source)) yield readKey(key)
    }
  }
}
