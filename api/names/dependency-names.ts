/**
 * How names of dependencies are compared, in requests and loads alike: case-insensitively, and by the spelling rule of
 * the manifest's ecosystem.
 */
import { foldText } from './case-folding.ts'

/** How an ecosystem compares names of dependencies. */
export interface Spelling {
  /** Starts the keys of its names. It is lower case, so no folded name starts with it. */
  prefix: string
  /** The files whose dependencies are keyed by it: keys are stored, and records name no format, only the file. */
  files: RegExp
  normalize(name: string): string
}

/** A requirements file may have any name: `requirements/dev.txt`. One other manifest ends in `.txt`. */
export const pythonSpelling: Spelling = {
  prefix: 'python:',
  files: /^(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|(?!conanfile\.txt$).*\.(?:txt|in))$/,
  normalize: normalizePythonName,
}

export const crateSpelling: Spelling = {
  prefix: 'cargo:',
  files: /^Cargo\.toml$/,
  // RFC 940: crates.io refuses a name that differs from another only in `-` and `_`.
  normalize: (name) => name.replaceAll('_', '-'),
}

/** Not npm, JSR, Composer, RubyGems, Go and Maven: there another spelling is another package, except for case. */
const spellings = [pythonSpelling, crateSpelling]

/** PEP 503: `Foo._Bar` and `foo-bar` are one project. */
export function normalizePythonName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase()
}

/** The spelling of the dependencies in a file. Undefined: only case doesn't count. */
export function findSpelling(file: string): Spelling | undefined {
  return spellings.find(({ files }) => files.test(file))
}

/** The key of a dependency's name that a manifest declares. */
export function keyDependencyName(name: string, file: string): string {
  const spelling = findSpelling(file)
  return spelling === undefined ? foldText(name) : writeDependencyKey(keyIn(spelling, name))
}

/** A key in two parts: the prefix of an ecosystem, or nothing, and the name in its spelling. */
export interface DependencyKey {
  prefix: string
  name: string
}

/** Lists the keys that a requested name, or a part of one, may have: one for each ecosystem. */
export function listDependencyKeys(name: string): DependencyKey[] {
  return [{ prefix: '', name: foldText(name) }, ...spellings.map((spelling) => keyIn(spelling, name))]
}

/** A key as it is stored. */
export function writeDependencyKey({ prefix, name }: DependencyKey): string {
  return prefix + name
}

/** Lists the keys that a requested name may have, as they are stored. */
export function listStoredKeys(name: string): string[] {
  return listDependencyKeys(name).map(writeDependencyKey)
}

function keyIn({ prefix, normalize }: Spelling, name: string): DependencyKey {
  return { prefix, name: foldText(normalize(name)) }
}
