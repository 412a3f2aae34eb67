/**
 * What a manifest declares: the names of its direct dependencies, as their registry writes them.
 *
 * One file per ecosystem in `manifests/`. What all have in common is here: which files are manifests, how
 * their bytes become text, and what a name may be.
 */
import { parseCargoToml } from './manifests/cargo-toml.ts'
import { parseComposerJson } from './manifests/composer-json.ts'
import { parseGemfile } from './manifests/gemfile.ts'
import { parseGoMod } from './manifests/go-mod.ts'
import { parsePackageJson } from './manifests/package-json.ts'
import { parsePomXml } from './manifests/pom-xml.ts'
import { parsePyprojectToml } from './manifests/pyproject-toml.ts'
import { parseRequirementsTxt } from './manifests/requirements-txt.ts'
import { describeError } from './manifests/table.ts'

const parsers = new Map<string, (content: string) => Iterable<string>>([
  ['package.json', parsePackageJson],
  ['requirements.txt', parseRequirementsTxt],
  ['pyproject.toml', parsePyprojectToml],
  ['go.mod', parseGoMod],
  ['Cargo.toml', parseCargoToml],
  ['pom.xml', parsePomXml],
  ['Gemfile', parseGemfile],
  ['composer.json', parseComposerJson],
])

/** Base names of the files that are read, case and all. */
export const manifestNames: readonly string[] = [...parsers.keys()]

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

/** The base name of a path in a repository when it is a manifest of the repository's own, otherwise undefined. */
export function findManifestName(path: string): string | undefined {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  if (!parsers.has(name)) return undefined
  const folders = slash === -1 ? [] : path.slice(0, slash).split('/')
  return folders.some((folder) => thirdPartyFolders.has(folder.toLowerCase())) ? undefined : name
}

/**
 * Reads the names of the direct dependencies that a manifest declares.
 *
 * A name that no registry could hold (empty, over 255 characters, with control characters) is left out: one
 * odd key is no reason to lose the rest of the file.
 *
 * @param fileName one of {@link manifestNames}
 * @throws {Error} when the content does not parse; the message is one line that says why
 */
export function parseManifest(fileName: string, content: string): ReadonlySet<string> {
  const parse = parsers.get(fileName)
  if (parse === undefined) {
    throw new Error(`${fileName} is not a manifest that is read (${manifestNames.join(', ')})`)
  }
  try {
    return new Set([...parse(content.replace(/^\uFEFF/, ''))].filter(isName))
  } catch (error) {
    throw new Error(describeError(error), { cause: error })
  }
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
