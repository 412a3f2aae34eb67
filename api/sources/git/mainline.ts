/** Lists which manifests each commit of the mainline has changed, with one `git log`. */
import { findManifest, findUnreadManifest } from '../../manifests/manifest-paths.ts'
import { type Clone, parseDate } from './clone.ts'
import { GitError, readLines, runGit, splitFields, streamGit } from './git-process.ts'

/** A new version of a manifest, or its deletion. */
export interface ManifestChange {
  /** As Latin-1, which keeps every byte. */
  path: string
  /** Base name. */
  fileName: string
  format: string
  /** Object id of the version; null when the file was deleted. */
  blob: string | null
}

export interface MainlineCommit {
  commit: string
  /** Unix seconds, committer date; null when git can't read it. */
  date: number | null
  changes: ManifestChange[]
}

/** The manifests of the mainline. */
export interface Mainline {
  /** The commits that changed manifests, oldest first. */
  commits: MainlineCommit[]
  /** Paths of manifests in folders of tests and fixtures that were left out, of any commit that was read. */
  leftOut: ReadonlySet<string>
  /** How many manifests of each kind that isn't read the newest commit has. */
  unread: ReadonlyMap<string, number>
}

/** Lists changes of files as `:<old mode> <new mode> <old object> <new object> <status>`, and their paths. */
const listChanges = [
  '-z',
  '--raw',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--no-color',
  '-O/dev/null',
]

/**
 * Lists the commits of the mainline that changed manifests. Leaves out folders of tests and fixtures without
 * `allManifests`. With `since`, a commit of the mainline, it lists this one with all manifests that it has, and those
 * after it.
 *
 * It uses no pathspecs: with eight patterns git takes 1.6 to 2.6 times as long as to list all changes (measured on
 * three repositories). A rename is a deletion and an addition. A symbolic link or a submodule is not a manifest.
 *
 * @throws {GitError} when git fails
 */
export async function readMainline(
  { directory, head }: Clone,
  { allManifests, since }: { allManifests: boolean; since: string | undefined },
): Promise<Mainline> {
  const commits: MainlineCommit[] = []
  const leftOut = new Set<string>()
  /** By path: the kind of each manifest that isn't read, or null if the newest commit doesn't have it. */
  const unread = new Map<string, string | null>()
  let current: MainlineCommit | undefined
  let entry: string | undefined
  async function readChanges(args: readonly string[]): Promise<void> {
    for await (const batch of splitFields(streamGit(directory, args))) {
      for (const field of batch) {
        // Latin-1 keeps every byte, so two paths that are not UTF-8 stay different.
        const text = field.toString('latin1')
        if (entry !== undefined) {
          const path = field.toString()
          const manifest = findManifest(path)
          if (manifest?.isOfTests && !allManifests) leftOut.add(text)
          else if (manifest !== undefined && current !== undefined) {
            if (commits.at(-1) !== current) commits.push(current)
            current.changes.push({ path: text, ...manifest, blob: readBlobId(entry) })
          } else if (!unread.has(text)) {
            const other = findUnreadManifest(path)
            const isRelevant = other !== undefined && (allManifests || !other.isOfTests)
            // The newest change of a path comes first.
            if (isRelevant) unread.set(text, readBlobId(entry) === null ? null : other.kind)
          }
          entry = undefined
        } else if (text.startsWith(':') || text.startsWith('\n:')) {
          entry = text.trimStart()
        } else {
          const [commit = '', date = ''] = text.split(' ')
          current = { commit, date: parseDate(date), changes: [] }
        }
      }
    }
  }
  const range = since === undefined ? head : `${since}..${head}`
  const log = ['log', '--first-parent', '-m', '--ignore-submodules=none', '--format=%H %ct', ...listChanges]
  await readChanges([...log, range, '--'])
  if (since !== undefined) {
    current = { commit: since, date: null, changes: [] }
    commits.push(current)
    const emptyTree = (await runGit(directory, ['hash-object', '-t', 'tree', '--stdin'])).trim()
    await readChanges(['diff-tree', '-r', '--ignore-submodules=none', ...listChanges, emptyTree, since, '--'])
  }
  return { commits: commits.reverse(), leftOut, unread: countKinds(unread.values()) }
}

/**
 * Whether the mainline has this commit, and others after it. It hasn't if the history was rewritten, or the commit was
 * merged from another branch.
 */
export async function isOnMainline({ directory, head }: Clone, commit: string): Promise<boolean> {
  const args = ['rev-list', '--first-parent', '--parents', `${commit}..${head}`, '--']
  // The commit may be gone.
  const lines = await readLines(directory, args).catch((error: unknown) => {
    if (error instanceof GitError) return []
    throw error
  })
  const [, parent] = lines.at(-1)?.split(' ') ?? []
  return parent === commit
}

function countKinds(kinds: Iterable<string | null>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Reads a raw entry, `:<old mode> <new mode> <old object> <new object> <status>`. */
function readBlobId(entry: string): string | null {
  const [, mode = '', , blob = ''] = entry.split(' ')
  // Files are 100644 and 100755, and 100664 in old histories. A deletion is 000000.
  return mode.startsWith('100') ? blob : null
}
