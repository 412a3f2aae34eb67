/**
 * The manifests of a repository, commit by commit, and the names that they declare there: their own, and those that other
 * files of the same commit define for them. When such a file changes, so do the manifests that refer to it.
 *
 * @module
 */
import { posix } from 'node:path'
import type { SharedFile } from '../../manifests/declared.ts'
import type { ManifestContent } from '../../manifests/manifest.ts'
import { addNamesOf, type NameMap, type NameSet, type NameTable, noNames } from './name-table.ts'

/** What a version of a manifest declares. Versions of other blobs with the same names share them. */
export interface ManifestVersion {
  names: NameSet
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files may replace. */
  references: readonly { file: SharedFile; areNames: boolean; keys: NameSet }[]
  /** What other manifests may refer to, if they may. */
  definitions: NameMap | null
}

/** Stores what a manifest declares. */
export function createVersion(table: NameTable, content: ManifestContent): ManifestVersion {
  const byFile = Map.groupBy(content.references, ({ file }) => file) // each file has one kind of references
  return {
    names: table.addSet(content.names),
    isComputed: content.isComputed,
    references: Array.from(byFile, ([file, references]) => ({
      file,
      areNames: references.some(({ isName }) => isName),
      keys: table.addSet(references.map(({ key }) => key)),
    })),
    definitions: content.definitions && table.addMap(content.definitions),
  }
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
  /** Whether it refers to what no other file defines. */
  isUndefined: boolean
}

/** The manifests of a repository, as numbers. */
export interface ManifestCounts {
  /** Those that are read, by the name that dependencies have as their file. */
  read: Map<string, number>
  /** How many of these declare more, which only running them would show. */
  computed: number
}

/** What the manifests of a commit declare, as far as that may have changed with it. */
export interface CommitDeclarations {
  declarations: Declaration[]
  /** Whether manifests keep names that another file no longer defines, because looking up all names again takes too long. */
  isIncomplete: boolean
}

/** A workspace of 500 crates with 50 references each may change 4,000 times. */
const defaultMaxLookUps = 100_000_000

/** The manifests of a commit. */
export class ManifestTree {
  readonly #table: NameTable
  readonly #files = new Map<string, File>()
  /** The paths of manifests with references. */
  readonly #referring = new Set<string>()
  #lookUpsLeft: number

  /** `maxLookUps` limits how many names are looked up again because a file that defines them has changed. */
  constructor(table: NameTable, maxLookUps: number = defaultMaxLookUps) {
    this.#table = table
    this.#lookUpsLeft = maxLookUps
  }

  /** Moves on to the next commit. */
  apply(changes: readonly VersionChange[]): CommitDeclarations {
    const changed = new Map<string, string>()
    let areDefinitionsChanged = false
    for (const { path, fileName, version } of changes) {
      const before = this.#files.get(path)?.version.definitions ?? null
      if (before !== (version?.definitions ?? null)) areDefinitionsChanged = true
      if (version === null) this.#files.delete(path)
      else this.#files.set(path, { fileName, version, isUndefined: false })
      if (version !== null && version.references.length > 0) this.#referring.add(path)
      else this.#referring.delete(path)
      changed.set(path, fileName)
    }
    const isIncomplete = areDefinitionsChanged && this.#lookUpsLeft <= 0
    if (areDefinitionsChanged && !isIncomplete) {
      for (const path of this.#referring) {
        const { fileName, version } = this.#files.get(path) ?? {}
        if (fileName === undefined || version === undefined) continue
        changed.set(path, fileName)
        for (const { keys } of version.references) this.#lookUpsLeft -= keys.length
      }
    }
    const declarations = Array.from(changed, ([path, fileName]) => ({
      path,
      fileName,
      names: this.#listNames(path),
    }))
    return { declarations, isIncomplete }
  }

  /** Counts the manifests of the commit. */
  count(): ManifestCounts {
    const counts: ManifestCounts = { read: new Map(), computed: 0 }
    for (const { fileName, version, isUndefined } of this.#files.values()) {
      counts.read.set(fileName, (counts.read.get(fileName) ?? 0) + 1)
      if (version.isComputed || isUndefined) counts.computed++
    }
    return counts
  }

  #listNames(path: string): NameSet {
    const manifest = this.#files.get(path)
    if (manifest === undefined) return noNames
    const { version } = manifest
    if (version.references.length === 0) return version.names
    manifest.isUndefined = false
    const names = new Set(version.names)
    for (const { file, areNames, keys } of version.references) {
      const definitions = this.#findDefinitions(path, file) ?? noNames
      for (const key of keys) {
        if (addNamesOf(key, definitions, names)) continue
        if (areNames) names.add(key)
        else manifest.isUndefined = true
      }
    }
    return this.#table.addNumbers(names)
  }

  #findDefinitions(path: string, { fileNames, folder }: SharedFile): NameMap | null {
    const read = (at: string) =>
      fileNames
        .map((fileName) => this.#files.get(posix.join(at, fileName))?.version.definitions)
        .find((definitions) => definitions) ?? null
    const own = posix.dirname(path)
    if (folder !== undefined) return read(posix.join(own, Buffer.from(folder).toString('latin1'))) // as paths are
    for (let at = own; ; at = posix.dirname(at)) {
      const definitions = read(at)
      if (definitions || at === '.' || at === '/') return definitions
    }
  }
}
