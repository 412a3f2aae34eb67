/** What forgetting people would change, before it does. */
import { readOneVersion } from '../database/cluster.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { findForgottenPeople } from './forgotten-people.ts'
import {
  findNames,
  type NamingCommit,
  type NotedCommits,
  readCommitsNaming,
  selectOwn,
} from './person-search.ts'
import { identifyPlaceholder } from './redaction.ts'

/** What forgetting would change. */
export interface ForgetPreview {
  /** Of the users who are removed. */
  logins: string[]
  /** Those that are removed, or get another owner. */
  repositories: number
  /** `messages` counts those of the redacted commits whose messages change. */
  commits: { removed: number; redacted: number; messages: number }
  /** Some messages' first lines that change. */
  examples: ChangedLine[]
}

/** A line of a message. */
export interface ChangedLine {
  before: string
  /** Undefined: the line is removed. */
  after: string | undefined
}

const maxExamples = 5

/** Whom to forget. */
export interface PreviewOptions {
  identities: readonly string[]
  keepRepositories: boolean
}

/** Counts what `forgetPerson` would change. Reads what it would read. */
export function previewForgetting(sql: Sql, options: PreviewOptions): Promise<ForgetPreview> {
  return previewChange(sql, (tx) => countChanges(tx, [options]))
}

/** Runs a preview in one snapshot. It may make temporary tables. */
export function previewChange<Result>(
  sql: Sql,
  preview: (tx: SqlOrTransaction) => Promise<Result>,
): Promise<Result> {
  return readOneVersion(sql, preview, { readOnly: false })
}

/**
 * Counts what forgetting these people would change. `namingCommits` are the commits that name them, if these are known.
 */
export async function countChanges(
  tx: SqlOrTransaction,
  people: readonly PreviewOptions[],
  namingCommits?: NotedCommits,
): Promise<ForgetPreview> {
  const all: string[] = []
  const forgottenNames: string[] = []
  const [removedOwners, keptOwners]: [string[], string[]] = [[], []]
  for (const { identities, keepRepositories } of people) {
    const { identities: own, ofForgotten } = await findNames(tx, identities)
    const numbers = [...(await findForgottenPeople(tx, own)).values()].map(({ id }) => id)
    // What stays under the person's number has its new owner already.
    const placed = keepRepositories ? numbers.filter((id) => id !== Math.min(...numbers)) : numbers
    all.push(...own)
    forgottenNames.push(...ofForgotten)
    const owners = keepRepositories ? keptOwners : removedOwners
    owners.push(...own, ...placed.map(identifyPlaceholder))
  }
  const users = await tx<{ login: string }[]>`
    select document::json ->> 'login' as login from users
    where id in (
      select user_id from ${selectOwn(tx, forgottenNames)} o where identity = any (${tx.typed.texts(all)})
    ) order by id`
  const owned = await tx<{ id: number; is_removed: boolean }[]>`
    select repository_id as id, bool_or(identity = any (${tx.typed.texts(removedOwners)})) as is_removed
    from contributions
    where kind = 'owner' and identity = any (${tx.typed.texts([...removedOwners, ...keptOwners])})
    group by repository_id`
  const removedIds = new Set(owned.flatMap(({ id, is_removed }) => (is_removed ? [id] : [])))
  const [removed] = await tx<{ commits: number }[]>`
    select count(*) as commits from commits where repository_id = any (${tx.typed.bigints([...removedIds])})`
  const preview: ForgetPreview = {
    logins: users.map(({ login }) => login),
    repositories: owned.length,
    commits: { removed: removed?.commits ?? 0, redacted: 0, messages: 0 },
    examples: [],
  }
  for await (const batch of readCommitsNaming(tx, all, namingCommits)) {
    for (const commit of batch) if (!removedIds.has(commit.repository_id)) countCommit(preview, commit)
  }
  return preview
}

function countCommit({ commits, examples }: ForgetPreview, { commit, redacted }: NamingCommit): void {
  commits.redacted++
  if (commit.message === redacted.message) return
  commits.messages++
  if (examples.length < maxExamples) examples.push(findChangedLine(commit.message, redacted.message))
}

/** Finds the first line that differs, and what is in its place: nothing if the lines after it are the same. */
function findChangedLine(message: string, redacted: string): ChangedLine {
  const [before, after] = [message.split('\n'), redacted.split('\n')]
  const first = before.findIndex((line, index) => line !== after[index])
  const rest = Math.min(before.length, after.length) - first
  let same = 0
  while (same < rest && before.at(-1 - same) === after.at(-1 - same)) same++
  return { before: before[first] ?? '', after: first < after.length - same ? after[first] : undefined }
}
