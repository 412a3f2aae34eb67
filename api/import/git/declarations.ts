/**
 * Tracks when a repository's manifests have declared each dependency, first and last.
 *
 * @module
 */

/** A dependency over a repository's history. Dates are Unix seconds. */
export interface GitDependency {
  dependency_name: string
  /** The manifest's base name. */
  dependency_file: string
  /** When a manifest first declared it. */
  first_use_date: number
  /** When the last declaration was removed; null while one is left. */
  last_use_date: number | null
  /** When it was last added, removed or restored. */
  updated_at: number
  status: 'active' | 'removed'
}

/** What the manifest at a path declares from a commit on. A deleted one declares nothing. */
export interface Declaration {
  path: string
  fileName: string
  names: ReadonlySet<string>
}

export interface Declarations {
  /** Applies the changes of a commit. Call it in the order of the history. */
  apply(date: number, changed: readonly Declaration[]): void
  /** By name, then file. */
  list(): GitDependency[]
}

interface Entry {
  dependency: GitDependency
  /** The number of paths that declare it. */
  declaredBy: number
}

/**
 * Creates a tracker. It unites all manifests of one base name: in a monorepo, a dependency is in use as long as one package
 * declares it, and a move between packages in one commit changes nothing.
 */
export function createDeclarations(): Declarations {
  const paths = new Map<string, ReadonlySet<string>>()
  const files = new Map<string, Map<string, Entry>>()

  function findEntry(fileName: string, name: string, date: number): Entry {
    const entries = files.get(fileName) ?? new Map<string, Entry>()
    files.set(fileName, entries)
    const entry = entries.get(name) ?? { dependency: createDependency(fileName, name, date), declaredBy: 0 }
    entries.set(name, entry)
    return entry
  }

  return {
    apply(date, changed) {
      // Compares the counts before and after the whole commit: what happens in between doesn't count.
      const before = new Map<Entry, number>()
      const count = (fileName: string, name: string, by: 1 | -1) => {
        const entry = findEntry(fileName, name, date)
        if (!before.has(entry)) before.set(entry, entry.declaredBy)
        entry.declaredBy += by
      }
      for (const { path, fileName, names } of changed) {
        const previous = paths.get(path)
        for (const name of names) if (!previous?.has(name)) count(fileName, name, 1)
        if (previous) for (const name of previous) if (!names.has(name)) count(fileName, name, -1)
        if (names.size > 0) paths.set(path, names)
        else paths.delete(path)
      }
      for (const [{ dependency, declaredBy }, declaredBefore] of before) {
        if (declaredBefore > 0 === declaredBy > 0) continue
        dependency.status = declaredBy > 0 ? 'active' : 'removed'
        dependency.last_use_date = declaredBy > 0 ? null : date
        dependency.updated_at = date
      }
    },
    list() {
      const dependencies = [...files.values()].flatMap((entries) => [...entries.values()])
      return dependencies.map((entry) => entry.dependency).sort(compareDependencies)
    },
  }
}

function createDependency(fileName: string, name: string, date: number): GitDependency {
  return {
    dependency_name: name,
    dependency_file: fileName,
    first_use_date: date,
    last_use_date: null,
    updated_at: date,
    status: 'active',
  }
}

function compareDependencies(a: GitDependency, b: GitDependency): number {
  return (
    compareText(a.dependency_name, b.dependency_name) || compareText(a.dependency_file, b.dependency_file)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
