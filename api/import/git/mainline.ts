/** Which manifests each commit of the mainline changed, from one `git log`. */
import { splitFields, streamGit } from './git-process.ts'
import { findManifest, type ManifestFormat } from './manifests.ts'
import { type OpenRepository, parseDate } from './repository.ts'

/** A manifest's path got a new version, or went away. */
export interface ManifestChange {
  path: string
  /** Base name. */
  fileName: string
  format: ManifestFormat
  /** Object id of the version; null when the path holds no file any more. */
  blob: string | null
}

export interface MainlineCommit {
  commit: string
  /** Unix seconds, committer date. */
  date: number
  changes: ManifestChange[]
}

/** What the mainline did to manifests. */
export interface Mainline {
  /** Those that changed manifests, oldest first. */
  commits: MainlineCommit[]
  /** Paths of manifests below folders of tests and fixtures that were left out. */
  leftOut: ReadonlySet<string>
}

/**
 * Lists the mainline's commits that changed manifests. Those below folders of tests and fixtures are left out, unless
 * `allManifests` says otherwise.
 *
 * No pathspecs: git matches eight patterns in every tree more slowly than it lists all changes and we drop
 * most of them (1.6 to 2.6 times, measured on three repositories). Renames are left as a removal and an addition, which is what they
 * mean for paths. A symbolic link or a submodule is not a manifest, whatever its name.
 *
 * @param options.onCommit called with the number of commits read so far
 * @throws {GitError} when git fails
 */
export async function readMainline(
  { directory, head }: OpenRepository,
  { allManifests = false, onCommit }: { allManifests?: boolean; onCommit?: (walked: number) => void } = {},
): Promise<Mainline> {
  const args = ['log', '-z', '--first-parent', '-m', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff']
  args.push('--ignore-submodules=none', '--no-color', '-O/dev/null', '--format=%H %ct', head, '--')
  const commits: MainlineCommit[] = []
  const leftOut = new Set<string>()
  let current: MainlineCommit | undefined
  let entry: string | undefined
  let walked = 0
  for await (const batch of splitFields(streamGit(directory, args))) {
    for (const field of batch) {
      // Latin-1 keeps every byte of a path, so two paths that are not UTF-8 stay two.
      const text = field.toString('latin1')
      if (entry !== undefined) {
        const manifest = findManifest(text)
        if (manifest?.isOfTests && !allManifests) leftOut.add(text)
        else if (manifest !== undefined && current !== undefined) {
          if (current.changes.length === 0) commits.push(current)
          current.changes.push({ path: text, ...manifest, blob: readBlobId(entry) })
        }
        entry = undefined
      } else if (text.startsWith(':') || text.startsWith('\n:')) {
        entry = text.trimStart()
      } else {
        const [commit = '', date = ''] = text.split(' ')
        current = { commit, date: parseDate(date) ?? Number.NaN, changes: [] }
        walked++
      }
    }
    onCommit?.(walked)
  }
  commits.reverse()
  repairDates(commits)
  return { commits, leftOut }
}

/** A raw entry is `:<old mode> <new mode> <old object> <new object> <status>`. */
function readBlobId(entry: string): string | null {
  const [, mode = '', , blob = ''] = entry.split(' ')
  // 100644, 100755 and the 100664 of old histories are files; 000000 is a deletion.
  return mode.startsWith('100') ? blob : null
}

/** A commit whose date git can't read happened no earlier than the one before it, as far as anyone knows. */
function repairDates(commits: readonly MainlineCommit[]): void {
  let last = 0
  for (const commit of commits) {
    if (Number.isNaN(commit.date)) commit.date = last
    last = commit.date
  }
}
