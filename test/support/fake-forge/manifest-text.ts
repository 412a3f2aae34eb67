/** Manifests that declare given packages, as the tools of each ecosystem write them. */
import { createRandom } from '../../../sample/random.ts'
import { languages } from '../../../sample/vocabulary/packages.ts'

/** A manifest of a language, and the packages that it may declare. */
export interface ManifestKind {
  file: string
  packages: readonly string[]
  format(names: readonly string[]): string
}

const formats: Record<string, (names: readonly string[]) => string> = {
  'package.json': (names) => formatJson('dependencies', names, '^1.0.0'),
  'composer.json': (names) => formatJson('require', names, '^1.0'),
  'requirements.txt': (names) => names.map((name) => `${name}>=1.0\n`).join(''),
  'go.mod': (names) =>
    `module example.com/service\n\ngo 1.22\n\nrequire (\n${names.map((name) => `\t${name} v1.0.0\n`).join('')})\n`,
  'Cargo.toml': (names) =>
    `[package]\nname = "service"\nversion = "0.1.0"\n\n[dependencies]\n${names.map((name) => `${name} = "1"\n`).join('')}`,
  Gemfile: (names) =>
    `source 'https://rubygems.org'\n${names.map((name) => `gem '${name}', '~> 1.0'\n`).join('')}`,
  'pom.xml': (names) =>
    `<project>\n  <dependencies>\n${names.map(formatArtifact).join('')}  </dependencies>\n</project>\n`,
}

function formatJson(field: string, names: readonly string[], version: string): string {
  const declared = Object.fromEntries(names.map((name) => [name, version]))
  return `${JSON.stringify({ name: 'example/service', [field]: declared }, null, 2)}\n`
}

function formatArtifact(name: string): string {
  const [group, artifact] = name.split(':')
  return `    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>1.0</version></dependency>\n`
}

/** The manifest of a primary language; undefined when it has none. */
export function findManifestKind(language: string | null): ManifestKind | undefined {
  const ecosystem = languages.find(({ name }) => name === language)?.ecosystem
  const file = ecosystem?.files[0]
  const format = file === undefined ? undefined : formats[file]
  if (ecosystem === undefined || file === undefined || format === undefined) return undefined
  return { file, packages: ecosystem.packages, format }
}

/** A history of declarations: each entry is the manifest's content after a change. */
export function createManifestHistory(seed: string, kind: ManifestKind, length: number): string[] {
  const random = createRandom(seed)
  let names = random.sampleByRank(kind.packages, random.integer(1, 8))
  return Array.from({ length }, () => {
    const content = kind.format([...names].sort())
    const isRemoval = names.length > 1 && random.chance(0.3)
    names = isRemoval
      ? random.shuffle(names).slice(1)
      : [...new Set([...names, random.pickSkewed(kind.packages)])]
    return content
  })
}
