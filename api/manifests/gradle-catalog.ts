/** Catalogs of Gradle, in `libs.versions.toml` and `settings.gradle`, which define modules for builds. */
import { isTable, parseToml, readList, readTable } from './json-and-toml.ts'
import type { Definitions, ManifestFormat, SharedFile } from './manifest-format.ts'
import { computedPart, type Language, languages, readString, scanProgram } from './program.ts'

export const gradleCatalog: ManifestFormat = {
  files: ['libs.versions.toml'],
  paths: [[/(?:^|\/)[\w.-]+\.versions\.toml$/, 'libs.versions.toml']],
  parse: parseGradleCatalog,
}

export const gradleSettings: ManifestFormat = {
  files: ['settings.gradle'],
  isLenient: true,
  parse: (content) => parseGradleSettings(content, languages.groovy),
}

export const gradleKotlinSettings: ManifestFormat = {
  files: ['settings.gradle.kts'],
  isLenient: true,
  parse: (content) => parseGradleSettings(content, languages.kotlinAndScala),
}

/** `group:name` of a coordinate; null if these are computed. Others are modules in a folder. */
export function* readCoordinates(text: string | undefined): Generator<string | null> {
  const [group = '', name = ''] = text?.split(/[:@]/, 2) ?? []
  if (`${group}:${name}`.includes(computedPart)) yield null
  else if (/^[\w.-]+$/.test(group) && /^[\w.-]+$/.test(name)) yield `${group}:${name}`
}

/**
 * The catalog that each build has. Settings define its names as they are, and those of others behind the catalog's
 * name.
 */
const mainCatalog = 'libs'

/** The files that may define a catalog, by what builds call it: `testLibs`. */
export function describeCatalog(name: string): SharedFile {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const files = new Set([name, words].map((each) => `gradle/${each}.versions.toml`))
  return {
    fileNames: [...files, ...settingsFiles],
    folder: undefined,
    ...(name !== mainCatalog && { prefix: { text: `${name}.`, fileNames: settingsFiles } }),
  }
}

const settingsFiles = ['settings.gradle', 'settings.gradle.kts']

/** How a build writes the alias of a catalog: `commons-lang3` as `commons.lang3`. */
export const toAccessor = (alias: string) => alias.replaceAll(/[-_]/g, '.')

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
function* parseGradleCatalog(content: string): Generator<Definitions> {
  const document = parseToml(content)
  const libraries = new Map<string, readonly string[]>()
  for (const [alias, library] of Object.entries(readTable(document, 'libraries'))) {
    const { module, group, name } = isTable(library) ? library : { module: library }
    libraries.set(toAccessor(alias), module === undefined ? listModules(group, name) : listModules(module))
  }
  const definitions = new Map(libraries)
  for (const [alias, bundle] of Object.entries(readTable(document, 'bundles')))
    definitions.set(`bundles.${toAccessor(alias)}`, listBundle(libraries, readList(bundle).map(String)))
  yield { definitions }
}

/** The modules of a bundle. It consists of libraries, not of other bundles, so that bundles don't grow. */
function listBundle(libraries: ReadonlyMap<string, readonly string[]>, aliases: readonly string[]): string[] {
  return [...new Set(aliases.flatMap((alias) => libraries.get(toAccessor(alias)) ?? []))]
}

/**
 * The modules that a `settings.gradle` or `settings.gradle.kts` defines for builds in its catalogs, and bundles of
 * them.
 *
 * @throws never
 */
function* parseGradleSettings(content: string, language: Language): Generator<Definitions> {
  const { tokens, closes } = scanProgram(content, language)
  const definitions = new Map<string, readonly string[]>()
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at] !== 'versionCatalogs') continue
    if (tokens[at + 1] === '.') at = readCatalog(at + 2)
    if (tokens[at + 1] !== '{') continue
    const end = closes.get(at + 1) ?? tokens.length
    for (at += 2; at < end; at++) at = readCatalog(at)
  }
  if (definitions.size > 0) yield { definitions }

  /**
   * Reads a catalog, `libs { … }` or `create("libs") { … }`, and returns where it ends; without one, where it began.
   */
  function readCatalog(start: number): number {
    const isCall = tokens[start + 1] === '('
    const name = isCall ? readString(tokens[start + 2]) : tokens[start]
    const open = isCall ? (closes.get(start + 1) ?? start) + 1 : start + 1
    if (tokens[open] !== '{' || name === undefined || !/^\w/.test(tokens[start] ?? '')) return start
    const end = closes.get(open) ?? tokens.length
    const prefix = name === mainCatalog ? '' : `${name}.`
    const libraries = new Map<string, readonly string[]>()
    for (let at = open + 1; at < end; at++) {
      if (tokens[at + 1] !== '(' || !/^(?:alias|bundle|library)$/.test(tokens[at] ?? '')) continue
      const close = closes.get(at + 1) ?? end
      const [alias = '', ...texts] = tokens.slice(at + 2, close).flatMap((token) => readString(token) ?? [])
      const key = toAccessor(alias)
      if (tokens[at] === 'bundle') definitions.set(`${prefix}bundles.${key}`, listBundle(libraries, texts))
      else {
        const modules = listModules(...(tokens[at] === 'library' ? texts.slice(0, 2) : readTarget(close)))
        libraries.set(key, modules)
        definitions.set(prefix + key, modules)
      }
      at = close
    }
    return end
  }

  /** What follows `alias("alias")`: `.to("group:name:version")`, or `.to("group", "name")`. */
  function readTarget(close: number): (string | undefined)[] {
    const [group, name] = [tokens[close + 4], tokens[close + 6]].map(readString)
    return group?.includes(':') ? [group] : [group, name]
  }
}
