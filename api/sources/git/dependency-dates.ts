/** Dates when a repository's manifests have declared each dependency, first and last. */
import type { DependencyRecord } from '../../staging/records.ts'
import type { Declaration } from './manifest-tree.ts'
import { compareSets, type NameSet, type NameTable, noNames } from './name-table.ts'

/** A dependency over a repository's history; with its manifest's base name. */
export type GitDependency = Omit<DependencyRecord, 'url'>

interface Entry {
  dependency: GitDependency
  /** The number of paths that declare it. */
  declaredBy: number
}

/**
 * Dates the dependencies that commits declare, in the order of the history. It unites all manifests of one base name:
 * in a monorepo, a dependency is in use as long as one package declares it, and a move between packages in one commit
 * changes nothing. A null date is unknown. The commit that added a dependency is the first one that declared it.
 *
 * With `known`, goes on from these dependencies, which are those of the first commit and of all before it. Returns
 * undefined if the first commit doesn't declare exactly those that are active.
 */
export function dateDependencies(
  table: NameTable,
  commits: Iterable<{ commit: string; date: number | null; declarations: readonly Declaration[] }>,
  known?: readonly GitDependency[],
): GitDependency[] | undefined {
  const dependencies: GitDependency[] = []
  const namesByPath = new Map<string, NameSet>()
  /** By base names of manifests, then by numbers of names. */
  const entriesByFile = new Map<string, Map<number, Entry>>()

  function addEntry(name: number, dependency: GitDependency): Entry {
    const { dependency_file: fileName } = dependency.dependency
    const entry = { dependency, declaredBy: 0 }
    const entries = entriesByFile.get(fileName) ?? new Map<number, Entry>()
    entriesByFile.set(fileName, entries.set(name, entry))
    dependencies.push(dependency)
    return entry
  }

  function findEntry(fileName: string, name: number, commit: string, date: number | null): Entry {
    return (
      entriesByFile.get(fileName)?.get(name) ??
      addEntry(name, {
        first_use_date: date,
        last_use_date: null,
        updated_at: date,
        status: 'active',
        dependency: { dependency_name: table.read(name), dependency_file: fileName },
        added_commit_hash: commit,
        removed_commit_hash: null,
      })
    )
  }

  function isAsKnown(): boolean {
    const entries = [...entriesByFile.values()].flatMap((each) => [...each.values()])
    return (
      dependencies.length === known?.length &&
      entries.every(({ dependency, declaredBy }) => declaredBy > 0 === (dependency.status === 'active'))
    )
  }

  for (const each of known ?? []) addEntry(table.add(each.dependency.dependency_name), { ...each })
  let isFirst = true
  for (const { commit, date, declarations } of commits) {
    // Compares the counts before and after the whole commit: what happens in between doesn't count.
    const before = new Map<Entry, number>()
    for (const { path, fileName, names } of declarations) {
      const previous = namesByPath.get(path) ?? noNames
      if (previous === names) continue
      namesByPath.set(path, names)
      for (const { name, isAdded } of compareSets(previous, names)) {
        const entry = findEntry(fileName, name, commit, date)
        if (!before.has(entry)) before.set(entry, entry.declaredBy)
        entry.declaredBy += isAdded ? 1 : -1
      }
    }
    if (isFirst && known !== undefined) {
      if (!isAsKnown()) return undefined
      isFirst = false
      continue
    }
    for (const [{ dependency, declaredBy }, declaredBefore] of before) {
      if (declaredBefore > 0 === declaredBy > 0) continue
      dependency.status = declaredBy > 0 ? 'active' : 'removed'
      dependency.last_use_date = declaredBy > 0 ? null : date
      dependency.updated_at = date
      dependency.removed_commit_hash = declaredBy > 0 ? null : commit
    }
  }
  return dependencies
}
