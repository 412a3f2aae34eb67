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
