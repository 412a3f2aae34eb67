/**
 * The manifests of a repository, commit by commit, and the names that they declare there: their own, and those that other
 * files of the same commit define for them. When such a file changes, so do the manifests that refer to it.
 *
 * @module
 */
import { posix } from 'node:path'
import type { SharedFile } from '../../manifests/declared.ts'
import type { ManifestContent } from '../../manifests/manifest.ts'
import { findName, type NameMap, type NameSet, type NameTable, noNames } from './name-table.ts'

/** What a version of a manifest declares. Versions of other blobs with the same names share them. */
export interface ManifestVersion {
  names: NameSet
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files may replace. */
  references: readonly { file: SharedFile; keys: NameSet }[]
  /** What other manifests may refer to, if they may. */
  definitions: NameMap | null
}

/** Stores what a manifest declares. */
export function createVersion(table: NameTable, content: ManifestContent): ManifestVersion {
  const byFile = Map.groupBy(content.references, ({ file }) => file)
  return {
    names: table.addSet(content.names),
    isComputed: content.isComputed,
    references: Array.from(byFile, ([file, references]) => ({
      file,
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
      else this.#files.set(path, { fileName, version })
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

  #listNames(path: string): NameSet {
    const version = this.#files.get(path)?.version
    if (version === undefined) return noNames
    if (version.references.length === 0) return version.names
    const names = new Set(version.names)
    for (const { file, keys } of version.references) {
      const definitions = this.#findDefinitions(path, file)
      for (const key of keys) {
        const name = (definitions && findName(definitions, key)) ?? key
        if (name !== 0) names.add(name)
      }
    }
    return this.#table.addNumbers(names)
  }

  #findDefinitions(path: string, { fileName, folder }: SharedFile): NameMap | null {
    const own = posix.dirname(path)
    if (folder !== undefined) {
      const named = posix.join(own, Buffer.from(folder).toString('latin1'), fileName) // as paths are
      return this.#files.get(named)?.version.definitions ?? null
    }
    for (let at = own; ; at = posix.dirname(at)) {
      const definitions = this.#files.get(posix.join(at, fileName))?.version.definitions
      if (definitions || at === '.' || at === '/') return definitions ?? null
    }
  }
}
