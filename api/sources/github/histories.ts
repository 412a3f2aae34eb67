/** The histories of repositories: which of them have to be loaded, and whose commits are new. */
import type { Sql } from '../../database/connect.ts'
import { findKnownHistory, type HistoryReading } from '../../dataset/loaded-histories.ts'
import { identifyAddress } from '../../names/forge-names.ts'
import type { Clone } from '../git/clone.ts'
import { type CommitAuthor, readCommitAuthors } from '../git/commit-log.ts'
import { GitError } from '../git/git-process.ts'
import { type Forge, inParallel } from './ask.ts'
import type { CloneFolder, Head } from './clones.ts'
import { readPresentCommits } from './known.ts'
import { FetchError } from './network-git.ts'
import type { AuthoredCommit, ForgeRepository } from './queries.ts'
import type { Skipped } from './skipped.ts'

/** A larger repository's history is not fetched, in KB. */
const maxKilobytes = 2_000_000

/** How histories are read. */
export const wholeHistory: HistoryReading = { allManifests: false, isComplete: true }

/** What was found in the clones. */
export interface Histories {
  /** Clones of the repositories whose histories are loaded, by GraphQL id. */
  changed: Map<string, Clone>
  /** How many clones something was fetched for. */
  fetched: number
  unchanged: number
  skipped: Skipped[]
  /** One new commit for each address of an author, by identity. */
  authors: Map<string, NewAuthor>
}

interface NewAuthor {
  address: string
  commit: AuthoredCommit
}

/** What was found for one repository. */
interface Finding {
  /** Why the history is left out, and whether the next import may read it. */
  skipped?: Omit<Skipped, 'name'>
  /** Why git can't fetch it. `isExplained`: the forge says that it, or its branch, is gone. */
  fetchFailure?: { reason: string; isExplained: boolean }
  isFetched?: boolean
  /** Undefined: the dataset has its commits. */
  changed?: { clone: Clone; authors: Map<string, NewAuthor> }
}

/**
 * The import ends after this number of fetches, if all of them have failed. What the forge says is gone doesn't count.
 */
const maxFailures = 10

/**
 * Fetches what is new, and finds what has to be loaded. Reports what can't be fetched as skipped.
 * Throws `GitError` if git can fetch nothing at all.
 */
export async function readHistories(
  sql: Sql,
  forge: Forge,
  clones: CloneFolder,
  repositories: readonly ForgeRepository[],
): Promise<Histories> {
  const histories: Histories = {
    changed: new Map(),
    fetched: 0,
    unchanged: 0,
    skipped: [],
    authors: new Map(),
  }
  const found = new Map<number, Finding>()
  const failures: FetchFailure[] = []
  let [done, added, fetched] = [0, 0, 0]
  await inParallel(forge, [...repositories.entries()], async ([index, repository]) => {
    const finding = await readHistory(sql, forge, clones, repository)
    found.set(index, finding)
    if (finding.isFetched) fetched++
    if (finding.fetchFailure !== undefined) failures.push(finding.fetchFailure)
    if (fetched === 0 && listUnexplained(failures).length >= maxFailures) throw createFailure(failures)
    // In the order of the list, so that the same commits are asked for after an interruption.
    for (let next = found.get(added); next !== undefined; next = found.get(added)) {
      addFinding(histories, repositories[added], next)
      found.delete(added++)
    }
    forge.onProgress('fetching histories', ++done, repositories.length)
  })
  // A single failure doesn't end an import if all other repositories are unchanged.
  if (fetched === 0 && listUnexplained(failures).length > Math.min(histories.unchanged, 1))
    throw createFailure(failures)
  return histories
}

type FetchFailure = NonNullable<Finding['fetchFailure']>

/** Failures of repositories that the forge has. */
function listUnexplained(failures: readonly FetchFailure[]): FetchFailure[] {
  return failures.filter(({ isExplained }) => !isExplained)
}

function createFailure(all: readonly FetchFailure[]): GitError {
  const failures = listUnexplained(all)
  const which = failures.length === 1 ? 'the repository' : `any of ${failures.length} repositories`
  return new GitError(
    `git can't fetch ${which}: ${failures[0]?.reason}. Run the import again; it continues where it stopped`,
  )
}

const unreadable = "git fetched it, but can't read it; the next import tries again"

/** Explains why a history is left out. */
export function explainError(error: GitError): Omit<Skipped, 'name'> {
  const reason = error.isDamage ? unreadable : error.message
  return error instanceof FetchError && error.isGone ? { reason } : { reason, isFailure: true }
}

/** Creates the entry of a repository that is loaded without its history. */
export function skipHistory(name: string, { reason, ...why }: Omit<Skipped, 'name'>): Skipped {
  return { name, reason: `without its history: ${reason}`, ...why }
}

function addFinding(
  histories: Histories,
  repository: ForgeRepository | undefined,
  { skipped, isFetched, changed }: Finding,
): void {
  if (repository === undefined) return
  if (isFetched) histories.fetched++
  if (skipped !== undefined) histories.skipped.push(skipHistory(repository.nameWithOwner, skipped))
  else if (changed === undefined) histories.unchanged++
  else {
    histories.changed.set(repository.id, changed.clone)
    for (const [identity, author] of changed.authors) addAuthor(histories.authors, identity, author)
  }
}

async function readHistory(
  sql: Sql,
  { journal }: Forge,
  clones: CloneFolder,
  repository: ForgeRepository,
): Promise<Finding> {
  const { databaseId, defaultBranchRef, diskUsage, url } = repository
  const wanted = defaultBranchRef?.target?.oid
  const skip = (reason: string): Finding => ({ skipped: { reason } })
  if (databaseId === null) return skip('the forge gives no id')
  if (repository.isDisabled) return skip('disabled by the forge')
  if (defaultBranchRef === null || wanted === undefined) return skip('it is empty')
  if (diskUsage !== null && diskUsage > maxKilobytes) {
    const size = Math.round(diskUsage / 1_000)
    return skip(`it is too large: ${size} MB, and at most ${maxKilobytes / 1_000} are fetched`)
  }
  const branch = defaultBranchRef.name
  const compare = (head: Head) =>
    clones.readOrRenew(databaseId, url, branch, () =>
      compareHistory(sql, clones.pathOf(databaseId), head, repository),
    )
  try {
    const own = await clones.readHead(databaseId)
    if (own?.branch === branch && own.hash === wanted) return await compare(own)
    const fetch = () => clones.fetch(databaseId, url, branch)
    const key = ['fetch', databaseId, url, branch, wanted]
    await (own === undefined ? fetch() : journal.once(key, fetch)) // a clone may have been deleted or damaged since
    const head = await clones.readHead(databaseId)
    if (head === undefined) return { skipped: { reason: unreadable, isFailure: true } }
    return { ...(await compare(head)), isFetched: true }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const { message } = error
    return {
      skipped: explainError(error),
      ...(error instanceof FetchError && {
        fetchFailure: { reason: message, isExplained: error.isGone || error.isBranchMissing },
      }),
    }
  }
}

const comparedAtATime = 10_000

/** Notes a commit of a person. The forge is sure to name the author of a commit, but perhaps not each co-author. */
function addAuthor(authors: Map<string, NewAuthor>, identity: string, author: NewAuthor): void {
  const known = authors.get(identity)
  if (known === undefined || (known.commit.isCoauthored && !author.commit.isCoauthored)) {
    authors.set(identity, author)
  }
}

/** Finds out whether the dataset has all that is read from the clone. If not, collects the authors of new commits. */
async function compareHistory(
  sql: Sql,
  directory: string,
  { hash, branch }: Head,
  { id, databaseId, url }: ForgeRepository,
): Promise<Finding> {
  if (databaseId === null) return {}
  const clone = { directory, head: hash, branch }
  const known = await findKnownHistory(sql, { url, forgeRestId: databaseId }, wholeHistory)
  if (known?.head === hash) return {}
  const authors = new Map<string, NewAuthor>()
  let batch: CommitAuthor[] = []
  const addAuthors = async () => {
    const hashes = batch.map(({ hash }) => hash)
    const present = await readPresentCommits(sql, databaseId, hashes)
    for (const { hash, address, isCoauthor } of batch) {
      const identity = identifyAddress(address)
      if (present.has(hash) || identity === null) continue
      addAuthor(authors, identity, { address, commit: { repository: id, hash, isCoauthored: isCoauthor } })
    }
    batch = []
  }
  for await (const author of readCommitAuthors(clone)) {
    if (batch.push(author) === comparedAtATime) await addAuthors()
  }
  await addAuthors()
  return { changed: { clone, authors } }
}
