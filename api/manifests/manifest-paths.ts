/** Finds manifests by their paths in a repository, and tells which aren't its own or are test data. */
import { formats, formatsByFile } from './formats.ts'
import { isName } from './manifest.ts'

/** Folders with copies of other packages, whose manifests don't belong to the repository. */
const thirdPartyFolders =
  /^(?:node_modules|bower_components|jspm_packages|_?vendor|third[_-]?party|site-packages|\.?venv|godeps|pods)$/i

/** Folders of tests and fixtures, whose manifests are test data. */
const testFolders = /^_*test(?:s|data|[-_]data)?_*$|^_*(?:test[-_]?)?fixtures?_*$/i

/** A manifest of the repository's own. */
export interface Manifest {
  /** What dependencies have as their file: its base name, or the format's file where the base name says nothing. */
  fileName: string
  /** The first file of its format. */
  format: string
  /** Whether it is in a folder of tests or fixtures. */
  isOfTests: boolean
}

/**
 * Finds out whether a path in a repository is a manifest. Undefined: it isn't, belongs to another package, or has a
 * control character or more than 255 characters in its name.
 */
export function findManifest(path: string): Manifest | undefined {
  const folders = path.split('/')
  const baseName = folders.pop() ?? ''
  const found = findFormat(path, baseName)
  if (found === undefined || !isName(baseName) || isOfThirdParty(folders)) return undefined
  return { ...found, isOfTests: isOfTests(folders) }
}

/** Compares base names case-sensitively. */
function findFormat(path: string, baseName: string): Pick<Manifest, 'fileName' | 'format'> | undefined {
  for (const fileName of [baseName, `*${baseName.slice(baseName.lastIndexOf('.'))}`]) {
    const format = formatsByFile.get(fileName)
    if (format !== undefined && !format.except?.test(path)) return { fileName, format: format.files[0] }
  }
  const further = furtherPaths.find(({ pattern, except }) => pattern.test(path) && !except?.test(path))
  return further && { fileName: further.file ?? baseName, format: further.format }
}

const furtherPaths = formats.flatMap(({ files: [format], paths = [], except }) =>
  paths.map(([pattern, file]) => ({ pattern, except, file, format })),
)

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

const unreadFiles = new Set([
  'bower.json',
  'Cartfile',
  'cpanfile',
  'deps.edn',
  'elm.json',
  'gleam.toml',
  'MODULE.bazel',
  'paket.dependencies',
  'pixi.toml',
  'project.clj',
  'Project.toml',
  'rebar.config',
  'shard.yml',
  'WORKSPACE',
])

const unreadExtensions = /\.(?:cabal|nimble|nuspec|opam|podspec\.json|rockspec)$/

/** Finds out whether a path that `findManifest` doesn't know is a manifest all the same. */
export function findUnreadManifest(path: string): UnreadManifest | undefined {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const [extension] = unreadExtensions.exec(name) ?? []
  const kind = unreadFiles.has(name) ? name : extension && `*${extension}`
  return kind === undefined || isOfThirdParty(folders) ? undefined : { kind, isOfTests: isOfTests(folders) }
}
