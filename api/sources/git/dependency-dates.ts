/** Dates when a repository's manifests have declared each dependency, first and last. */
import { keyDependencyName } from '../../names/dependency-names.ts'
import type { DependencyRecord } from '../../staging/records.ts'
import type { Declaration } from './manifest-tree.ts'
import { compareSets, type NameSet, type NameTable, noNames } from './name-table.ts'

/** A dependency over a repository's history; with its manifest's base name. */
export type GitDependency = Omit<DependencyRecord, 'url'>

interface Entry {
  dependency: GitDependency
  /** How many names declare it: of each path, and in each spelling. */
  declaredBy: number
}

/** The dependencies of a history. */
class Entries {
  readonly #table: NameTable
  /** By base names of manifests, then by numbers of names, in each spelling that was declared. */
  readonly #bySpelling = new Map<string, Map<number, Entry>>()
  /** By base names of manifests, then by keys of names. */
  readonly #byKey = new Map<string, Map<string, Entry>>()

  constructor(table: NameTable) {
    this.#table = table
  }

  list(): Entry[] {
    return [...this.#byKey.values()].flatMap((ofFile) => [...ofFile.values()])
  }

  add(dependency: GitDependency): Entry {
    const { dependency_name: name, dependency_file: fileName } = dependency.dependency
    const entry = { dependency, declaredBy: 0 }
    const ofFile = this.#byKey.get(fileName) ?? new Map<string, Entry>()
    this.#byKey.set(fileName, ofFile.set(keyDependencyName(name, fileName), entry))
    return entry
  }

  /** Finds the dependency of a name, whatever its spelling, or adds one that begins with the commit. */
  find(fileName: string, number: number, commit: string, date: number | null): Entry {
    const ofFile = this.#bySpelling.get(fileName) ?? new Map<number, Entry>()
    const known = ofFile.get(number)
    if (known !== undefined) return known
    const name = this.#table.read(number)
    const entry =
      this.#byKey.get(fileName)?.get(keyDependencyName(name, fileName)) ??
      this.add({
        first_use_date: date,
        last_use_date: null,
        updated_at: date,
        status: 'active',
        dependency: { dependency_name: name, dependency_file: fileName },
        added_commit_hash: commit,
        removed_commit_hash: null,
      })
    this.#bySpelling.set(fileName, ofFile.set(number, entry))
    return entry
  }
}

/**
 * Dates the dependencies that commits declare, in the order of the history. It unites all manifests of one base name:
 * in a monorepo, a dependency is in use as long as one package declares it, and a move between packages in one commit
 * changes nothing. A null date is unknown. The commit that added a dependency is the first one that declared it. Names
 * that differ only in their spelling are one dependency, with the spelling that was declared last. Clocks of committers
 * may be wrong, but a use never ends before it begins.
 *
 * With `known`, goes on from these dependencies, which are those of the first commit and of all before it. Returns
 * undefined if the first commit doesn't declare exactly those that are active.
 */
export function dateDependencies(
  table: NameTable,
  commits: Iterable<{ commit: string; date: number | null; declarations: readonly Declaration[] }>,
  known?: readonly GitDependency[],
): GitDependency[] | undefined {
  const namesByPath = new Map<string, NameSet>()
  const entries = new Entries(table)

  function isAsKnown(): boolean {
    const found = entries.list()
    return (
      found.length === known?.length &&
      found.every(({ dependency, declaredBy }) => declaredBy > 0 === (dependency.status === 'active'))
    )
  }

  for (const each of known ?? []) entries.add({ ...each })
  let isFirst = true
  for (const { commit, date, declarations } of commits) {
    // Compares the counts before and after the whole commit: what happens in between doesn't count.
    const before = new Map<Entry, number>()
    const spellings = new Map<Entry, string>()
    for (const { path, fileName, names } of declarations) {
      const previous = namesByPath.get(path) ?? noNames
      if (previous === names) continue
      namesByPath.set(path, names)
      for (const { name, isAdded } of compareSets(previous, names)) {
        const entry = entries.find(fileName, name, commit, date)
        if (!before.has(entry)) before.set(entry, entry.declaredBy)
        entry.declaredBy += isAdded ? 1 : -1
        if (!isAdded) continue
        // Of several spellings in one commit, whatever their order, one is taken.
        const [spelling, other] = [table.read(name), spellings.get(entry)]
        if (other === undefined || spelling < other) spellings.set(entry, spelling)
      }
    }
    if (isFirst && known !== undefined) {
      if (!isAsKnown()) return undefined
      isFirst = false
      continue
    }
    for (const [{ dependency }, dependency_name] of spellings) {
      dependency.dependency = { ...dependency.dependency, dependency_name }
    }
    for (const [{ dependency, declaredBy }, declaredBefore] of before) {
      if (declaredBefore > 0 === declaredBy > 0) continue
      dependency.status = declaredBy > 0 ? 'active' : 'removed'
      dependency.last_use_date =
        declaredBy > 0 || date === null ? null : Math.max(dependency.first_use_date ?? date, date)
      dependency.updated_at = date
      dependency.removed_commit_hash = declaredBy > 0 ? null : commit
    }
  }
  return entries.list().map(({ dependency }) => dependency)
}
