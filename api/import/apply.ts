/**
 * Applies a staged load in one transaction: readers see all of it, under a new version of the dataset, or nothing.
 *
 * What the load changes is in temporary tables: `changed_users`, `changed_repositories`, `changed_postings` and
 * `changed_commits`, and in `affected_users` who may use other dependencies now. Derived tables (postings, identities,
 * positions) are updated for these, not rebuilt.
 *
 * @module
 */
import { sweepStoredLists } from '../catalog/stored-list-eviction.ts'
import { renewStoredLists } from '../catalog/stored-lists.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { applyCommits, type OrphanCommit, removeOrphans } from './apply/commits.ts'
import { applyRepositories } from './apply/repositories.ts'
import { beginLoad, type Change } from './apply/staged-load.ts'
import { applyUserDependencies } from './apply/user-dependencies.ts'
import { applyUsers } from './apply/users.ts'
import { dropStaged } from './staging.ts'

/** The advisory lock of loads: one at a time is applied. Nothing else in this database uses the number. */
export const applyLock = 0x6465_7665

/** What a load changed. */
export interface ImportResult {
  users: Change
  repositories: Change
  commits: Change
  /** The dataset's version after the load. A load that changes nothing leaves it as it was. */
  version: number
}

/** Callbacks of a load that is applied. */
export interface ApplyOptions {
  onStep?: (step: 'waiting for another load' | 'applying') => void
  /** Takes each commit of an unknown repository, in the order of the load, and the others are applied. */
  onOrphan?: (orphan: OrphanCommit) => Promise<void>
}

/**
 * Applies what was staged under `importId`, and drops its staging tables. Throws `ImportError`, or what a callback throws;
 * then nothing was changed.
 */
export async function applyImport(
  sql: Sql,
  importId: number,
  { onStep = () => {}, onOrphan }: ApplyOptions = {},
): Promise<ImportResult> {
  const result = await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0` // the timeout of requests is too short for a whole load
    await tx`set local work_mem = '128MB'` // sorts and hashes take whole tables
    await tx`set local random_page_cost = 1.1` // so that a small load uses indexes
    await cancelWithClient(tx)
    await waitForOtherLoads(tx, () => onStep('waiting for another load'))
    onStep('applying')
    const startedAt = performance.now()
    const load = await beginLoad(tx, importId)
    await removeOrphans(tx, load, onOrphan)
    const users = await applyUsers(tx, load)
    const repositories = await applyRepositories(tx, load)
    const commits = await applyCommits(tx, load)
    await applyUserDependencies(tx, load)
    await dropStaged(tx, importId)

    const hasChanged = [users, repositories, commits].some(({ added, updated }) => added + updated > 0)
    const version = await publish(tx, hasChanged)
    if (hasChanged) await renewStoredLists(tx, version - 1, performance.now() - startedAt)
    return { users, repositories, commits, version }
  })
  // The load is committed, so an error doesn't fail it. Instances sweep stored lists too, and report errors.
  await sweepStoredLists(sql).catch(() => {})
  return result
}

/**
 * Makes the server cancel a statement whose client has disconnected. Otherwise the statement would run to its end, and
 * keep the staging tables locked. Servers on some systems can't detect it, and refuse the setting.
 */
async function cancelWithClient(tx: SqlOrTransaction): Promise<void> {
  await tx`
    do $$ begin
      perform set_config('client_connection_check_interval', '1s', true);
    exception when invalid_parameter_value then null;
    end $$`
}

async function waitForOtherLoads(tx: SqlOrTransaction, onWait: () => void): Promise<void> {
  const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${applyLock}) as taken`
  if (lock?.taken === true) return
  onWait()
  await tx`select pg_advisory_xact_lock(${applyLock})`
}

/** Updates the dataset's counts, and its version if anything changed. Returns the version. */
async function publish(tx: SqlOrTransaction, hasChanged: boolean): Promise<number> {
  const [dataset] = await tx<{ version: number }[]>`
    update dataset set
      version = version + ${hasChanged ? 1 : 0},
      updated_at = case when ${hasChanged} then clock_timestamp() else updated_at end,
      users_count = (select coalesce(max(id), 0) from users),
      repositories_count = (select coalesce(max(id), 0) from repositories)
    returning version`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  return dataset.version
}
