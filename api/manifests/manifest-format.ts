/** What a format of manifests is: how its files are found, and what its parser yields. */
import type { Spelling } from '../names/dependency-names.ts'

/** A format. Each stands beside its parser, and in the list of `formats.ts`. */
export interface ManifestFormat {
  /**
   * What dependencies have as their file. Manifests are found by these base names, or by the end of one: `*.csproj`. A
   * name that only `paths` refers to may be a folder. The first one stands for the format.
   */
  files: readonly [string, ...string[]]
  /** Further paths that manifests are found by, with what dependencies have as their file then. Null: the base name. */
  paths?: readonly (readonly [path: RegExp, file: string | null])[]
  /** Paths that aren't manifests of this format all the same. */
  except?: RegExp
  /** How names of its dependencies are spelled. Without one, only case doesn't count. */
  spelling?: Spelling
  /** Formats that share packages, or workspaces. Without one, the format shares them with no other. */
  ecosystem?: 'maven' | 'npm'
  /** The name that dependencies have for a repository, whose key is given, if their names are repositories. */
  nameRepository?(urlKey: string): string
  /**
   * Whether the parser passes over what it doesn't know, as those of programs do. It would skip conflict markers of an
   * unfinished merge, so these are looked for before.
   */
  isLenient?: boolean
  /** Yields what a manifest declares. Takes linear time, because clones are untrusted, and never runs it. */
  parse(content: string): Iterable<Declared>
}

/**
 * A name as the registry spells it, null for a name that only running the manifest would show, or one of the others.
 */
export type Declared = string | null | Reference | Definitions | OwnPackage | Workspace

/** A name that another file of the same commit may replace: `db.workspace = true` in a `Cargo.toml`. */
export interface Reference {
  /** A key of the other file's definitions, or a name with such keys in it: `spark-core_${scala.version}`. */
  key: string
  file: SharedFile
  /** The name if no file defines the key. Null: the manifest is incomplete then. */
  name: string | null
}

/** Longer paths of folders are ignored, in characters. */
export const maxPathLength = 4096

/** A file that other manifests refer to. */
export interface SharedFile {
  /** The names that it may have, perhaps below the folder. */
  fileNames: readonly string[]
  /**
   * Its folder, relative to that of the manifest. Undefined: the nearest folder, from the manifest's own upwards, whose
   * file has definitions.
   */
  folder: string | undefined
  /** The package that it has to be, if that is known. Another package in its place defines nothing. */
  definer?: string
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

/** A package of the repository. */
export interface OwnPackage {
  /** Its name, or a name with keys in it: `core_${scala.version}`. */
  own: string
  /** The file that defines the keys. */
  parent?: SharedFile | undefined
  /**
   * Whether no other repository has a package of that name. If not, a dependency of that name is the repository's
   * package only in a workspace: an example called `tracing` isn't `tracing`.
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
