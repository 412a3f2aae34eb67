/**
 * The histories of repositories: which of them have to be loaded, and whose commits are new.
 *
 * @module
 */
import { identifyAddress } from '../../catalog/forge-names.ts'
import type { Sql } from '../../database/connect.ts'
import { openClone } from '../git/clone.ts'
import { countCommits, readCommits } from '../git/commits.ts'
import { GitError } from '../git/git-process.ts'
import { type Forge, inParallel } from './ask.ts'
import type { CloneFolder } from './clones.ts'
import { countKnownCommits, readCommitHashes } from './known.ts'
import { mapRepository, type RepositoryFields } from './mapping.ts'
import type { AuthoredCommit, ForgeRepository } from './queries.ts'
import type { Skipped } from './repositories.ts'

/** A larger repository's history is not fetched, in KB. */
const maxKilobytes = 2_000_000

/** A repository whose history is loaded. */
export interface History {
  path: string
  record: RepositoryFields
}

/** What was found in the clones. */
export interface Histories {
  /** By GraphQL id. */
  changed: Map<string, History>
  /** How many clones something was fetched for. */
  fetched: number
  unchanged: number
  skipped: Skipped[]
  /** One new commit for each address of an author, by identity. */
  authors: Map<string, { address: string; commit: AuthoredCommit }>
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
  const fetched: ForgeRepository[] = []
  let done = 0
  await inParallel(repositories, forge.concurrency, async (repository) => {
    if (await fetchHistory(forge, clones, repository, histories)) fetched.push(repository)
    forge.onProgress('fetching histories', ++done, repositories.length)
  })
  // In the order of the list, so that the same commits are asked for after an interruption.
  const isFetched = new Set(fetched)
  const ordered = repositories.filter((repository) => isFetched.has(repository))
  for (const [index, repository] of ordered.entries()) {
    await compareHistory(sql, clones, repository, histories)
    forge.onProgress('reading authors', index + 1, ordered.length)
  }
  return histories
}

/** Fetches a history. False: it can't be, and why is among `skipped`. */
async function fetchHistory(
  { journal }: Forge,
  clones: CloneFolder,
  repository: ForgeRepository,
  histories: Histories,
): Promise<boolean> {
  const { databaseId, defaultBranchRef, diskUsage, url, nameWithOwner } = repository
  const head = defaultBranchRef?.target?.oid
  const skip = (reason: string) => {
    histories.skipped.push({ name: nameWithOwner, reason: `without its history: ${reason}` })
    return false
  }
  if (databaseId === null) return false
  if (repository.isDisabled) return skip('disabled by the forge')
  if (defaultBranchRef === null || head === undefined) return skip('it is empty')
  if (diskUsage !== null && diskUsage > maxKilobytes) {
    return skip(
      `it is too large: ${Math.round(diskUsage / 1_000)} MB, and at most ${maxKilobytes / 1_000} are fetched`,
    )
  }
  const own = await clones.readHead(databaseId)
  if (own?.branch === defaultBranchRef.name && own.hash === head) return true
  try {
    const fetch = () => clones.fetch(databaseId, url, defaultBranchRef.name)
    const key = ['fetch', databaseId, url, defaultBranchRef.name, head]
    await (own === undefined ? fetch() : journal.once(key, fetch)) // a clone may have been deleted or damaged since
    histories.fetched++
    return true
  } catch (error) {
    if (error instanceof GitError) return skip(error.message)
    throw error
  }
}

/** Finds out whether the dataset has the clone's commits. If not, collects the authors of those that are new. */
async function compareHistory(
  sql: Sql,
  clones: CloneFolder,
  repository: ForgeRepository,
  histories: Histories,
): Promise<void> {
  const record = mapRepository(repository)
  if (record === undefined) return
  const id = record.forge_rest_id
  const path = clones.pathOf(id)
  const head = await clones.readHead(id)
  const known = await countKnownCommits(sql, id, head?.hash ?? '')
  if (head && known.hasHash && known.count === (await countCommits({ directory: path, head: head.hash }))) {
    histories.unchanged++
    return
  }
  const clone = await openClone(path)
  const present = await readCommitHashes(sql, id)
  histories.changed.set(repository.id, { path, record })
  for await (const { commit_hash: hash, author_email: address } of readCommits(clone)) {
    if (present.has(hash)) continue
    const identity = identifyAddress(address)
    if (identity === null || histories.authors.has(identity)) continue
    histories.authors.set(identity, { address, commit: { repository: repository.id, hash } })
  }
}
