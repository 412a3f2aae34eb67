/**
 * Finds manifests by their paths in a repository, and tells which aren't its own or are test data.
 *
 * @module
 */
import { isName, type ManifestFormat, manifestFormats } from './manifest.ts'
import { findUnreadKind } from './unread-manifests.ts'

/** Folders with copies of other packages, whose manifests don't belong to the repository. */
const thirdPartyFolders =
  /^(?:node_modules|bower_components|jspm_packages|_?vendor|third[_-]?party|site-packages|\.?venv|godeps|pods)$/i

/** Folders of tests and fixtures, whose manifests are test data. */
const testFolders = /^_*test(?:s|data|[-_]data)?_*$|^_*(?:test[-_]?)?fixtures?_*$/i

/** A manifest of the repository's own. */
export interface Manifest {
  /** What dependencies have as their file: its base name, or the format where the base name says nothing. */
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
  return { fileName: ownNames.has(format) ? fileName : format, format, isOfTests: isOfTests(folders) }
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

/** Formats whose files may have other names, which dependencies keep. */
const ownNames = new Set<ManifestFormat>(['requirements.txt', 'deno.json'])

/** Other names of files. */
const otherNames = new Map<string, ManifestFormat>([
  ['deno.jsonc', 'deno.json'],
  ['environment.yaml', 'environment.yml'],
  ['action.yaml', 'action.yml'],
  ['Containerfile', 'Dockerfile'],
])

/** Compares base names case-sensitively. */
function findFormat(folders: readonly string[], name: string): ManifestFormat | undefined {
  if (folders.at(-1) === 'project') {
    // The build of the build is in the same folder, and below it.
    if (name === 'build.sbt' || folders.at(-2) === 'project') return undefined
    if (name.endsWith('.scala')) return 'Dependencies.scala'
  }
  const format = otherNames.get(name) ?? manifestFormats.find((format) => format === name)
  if (format !== undefined) return format
  const [, extension = ''] = /\.([^.]*)$/.exec(name) ?? []
  const pattern = manifestFormats.find((format) => format === `*.${extension}`)
  if (pattern !== undefined) return pattern
  if (/^[\w.-]+\.versions\.toml$/.test(name)) return 'libs.versions.toml'
  if (/^Package@swift-[\d.]+\.swift$/.test(name)) return 'Package.swift'
  const isAboutDockerfile = /^(?:adoc|dockerignore|md|rst)$/.test(extension)
  if (!isAboutDockerfile && /^Dockerfile\.[\w.-]+$|^[\w.-]+\.Dockerfile$/.test(name)) return 'Dockerfile'
  if (/^ya?ml$/.test(extension)) {
    if (folders.join('/') === '.github/workflows') return '.github/workflows'
    // Projects test with several environments of Conda, which `ci/envs` has by their versions: `ci/envs/312-dev.yaml`.
    const isEnvironment =
      /^environment[-_.]|[-_.]environment\.ya?ml$/.test(name) || /(?:^|\/)ci\/envs$/.test(folders.join('/'))
    return isEnvironment ? 'environment.yml' : undefined
  }
  if (!/^(?:txt|in)$/.test(extension)) return undefined
  // Constraints limit versions; they declare no dependencies.
  const start = folders.indexOf('requirements') + 1
  const isListed =
    start > 0 && ![...folders.slice(start), name].some((part) => part.startsWith('constraints'))
  return isListed || /^requirements[-_.]|[-_.]requirements\.(?:txt|in)$/.test(name)
    ? 'requirements.txt'
    : undefined
}
