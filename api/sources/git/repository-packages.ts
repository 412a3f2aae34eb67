/** The packages of a repository itself, commit by commit. Manifests that declare them don't depend on them. */
import { posix } from 'node:path'
import { expandBraces, type FolderPatterns, hasFolder } from '../../manifests/wildcards.ts'
import { type NameSet, type NameTable, noNames } from './name-table.ts'

/** What counts of a manifest. */
export interface PackageManifest {
  ecosystem: string
  /** All names that it declares, packages of the repository included. */
  names: NameSet
  /** Its packages whose names no other repository has. */
  uniquePackages: NameSet
  /** Its packages that only members of a workspace take from the repository. */
  packages: NameSet
  /** Folders of the workspace's members, as patterns; none: it has no workspace. */
  members: NameSet
  /** Whether the members take packages from each other, too, and not only the manifest itself. */
  isMutual: boolean
}

interface WorkspaceOfTree {
  root: Entry
  isMutual: boolean
  included: FolderPatterns
  excluded: FolderPatterns
  /** The length of all patterns with wildcards. */
  length: number
}

interface Entry {
  /** As Latin-1, which keeps every byte. */
  path: string
  folder: string
  ecosystem: Ecosystem
  manifest: PackageManifest
  /** The workspaces that it was a member of when its ecosystem had this edition. */
  workspaces: readonly WorkspaceOfTree[]
  edition: number
}

/** The manifests of one ecosystem. */
class Ecosystem {
  readonly entries = new Set<Entry>()
  /** By number of a name. */
  readonly uniquePackages = new Map<number, number>()
  readonly packages = new Map<number, Set<Entry>>()
  /** By path. */
  readonly workspaces = new Map<string, WorkspaceOfTree>()
  /** Counts up when a workspace changes. */
  edition = 0
  /** Names that may have become those of a package of the repository, or not, since this was last asked for. */
  readonly changed = new Set<number>()
  /** Whether this may be so of any name. */
  isAllChanged = false
}

/** The packages of a commit. */
export class RepositoryPackages {
  readonly #table: NameTable
  readonly #ecosystems = new Map<string, Ecosystem>()
  readonly #entries = new Map<string, Entry>()
  readonly #budget: { left: number }
  /** Whether comparisons were left out since `readDependencies` began. */
  #isCutShort = false

  /** `budget` limits how many comparisons are made because packages or workspaces have changed. */
  constructor(table: NameTable, budget: { left: number }) {
    this.#table = table
    this.#budget = budget
  }

  /** Replaces what the manifest at a path says. */
  set(path: string, manifest: PackageManifest): void {
    const known = this.#entries.get(path)
    const ecosystem = known?.ecosystem ?? this.#ecosystems.get(manifest.ecosystem) ?? new Ecosystem()
    const folder = posix.dirname(path)
    const entry = known ?? { path, folder, ecosystem, manifest, workspaces: [], edition: -1 }
    if (known === undefined) {
      this.#ecosystems.set(manifest.ecosystem, ecosystem)
      this.#entries.set(path, entry)
      ecosystem.entries.add(entry)
    }
    this.#noteChange(entry, known?.manifest, manifest)
    entry.manifest = manifest
  }

  /** Removes the manifest at a path. */
  delete(path: string): void {
    const entry = this.#entries.get(path)
    if (entry === undefined) return
    this.#entries.delete(path)
    entry.ecosystem.entries.delete(entry)
    this.#noteChange(entry, entry.manifest, undefined)
  }

  #noteChange(entry: Entry, before: PackageManifest | undefined, after: PackageManifest | undefined): void {
    const { ecosystem } = entry
    // Equal sets of a table are the same.
    if (before?.members !== after?.members || before?.isMutual !== after?.isMutual) {
      ecosystem.workspaces.delete(entry.path)
      if (after !== undefined && after.members.length > 0) {
        ecosystem.workspaces.set(entry.path, this.#createWorkspace(entry, after))
      }
      if ((before?.members.length ?? 0) + (after?.members.length ?? 0) > 0) {
        ecosystem.edition++
        ecosystem.isAllChanged = true
      }
    }
    if (before?.uniquePackages !== after?.uniquePackages) {
      for (const name of before?.uniquePackages ?? noNames) addTo(ecosystem.uniquePackages, name, -1)
      for (const name of after?.uniquePackages ?? noNames) addTo(ecosystem.uniquePackages, name, 1)
      for (const names of [before, after]) {
        for (const name of names?.uniquePackages ?? noNames) ecosystem.changed.add(name)
      }
    }
    if (before?.packages !== after?.packages) {
      for (const name of before?.packages ?? noNames) ecosystem.packages.get(name)?.delete(entry)
      for (const name of after?.packages ?? noNames) {
        const entries = ecosystem.packages.get(name) ?? new Set()
        ecosystem.packages.set(name, entries.add(entry))
      }
      if (ecosystem.workspaces.size === 0) return
      for (const names of [before, after]) {
        for (const name of names?.packages ?? noNames) ecosystem.changed.add(name)
      }
    }
  }

  #createWorkspace(root: Entry, { members, isMutual }: PackageManifest): WorkspaceOfTree {
    const [included, excluded] = [createPatterns(), createPatterns()]
    for (const number of members) {
      const text = Buffer.from(this.#table.read(number)).toString('latin1') // as paths are
      const isExcluded = text.startsWith('!')
      const patterns = expandBraces(isExcluded ? text.slice(1) : text)
      // Expanded ones may take much memory. If some are left out, the next `takeAffected` says so.
      const characters = patterns.length * root.folder.length + patterns.join('').length
      this.#budget.left -= characters * (patterns.length > 1 ? 4 : 0.25)
      if (this.#budget.left <= 0) break
      for (const pattern of patterns) {
        const path = posix.join(root.folder, pattern).replace(/\/$/, '')
        const { paths, wild } = isExcluded ? excluded : included
        if (/[*?]/.test(path)) wild.push(path.split('/'))
        else paths.add(path)
      }
    }
    const length = [...included.wild, ...excluded.wild].flat().reduce((sum, part) => sum + part.length, 0)
    return { root, isMutual, included, excluded, length }
  }

  /**
   * Takes the changes since the last call, and lists the paths of manifests for which `readDependencies` may have
   * another result, beside those that changed themselves. The list is incomplete when finding out would take too long.
   */
  takeAffected(): { paths: string[]; isIncomplete: boolean } {
    const paths: string[] = []
    let isIncomplete = false
    for (const ecosystem of this.#ecosystems.values()) {
      const { entries, changed, isAllChanged } = ecosystem
      if (changed.size === 0 && !isAllChanged) continue
      if (this.#budget.left <= 0) isIncomplete = true
      else {
        this.#budget.left -= entries.size
        for (const { path, manifest } of entries) {
          if (!isAllChanged && !hasAny(manifest.names, changed)) continue
          this.#budget.left -= manifest.names.length
          paths.push(path)
        }
      }
      changed.clear()
      ecosystem.isAllChanged = false
    }
    return { paths, isIncomplete }
  }

  /**
   * Returns the names that the manifest at a path declares, without those of the repository's own packages. Some of
   * these may be among them if finding out would take too long: `isCutShort`.
   */
  readDependencies(path: string): { names: NameSet; isCutShort: boolean } {
    this.#isCutShort = false
    const entry = this.#entries.get(path)
    if (entry === undefined) return { names: noNames, isCutShort: false }
    const { ecosystem } = entry
    const { names } = entry.manifest
    if (ecosystem.uniquePackages.size === 0 && ecosystem.workspaces.size === 0)
      return { names, isCutShort: false }
    const left = names.filter((name) => !this.#isOwn(entry, name))
    const isUnchanged = left.length === names.length
    return { names: isUnchanged ? names : this.#table.addNumbers(left), isCutShort: this.#isCutShort }
  }

  #isOwn(user: Entry, name: number): boolean {
    const { ecosystem } = user
    if (ecosystem.uniquePackages.has(name)) return true
    if (ecosystem.workspaces.size === 0) return false
    for (const entry of ecosystem.packages.get(name) ?? []) {
      if (--this.#budget.left <= 0) {
        this.#isCutShort = true
        return false
      }
      const shared = this.#findWorkspaces(entry)
      if (shared.length === 0) continue
      const own = this.#findWorkspaces(user)
      if (shared.some((each) => (each.isMutual ? own.includes(each) : each.root === user))) return true
    }
    return false
  }

  /** The workspaces that have a manifest as their root or as a member. */
  #findWorkspaces(entry: Entry): readonly WorkspaceOfTree[] {
    const { ecosystem } = entry
    if (entry.edition === ecosystem.edition) return entry.workspaces
    if (this.#budget.left <= 0) {
      this.#isCutShort = true
      return entry.workspaces
    }
    entry.edition = ecosystem.edition
    entry.workspaces = [...ecosystem.workspaces.values()].filter(({ root, included, excluded, length }) => {
      if (root.folder === entry.folder) return true
      // Most comparisons end early. Hostile ones take the product of both lengths.
      this.#budget.left -= 1 + (length * entry.folder.length) / 4
      if (this.#budget.left <= 0) {
        this.#isCutShort = true
        return false
      }
      return hasFolder(included, entry.folder) && !hasFolder(excluded, entry.folder)
    })
    return entry.workspaces
  }
}

function createPatterns() {
  return { paths: new Set<string>(), wild: [] as string[][] }
}

/**
 * Whether a set has one of these names. Mostly these are one or two, and `includes` is a few times as fast as a look-up
 * in them.
 */
function hasAny(names: NameSet, wanted: ReadonlySet<number>): boolean {
  if (wanted.size > 4) return names.some((name) => wanted.has(name))
  for (const name of wanted) if (names.includes(name)) return true
  return false
}

function addTo(counts: Map<number, number>, key: number, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
