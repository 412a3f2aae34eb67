/**
 * What the parsers of manifests yield.
 *
 * @module
 */

/** A name that another file of the same commit may replace: `db.workspace = true` in a `Cargo.toml`. */
export interface Reference {
  /** The name, unless the other file defines it. */
  key: string
  file: SharedFile
}

/** A file that other manifests refer to. */
export interface SharedFile {
  fileName: string
  /**
   * Its folder, relative to that of the manifest. Undefined: the nearest folder, from the manifest's own upwards, whose file
   * has definitions.
   */
  folder: string | undefined
}

/** What other manifests may refer to: names by their keys, and null for a package of the same repository. */
export interface Definitions {
  definitions: ReadonlyMap<string, string | null>
}

/** A name as the registry spells it, null for a name that only running the manifest would show, or one of the others. */
export type Declared = string | null | Reference | Definitions
