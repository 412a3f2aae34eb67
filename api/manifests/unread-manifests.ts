/**
 * Kinds of manifests that are known, but not read yet. An import says how many there are.
 *
 * @module
 */

const fileNames = new Set([
  'bower.json',
  'build.gradle',
  'build.gradle.kts',
  'build.sbt',
  'Cartfile',
  'conanfile.py',
  'conanfile.txt',
  'cpanfile',
  'deps.edn',
  'DESCRIPTION',
  'Directory.Packages.props',
  'elm.json',
  'environment.yaml',
  'environment.yml',
  'gems.rb',
  'gleam.toml',
  'libs.versions.toml',
  'mix.exs',
  'MODULE.bazel',
  'Package.swift',
  'packages.config',
  'paket.dependencies',
  'Podfile',
  'project.clj',
  'Project.toml',
  'pubspec.yaml',
  'rebar.config',
  'shard.yml',
  'vcpkg.json',
  'WORKSPACE',
])

const extensions = /\.(?:cabal|csproj|fsproj|nimble|opam|podspec|rockspec|vbproj)$/

const workflow = /^\.github\/workflows\/[^/]+\.ya?ml$/

/** Returns the kind of a manifest that isn't read: its base name, or its pattern where the base name says nothing. */
export function findUnreadKind(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (fileNames.has(name)) return name
  const [extension] = extensions.exec(name) ?? []
  if (extension !== undefined) return `*${extension}`
  return workflow.test(path) ? '.github/workflows' : undefined
}
