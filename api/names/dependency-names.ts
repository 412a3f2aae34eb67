/**
 * How names of dependencies are compared, in requests and loads alike: case-insensitively, and by the spelling rule of the
 * manifest's ecosystem.
 *
 * @module
 */
import { foldText } from './case-folding.ts'

/** How an ecosystem compares names of dependencies. */
interface Ecosystem {
  /** Starts the keys of its names. It is lower case, so no folded name starts with it. */
  prefix: string
  /** The base names of its manifests. */
  files: RegExp
  normalize(name: string): string
}

/** Not npm, JSR, Composer, RubyGems, Go and Maven: there another spelling is another package, except for case. */
const ecosystems: readonly Ecosystem[] = [
  // A requirements file may have any name: `requirements/dev.txt`. One other manifest ends in `.txt`.
  {
    prefix: 'python:',
    files: /^(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|(?!conanfile\.txt$).*\.(?:txt|in))$/,
    normalize: normalizePythonName,
  },
  { prefix: 'cargo:', files: /^Cargo\.toml$/, normalize: normalizeCrateName },
]

/** PEP 503: `Foo._Bar` and `foo-bar` are one project. */
export function normalizePythonName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase()
}

/** RFC 940: crates.io refuses a name that differs from another only in `-` and `_`. */
function normalizeCrateName(name: string): string {
  return name.replaceAll('_', '-')
}

/** The key of a dependency's name that a manifest declares. */
export function keyDependencyName(name: string, file: string): string {
  const ecosystem = ecosystems.find(({ files }) => files.test(file))
  return ecosystem === undefined ? foldText(name) : writeDependencyKey(keyIn(ecosystem, name))
}

/** A key in two parts: the prefix of an ecosystem, or nothing, and the name in its spelling. */
export interface DependencyKey {
  prefix: string
  name: string
}

/** Lists the keys that a requested name, or a part of one, may have: one for each ecosystem. */
export function listDependencyKeys(name: string): DependencyKey[] {
  return [{ prefix: '', name: foldText(name) }, ...ecosystems.map((ecosystem) => keyIn(ecosystem, name))]
}

/** A key as it is stored. */
export function writeDependencyKey({ prefix, name }: DependencyKey): string {
  return prefix + name
}

function keyIn({ prefix, normalize }: Ecosystem, name: string): DependencyKey {
  return { prefix, name: foldText(normalize(name)) }
}
