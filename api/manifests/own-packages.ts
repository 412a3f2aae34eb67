/**
 * What manifests say about packages of their own repository, which aren't dependencies.
 *
 * @module
 */
import { foldText } from '../names/case-folding.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import type { SharedFile } from './declared.ts'

/** A package of the repository. */
export interface OwnPackage {
  /** Its name, or a name with keys in it: `core_${scala.version}`. */
  own: string
  /** The file that defines the keys. */
  parent?: SharedFile | undefined
  /**
   * Whether no other repository has a package of that name. If not, a dependency of that name is the repository's package only in
   * a workspace: an example called `tracing` isn't `tracing`.
   */
  isUnique: boolean
}

/** Manifests that take packages from each other, whatever their registry has. */
export interface Workspace {
  /** Folders of the members, relative to that of the manifest, as patterns. Those with `!` aren't members. */
  members: readonly string[]
  /** Whether members take packages from each other, too, and not only the manifest itself. */
  isMutual: boolean
}

/** Yields the workspace with these members, if there are any. */
export function* readWorkspace(members: readonly unknown[], isMutual = true): Generator<Workspace> {
  const patterns = members.filter((member) => typeof member === 'string')
  if (patterns.length > 0) yield { members: patterns, isMutual }
}

const maven = ['build.gradle', 'build.gradle.kts', 'build.sbt', 'Dependencies.scala', 'pom.xml']
const npm = ['lerna.json', 'package.json', 'pnpm-workspace.yaml']

/** Formats that have packages of the same registry, or members of the same workspaces, as another one. */
const ecosystems = new Map([
  ...maven.map((format) => [format, 'maven'] as const),
  ...npm.map((format) => [format, 'npm'] as const),
])

/** Returns the ecosystem of a format: what is one package in all its manifests. */
export function findEcosystem(format: string): string {
  return ecosystems.get(format) ?? format
}

/** Tests whether a name is the repository itself, for formats whose names are repositories. `url` is that of the repository. */
export function createOwnTest(format: string, url: string): (name: string) => boolean {
  const isUrl = format === 'Package.swift'
  const isAction = format === '.github/workflows' || format === 'action.yml'
  if (!isUrl && !isAction) return () => false
  const [host = '', ...path] = keyRepositoryUrl(url).split('/')
  // An action's forge is the one that runs it. URLs of packages are read without a port.
  const own = (isUrl ? [host.replace(/:\d+$/, ''), ...path] : path).join('/')
  return (name) => foldText(name) === own
}
