/** Builds of Gradle (`build.gradle`, `build.gradle.kts`), and the catalogs in `settings.gradle` and `libs.versions.toml`. */
import type { Declared, Definitions, SharedFile } from './declared.ts'
import { isTable, parseToml, readList, readTable } from './json-and-toml.ts'
import { computedPart, type Language, languages, readString, scanProgram, splitArguments } from './program.ts'

/** The catalog `libs`. */
const catalog: SharedFile = {
  fileNames: ['gradle/libs.versions.toml', 'settings.gradle', 'settings.gradle.kts'],
  folder: undefined,
}

/** Blocks that declare nothing: what the build itself needs, versions, and rules. */
const otherBlocks = new Set([
  'artifactTypes',
  'attributesSchema',
  'buildscript',
  'components',
  'constraints',
  'modules',
  'pluginManagement',
  'plugins',
])
const controlFlow = new Set(['for', 'if', 'switch', 'when', 'while'])
/** What begins a statement that declares nothing. */
const otherStatements = new Set(['because', 'def', 'else', 'exclude', 'println', 'return', 'val', 'var'])
/** Calls whose arguments are the dependency. */
const wrappers = new Set([
  'create',
  'dependencies',
  'enforcedPlatform',
  'platform',
  'testFixtures',
  'variantOf',
])
/** What is in the same repository, in a folder, or a part of Gradle. */
const locals =
  /^(?:configurations|embeddedKotlin|fileTree|files|gradle(?:Api|KotlinDsl|TestKit)|localGroovy|project|projects|rootProject|sourceSets|tasks)$/

/** A build in Groovy. See `parseGradle`. */
export function parseGradleGroovy(content: string): Generator<Declared> {
  return parseGradle(content, languages.groovy)
}

/** A build in Kotlin. See `parseGradle`. */
export function parseGradleKotlin(content: string): Generator<Declared> {
  return parseGradle(content, languages.kotlin)
}

/**
 * The modules in `dependencies` blocks, as `group:name`, whatever the configuration, `platform()` included; and `mavenBom`. Names of
 * the catalog `libs` refer to it. Null for what is computed. `buildscript`, `plugins` and `constraints` don't count.
 *
 * @throws never
 */
function* parseGradle(content: string, language: Language): Generator<Declared> {
  const program = scanProgram(content, language)
  const { tokens, closes } = program
  for (let at = 0; at < tokens.length; at++) {
    const end = tokens[at + 1] === '{' ? closes.get(at + 1) : undefined
    if (end === undefined) continue
    const name = tokens[at] ?? ''
    if (name === 'dependencies') yield* readBlock(at + 2, end)
    else if (name === 'dependencyManagement') {
      for (let inner = at; inner < end; inner++) {
        const bom = tokens[inner] === 'mavenBom' ? tokens.slice(inner + 1, inner + 3) : []
        yield* readCoordinates(bom.map(readString).find((text) => text !== undefined))
      }
    } else if (!otherBlocks.has(name)) continue
    at = end
  }

  /** A configuration with dependencies, in each statement. */
  function* readBlock(start: number, end: number): Generator<Declared> {
    for (let at = start; at < end; at++) {
      const name = readString(tokens[at]) ?? tokens[at] ?? ''
      const next = tokens[at + 1] ?? ''
      if (!/^\w/.test(name)) continue
      if (otherStatements.has(name)) at = findEnd(at, end)
      else if (controlFlow.has(name)) at = closes.get(at + 1) ?? at
      else if (next === '{' && otherBlocks.has(name)) at = closes.get(at + 1) ?? at
      else if (next === '(' && tokens[at - 1] !== '.') {
        const close = closes.get(at + 1) ?? end
        const added = name === 'add' ? [...splitArguments(program, at + 2, close)][1]?.[0] : undefined
        yield* readArguments(added ?? at + 2, close)
        at = tokens[close + 1] === '{' ? (closes.get(close + 1) ?? close) : close
      } else if (next.startsWith('"') || /^[\w[]/.test(next)) {
        const last = findEnd(at, end)
        yield* readArguments(at + 1, last)
        at = last
      } else if (next === '.') at = findEnd(at, end)
    }
  }

  /** Where a statement ends: not behind a comma. */
  function findEnd(start: number, end: number): number {
    let at = start
    while (at < end && (tokens[at] !== '\n' || tokens[at - 1] === ',')) at = (closes.get(at) ?? at) + 1
    return Math.min(at, end)
  }

  function* readArguments(start: number, end: number): Generator<Declared> {
    const parts = [...splitArguments(program, start, end)].map(
      ([from, to]) => [tokens[from] === '\n' ? from + 1 : from, to] as const,
    )
    const named = new Map<string, string | undefined>()
    for (const [from] of parts) {
      const key = readString(tokens[from]) ?? tokens[from] ?? ''
      if (/^[:=]$/.test(tokens[from + 1] ?? '')) named.set(key, readString(tokens[from + 2]) ?? computedPart)
    }
    if (named.has('name')) return yield* readCoordinates(`${named.get('group') ?? ''}:${named.get('name')}`)
    if (named.size < parts.length || named.size === 0)
      for (const [from, to] of parts) yield* readArgument(from, to)
  }

  function* readArgument(start: number, end: number): Generator<Declared> {
    const [first = '', next] = tokens.slice(start, start + 2)
    const text = readString(first)
    if (text !== undefined) yield* readCoordinates(text)
    else if (first === '[') yield* readArguments(start + 1, closes.get(start) ?? end)
    else if (wrappers.has(first) && (next === '(' || next === '.'))
      yield* next === '('
        ? readArguments(start + 2, closes.get(start + 1) ?? end)
        : readArgument(start + 2, end)
    else if (first === 'kotlin' && next === '(')
      yield* readCoordinates(`org.jetbrains.kotlin:kotlin-${readString(tokens[start + 2]) ?? computedPart}`)
    else if (first === 'libs' && next === '.') yield* referTo(start + 2)
    else if (/^\w/.test(first) && !locals.test(first) && !/^[:=]$/.test(next ?? '')) yield null
  }

  /** `libs.commons.lang3`, perhaps with `.get()`. */
  function* referTo(start: number): Generator<Declared> {
    const words = [tokens[start] ?? '']
    for (let at = start + 1; tokens[at] === '.' && tokens[at + 2] !== '('; at += 2)
      words.push(tokens[at + 1] ?? '')
    if (/^(?:plugins|versions)$/.test(words[0] ?? '')) return
    yield { key: words.join('.'), file: catalog, isName: false }
  }
}

/** `group:name` of a coordinate; null if these are computed. Others are modules in a folder. */
function* readCoordinates(text: string | undefined): Generator<string | null> {
  const [group = '', name = ''] = text?.split(/[:@]/, 2) ?? []
  if (`${group}:${name}`.includes(computedPart)) yield null
  else if (/^[\w.-]+$/.test(group) && /^[\w.-]+$/.test(name)) yield `${group}:${name}`
}

/** How a build writes the alias of a catalog: `commons-lang3` as `commons.lang3`. */
const toAccessor = (alias: string) => alias.replaceAll(/[-_]/g, '.')

/** A module of a catalog, as `group:name`. */
function listModules(...names: unknown[]): string[] {
  return [...readCoordinates(names.every((name) => typeof name === 'string') ? names.join(':') : '')].filter(
    (name) => name !== null,
  )
}

/**
 * The modules that a catalog defines for builds. It declares none itself.
 *
 * @throws {Error} when it is not TOML, or a section is not a table
 */
export function* parseGradleCatalog(content: string): Generator<Definitions> {
  const document = parseToml(content)
  const definitions = new Map<string, readonly string[]>()
  for (const [alias, library] of Object.entries(readTable(document, 'libraries'))) {
    const { module, group, name } = isTable(library) ? library : { module: library }
    definitions.set(toAccessor(alias), module === undefined ? listModules(group, name) : listModules(module))
  }
  for (const [alias, bundle] of Object.entries(readTable(document, 'bundles'))) {
    const modules = readList(bundle).flatMap((each) => definitions.get(toAccessor(String(each))) ?? [])
    definitions.set(`bundles.${toAccessor(alias)}`, [...new Set(modules)])
  }
  yield { definitions }
}

/**
 * The modules that a `settings.gradle` or `settings.gradle.kts` defines for builds: `library("alias", "group:name:version")`.
 *
 * @throws never
 */
export function* parseGradleSettings(content: string): Generator<Definitions> {
  const { tokens } = scanProgram(content, languages.groovy)
  const definitions = new Map<string, readonly string[]>()
  for (const [at, token] of tokens.entries()) {
    if (token !== 'library' || tokens[at + 1] !== '(') continue
    const [alias, group, name] = [at + 2, at + 4, at + 6].map((index) => readString(tokens[index]))
    if (alias !== undefined)
      definitions.set(toAccessor(alias), name === undefined ? listModules(group) : listModules(group, name))
  }
  if (definitions.size > 0) yield { definitions }
}
