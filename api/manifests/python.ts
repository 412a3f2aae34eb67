/** `requirements.txt`, `pyproject.toml`, `Pipfile` and `setup.cfg`. */
import { normalizePythonName } from '../names/dependency-names.ts'
import { isTable, parseToml, readTable, type Table } from './json-and-toml.ts'

/**
 * The packages in a pip requirements file. Skips options (`-r`, `-e`, `--hash`), paths and URLs, which name no package.
 *
 * @throws {Error} when a line is none of these; pip would refuse the file too
 */
export function* parseRequirementsTxt(content: string): Generator<string> {
  const lines = content.split(/\r\n?|\n/)
  for (let index = 0; index < lines.length; index++) {
    const first = index + 1
    const parts: string[] = []
    for (; lines[index]?.endsWith('\\') && index + 1 < lines.length; index++) {
      parts.push(lines[index]?.slice(0, -1) ?? '')
    }
    parts.push(lines[index] ?? '')
    // Options may follow a requirement: `name==1 --hash=sha256:…`.
    const text = cutComment(parts.join('')).split(/\s-/, 1)[0]?.trim() ?? ''
    if (text === '' || text.startsWith('-') || isLocation(text)) continue
    const name = parseRequirement(text)
    if (name === undefined) throw new Error(`line ${first} is not a requirement: ${text.slice(0, 80)}`)
    yield name
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

/**
 * Parses the name in a PEP 508 requirement, normalized; undefined when the text is not a requirement. Extras, versions, URL
 * and marker are checked only roughly.
 */
function parseRequirement(text: string): string | undefined {
  const [, name, rest = ''] = /^([a-z0-9][a-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/is.exec(text.trim()) ?? []
  if (name === undefined || /[._-]$/.test(name)) return undefined
  if (rest.startsWith('@')) return normalizePythonName(name)
  const versions = (rest.split(';', 1)[0] ?? '').trim()
  const bare = versions.startsWith('(') && versions.endsWith(')') ? versions.slice(1, -1).trim() : versions
  return areConstraints(bare) ? normalizePythonName(name) : undefined
}

/**
 * Whether a text is a comma-separated list of version constraints, which may be empty or end with a comma. It matches each
 * part on its own, because one pattern for all of them could take exponential time.
 */
function areConstraints(text: string): boolean {
  if (text === '') return true
  const parts = text.split(',')
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop()
  return parts.every((part) => /^(?:===|[=~!<>]=|[<>])\s*[^\s;()]+$/.test(part.trim()))
}

/** Reads the name in an entry of a list of requirements. Throws when it is none; `where` names the list. */
export function readRequirement(entry: unknown, where: string): string {
  const name = typeof entry === 'string' ? parseRequirement(entry) : undefined
  if (name === undefined) throw new Error(`${where} contains something that is not a requirement: ${entry}`)
  return name
}

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
  for (const name of readRequirements(document)) if (name !== self) yield name
  for (const path of listPoetryTables(document)) {
    for (const name of Object.keys(readTable(document, ...path))) {
      // Poetry's tables contain the required Python version beside the packages.
      if (name !== 'python') yield normalizePythonName(name)
    }
  }
}

function* readRequirements(document: Table): Generator<string> {
  yield* readList(document, 'project', 'dependencies')
  yield* readLists(document, 'project', 'optional-dependencies')
  yield* readLists(document, 'dependency-groups')
  yield* readList(document, 'tool', 'flit', 'metadata', 'requires')
  yield* readList(document, 'tool', 'flit', 'metadata', 'dev-requires')
  yield* readLists(document, 'tool', 'flit', 'metadata', 'requires-extra')
}

function* readLists(document: Table, ...path: readonly string[]): Generator<string> {
  for (const key of Object.keys(readTable(document, ...path))) yield* readList(document, ...path, key)
}

function* readList(document: Table, ...path: readonly string[]): Generator<string> {
  const list = readTable(document, ...path.slice(0, -1))[path.at(-1) ?? '']
  if (list === undefined) return
  const where = `"${path.join('.')}"`
  if (!Array.isArray(list)) throw new Error(`${where} is not a list of requirements`)
  for (const entry of list) {
    // PEP 735: { include-group = "…" } includes a list that is read anyway.
    if (!isTable(entry)) yield readRequirement(entry, where)
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

/**
 * The packages in a `setup.cfg`: `install_requires` and `tests_require` of `[options]`, and all of
 * `[options.extras_require]`. References (`file: requirements.txt`) are not followed: a requirements file is a manifest of its
 * own.
 *
 * @throws {Error} when a line is not INI, or an entry is not a PEP 508 requirement
 */
export function* parseSetupCfg(content: string): Generator<string> {
  for (const { section, key, lines, line } of readEntries(content)) {
    const isList =
      section === 'options.extras_require' ||
      (section === 'options' && /^(?:install[_-]requires|tests[_-]require)$/.test(key))
    const values = lines.filter((text) => text !== '')
    if (!isList || /^(?:file|attr):/.test(values[0] ?? '')) continue
    // In a value of one line, semicolons separate requirements. In others, they begin markers.
    for (const text of lines.length === 1 ? values.flatMap((value) => value.split(';')) : values) {
      if (text.trim() !== '') yield readRequirement(text, `"${key}" (line ${line})`)
    }
  }
}

/** A value in an INI file. */
interface Entry {
  section: string
  key: string
  /** The text after the sign, and the indented lines that follow, trimmed. */
  lines: string[]
  /** The number of its first line, from 1. */
  line: number
}

function readEntries(content: string): Entry[] {
  const entries: Entry[] = []
  let section: string | undefined
  for (const [index, line] of content.split(/\r\n?|\n/).entries()) {
    const text = line.trim()
    const entry = entries.at(-1)
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue
    if (/^\s/.test(line) && entry !== undefined && entry.section === section) {
      entry.lines.push(text)
      continue
    }
    if (text.startsWith('[') && text.endsWith(']')) {
      section = text.slice(1, -1).trim()
      continue
    }
    const sign = text.search(/[=:]/)
    if (section === undefined || sign < 1)
      throw new Error(`line ${index + 1} is not INI: ${text.slice(0, 80)}`)
    const key = text.slice(0, sign).trim().toLowerCase()
    entries.push({ section, key, lines: [text.slice(sign + 1).trim()], line: index + 1 })
  }
  return entries
}
