/**
 * Loads that are complete: what they lack leaves the dataset. A mirror has all items of some kinds, a clone all commits
 * of its repository.
 */

import { hasAddresses } from '../catalog/stored-documents.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import { ImportError } from '../staging/import-error.ts'
import type { RecordKind } from '../staging/records.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { selectMissingAddresses } from './addresses.ts'
import { selectNamed } from './commit-changes.ts'
import { removeCommits, removeRepositories, removeUsers } from './removal.ts'
import type { Load } from './staged-load.ts'

/** Numbers of items. */
export interface ItemCounts {
  users: number
  /** Users with further addresses. */
  addresses: number
  repositories: number
  commits: number
}

/** The kinds, with their names in messages. */
export const itemKinds = [
  ['users', 'users'],
  ['addresses', 'lists of further addresses'],
  ['repositories', 'repositories'],
  ['commits', 'commits'],
] as const satisfies [keyof ItemCounts, string][]

/** What a load would remove, and what was stored before. */
export interface Removals {
  missing: ItemCounts
  stored: ItemCounts
}

/**
 * Asks `approve` about what a staged load would remove if it mirrored `kinds`. Returns a check for the transaction that
 * applies the load: it throws `ImportError` if the load would remove more by then, because another change has added
 * what this load lacks.
 */
export async function approveRemovals(
  sql: Sql,
  importId: number,
  kinds: ReadonlySet<RecordKind>,
  approve: (missing: ItemCounts, stored: ItemCounts) => Promise<void>,
): Promise<(tx: SqlOrTransaction) => Promise<void>> {
  const approved = await beginLong(
    sql,
    async (tx) => ({ edition: await readEdition(tx), ...(await countMissing(tx, importId, kinds)) }),
    'repeatable read read only',
  )
  await approve(approved.missing, approved.stored)
  return async (tx) => {
    if ((await readEdition(tx)) === approved.edition) return
    const { missing } = await countMissing(tx, importId, kinds)
    const counts = itemKinds
      .filter(([kind]) => missing[kind] > approved.missing[kind])
      .map(([kind, name]) => `${missing[kind]} instead of ${approved.missing[kind]} ${name}`)
    if (counts.length === 0) return
    const removals = new Intl.ListFormat('en-US').format(counts)
    throw new ImportError(
      'Another change has added what the files lack, since the removals were counted: this load would remove ' +
        `${removals}. Nothing was changed; run the import again`,
    )
  }
}

async function readEdition(tx: SqlOrTransaction): Promise<string> {
  const [dataset] = await tx<{ edition: string }[]>`select edition from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  return dataset.edition
}

/**
 * Counts what a staged load would remove if it were applied now and mirrored `kinds`: what it lacks, and the commits of
 * repositories that it lacks. Counts what there is of each kind, too.
 */
async function countMissing(
  tx: SqlOrTransaction,
  importId: number,
  kinds: ReadonlySet<RecordKind>,
): Promise<Removals> {
  await tx`set local work_mem = '128MB'` // hashes take whole tables
  const none = tx`select null::integer as id where false`
  const repositories = kinds.has('repos') ? selectMissingRepositories(tx, importId) : none
  // The URLs after the load. A repository that is new then has no commits yet.
  const remaining = tx`
    select r.id, forge_rest_id, coalesce(s.url_key, r.url_key) as url_key
    from repositories r left join ${tx(stagingTable('repos', importId))} s using (forge_rest_id)
    where not exists (select from (${repositories}) missing where missing.id = r.id)`
  const commits = kinds.has('commits')
    ? selectMissingCommits(tx, importId, remaining)
    : kinds.has('repos')
      ? tx`select from commits where repository_id in (${repositories})`
      : none
  const users = kinds.has('users') ? selectMissingUsers(tx, importId) : none
  const addresses = kinds.has('identities')
    ? selectMissingAddresses(tx, importId)
    : tx`select null::integer as user_id where false`
  const [missing] = await tx<ItemCounts[]>`
    select
      (select count(*) from (${users}) u) as users,
      (select count(*) from (${addresses}) a where user_id not in (${users})) as addresses,
      (select count(*) from (${repositories}) r) as repositories,
      (select count(*) from (${commits}) c) as commits`
  const [stored] = await tx<ItemCounts[]>`
    select
      (select count(*) from users) as users,
      (select count(*) from user_addresses where ${hasAddresses(tx)}) as addresses,
      (select count(*) from repositories) as repositories,
      (select count(*) from commits) as commits`
  if (missing === undefined || stored === undefined) throw new Error('a count has one row')
  return { missing, stored }
}

/** Removes the users that a load lacks. */
export function removeMissingUsers(load: Load): Promise<void> {
  return removeUsers(load, selectMissingUsers(load.tx, load.importId))
}

/** Removes the repositories that a load lacks, with their commits. */
export function removeMissingRepositories(load: Load): Promise<void> {
  return removeRepositories(load, selectMissingRepositories(load.tx, load.importId))
}

/** Removes the commits that an applied load lacks. */
export function removeMissingCommits(load: Load): Promise<void> {
  const { tx, importId } = load
  return removeCommits(load, selectMissingCommits(tx, importId, tx`select * from repositories`))
}

/** Removes the commits that repositories with these URLs have, but an applied load lacks. */
export async function removeUnreachableCommits(load: Load, urls: readonly string[]): Promise<void> {
  const { tx, importId } = load
  const commits = tx(stagingTable('commits', importId))
  const repositories = tx`
    select * from repositories where url_key = any (${tx.typed.texts(urls.map(keyRepositoryUrl))})`
  await removeCommits(
    load,
    tx`
      select c.repository_id, c.commit_hash
      from commits c join (${selectNamed(load, repositories)}) r on r.id = c.repository_id
        left join ${commits} s on s.url_key = r.url_key and s.commit_hash = c.commit_hash
      where s.commit_hash is null`,
  )
}

function selectMissingUsers(tx: SqlOrTransaction, importId: number): Fragment {
  return tx`
    select id from users u
    where not exists (
      select from ${tx(stagingTable('users', importId))} s where s.forge_rest_id = u.forge_rest_id
    )`
}

function selectMissingRepositories(tx: SqlOrTransaction, importId: number): Fragment {
  const staged = tx(stagingTable('repos', importId))
  // A local repository is the same as another one with its URL, which the load joins (see joinLocalRepositories).
  return tx`
    select id from repositories r
    where not exists (select from ${staged} s where s.forge_rest_id = r.forge_rest_id)
      and not exists (
        select from ${staged} s
        where s.url_key = r.url_key and (s.forge_rest_id < 0 or r.forge_rest_id < 0)
      )`
}

/** `repositories` selects `id`, `forge_rest_id` and `url_key`. */
function selectMissingCommits(tx: SqlOrTransaction, importId: number, repositories: Fragment): Fragment {
  return tx`
    select c.repository_id, c.commit_hash
    from commits c left join (
      select r.id, s.commit_hash from ${tx(stagingTable('commits', importId))} s
        join (${selectNamed({ tx, importId }, repositories)}) r using (url_key)
    ) s on s.id = c.repository_id and s.commit_hash = c.commit_hash
    where s.commit_hash is null`
}
