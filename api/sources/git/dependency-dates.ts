/**
 * Dates when a repository's manifests have declared each dependency, first and last.
 *
 * @module
 */
import type { DependencyRecord } from '../../dataset/records.ts'

/** A dependency over a repository's history; with its manifest's base name. */
export type GitDependency = Omit<DependencyRecord, 'url'>

/** What the manifest at a path declares from a commit on. A deleted one declares nothing. */
export interface Declaration {
  path: string
  fileName: string
  names: ReadonlySet<string>
}

interface Entry {
  dependency: GitDependency
  /** The number of paths that declare it. */
  declaredBy: number
}

/**
 * Dates the dependencies that commits declare, in the order of the history. It unites all manifests of one base name: in a
 * monorepo, a dependency is in use as long as one package declares it, and a move between packages in one commit changes
 * nothing.
 */
export function dateDependencies(
  commits: Iterable<{ date: number; declarations: readonly Declaration[] }>,
): GitDependency[] {
  const namesByPath = new Map<string, ReadonlySet<string>>()
  const entries = new Map<string, Entry>()

  function findEntry(fileName: string, name: string, date: number): Entry {
    const key = `${fileName}\0${name}` // neither contains a NUL
    const known = entries.get(key)
    if (known !== undefined) return known
    const dependency: GitDependency = {
      first_use_date: date,
      last_use_date: null,
      updated_at: date,
      status: 'active',
      dependency: { dependency_name: name, dependency_file: fileName },
    }
    const entry = { dependency, declaredBy: 0 }
    entries.set(key, entry)
    return entry
  }

  for (const { date, declarations } of commits) {
    // Compares the counts before and after the whole commit: what happens in between doesn't count.
    const before = new Map<Entry, number>()
    for (const { path, fileName, names } of declarations) {
      const previous = namesByPath.get(path) ?? new Set<string>()
      namesByPath.set(path, names)
      for (const name of new Set([...previous, ...names])) {
        const change = Number(names.has(name)) - Number(previous.has(name))
        if (change === 0) continue
        const entry = findEntry(fileName, name, date)
        if (!before.has(entry)) before.set(entry, entry.declaredBy)
        entry.declaredBy += change
      }
    }
    for (const [{ dependency, declaredBy }, declaredBefore] of before) {
      if (declaredBefore > 0 === declaredBy > 0) continue
      dependency.status = declaredBy > 0 ? 'active' : 'removed'
      dependency.last_use_date = declaredBy > 0 ? null : date
      dependency.updated_at = date
    }
  }
  return Array.from(entries.values(), ({ dependency }) => dependency)
}
