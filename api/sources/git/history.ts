/**
 * Reads a clone's dependencies over time from the history of its manifests.
 *
 * The history is the mainline: HEAD, its first parent, and so on. The repository had these states one after the other,
 * so first and last use are unambiguous. A merged branch counts from the merge on: merges are compared with their first
 * parent.
 *
 * Dates are committer dates, when a change entered this history. An author date may be years older. A change of a
 * commit whose date git can't read has no date: the dates around it are those of other changes.
 *
 * A version of a manifest that does not parse is skipped: its path keeps what the version before declared. Otherwise
 * one conflict marker would end all dependencies and begin them again.
 *
 * Some manifests take names from another file of the same commit. When that file changes, they are looked up again.
 *
 * Two processes do the work: a `git log` lists the changes, and a `git cat-file` reads each distinct version once.
 */
import { parseWithinBounds } from '../../manifests/bounded-parser.ts'
import { decodeManifest } from '../../manifests/manifest.ts'
import { readBlobs } from './blobs.ts'
import type { Clone } from './clone.ts'
import { dateDependencies, type GitDependency } from './dependency-dates.ts'
import { type MainlineCommit, type ManifestChange, readMainline } from './mainline.ts'
import {
  concernsOthers,
  createVersion,
  type ManifestCounts,
  ManifestTree,
  type ManifestVersion,
  type VersionChange,
} from './manifest-tree.ts'
import { NameTable } from './name-table.ts'

/** A version of a manifest that was skipped, or whose names aren't all known. */
export interface ManifestWarning {
  commit: string
  path: string
  /** Whether it was read in part. */
  isRead: boolean
  /** One line. */
  reason: string
}

/** All dependencies that the mainline's manifests have declared. */
export interface DependencyHistory {
  dependencies: GitDependency[]
  /** In the order of the history, of the commits that were read. */
  warnings: ManifestWarning[]
  /** The commit after which it was read; undefined: from the beginning. */
  since: string | undefined
  manifests: HistoryCounts
}

/** What is known of a history up to a commit of the mainline. */
export interface KnownDependencies {
  /** The commit's full hash. */
  head: string
  dependencies: readonly GitDependency[]
}

/** How many manifests there are: in the newest commit, unless a field says otherwise. */
export interface HistoryCounts extends ManifestCounts {
  /** Of any commit that was read, in folders of tests and fixtures. */
  leftOut: number
  /** Those of kinds that aren't read yet, by kind. */
  unread: ReadonlyMap<string, number>
}

/** Adds the counts of several histories. */
export function addHistoryCounts(...all: readonly HistoryCounts[]): HistoryCounts {
  return {
    read: addMaps(all.map(({ read }) => read)),
    computed: all.reduce((sum, { computed }) => sum + computed, 0),
    leftOut: all.reduce((sum, { leftOut }) => sum + leftOut, 0),
    unread: addMaps(all.map(({ unread }) => unread)),
  }
}

function addMaps(maps: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, count] of maps.flatMap((map) => [...map])) sums.set(name, (sums.get(name) ?? 0) + count)
  return sums
}

/** Larger manifests are reported, not read. No manifest that people write is nearly as large. */
const maxManifestBytes = 4 * 1024 * 1024

/** A version that was read, or the reason why it is skipped. */
type Version = ManifestVersion | { reason: string }

/**
 * Reads the dependencies that the mainline's manifests have declared.
 *
 * A dependency is a name and a manifest's base name. It is active while any manifest of that base name declares it,
 * except in third-party folders (see `manifest.ts`). A dependency that returns keeps its first date.
 *
 * @param options.url the repository's URL
 * @param options.allManifests whether to read manifests in folders of tests and fixtures too
 * @param options.onProgress called with the number of distinct versions that were parsed, and of all
 * @param options.known what is known of the history. Only later commits are read then, unless the manifests of that commit
 *   don't declare what was known, for example because one doesn't parse
 * @throws {GitError} when git fails, or lacks an object
 */
export async function readDependencyHistory(
  clone: Clone,
  options: {
    url?: string
    allManifests?: boolean | undefined
    onProgress?: (parsed: number, total: number) => void
    known?: KnownDependencies | undefined
  } = {},
): Promise<DependencyHistory> {
  const { url, allManifests = false, onProgress, known } = options
  const since = known?.head
  const mainline = await readMainline(clone, { allManifests, since })
  const table = new NameTable()
  const versions = await readVersions(clone.directory, mainline.commits, { table, url, onProgress })
  const warnings: ManifestWarning[] = []
  /** Paths of manifests whose names aren't all compared. */
  const warned = new Set<string>()
  const tree = new ManifestTree(table)

  function* readDeclarations() {
    for (const { commit, date, changes } of mainline.commits) {
      const applied: VersionChange[] = []
      for (const change of changes) {
        const version = versions.get(versionKey(change)) ?? null
        if (version !== null && 'reason' in version) {
          warnings.push({ commit, path: decodePath(change.path), isRead: false, reason: version.reason })
          continue
        }
        applied.push({ ...change, version })
      }
      const { declarations, isIncomplete, unresolved, uncompared } = tree.apply(applied)
      for (const path of unresolved) {
        const reason =
          'names from other files are left out: too many manifests have changed to look up all names'
        warnings.push({ commit, path: decodePath(path), isRead: true, reason })
      }
      for (const path of uncompared.filter((each) => !warned.has(each))) {
        const reason =
          'packages of the repository may count as dependencies: too many manifests have changed to compare all names'
        warnings.push({ commit, path: decodePath(path), isRead: true, reason })
        warned.add(path)
      }
      for (const { path, version } of isIncomplete ? applied : []) {
        if (version !== null && !concernsOthers(version)) continue
        const reason = 'changes names of too many other manifests, which keep those that they had'
        warnings.push({ commit, path: decodePath(path), isRead: true, reason })
      }
      yield { commit, date, declarations }
    }
  }

  const dependencies = dateDependencies(table, readDeclarations(), known?.dependencies)
  if (dependencies === undefined || warnings.some(({ commit }) => commit === since)) {
    return readDependencyHistory(clone, { ...options, known: undefined })
  }
  return {
    dependencies,
    warnings,
    since,
    manifests: { ...tree.count(), leftOut: mainline.leftOut.size, unread: mainline.unread },
  }
}

interface VersionContext {
  table: NameTable
  /** The repository's URL, if it is known. */
  url: string | undefined
}

/** Parses each distinct version once. A blob that has two formats is parsed twice. */
async function readVersions(
  directory: string,
  commits: readonly MainlineCommit[],
  {
    onProgress,
    ...context
  }: VersionContext & { onProgress: ((parsed: number, total: number) => void) | undefined },
): Promise<Map<string, Version>> {
  const formats = new Map<string, Set<string>>()
  for (const { blob, format } of commits.flatMap(({ changes }) => changes)) {
    if (blob !== null) formats.set(blob, (formats.get(blob) ?? new Set()).add(format))
  }
  const versions = new Map<string, Version>()
  let parsed = 0
  for await (const { id, size, content } of readBlobs(directory, [...formats.keys()], maxManifestBytes)) {
    for (const format of formats.get(id) ?? []) {
      const version =
        content === null
          ? { reason: `too large for a manifest: ${size} bytes, and at most ${maxManifestBytes} are read` }
          : await parseVersion(format, content, context)
      versions.set(versionKey({ blob: id, format }), version)
    }
    onProgress?.(++parsed, formats.size)
  }
  return versions
}

async function parseVersion(
  format: string,
  content: Uint8Array,
  { table, url }: VersionContext,
): Promise<Version> {
  try {
    return createVersion(table, await parseWithinBounds(format, decodeManifest(content), url))
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

function versionKey({ blob, format }: Pick<ManifestChange, 'blob' | 'format'>): string {
  return `${blob} ${format}`
}

function decodePath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}
