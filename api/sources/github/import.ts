/**
 * Loads repositories of GitHub with their histories and people: asks the GraphQL API, fetches bare clones, and applies
 * all of it as one load.
 */

import { batchesOf } from '../../concurrency/batches.ts'
import type { Sql } from '../../database/connect.ts'
import { lockDataDirectory } from '../../database/data-directory.ts'
import type { DatasetChangeResult, DatasetSettings } from '../../dataset/dataset-change.ts'
import type { LoadOrigin } from '../../dataset/loads.ts'
import type { Change } from '../../dataset/pending-change.ts'
import { removalBound } from '../../dataset/removal-bound.ts'
import { getMessage } from '../../errors.ts'
import { ImportError } from '../../staging/import-error.ts'
import { runGit } from '../git/git-process.ts'
import { addHistoryCounts, type HistoryCounts } from '../git/history.ts'
import type { Forge } from './ask.ts'
import { ForgeClient, type QueryUsage } from './client.ts'
import { type CloneFolder, openCloneFolder } from './clones.ts'
import { type LoadOptions, loadFindings } from './findings.ts'
import { type FoundRepository, findRepositories, type Target } from './forge-repositories.ts'
import { readHistories } from './histories.ts'
import { type Journal, noJournal, openJournal } from './journal.ts'
import {
  isWholeDataset,
  type KnownItem,
  type KnownUser,
  readDatabaseId,
  readKnownRepositories,
  readKnownUsers,
} from './known.ts'
import {
  assertFew,
  type Departures,
  deleteOldClones,
  type GoneRepository,
  judgeMissing,
} from './missing-repositories.ts'
import { findKnownPeople, findPeople, type KnownPeople } from './people.ts'
import { hasFailures, type LeftOut, type Skipped, separateFailures } from './skipped.ts'
import { findWebOrigin } from './web-origin.ts'

/** What to load, and callbacks. */
export interface GithubImportOptions {
  targets: readonly Target[]
  tokens: readonly string[]
  /** `https://api.github.com`, or that of an enterprise server. */
  apiUrl: string
  /** The folder of the clones. */
  clones: string
  /** Whether to load commits and dependencies, and who committed. */
  withHistory: boolean
  /** Whether to ask again for all repositories and people of the dataset. */
  refresh: boolean
  /** Queries, and fetches, at a time. */
  concurrency: number
  /** Repositories of a load, which is all or nothing. Default: all of them are one load. */
  batch?: number | undefined
  /** Only says what would be loaded. */
  dryRun: boolean
  /** Whether repositories that the forge doesn't have any more stay. */
  keepMissing?: boolean | undefined
  /** How many of them may be removed, at most. Default: `removalBound`. */
  maxRemovals?: number | undefined
  /** Days for which removals are kept. Default: 90. */
  settings?: DatasetSettings | undefined
  signal?: AbortSignal | undefined
  /** Called with the load's id before the first row is staged. */
  onBegin?: ((importId: number) => void) | undefined
  onProgress?: ((progress: GithubProgress) => void) | undefined
  onNote?: ((message: string) => void) | undefined
}

export interface GithubProgress {
  step: string
  done: number
  total: number | undefined
  usage: QueryUsage
}

/** What was found on the forge. */
export interface GithubFindings {
  repositories: number
  /** Of all repositories that were found, in KB. */
  kilobytes: number
  /** Clones for which something was fetched. */
  fetched: number
  /** Repositories whose history this version of devdata has read already. */
  unchanged: number
  people: number
  /** Addresses of new commits, and how many of them no account has. */
  authors: { found: number; unknown: number }
  /** Owners and repositories that the import failed at. If there are any, it has failed, although the rest is loaded. */
  failed: LeftOut[]
  /** What the next import will leave out, too. */
  skipped: LeftOut[]
  /** Repositories that the forge doesn't have any more, and that the load removes. */
  removed: GoneRepository[]
  /** In the histories that were loaded. */
  manifests: HistoryCounts
  /** Whether an import that was interrupted went on. */
  isResumed: boolean
  usage: QueryUsage
}

/** What was found and loaded. */
export interface GithubImportResult extends GithubFindings {
  /** Undefined: nothing was loaded, because it was a dry run. */
  load: (DatasetChangeResult & { forgotten: number }) | undefined
}

/** What came of some of the repositories. */
type BatchResult = Pick<GithubFindings, 'fetched' | 'unchanged' | 'people' | 'authors' | 'manifests'> & {
  skipped: Skipped[]
  load: DatasetChangeResult & { forgotten: number }
}

/**
 * Loads repositories, their histories and their people: all of it or nothing. With `batch`, that is true of each batch.
 * Throws `ForgeError`, `GitError` or `ImportError`. Then nothing of the batch was changed, and the next import
 * continues. What it has only `failed` at doesn't stop the load of the rest.
 */
export async function importGithub(sql: Sql, options: GithubImportOptions): Promise<GithubImportResult> {
  const { targets, apiUrl, clones: directory, refresh, withHistory, onNote = () => {} } = options
  const startedAt = new Date()
  const failure = new AbortController()
  const signal = AbortSignal.any([failure.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const onWait = (reason: string, waitMs: number) => onNote(`${reason}: ${Math.ceil(waitMs / 1000)} s`)
  const client = new ForgeClient({ ...options, signal, onWait })
  const clones = await openCloneFolder({ directory, apiUrl, client, signal, onWait })
  const lock = await lockDataDirectory(directory)
  if (lock === 'in_use') {
    throw new ImportError(
      `Another import uses the clones in ${directory}; wait until it ends, or use another --clones`,
    )
  }
  const journal = options.dryRun
    ? noJournal
    : await openJournal(directory, {
        database: await readDatabaseId(sql),
        apiUrl,
        targets,
        refresh,
        withHistory,
      })
  const forge: Forge = {
    client,
    journal,
    concurrency: options.concurrency,
    abort: (reason) => failure.abort(reason),
    onProgress: (step, done, total) => options.onProgress?.({ step, done, total, usage: client.usage }),
  }
  try {
    if (withHistory) await runGit(directory, ['version']) // fails before the first query, if git is missing
    const known = refresh
      ? await readKnown(sql, journal, findWebOrigin(apiUrl))
      : { repositories: [], users: [] }
    const found = await findRepositories(forge, targets, known.repositories)
    const departures = await judgeMissing(sql, [...found.missing.values()], options)
    const skipped = [...found.skipped, ...departures.skipped]
    const repositories = [...found.repositories.values()].sort(
      (a, b) => (a.databaseId ?? 0) - (b.databaseId ?? 0),
    )
    try {
      if (repositories.length + departures.missing.length === 0) assertNoneSkipped(skipped)
      await assertFew(sql, departures.gone, options.maxRemovals)
    } catch (error) {
      await journal.finish() // the forge may say something else the next time
      throw error
    }
    const findings = {
      repositories: repositories.length,
      kilobytes: repositories.reduce((sum, { diskUsage }) => sum + (diskUsage ?? 0), 0),
      removed: departures.gone,
      isResumed: journal.resumedFrom !== undefined,
    }
    if (options.dryRun) {
      return { ...findings, ...noResult, ...separateFailures(skipped), usage: client.usage, load: undefined }
    }
    const result = await importBatches(sql, forge, clones, options, {
      startedAt,
      known,
      repositories,
      departures,
      skipped,
    })
    await journal.finish()
    await deleteOldClones(sql, clones, repositories).catch((error: unknown) =>
      onNote(`Clones of removed repositories can't be deleted: ${getMessage(error)}`),
    )
    return {
      ...findings,
      ...result,
      ...separateFailures([...skipped, ...result.skipped]),
      usage: client.usage,
    }
  } finally {
    await journal.close()
    lock.release()
  }
}

/** Reads what to ask for again. */
async function readKnown(
  sql: Sql,
  journal: Journal,
  origin: string,
): Promise<{ repositories: KnownItem[]; users: KnownUser[] }> {
  const repositories = await readKnownRepositories(sql, origin)
  const users = await readKnownUsers(sql)
  // Since an interruption items may have been added, by this import, and removed.
  const before = await journal.once('known', async () => ({ repositories, users }))
  const asked = new Set([...before.repositories, ...before.users].map(({ id }) => id))
  return {
    repositories: repositories.filter(({ id }) => asked.has(id)),
    users: users.filter(({ id }) => asked.has(id)),
  }
}

/** Throws an error with the first of those that an import leaves out, if there are any. */
function assertNoneSkipped([first]: readonly Skipped[]): void {
  if (first === undefined) return
  throw new ImportError(`There is nothing to load: ${first.name}: ${first.reason}`)
}

const noResult = {
  fetched: 0,
  unchanged: 0,
  people: 0,
  authors: { found: 0, unknown: 0 },
  manifests: addHistoryCounts(),
}

/** What an import has found. */
interface FoundItems {
  startedAt: Date
  /** What it asks for again. */
  known: { repositories: KnownItem[]; users: KnownUser[] }
  repositories: readonly FoundRepository[]
  departures: Departures
  skipped: readonly Skipped[]
}

/** Asks again for the known users, and loads what was found, batch by batch. */
async function importBatches(
  sql: Sql,
  forge: Forge,
  clones: CloneFolder,
  options: GithubImportOptions,
  { startedAt, known, repositories, departures, skipped }: FoundItems,
): Promise<BatchResult> {
  const { apiUrl, refresh, withHistory } = options
  const { journal } = forge
  // Noted before the first batch adds to the dataset.
  const asksForAll =
    refresh && withHistory && (await journal.once('asks for all', () => isWholeDataset(sql, known)))
  const people = await findKnownPeople(forge, known.users)
  const removable = { users: options.maxRemovals ?? removalBound(known.users.length) }
  const batches = createBatches(repositories, options.batch, people, departures)
  const results: BatchResult[] = []
  for (const [index, batch] of batches.entries()) {
    const scope = batches.length > 1 ? ` (batch ${index + 1} of ${batches.length})` : ''
    const isLast = index === batches.length - 1
    const before = [...skipped, ...results.flatMap((result) => result.skipped)]
    const describeOrigin = (added: readonly Skipped[]): LoadOrigin => {
      const isPartial = !isLast || hasFailures([...before, ...added])
      return {
        command: 'import github',
        source: new URL(findWebOrigin(apiUrl)).host,
        // An interrupted import has asked for some of it before its continuation.
        startedAt: journal.resumedFrom ?? startedAt,
        isPartial,
        coversAll: asksForAll && !isPartial,
      }
    }
    results.push(
      await importBatch(
        sql,
        nameBatch(forge, scope),
        clones,
        { ...options, describeOrigin, removable },
        batch,
      ),
    )
  }
  return results.reduce(addResults)
}

/** A forge whose steps say which batch they belong to. */
function nameBatch(forge: Forge, scope: string): Forge {
  return { ...forge, onProgress: (step, done, total) => forge.onProgress(`${step}${scope}`, done, total) }
}

/** What a load is made of. */
interface Batch {
  repositories: readonly FoundRepository[]
  known: KnownPeople
  departures: Pick<Departures, 'missing' | 'gone'>
}

/**
 * Makes batches, one at least. The first has the known users. The last removes repositories, so that an
 * import that continues after an interruption removes them, and says so.
 */
function createBatches(
  repositories: readonly FoundRepository[],
  size: number = repositories.length,
  known: KnownPeople,
  departures: Departures,
): Batch[] {
  const [first = [], ...others] = batchesOf(repositories, size)
  return [first, ...others].map((each, index) => ({
    repositories: each,
    known: index === 0 ? known : { ...known, profiles: { users: new Map(), skipped: [] } },
    departures: index === others.length ? departures : { missing: [], gone: [] },
  }))
}

/** Loads some of the repositories with their people. */
async function importBatch(
  sql: Sql,
  forge: Forge,
  clones: CloneFolder,
  { removable, ...options }: GithubImportOptions & LoadOptions & { removable: { users: number } },
  { repositories, known, departures }: Batch,
): Promise<BatchResult> {
  const histories = await readHistories(sql, forge, clones, options.withHistory ? repositories : [])
  const people = await findPeople(sql, forge, { repositories, histories, known, removable })
  const { skipped, manifests, ...load } = await loadFindings(sql, forge, clones, options, {
    repositories,
    histories,
    people,
    departures,
  })
  return {
    fetched: histories.fetched,
    unchanged: histories.unchanged,
    people: people.users.length,
    authors: people.authors,
    skipped,
    manifests,
    load,
  }
}

function addResults(a: BatchResult, b: BatchResult): BatchResult {
  return {
    fetched: a.fetched + b.fetched,
    unchanged: a.unchanged + b.unchanged,
    people: a.people + b.people,
    authors: {
      found: a.authors.found + b.authors.found,
      unknown: a.authors.unknown + b.authors.unknown,
    },
    skipped: [...a.skipped, ...b.skipped],
    manifests: addHistoryCounts(a.manifests, b.manifests),
    load: {
      users: addChanges(a.load.users, b.load.users),
      addresses: addChanges(a.load.addresses, b.load.addresses),
      repositories: addChanges(a.load.repositories, b.load.repositories),
      commits: addChanges(a.load.commits, b.load.commits),
      forgotten: a.load.forgotten + b.load.forgotten,
      version: b.load.version,
    },
  }
}

function addChanges(a: Change, b: Change): Change {
  return { added: a.added + b.added, updated: a.updated + b.updated, removed: a.removed + b.removed }
}
