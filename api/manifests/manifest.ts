/**
 * Finds manifests, and reads the names of the direct dependencies that they declare, as their registry spells them. Each
 * format has a parser in `manifests/`.
 *
 * @module
 */
import { parseCargoToml } from './cargo-toml.ts'
import { parseComposerJson } from './composer-json.ts'
import type { Declared, Reference } from './declared.ts'
import { parseGoMod } from './go-mod.ts'
import { parseDenoJson, parsePackageJson } from './javascript.ts'
import { parsePomXml } from './pom-xml.ts'
import { parsePipfile, parsePyprojectToml, parseRequirementsTxt } from './python.ts'
import { parseGemfile, parseGemspec } from './ruby.ts'
import { parseSetupCfg } from './setup-cfg.ts'
import { parseSetupPy } from './setup-py.ts'
import { findUnreadKind } from './unread-manifests.ts'

/** Yields what a manifest declares. Takes linear time, because clones are untrusted. */
type Parser = (content: string) => Iterable<Declared>

const parsers = {
  'package.json': parsePackageJson,
  'deno.json': parseDenoJson,
  'requirements.txt': parseRequirementsTxt,
  'pyproject.toml': parsePyprojectToml,
  'setup.py': parseSetupPy,
  'setup.cfg': parseSetupCfg,
  Pipfile: parsePipfile,
  'go.mod': parseGoMod,
  'Cargo.toml': parseCargoToml,
  'pom.xml': parsePomXml,
  Gemfile: parseGemfile,
  '*.gemspec': parseGemspec,
  'composer.json': parseComposerJson,
} satisfies Record<string, Parser>

/** A format of manifests, named by the base name of its files, or their pattern. */
export type ManifestFormat = keyof typeof parsers

/** All formats. */
export const manifestFormats = Object.keys(parsers) as ManifestFormat[]

/** Formats that are programs. Their parsers would skip conflict markers of an unfinished merge; others refuse them. */
const programs = new Set<ManifestFormat>(['setup.py', 'Gemfile', '*.gemspec'])

/** Folders with copies of other packages, whose manifests don't belong to the repository. */
const thirdPartyFolders =
  /^(?:node_modules|bower_components|jspm_packages|_?vendor|third[_-]?party|site-packages|\.?venv|godeps|pods)$/i

/** Folders of tests and fixtures, whose manifests are test data. */
const testFolders = /^_*test(?:s|data|[-_]data)?_*$|^_*(?:test[-_]?)?fixtures?_*$/i

const maxNameLength = 255

/** No manifest that people write declares nearly as many. */
const maxNames = 10_000

/** A manifest of the repository's own. */
export interface Manifest {
  /** Its base name. */
  fileName: string
  format: ManifestFormat
  /** Whether it is in a folder of tests or fixtures. */
  isOfTests: boolean
}

/**
 * Finds out whether a path in a repository is a manifest. Undefined: it isn't, belongs to another package, or has a control
 * character or more than 255 characters in its name.
 */
export function findManifest(path: string): Manifest | undefined {
  const folders = path.split('/')
  const fileName = folders.pop() ?? ''
  const format = findFormat(folders, fileName)
  if (format === undefined || !isName(fileName) || isOfThirdParty(folders)) return undefined
  return { fileName, format, isOfTests: isOfTests(folders) }
}

function isOfThirdParty(folders: readonly string[]): boolean {
  return folders.some((name) => thirdPartyFolders.test(name))
}

function isOfTests(folders: readonly string[]): boolean {
  return folders.some((name) => testFolders.test(name))
}

/** A manifest of the repository's own, of a kind that isn't read yet. */
export interface UnreadManifest {
  /** The base name of its files, or their pattern. */
  kind: string
  isOfTests: boolean
}

/** Finds out whether a path that `findManifest` doesn't know is a manifest all the same. */
export function findUnreadManifest(path: string): UnreadManifest | undefined {
  const kind = findUnreadKind(path)
  if (kind === undefined) return undefined
  const folders = path.split('/').slice(0, -1)
  return isOfThirdParty(folders) ? undefined : { kind, isOfTests: isOfTests(folders) }
}

/** Compares base names case-sensitively. */
function findFormat(folders: readonly string[], name: string): ManifestFormat | undefined {
  if (name === 'deno.jsonc') return 'deno.json'
  const format = manifestFormats.find((format) => format === name)
  if (format !== undefined) return format
  if (name.endsWith('.gemspec')) return '*.gemspec'
  if (!name.endsWith('.txt')) return undefined
  // Constraints limit versions; they declare no dependencies.
  const start = folders.indexOf('requirements') + 1
  const isListed =
    start > 0 && ![...folders.slice(start), name].some((part) => part.startsWith('constraints'))
  return isListed || /^requirements[-_.]|[-_.]requirements\.txt$/.test(name) ? 'requirements.txt' : undefined
}

/** What a manifest declares. */
export interface ManifestContent {
  names: ReadonlySet<string>
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files of the same commit may replace. */
  references: readonly Reference[]
  /**
   * What other manifests of the same commit may refer to: names by their keys, and null for a package of the same repository.
   * Null: nothing refers to it.
   */
  definitions: ReadonlyMap<string, string | null> | null
}

/**
 * Reads the names of the direct dependencies that a manifest declares. Skips names that no registry accepts: empty ones,
 * and those with control characters or more than 255 characters.
 *
 * @throws {Error} with one line when the content does not parse, or declares more than 10,000 names
 */
export function parseManifest(format: ManifestFormat, content: string): ManifestContent {
  const parse: Parser = parsers[format]
  try {
    if (programs.has(format)) assertNoConflict(content)
    return collectDeclared(parse(content.replace(/^\uFEFF/, '')))
  } catch (error) {
    // A parser's message may quote lines of the file.
    const message = error instanceof Error ? error.message : String(error)
    const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    throw new Error(line.slice(0, 200), { cause: error })
  }
}

function collectDeclared(all: Iterable<Declared>): ManifestContent {
  const names = new Set<string>()
  const references = new Map<string, Reference>()
  const definitions = new Map<string, string | null>()
  let isComputed = false
  let isShared = false
  for (const declared of all) {
    if (declared === null) isComputed = true
    else if (typeof declared === 'string') {
      if (isName(declared)) names.add(declared)
    } else if ('key' in declared) {
      const { key, file } = declared
      if (isName(key)) references.set(`${file.fileName}\0${file.folder}\0${key}`, declared)
    } else {
      isShared = true
      for (const [key, name] of declared.definitions) {
        if (isName(key)) definitions.set(key, name !== null && isName(name) ? name : null)
      }
    }
    if (names.size + references.size + definitions.size > maxNames) {
      throw new Error(`too many names for a manifest: at most ${maxNames} are read`)
    }
  }
  return {
    names,
    isComputed,
    references: [...references.values()],
    definitions: isShared ? definitions : null,
  }
}

function assertNoConflict(content: string): void {
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is a conflict marker of an unfinished merge`)
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= maxNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name)
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which `pip freeze > requirements.txt` writes in PowerShell. */
export function decodeManifest(content: Uint8Array): string {
  const encoding =
    content[0] === 0xff && content[1] === 0xfe
      ? 'utf-16le'
      : content[0] === 0xfe && content[1] === 0xff
        ? 'utf-16be'
        : 'utf-8'
  return new TextDecoder(encoding).decode(content)
}
