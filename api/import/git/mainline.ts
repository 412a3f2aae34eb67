/** Which manifests each commit of the mainline changed, from one `git log`. */
import { splitFields, streamGit } from './git-process.ts'
import { findManifestName } from './manifests.ts'
import { type OpenRepository, parseDate } from './repository.ts'

/** A manifest's path got a new version, or went away. */
export interface ManifestChange {
  path: string
  /** Base name, one of `manifestNames`. */
  fileName: string
  /** Object id of the version; null when the path holds no file any more. */
  blob: string | null
}

export interface MainlineCommit {
  commit: string
  /** Unix seconds, committer date. */
  date: number
  changes: ManifestChange[]
}

/**
 * Lists the mainline's commits that changed manifests, oldest first.
 *
 * No pathspecs: git matches eight patterns in every tree more slowly than it lists all changes and we drop
 * most of them (1.6 to 2.6 times, measured on three repositories). Renames are left as a removal and an addition, which is what they
 * mean for paths. A symbolic link or a submodule is not a manifest, whatever its name.
 *
 * @param onCommit called with the number of commits walked so far
 * @throws {GitError} when git fails
 */
export async function readMainline(
  { directory, head }: OpenRepository,
  onCommit?: (walked: number) => void,
): Promise<MainlineCommit[]> {
  const args = ['log', '-z', '--first-parent', '-m', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff']
  args.push('--ignore-submodules=none', '--no-color', '-O/dev/null', '--format=%H %ct', head, '--')
  const commits: MainlineCommit[] = []
  let current: MainlineCommit | undefined
  let entry: string | undefined
  let walked = 0
  for await (const batch of splitFields(streamGit(directory, args))) {
    for (const field of batch) {
      // Latin-1 keeps every byte of a path, so two paths that are not UTF-8 stay two.
      const text = field.toString('latin1')
      if (entry !== undefined) {
        const change = createChange(entry, text)
        entry = undefined
        if (change === undefined || current === undefined) continue
        if (current.changes.length === 0) commits.push(current)
        current.changes.push(change)
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
  return mendDates(commits)
}

/** A raw entry is `:<old mode> <new mode> <old object> <new object> <status>`. */
function createChange(entry: string, path: string): ManifestChange | undefined {
  const fileName = findManifestName(path)
  if (fileName === undefined) return undefined
  const [, mode = '', , blob = ''] = entry.split(' ')
  // 100644, 100755 and the 100664 of old histories are files; 000000 is a deletion.
  return { path, fileName, blob: mode.startsWith('100') ? blob : null }
}

/** A commit whose date git can't read happened no earlier than the one before it, as far as anyone knows. */
function mendDates(commits: MainlineCommit[]): MainlineCommit[] {
  let last = 0
  for (const commit of commits) {
    if (Number.isNaN(commit.date)) commit.date = last
    last = commit.date
  }
  return commits
}
