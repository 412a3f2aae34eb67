/**
 * The manifests of a repository, commit by commit, and the names that they declare there: their own, and those that
 * other files of the same commit define for them. When such a file changes, so do the manifests that refer to it. Names
 * of the repository's own packages are left out.
 */
import { posix } from 'node:path'
import { isName, type ManifestContent } from '../../manifests/manifest.ts'
import type { SharedFile } from '../../manifests/manifest-format.ts'
import { addNamesOf, type NameMap, type NameSet, type NameTable } from './name-table.ts'
import { type PackageManifest, RepositoryPackages } from './repository-packages.ts'

/** What a version of a manifest declares. Versions of other blobs with the same names share them. */
export interface ManifestVersion extends PackageManifest {
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files may replace. */
  references: readonly { file: SharedFile; keys: NameMap }[]
  /** What other manifests may refer to, if they may. */
  definitions: NameMap | null
  /** The file that defines further keys, if there is one. */
  parent: SharedFile | null
  /** The number of its package's name, which has keys in it, and the file that defines these. */
  template: { key: number; file: SharedFile } | null
}

/** Stores what a manifest declares. */
export function createVersion(table: NameTable, content: ManifestContent): ManifestVersion {
  const byFile = Map.groupBy(content.references, ({ file }) => file)
  const [unique, others] = [new Set<string>(), new Set<string>()]
  let template: ManifestVersion['template'] = null
  for (const { own, parent, isUnique } of content.own) {
    if (parent !== undefined && own.includes('${')) template = { key: table.add(own), file: parent }
    else (isUnique ? unique : others).add(own)
  }
  return {
    ecosystem: content.ecosystem,
    names: table.addSet(content.names),
    isComputed: content.isComputed,
    references: Array.from(byFile, ([file, references]) => ({
      file,
      keys: table.addMap(new Map(references.map(({ key, name }) => [key, name === null ? [] : [name]]))),
    })),
    definitions: content.definitions && table.addMap(content.definitions),
    parent: content.parent,
    uniquePackages: table.addSet(unique),
    packages: table.addSet(others),
    members: table.addSet(new Set(content.workspace?.members)),
    isMutual: content.workspace?.isMutual ?? false,
    template,
  }
}

/** Whether names of a version may be those of other files. */
function isReferring({ references, template }: ManifestVersion): boolean {
  return references.length > 0 || template !== null
}

/** Whether a version may change what other manifests declare. */
export function concernsOthers({ definitions, uniquePackages, packages, members }: ManifestVersion): boolean {
  return definitions !== null || uniquePackages.length + packages.length + members.length > 0
}

/** Whether a version defines what the one before it did. */
function definesSame(before: ManifestVersion | undefined, version: ManifestVersion | null): boolean {
  if ((before?.definitions ?? null) !== (version?.definitions ?? null)) return false
  return (
    !version?.definitions ||
    (before?.uniquePackages === version.uniquePackages &&
      JSON.stringify(before.parent) === JSON.stringify(version.parent))
  )
}

/** What the manifest at a path declares from a commit on. A deleted one declares nothing. */
export interface Declaration {
  /** As Latin-1, which keeps every byte. */
  path: string
  fileName: string
  names: NameSet
}

/** A new version of the manifest at a path; null: it was deleted. */
export interface VersionChange {
  path: string
  fileName: string
  version: ManifestVersion | null
}

interface File {
  fileName: string
  version: ManifestVersion
  /** Whether it refers to names that no file defines. */
  isIncomplete: boolean
}

/** The manifests of a repository, as numbers. */
export interface ManifestCounts {
  /** Those that are read, by the name that dependencies have as their file. */
  read: ReadonlyMap<string, number>
  /** How many of these declare more, which only running them would show. */
  computed: number
}

/** Counts down. What a look-up takes grows with the lengths of paths, too. */
interface LookUps {
  left: number
}

/** What a file defines, and what keys begin with in it. */
interface FoundDefinitions {
  map: NameMap
  prefix: string | undefined
}

/** What the manifests of a commit declare, as far as that may have changed with it. */
export interface CommitDeclarations {
  declarations: Declaration[]
  /** Whether manifests keep names that others would have changed, because looking up all names again takes too long. */
  isIncomplete: boolean
  /** Paths of manifests that lack names of other files, because looking up all of them takes too long. */
  unresolved: string[]
  /** Paths of manifests whose names may be packages of the repository, because comparing all of them takes too long. */
  uncompared: string[]
}

/** A workspace of 500 crates with 50 references each may change some 2,000 times. */
const defaultMaxLookUps = 100_000_000

/** Files may be parents of each other. No project has nearly as many levels. */
const maxParents = 20

/** The manifests of a commit. */
export class ManifestTree {
  readonly #table: NameTable
  readonly #files = new Map<string, File>()
  /** The paths of manifests with references. */
  readonly #referring = new Set<string>()
  /** Folders in which files have ever had definitions, and those above them: names of files may have a folder. */
  readonly #definingFolders = new Set<string>()
  readonly #packages: RepositoryPackages
  /** For manifests that have changed themselves. Only hostile histories use it up. */
  readonly #ownLookUps: LookUps
  /** For other manifests. Large histories may use it up. */
  readonly #lookUps: LookUps

  /** `maxLookUps` limits how many names are looked up, and how many again because another file has changed. */
  constructor(table: NameTable, maxLookUps: number = defaultMaxLookUps) {
    this.#table = table
    this.#ownLookUps = { left: maxLookUps }
    this.#lookUps = { left: maxLookUps }
    this.#packages = new RepositoryPackages(table, this.#lookUps)
  }

  /** Moves on to the next commit. */
  apply(changes: readonly VersionChange[]): CommitDeclarations {
    const changed = new Map<string, string>()
    let areDefinitionsChanged = false
    for (const { path, fileName, version } of changes) {
      const before = this.#files.get(path)?.version
      if (!definesSame(before, version)) areDefinitionsChanged = true
      if (version !== null) this.#files.set(path, { fileName, version, isIncomplete: false })
      else if (before !== undefined) {
        this.#files.delete(path)
        this.#packages.delete(path)
      }
      if (version !== null && isReferring(version)) this.#referring.add(path)
      else this.#referring.delete(path)
      if (version?.definitions) {
        const folder = posix.dirname(path)
        this.#definingFolders.add(folder).add(posix.dirname(folder))
      }
      changed.set(path, fileName)
    }
    const unresolved = [...changed.keys()].filter((path) => !this.#update(path, this.#ownLookUps))
    let isIncomplete = false
    for (const path of areDefinitionsChanged ? this.#referring : []) {
      if (changed.has(path)) continue
      isIncomplete = this.#lookUps.left <= 0 || !this.#update(path, this.#lookUps)
      if (isIncomplete) break
      changed.set(path, this.#files.get(path)?.fileName ?? '')
    }
    const affected = this.#packages.takeAffected()
    for (const path of affected.paths) changed.set(path, this.#files.get(path)?.fileName ?? '')
    const uncompared: string[] = []
    const declarations = Array.from(changed, ([path, fileName]) => {
      const { names, isCutShort } = this.#packages.readDependencies(path)
      if (isCutShort) uncompared.push(path)
      return { path, fileName, names }
    })
    return { declarations, isIncomplete: isIncomplete || affected.isIncomplete, unresolved, uncompared }
  }

  /** Counts the manifests of the commit. */
  count(): ManifestCounts {
    const read = new Map<string, number>()
    let computed = 0
    for (const { fileName, version, isIncomplete } of this.#files.values()) {
      read.set(fileName, (read.get(fileName) ?? 0) + 1)
      if (version.isComputed || isIncomplete) computed++
    }
    return { read, computed }
  }

  /**
   * Looks up what a manifest declares with the files that it refers to. Returns false if some of it was left out: then a
   * manifest that hasn't changed itself keeps its names.
   */
  #update(path: string, lookUps: LookUps): boolean {
    const file = this.#files.get(path)
    if (file === undefined) return true
    const { version } = file
    if (!isReferring(version)) {
      this.#packages.set(path, version)
      return true
    }
    lookUps.left -= version.names.length / 4
    const names = new Set(version.names)
    let isIncomplete = false
    let areAllLookedUp = true
    const find = (shared: SharedFile): FoundDefinitions[] => {
      areAllLookedUp &&= lookUps.left > 0
      return areAllLookedUp ? this.#findDefinitions(path, shared, lookUps) : []
    }
    for (const { file: shared, keys } of version.references) {
      const definitions = find(shared)
      lookUps.left -= (keys.length / 2) * Math.max(1, definitions.length)
      for (let at = 0; at < keys.length; at += 2) {
        const [key = 0, name = 0] = keys.subarray(at, at + 2)
        if (definitions.some(({ prefix, map }) => addNamesOf(this.#prefix(key, prefix), map, names))) continue
        if (name !== 0) names.add(name)
        else if (!this.#addFilledName(key, definitions, names, lookUps)) isIncomplete = true
      }
    }
    let { uniquePackages } = version
    if (version.template !== null) {
      const { key, file: shared } = version.template
      const own = new Set<number>()
      if (this.#addFilledName(key, find(shared), own, lookUps)) uniquePackages = this.#table.addNumbers(own)
    }
    if (!areAllLookedUp && lookUps !== this.#ownLookUps) return false
    file.isIncomplete = isIncomplete
    this.#packages.set(path, { ...version, names: this.#table.addNumbers(names), uniquePackages })
    return areAllLookedUp
  }

  /** Adds a name with keys in it. Returns whether all of them are defined. */
  #addFilledName(
    template: number,
    definitions: readonly FoundDefinitions[],
    names: Set<number>,
    lookUps: LookUps,
  ): boolean {
    const text = this.#table.read(template)
    const name = text.replace(/\$\{([^{}]*)\}/g, (written, key: string) => {
      const values = new Set<number>()
      lookUps.left -= definitions.length
      definitions.some(({ map }) => addNamesOf(this.#table.add(key), map, values))
      const [value] = values
      return value === undefined ? written : this.#table.read(value)
    })
    if (name === text || name.includes('${') || !isName(name)) return false
    names.add(this.#table.add(name))
    return true
  }

  #prefix(key: number, prefix: string | undefined): number {
    return prefix === undefined ? key : this.#table.add(prefix + this.#table.read(key))
  }

  /** The definitions of a file, and of its parents. */
  #findDefinitions(path: string, file: SharedFile, lookUps: LookUps): FoundDefinitions[] {
    const found: FoundDefinitions[] = []
    let from = path
    for (let next: SharedFile | null = file; next !== null && found.length < maxParents; ) {
      const at = this.#findFile(from, next, lookUps)
      const version = at === undefined ? undefined : this.#files.get(at)?.version
      if (at === undefined || !version?.definitions || !this.#isDefiner(version, next)) break
      const { definitions, parent } = version
      const isPrefixed = next.prefix?.fileNames.includes(posix.basename(at))
      found.push({ map: definitions, prefix: isPrefixed ? next.prefix?.text : undefined })
      from = at
      next = parent
    }
    return found
  }

  /** Whether a version is the package that a file has to be, as far as both are known. */
  #isDefiner({ uniquePackages }: ManifestVersion, { definer }: SharedFile): boolean {
    if (definer === undefined || uniquePackages.length === 0) return true
    return uniquePackages.some((number) => this.#table.read(number) === definer)
  }

  /** Finds the path of a file that has definitions. */
  #findFile(path: string, { fileNames, folder }: SharedFile, lookUps: LookUps): string | undefined {
    const find = (at: string) => {
      lookUps.left -= 1 + at.length / 4
      const paths = fileNames.map((name) => (at === '.' ? name : `${at}/${name}`))
      return paths.find((each) => this.#files.get(each)?.version.definitions)
    }
    const own = posix.dirname(path)
    if (folder !== undefined) {
      lookUps.left -= folder.length / 4
      return find(posix.join(own, Buffer.from(folder).toString('latin1')).replace(/\/$/, '')) // as paths are
    }
    for (let at = own; ; at = posix.dirname(at)) {
      lookUps.left -= at.length / 64
      const found = this.#definingFolders.has(at) ? find(at) : undefined
      if (found !== undefined || at === '.' || at === '/') return found
    }
  }
}
