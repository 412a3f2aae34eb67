/** Catalogs of Gradle, in `libs.versions.toml` and `settings.gradle`, which define modules for builds. */
import type { Definitions } from './declared.ts'
import { isTable, parseToml, readList, readTable } from './json-and-toml.ts'
import { computedPart, languages, readString, scanProgram } from './program.ts'

/** `group:name` of a coordinate; null if these are computed. Others are modules in a folder. */
export function* readCoordinates(text: string | undefined): Generator<string | null> {
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
 * The modules that a `settings.gradle` or `settings.gradle.kts` defines for builds in its catalog `libs`, and bundles of them.
 *
 * @throws never
 */
export function* parseGradleSettings(content: string): Generator<Definitions> {
  const { tokens, closes } = scanProgram(content, languages.groovy)
  const definitions = new Map<string, readonly string[]>()
  for (let at = 0; at < tokens.length; at++) {
    const text = tokens.slice(at, at + 5).join('')
    const open = text.startsWith('libs{') ? at + 1 : text === 'create("libs){' ? at + 4 : undefined
    if (open === undefined) continue
    const end = closes.get(open) ?? tokens.length
    for (at = open; at < end; at++) if (tokens[at + 1] === '(') define(tokens[at] ?? '', at + 2)
  }
  if (definitions.size > 0) yield { definitions }

  /** `library("alias", "group:name:version")`, `library("alias", "group", "name")`, `alias("alias").to("group:name:version")`. */
  function define(call: string, start: number): void {
    const alias = toAccessor(readString(tokens[start]) ?? '')
    const close = closes.get(start - 1) ?? start
    const texts = tokens.slice(start + 1, close).flatMap((token) => readString(token) ?? [])
    if (call === 'library') definitions.set(alias, listModules(...texts))
    if (call === 'alias') {
      const [group, name] = [tokens[close + 4], tokens[close + 6]].map(readString)
      definitions.set(alias, listModules(...(group?.includes(':') ? [group] : [group, name])))
    }
    if (call === 'bundle') {
      const modules = texts.flatMap((each) => definitions.get(toAccessor(each)) ?? [])
      definitions.set(`bundles.${alias}`, [...new Set(modules)])
    }
  }
}
