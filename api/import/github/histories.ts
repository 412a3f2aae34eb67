/**
 * The histories of repositories: which of them have to be loaded, and whose commits are new.
 *
 * @module
 */
import { identifyAddress } from '../../catalog/forge-names.ts'
import type { Sql } from '../../database/connect.ts'
import type { Clone } from '../git/clone.ts'
import { countCommits, readCommits } from '../git/commits.ts'
import { GitError } from '../git/git-process.ts'
import { type Forge, inParallel } from './ask.ts'
import type { CloneFolder, Head } from './clones.ts'
import { countKnownCommits, readCommitHashes } from './known.ts'
import type { AuthoredCommit, ForgeRepository } from './queries.ts'
import type { Skipped } from './repositories.ts'

/** A larger repository's history is not fetched, in KB. */
const maxKilobytes = 2_000_000

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
  /** Why there is no history. */
  skipped?: string
  isFetched?: boolean
  /** Undefined: the dataset has its commits. */
  changed?: { clone: Clone; authors: Map<string, NewAuthor> }
}

/** Fetches what is new, and finds what has to be loaded. Reports what can't be fetched as skipped. */
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
  let [done, added] = [0, 0]
  await inParallel([...repositories.entries()], forge.concurrency, async ([index, repository]) => {
    found.set(index, await readHistory(sql, forge, clones, repository))
    // In the order of the list, so that the same commits are asked for after an interruption.
    for (let next = found.get(added); next !== undefined; next = found.get(added)) {
      addFinding(histories, repositories[added], next)
      found.delete(added++)
    }
    forge.onProgress('fetching histories', ++done, repositories.length)
  })
  return histories
}

function addFinding(
  histories: Histories,
  repository: ForgeRepository | undefined,
  { skipped, isFetched, changed }: Finding,
): void {
  if (repository === undefined) return
  if (isFetched) histories.fetched++
  if (skipped !== undefined) {
    histories.skipped.push({
      name: repository.nameWithOwner,
      reason: `without its history: ${skipped}`,
    })
  } else if (changed === undefined) histories.unchanged++
  else {
    histories.changed.set(repository.id, changed.clone)
    for (const [identity, author] of changed.authors) {
      if (!histories.authors.has(identity)) histories.authors.set(identity, author)
    }
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
  if (databaseId === null) return { skipped: 'the forge gives no id' }
  if (repository.isDisabled) return { skipped: 'disabled by the forge' }
  if (defaultBranchRef === null || wanted === undefined) return { skipped: 'it is empty' }
  if (diskUsage !== null && diskUsage > maxKilobytes) {
    const size = Math.round(diskUsage / 1_000)
    return {
      skipped: `it is too large: ${size} MB, and at most ${maxKilobytes / 1_000} are fetched`,
    }
  }
  try {
    const own = await clones.readHead(databaseId)
    if (own?.branch === defaultBranchRef.name && own.hash === wanted) {
      return await compareHistory(sql, clones.pathOf(databaseId), own, repository)
    }
    const fetch = () => clones.fetch(databaseId, url, defaultBranchRef.name)
    const key = ['fetch', databaseId, url, defaultBranchRef.name, wanted]
    await (own === undefined ? fetch() : journal.once(key, fetch)) // a clone may have been deleted or damaged since
    const head = await clones.readHead(databaseId)
    if (head === undefined) return { skipped: 'git fetched it, and cannot read it' }
    return {
      ...(await compareHistory(sql, clones.pathOf(databaseId), head, repository)),
      isFetched: true,
    }
  } catch (error) {
    if (error instanceof GitError) return { skipped: error.message }
    throw error
  }
}

/** Finds out whether the dataset has the clone's commits. If not, collects the authors of those that are new. */
async function compareHistory(
  sql: Sql,
  directory: string,
  { hash, branch }: Head,
  { id, databaseId }: ForgeRepository,
): Promise<Finding> {
  if (databaseId === null) return {}
  const clone = { directory, head: hash, branch }
  const known = await countKnownCommits(sql, databaseId, hash)
  if (known.hasHash && known.count === (await countCommits(clone))) return {}
  const present = known.count === 0 ? new Set() : await readCommitHashes(sql, databaseId)
  const authors = new Map<string, NewAuthor>()
  for await (const { commit_hash, author_email: address } of readCommits(clone)) {
    if (present.has(commit_hash)) continue
    const identity = identifyAddress(address)
    if (identity === null || authors.has(identity)) continue
    authors.set(identity, { address, commit: { repository: id, hash: commit_hash } })
  }
  return { changed: { clone, authors } }
}
