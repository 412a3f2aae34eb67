/**
 * Applies a staged load in one transaction: readers see all of it, under a new version of the dataset, or nothing.
 * Derived tables (postings, identities, positions) are updated for what changed, not rebuilt.
 *
 * @module
 */
import { sweepStoredLists } from '../catalog/stored-list-eviction.ts'
import { renewStoredLists } from '../catalog/stored-lists.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { applyCommits } from './apply/commits.ts'
import { applyRepositories } from './apply/repositories.ts'
import { affectedUsersTable, type Change, type Load } from './apply/staged-load.ts'
import { refreshOldStatistics } from './apply/statistics.ts'
import {
  addUserDependencies,
  followChangedPostings,
  refreshUserDependencies,
} from './apply/user-dependencies.ts'
import { applyUsers } from './apply/users.ts'
import { assertStaged, dropStaged } from './staging.ts'

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

/** What a staged load is doing. */
export type ApplyStep = 'waiting for another load' | 'applying'

/**
 * Applies what was staged under `importId`, and drops its staging tables. Calls `onStep` when a step begins.
 * Throws `ImportError`; then nothing was changed.
 */
export async function applyImport(
  sql: Sql,
  importId: number,
  onStep: (step: ApplyStep) => void = () => {},
): Promise<ImportResult> {
  const { changeCount, ...result } = await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0` // the timeout of requests is too short for a whole load
    await cancelWithClient(tx)
    await waitForOtherLoads(tx, () => onStep('waiting for another load'))
    onStep('applying')
    const startedAt = performance.now()
    await assertStaged(tx, importId)
    await tx`set local work_mem = '128MB'` // sorts and hashes take whole tables
    await tx`set local random_page_cost = 1.1` // so that a small load uses indexes
    const load: Load = { importId, isLarge: await isLargeLoad(tx, importId) }

    const users = await applyUsers(tx, load)
    const repositories = await applyRepositories(tx, load)
    const commits = await applyCommits(tx, load)
    await applyUserDependencies(tx, load, users)
    await dropStaged(tx, importId)

    const changeCount = [users, repositories, commits].reduce(
      (sum, change) => sum + change.added + change.updated,
      0,
    )
    const version = await publish(tx, changeCount > 0)
    if (changeCount > 0) await renewStoredLists(tx, version - 1, performance.now() - startedAt)
    return { users, repositories, commits, version, changeCount }
  })
  if (changeCount > 0) {
    // The load is committed, so errors here don't fail it. Instances sweep stored lists too, and report errors.
    await sweepStoredLists(sql).catch(() => {})
    await refreshOldStatistics(sql, changeCount).catch(() => {})
  }
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

/** Whether the staged rows are more than a tenth of the dataset. */
async function isLargeLoad(tx: SqlOrTransaction, importId: number): Promise<boolean> {
  const [load] = await tx<{ large: boolean }[]>`
    select staged * 10 > users_count + repositories_count as large from imports, dataset where id = ${importId}`
  return load?.large ?? true
}

async function applyUserDependencies(tx: SqlOrTransaction, load: Load, users: Change): Promise<void> {
  if (users.added > 0) {
    if (load.isLarge)
      await tx`select analyze_table('contributions'), analyze_table('dependency_repositories')`
    await addUserDependencies(tx, tx`select id from users where id > (select users_count from dataset)`)
  }
  await refreshUserDependencies(tx, tx`select distinct user_id from ${affectedUsersTable(tx, load)}`)
  await followChangedPostings(tx)
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
