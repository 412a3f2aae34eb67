/**
 * What the parsers of manifests yield.
 *
 * @module
 */

/** A name that another file of the same commit may replace: `db.workspace = true` in a `Cargo.toml`. */
export interface Reference {
  /** A key of the other file's definitions, or a name with such keys in it: `spark-core_${scala.version}`. */
  key: string
  file: SharedFile
  /** Whether the key itself is the name if no file defines it. If not, the manifest is incomplete then. */
  isName: boolean
}

/** Longer paths of folders are ignored, in characters. */
export const maxPathLength = 4096

/** A file that other manifests refer to. */
export interface SharedFile {
  /** The names that it may have, perhaps below the folder. */
  fileNames: readonly string[]
  /**
   * Its folder, relative to that of the manifest. Undefined: the nearest folder, from the manifest's own upwards, whose file
   * has definitions.
   */
  folder: string | undefined
  /** What keys begin with in files of these names, which define names for several purposes. */
  prefix?: { text: string; fileNames: readonly string[] }
}

/** What other manifests may refer to. */
export interface Definitions {
  /** Names by key. None: a package of the same repository. */
  definitions: ReadonlyMap<string, readonly string[]>
  /** The file that defines further keys. */
  parent?: SharedFile | undefined
}

/** A name as the registry spells it, null for a name that only running the manifest would show, or one of the others. */
export type Declared = string | null | Reference | Definitions
