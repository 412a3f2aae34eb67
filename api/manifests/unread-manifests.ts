/**
 * Kinds of manifests that are known, but not read yet. An import says how many there are.
 *
 * @module
 */

const fileNames = new Set([
  'bower.json',
  'Cartfile',
  'cpanfile',
  'deps.edn',
  'elm.json',
  'gleam.toml',
  'MODULE.bazel',
  'paket.dependencies',
  'project.clj',
  'Project.toml',
  'rebar.config',
  'shard.yml',
  'WORKSPACE',
])

const extensions = /\.(?:cabal|nimble|opam|rockspec)$/

/** Returns the kind of a manifest that isn't read: its base name, or its pattern where the base name says nothing. */
export function findUnreadKind(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (fileNames.has(name)) return name
  const [extension] = extensions.exec(name) ?? []
  return extension === undefined ? undefined : `*${extension}`
}
