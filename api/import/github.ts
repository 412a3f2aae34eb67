/**
 * Loads repositories of GitHub with their histories and people: asks the GraphQL API, fetches bare clones, and applies all of
 * it as one load.
 *
 * @module
 */
import { identifyAddress, identifyForgeId } from '../catalog/forge-names.ts'
import type { Sql } from '../database/connect.ts'
import { lockDataDirectory } from '../database/data-directory.ts'
import { applyImport, type ImportResult } from './apply.ts'
import {
  blockIdentities,
  type ForgottenPeople,
  type ForgottenPerson,
  filterForgotten,
  readForgottenPeople,
  redactUrl,
} from './forgotten.ts'
import { openClone } from './git/clone.ts'
import { readCommits } from './git/commits.ts'
import { readDependencyHistory } from './git/history.ts'
import { batchesOf, type Forge } from './github/ask.ts'
import { createForgeClient, type QueryUsage } from './github/client.ts'
import { openCloneFolder } from './github/clones.ts'
import { type Histories, readHistories } from './github/histories.ts'
import { noJournal, openJournal } from './github/journal.ts'
import {
  readFurtherAddresses,
  readKnownIdentities,
  readKnownRepositories,
  readKnownUsers,
  readPresentUsers,
} from './github/known.ts'
import { mapRepository } from './github/mapping.ts'
import { type AuthorAccount, findAccounts, findAuthors } from './github/people.ts'
import type { ForgeRepository } from './github/queries.ts'
import { findRepositories, type Skipped, type Target } from './github/repositories.ts'
import { ImportError } from './import-error.ts'
import {
  maxAddresses,
  RecordError,
  type RecordKind,
  readRecord,
  stageCommit,
  type UserRecord,
} from './records.ts'
import { withStaging } from './staging.ts'

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
  /** Only says what would be loaded. */
  dryRun: boolean
  /** Days for which removals are kept. Default: 90. */
  changesKeptDays?: number | undefined
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
  /** Repositories whose commits the dataset had already. */
  unchanged: number
  people: number
  /** Addresses of new commits, and how many of them no account has. */
  authors: { found: number; unknown: number }
  skipped: Skipped[]
  /** Whether an import that was interrupted went on. */
  isResumed: boolean
  usage: QueryUsage
}

/** What was found and loaded. */
export interface GithubImportResult extends GithubFindings {
  /** Undefined: nothing was loaded, because it was a dry run. */
  load: (ImportResult & { forgotten: number }) | undefined
}

/**
 * Loads repositories, their histories and their people: all of it or nothing.
 * Throws `ForgeError`, `GitError` or `ImportError`; then nothing was changed, and the next import goes on.
 */
export async function importGithub(sql: Sql, options: GithubImportOptions): Promise<GithubImportResult> {
  const { targets, apiUrl, clones: directory, signal, refresh, withHistory, onNote = () => {} } = options
  const clones = await openCloneFolder({ directory, apiUrl, token: options.tokens[0] ?? '', signal })
  const lock = await lockDataDirectory(directory)
  if (lock === undefined) {
    throw new ImportError(
      `Another import uses the clones in ${directory}; wait for its end, or use another --clones`,
    )
  }
  const journal = options.dryRun
    ? noJournal
    : await openJournal(directory, { apiUrl, targets, refresh, withHistory })
  const client = createForgeClient({
    ...options,
    onWait: (reason, waitMs) => onNote(`${reason}: ${Math.ceil(waitMs / 1000)} s`),
  })
  const forge: Forge = {
    client,
    journal,
    concurrency: options.concurrency,
    onProgress: (step, done, total) => options.onProgress?.({ step, done, total, usage: client.usage }),
  }
  try {
    const known = refresh ? await readKnownRepositories(sql, findOrigin(apiUrl)) : []
    const { repositories: byId, skipped } = await findRepositories(forge, targets, known)
    const repositories = [...byId.values()].sort((a, b) => (a.databaseId ?? 0) - (b.databaseId ?? 0))
    const findings = {
      repositories: repositories.length,
      kilobytes: repositories.reduce((sum, { diskUsage }) => sum + (diskUsage ?? 0), 0),
      isResumed: journal.isResumed,
    }
    if (options.dryRun) {
      const none = { fetched: 0, unchanged: 0, people: 0, authors: { found: 0, unknown: 0 } }
      return { ...findings, ...none, skipped, usage: client.usage, load: undefined }
    }
    const histories = await readHistories(sql, forge, clones, withHistory ? repositories : [])
    const people = await findPeople(sql, forge, await readForgottenPeople(sql), {
      repositories,
      histories,
      refresh,
    })
    const forgotten = await readForgottenPeople(sql)
    const load = await applyFindings(
      sql,
      options,
      forgotten,
      { repositories, histories, people },
      forge.onProgress,
    )
    await journal.finish()
    const { fetched, unchanged } = histories
    return {
      ...findings,
      fetched,
      unchanged,
      people: people.users.length,
      authors: people.authors,
      skipped: [...skipped, ...histories.skipped, ...people.skipped],
      usage: client.usage,
      load,
    }
  } finally {
    await journal.close()
    lock.release()
  }
}

/** `https://github.com` for `https://api.github.com`. An enterprise server has one host for all. */
function findOrigin(apiUrl: string): string {
  const url = new URL(apiUrl)
  return `${url.protocol}//${url.host.replace(/^api\.(?=github\.com$)/, '')}`
}

interface People {
  users: UserRecord[]
  /** All further addresses of users who have a new one, by `forge_rest_id`. */
  addresses: Map<number, string[]>
  authors: { found: number; unknown: number }
  skipped: Skipped[]
}

/** Finds out who owns the repositories and who committed, and asks for profiles of those that aren't known. */
async function findPeople(
  sql: Sql,
  forge: Forge,
  forgotten: ForgottenPeople,
  {
    repositories,
    histories,
    refresh,
  }: { repositories: readonly ForgeRepository[]; histories: Histories; refresh: boolean },
): Promise<People> {
  const { authors } = histories
  const knownIdentities = new Set<string>()
  for (const batch of batchesOf([...authors.keys()], 10_000)) {
    for (const identity of await readKnownIdentities(sql, batch)) knownIdentities.add(identity)
  }
  const unknown = [...authors].filter(([identity]) => !knownIdentities.has(identity))
  const { accounts, skipped } = await findAuthors(
    forge,
    new Map(unknown.map(([identity, { commit }]) => [identity, commit])),
  )

  await blockAddresses(sql, forgotten, accounts)

  const known = await readKnownUsers(sql)
  const knownIds = new Set(known.map(({ id }) => id))
  const logins = new Map<string, string>()
  if (refresh) for (const { id, name } of known) if (!id.startsWith('local_')) logins.set(id, name)
  for (const { owner } of repositories) if (!knownIds.has(owner.id)) logins.set(owner.id, owner.login)
  const present = await readPresentUsers(
    sql,
    [...accounts.values()].flatMap(({ databaseId }) => databaseId ?? []),
  )
  for (const { id, databaseId, login } of accounts.values()) {
    const isKnown = databaseId !== null && present.has(databaseId)
    if (!isKnown && findForgotten(forgotten, databaseId) === undefined) logins.set(id, login)
  }
  const profiles = await findAccounts(forge, logins)
  const addresses = await gatherAddresses(sql, unknown, accounts, profiles.users, present)
  return {
    users: [...profiles.users.values()],
    addresses,
    authors: { found: authors.size, unknown: unknown.length - accounts.size },
    skipped: [...skipped, ...profiles.skipped],
  }
}

function findForgotten({ find }: ForgottenPeople, databaseId: number | null): ForgottenPerson | undefined {
  return databaseId === null ? undefined : find(identifyForgeId(databaseId))
}

/** Commits under other addresses of forgotten people are theirs too: this load redacts them, and so do later ones. */
async function blockAddresses(
  sql: Sql,
  forgotten: ForgottenPeople,
  accounts: ReadonlyMap<string, AuthorAccount>,
): Promise<void> {
  for (const [identity, { databaseId }] of accounts) {
    const person = findForgotten(forgotten, databaseId)
    if (person !== undefined) await blockIdentities(sql, person.id, [identity])
  }
}

/** Adds the addresses of commits to those that their users have. */
async function gatherAddresses(
  sql: Sql,
  unknown: readonly (readonly [string, { address: string }])[],
  accounts: ReadonlyMap<string, AuthorAccount>,
  users: ReadonlyMap<string, UserRecord>,
  present: ReadonlySet<number>,
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  for (const [identity, { address }] of unknown) {
    const account = accounts.get(identity)
    if (account === undefined) continue
    const user = users.get(account.id)
    const id = user?.forge_rest_id ?? account.databaseId
    if (id === null || (user === undefined && !present.has(id))) continue
    const own = [identifyForgeId(id), identifyAddress(user?.email ?? '')]
    if (!own.includes(identity)) found.set(id, [...(found.get(id) ?? []), address])
  }
  const before = await readFurtherAddresses(sql, [...found.keys()])
  return new Map(
    [...found].map(([id, added]) => [id, [...(before.get(id) ?? []), ...added].slice(0, maxAddresses)]),
  )
}

interface Findings {
  repositories: readonly ForgeRepository[]
  histories: Histories
  people: People
}

/** Stages and applies what was found, as one load. */
function applyFindings(
  sql: Sql,
  { onBegin, onNote = () => {}, changesKeptDays }: GithubImportOptions,
  forgotten: ForgottenPeople,
  { repositories, histories, people }: Findings,
  onProgress: Forge['onProgress'],
): Promise<ImportResult & { forgotten: number }> {
  return withStaging(sql, onBegin, async (staging) => {
    const filtered = filterForgotten(forgotten, staging)
    let position = 0
    async function add(kind: RecordKind, record: object): Promise<void> {
      await filtered.add(kind, position++, readChecked(kind, record))
    }
    for (const user of people.users) await add('users', user)
    for (const [forge_rest_id, addresses] of people.addresses)
      await add('identities', { forge_rest_id, addresses })
    const completeUrls: string[] = []
    let done = 0
    for (const repository of repositories) {
      onProgress('reading histories', done++, repositories.length)
      const history = histories.changed.get(repository.id)
      const record = mapRepository(repository)
      if (record === undefined) continue
      if (history === undefined) {
        await add('repos', { ...record, dependencies: null })
        continue
      }
      const clone = await openClone(history.path)
      const { dependencies, warnings } = await readDependencyHistory(clone)
      if (warnings.length > 0) {
        onNote(`${record.full_name}: skipped ${warnings.length} versions of manifests that did not parse`)
      }
      const uses = dependencies.map((use) => ({ url: record.url, ...use }))
      await add('repos', { ...record, dependencies: uses })
      for await (const commit of readCommits(clone)) {
        await filtered.add('commits', position++, stageCommit({ ...commit, repo_url: record.url }))
      }
      const url = redactUrl(forgotten, record.url)
      if (url !== undefined) completeUrls.push(url)
    }
    await filtered.flush()
    const result = await applyImport(sql, staging.id, {
      changesKeptDays,
      forgotten,
      completeUrls,
      onStep: (step) => onProgress(step, 0, undefined),
    })
    return { ...result, forgotten: filtered.leftOut }
  })
}

/** The forge's names obey the rules, so that what doesn't is a fault of the forge, or of its version. */
function readChecked(kind: RecordKind, record: object) {
  try {
    return readRecord(kind, JSON.stringify(record))
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    throw new ImportError(
      `The forge describes one of ${kind} in a way that can't be loaded: ${error.message}`,
    )
  }
}
