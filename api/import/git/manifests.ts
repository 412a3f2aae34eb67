/**
 * What a manifest declares: the names of its direct dependencies, as their registry writes them.
 *
 * One file per ecosystem in `manifests/`. What all have in common is here: which files are manifests, how
 * their bytes become text, and what a name may be.
 */
import { parseCargoToml } from './manifests/cargo-toml.ts'
import { parseComposerJson } from './manifests/composer-json.ts'
import { parseDenoJson } from './manifests/deno-json.ts'
import { parseGemfile } from './manifests/gemfile.ts'
import { parseGemspec } from './manifests/gemspec.ts'
import { parseGoMod } from './manifests/go-mod.ts'
import { parsePackageJson } from './manifests/package-json.ts'
import { parsePipfile } from './manifests/pipfile.ts'
import { parsePomXml } from './manifests/pom-xml.ts'
import { parsePyprojectToml } from './manifests/pyproject-toml.ts'
import { parseRequirementsTxt } from './manifests/requirements-txt.ts'
import { parseSetupCfg } from './manifests/setup-cfg.ts'
import { parseSetupPy } from './manifests/setup-py.ts'
import { describeError } from './manifests/table.ts'

/**
 * Yields the names that a manifest declares; null for something that it declares and that only running it would tell.
 * Takes time that grows with the content's length and no faster: a clone may be anybody's.
 */
type Parser = (content: string) => Iterable<string | null>

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

/** What a manifest is written in: the base name that files of the kind have, or its pattern. */
export type ManifestFormat = keyof typeof parsers

/** Every kind of file that is read. */
export const manifestFormats = Object.keys(parsers) as ManifestFormat[]

/** Base names, case and all. */
const formatsByName = new Map<string, ManifestFormat>([
  ...manifestFormats.map((format) => [format, format] as const),
  ['deno.jsonc', 'deno.json'],
])

/** Folders that hold copies of other people's packages: their manifests declare nothing of this repository. */
const thirdPartyFolders = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  '_vendor',
  'third_party',
  'third-party',
  'thirdparty',
  'site-packages',
  'venv',
  '.venv',
  'godeps',
  'pods',
])

const maxNameLength = 255

/** Folders whose manifests are what tests are tried with: they declare nothing that the repository needs. */
const testFolders = /^_*test(?:s|data|[-_]data)?_*$|^_*(?:test[-_]?)?fixtures?_*$/i

/** A manifest of the repository's own. */
export interface Manifest {
  /** Its base name. */
  fileName: string
  format: ManifestFormat
  /** Whether it lies below a folder of tests or fixtures. */
  isOfTests: boolean
}

/** Tells what a path in a repository is as a manifest; undefined when it is none, or somebody else's. */
export function findManifest(path: string): Manifest | undefined {
  const slash = path.lastIndexOf('/')
  const fileName = path.slice(slash + 1)
  const folder = slash === -1 ? '' : path.slice(path.lastIndexOf('/', slash - 1) + 1, slash)
  const format = findFormat(folder, fileName)
  if (format === undefined) return undefined
  const folders = slash === -1 ? [] : path.slice(0, slash).split('/')
  if (folders.some((name) => thirdPartyFolders.has(name.toLowerCase()))) return undefined
  return { fileName, format, isOfTests: folders.some((name) => testFolders.test(name)) }
}

function findFormat(folder: string, name: string): ManifestFormat | undefined {
  const format = formatsByName.get(name)
  if (format !== undefined) return format
  if (name.endsWith('.gemspec')) return '*.gemspec'
  if (!name.endsWith('.txt')) return undefined
  // Constraints say which version, if a package is installed at all.
  const isListed = folder === 'requirements' && !name.startsWith('constraints')
  return isListed || /^requirements[-_.]|[-_.]requirements\.txt$/.test(name) ? 'requirements.txt' : undefined
}

/** What a manifest declares. */
export interface ManifestContent {
  names: ReadonlySet<string>
  /** Whether it declares more, which only running it would tell. */
  isComputed: boolean
}

/**
 * Reads the names of the direct dependencies that a manifest declares.
 *
 * A name that no registry could hold (empty, over 255 characters, with control characters) is left out: one
 * odd key is no reason to lose the rest of the file.
 *
 * @throws {Error} when the content does not parse; the message is one line that says why
 */
export function parseManifest(format: ManifestFormat, content: string): ManifestContent {
  const parse: Parser = parsers[format]
  const names = new Set<string>()
  let isComputed = false
  try {
    for (const name of parse(content.replace(/^\uFEFF/, ''))) {
      if (name === null) isComputed = true
      else if (isName(name)) names.add(name)
    }
  } catch (error) {
    throw new Error(describeError(error), { cause: error })
  }
  return { names, isComputed }
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= maxNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name)
}

/**
 * Manifests are UTF-8, or UTF-16 where a byte order mark says so: what `pip freeze > requirements.txt` writes
 * in PowerShell, and pip reads.
 */
export function decodeManifest(content: Uint8Array): string {
  const encoding =
    content[0] === 0xff && content[1] === 0xfe
      ? 'utf-16le'
      : content[0] === 0xfe && content[1] === 0xff
        ? 'utf-16be'
        : 'utf-8'
  return new TextDecoder(encoding).decode(content)
}
