/** `package.json` and the workspaces of Lerna, `deno.json` and import maps. */
import { isTable, parseJsonObject, readList, readTable, type Table } from './json-and-toml.ts'
import {
  type Declared,
  type Definitions,
  type ManifestFormat,
  type OwnPackage,
  readWorkspace,
  type SharedFile,
  type Workspace,
} from './manifest-format.ts'

export const packageJson: ManifestFormat = {
  files: ['package.json'],
  ecosystem: 'npm',
  parse: parsePackageJson,
}

export const lernaJson: ManifestFormat = { files: ['lerna.json'], ecosystem: 'npm', parse: parseLernaJson }
export const denoJson: ManifestFormat = { files: ['deno.json', 'deno.jsonc'], parse: parseDenoJson }
export const importMap: ManifestFormat = { files: ['import_map.json'], parse: parseDenoJson }

const sections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/**
 * A name of the characters that npm accepts, also in old packages. Others are comments (`"//": "why"`), or parts of a
 * template (`"<%= name %>": "1"`).
 */
const packageName = /^(?!\.)(?:@[\w.~!*'()-]+\/)?[\w.~!*'()-]+$/

/**
 * An alias: a name with a version, or a name that can't be mistaken for a version. JSR has no names without a scope.
 */
const alias = /^npm:(?:(@?[^@]+)@.|(@[^@/]+\/[^@]+|[a-z][^@\s]*)$)|^jsr:(@[^@/]+\/[^@/]+)(?:@|$)/i

/** What package managers read from a folder or a file: the protocols for it, a path, or an archive. */
const local = /^(?:workspace|file|link|portal):|^(?:\.|~\/|[\\/]|[a-z]:[\\/])|^[^:]*\.(?:tgz|tar|tar\.gz)$/i

/**
 * The packages in a `package.json`. An alias (`"old": "npm:left-pad@1"`) counts as the installed package. Yarn writes
 * ranges with the same prefix (`"react": "npm:^18.2.0"`). With `catalog:`, the range is in a catalog, which may have an
 * alias. A package of the same repository is left out. `workspaces` lists the members of a workspace, and may have
 * catalogs for them.
 *
 * @throws {Error} when it, or a section, is not a JSON object
 */
function* parsePackageJson(content: string): Generator<Declared> {
  const document = parseJsonObject(content)
  const { workspaces } = document
  yield* readOwn(document, isTable(workspaces) ? workspaces.packages : workspaces)
  yield* readCatalogs(isTable(workspaces) ? { ...document, ...workspaces } : document)
  for (const section of sections) {
    for (const [name, value] of Object.entries(readTable(document, section))) {
      const range = typeof value === 'string' ? value.trim() : ''
      if (local.test(range)) continue
      const [, catalog] = /^catalog:(.*)$/.exec(range) ?? []
      const key = `${catalog || 'default'}:${name}`
      const installed = catalog === undefined ? (readAlias(range) ?? name) : name
      if (!packageName.test(installed)) continue
      yield catalog === undefined ? installed : { key, file: catalogFile, name }
    }
  }
}

/** The package that an alias stands for. */
function readAlias(range: string): string | undefined {
  const [, versioned, bare, ofJsr] = alias.exec(range) ?? []
  return versioned ?? bare ?? ofJsr
}

/** The file that defines the catalogs: that of pnpm, or of Bun. */
const catalogFile: SharedFile = { fileNames: ['pnpm-workspace.yaml', 'package.json'], folder: undefined }

/** The aliases in the catalogs of a workspace. Its other packages have the names that dependencies have. */
export function* readCatalogs({ catalog, catalogs }: Table): Generator<Definitions> {
  const definitions = new Map<string, readonly string[]>()
  const all = [['default', catalog], ...Object.entries(isTable(catalogs) ? catalogs : {})] as const
  for (const [catalogName, ranges] of all) {
    for (const [name, range] of Object.entries(isTable(ranges) ? ranges : {})) {
      const aliased = typeof range === 'string' ? readAlias(range.trim()) : undefined
      if (aliased !== undefined && packageName.test(aliased))
        definitions.set(`${catalogName}:${name}`, [aliased])
    }
  }
  if (definitions.size > 0) yield { definitions }
}

/** The package's name, and the workspace with these members. */
function* readOwn({ name }: Table, members: unknown): Generator<OwnPackage | Workspace> {
  if (typeof name === 'string') yield { own: name, isUnique: false }
  yield* readWorkspace(readList(members))
}

/**
 * The packages that Lerna links with each other, in `lerna.json`. It declares none itself.
 *
 * @throws {Error} when it is not a JSON object
 */
function* parseLernaJson(content: string): Generator<Workspace> {
  const { packages, useWorkspaces } = parseJsonObject(content)
  if (useWorkspaces !== true) yield* readWorkspace(readList(packages ?? ['packages/*']))
}

/** The package in `npm:@scope/name@^1/path`, or in `jsr:@scope/name`. */
const specifier = /^(?:npm|jsr):\/?(@[^/@]+\/[^/@]+|[^/@]+)/

/**
 * The packages that a `deno.json`, a `deno.jsonc` or an import map takes from npm and JSR, in `imports` and `scopes`.
 * Imports of paths and URLs are not packages. `workspace` lists the members of a workspace.
 *
 * @throws {Error} when it is not a JSON object with comments and trailing commas, or a section is not an object
 */
function* parseDenoJson(content: string): Generator<string | OwnPackage | Workspace> {
  const document = parseJsonObject(removeComments(content))
  const { workspace } = document
  yield* readOwn(document, isTable(workspace) ? workspace.members : workspace)
  const scopes = Object.values(readTable(document, 'scopes')).filter(isTable)
  for (const target of [readTable(document, 'imports'), ...scopes].flatMap((map) => Object.values(map))) {
    const [, name] = (typeof target === 'string' && specifier.exec(target)) || []
    if (name !== undefined && packageName.test(name)) yield name
  }
}

/** Converts JSONC to JSON: removes comments, and commas before a closing bracket. */
function removeComments(content: string): string {
  const parts: string[] = []
  let comma = -1 // index of a comma that only white space and comments follow so far
  // An unclosed string or comment ends with the file, so that the search stays linear.
  const tokens = /"(?:[^"\\]|\\[\s\S])*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\s+|[^"/\s,}\]]+|[/,}\]]/g
  for (const [part] of content.matchAll(tokens)) {
    if (part.startsWith('//') || part.startsWith('/*') || part.trim() === '') {
      parts.push(part.replace(/\S/g, ' ')) // keeps the positions in messages
      continue
    }
    if ((part === '}' || part === ']') && comma !== -1) parts[comma] = ' '
    comma = part === ',' ? parts.length : -1
    parts.push(part)
  }
  return parts.join('')
}
