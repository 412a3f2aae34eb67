/**
 * Applies a staged load: a transaction, at the end of which readers see all of it under a new version of the
 * dataset, or none of it. What is derived (who uses what, ranks, counts) follows the change, not the dataset's size.
 *
 * @module
 */

import { renewStoredLists } from '../../catalog/stored-list.ts'
import { sweepStoredLists } from '../../catalog/stored-list-eviction.ts'
import { hasSingleSession, type Sql, type SqlOrTransaction } from '../../database/connect.ts'
import { assertStaged, dropStaged, stagingTable } from '../staging.ts'
import { type Added, addAhead, giveUp, keepTurn } from './ahead.ts'
import { applyCommits } from './commits.ts'
import { applyRepositories } from './repositories.ts'
import { refreshOldStatistics } from './statistics.ts'
import { affectedTable, type Change, type Step } from './step.ts'
import { addUserDependencies, followChangedPostings, refreshUserDependencies } from './user-dependencies.ts'
import { applyUsers } from './users.ts'

/** Any number that nobody else of this database takes: only one load is applied at a time. */
export const applyLock = 0x6465_7665
/** Orphans that are read at a time. */
const orphanBatch = 1_000

/** What a load changed. */
export interface ImportResult {
  users: Change
  repositories: Change
  commits: Change
  /** The dataset's version now; it has not moved if nothing changed. */
  version: number
}

/** A staged commit whose repository is unknown. */
export interface OrphanCommit {
  position: number
  document: string
}

/** Takes the commits out of a staged load whose `repo_url` will name no repository once it is applied; tells how many. */
export async function setOrphansAside(sql: Sql, importId: number): Promise<number> {
  const repositories = sql(stagingTable('repos', importId))
  const commits = sql(stagingTable('commits', importId))
  const [row] = await sql<{ count: number }[]>`
    with wanted as materialized (select distinct url_key from ${commits}),
    orphaned as materialized (
      select url_key from wanted w
      where not exists (select from ${repositories} s where s.url_key = w.url_key)
        and not exists (
          select from repositories r
          where r.url_key = w.url_key and r.id <= (select repositories_count from dataset)
            and not exists (select from ${repositories} s where s.forge_rest_id = r.forge_rest_id)
        )
    ), orphans as (
      delete from ${commits} where url_key in (select url_key from orphaned) returning position, document
    ), kept as (
      insert into ${sql(stagingTable('orphans', importId))} select position, document from orphans
    ), counted as (
      select count(*) from orphans
    ), told as (
      update imports set staged = staged - count from counted where id = ${importId} and count > 0
    )
    select count from counted`
  return row?.count ?? 0
}

/** Lists commits that were set aside, in the order of their lines. */
export async function* listOrphans(sql: Sql, importId: number): AsyncGenerator<OrphanCommit> {
  for (let after = -1; ; ) {
    const orphans = await sql<OrphanCommit[]>`
      select position, document from ${sql(stagingTable('orphans', importId))} where position > ${after}
      order by position limit ${orphanBatch}`
    yield* orphans
    const last = orphans.at(-1)
    if (last === undefined) return
    after = last.position
  }
}

/** What a load that is staged does. */
export type ApplyStep = 'waiting for another load' | 'applying'

/** Applies what was staged under `importId`, and clears the stage. `onStep` hears what is being done. */
export async function applyImport(
  sql: Sql,
  importId: number,
  onStep: (step: ApplyStep) => void = () => {},
): Promise<ImportResult> {
  const stepwise = await hasSingleSession(sql)
  await assertStaged(sql, importId)
  try {
    const ahead = stepwise ? await addAhead(sql, importId, onStep) : { users: 0, repositories: 0, commits: 0 }
    return await finishImport(sql, importId, ahead, stepwise, onStep)
  } catch (error) {
    if (stepwise) await giveUp(sql, importId).catch(() => {}) // the next load clears what stays
    throw error
  }
}

/** Drops what a load has staged and added that is not applied, and that its own process gave up. */
export async function discardImport(sql: Sql, importId: number): Promise<void> {
  if (await hasSingleSession(sql)) await giveUp(sql, importId)
  await dropStaged(sql, importId)
}

/**
 * Applies what was not added `ahead`, and publishes all of it. `stepwise`: something may have been added ahead, and the
 * load must still have its turn. Throws `ImportError`; then nothing is published.
 */
export async function finishImport(
  sql: Sql,
  importId: number,
  ahead: Added,
  stepwise: boolean,
  onStep: (step: ApplyStep) => void = () => {},
): Promise<ImportResult> {
  const result = await sql.begin(async (tx) => {
    // Statements over a whole load may take longer than those of a request.
    await tx`set local statement_timeout = 0`
    if (!stepwise) await endWithClient(tx)
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${applyLock}) as taken`
    if (lock?.taken !== true) {
      onStep('waiting for another load')
      await tx`select pg_advisory_xact_lock(${applyLock})`
    }
    onStep('applying')
    const begin = performance.now() // it may have waited for another load
    await tx`set local work_mem = '128MB'` // what is sorted and hashed here is whole tables
    if (stepwise) await keepTurn(tx, importId)
    else await assertStaged(tx, importId)
    // A look-up by an index for each row of a small load, instead of a pass over the table.
    await tx`set local random_page_cost = 1.1`
    const isLarge = await isLargeLoad(tx, importId)
    const all = { importId, after: -1, upTo: Number.MAX_SAFE_INTEGER, onlyNew: false }
    const step: Step = { ...all, isLarge, passesNewUsers: !stepwise }
    const users = await applyUsers(tx, step)
    const repositories = await applyRepositories(tx, step)
    const commits = await applyCommits(tx, step)
    if (!stepwise && users.added > 0) {
      if (isLarge) await tx`select analyze_table('contributions'), analyze_table('dependency_repositories')`
      await addUserDependencies(tx, tx`select id from users where id > (select users_count from dataset)`)
    }
    await refreshUserDependencies(tx, tx`select distinct user_id from ${affectedTable(tx, step)}`)
    await followChangedPostings(tx, step)
    await dropStaged(tx, importId)

    users.added += ahead.users
    repositories.added += ahead.repositories
    commits.added += ahead.commits
    const changes = [users, repositories, commits].reduce(
      (sum, { added, updated }) => sum + added + updated,
      0,
    )
    const [dataset] = await tx<{ version: number }[]>`
      update dataset set
        version = version + ${changes > 0 ? 1 : 0},
        updated_at = case when ${changes > 0} then clock_timestamp() else updated_at end,
        users_count = (select coalesce(max(id), 0) from users),
        repositories_count = (select coalesce(max(id), 0) from repositories)
      returning version`
    if (dataset === undefined) throw new Error('the dataset row is missing')
    // The embedded database has readers wait for the transaction.
    if (changes > 0 && !stepwise) await renewStoredLists(tx, dataset.version - 1, performance.now() - begin)
    return { users, repositories, commits, version: dataset.version, changes }
  })
  const { changes, ...counts } = result
  if (changes > 0) {
    // The load is there, whatever fails now. What stays of old stored lists goes with the next sweep of an instance, which
    // says what is wrong; old statistics are for the next load, or PostgreSQL's own upkeep.
    await sweepStoredLists(sql).catch(() => {})
    await refreshOldStatistics(sql, changes).catch(() => {})
  }
  return counts
}

/** Whether what is staged is more than a tenth of what is there. */
async function isLargeLoad(tx: SqlOrTransaction, importId: number): Promise<boolean> {
  const [load] = await tx<{ large: boolean }[]>`
    select staged * 10 > users_count + repositories_count as large from imports, dataset where id = ${importId}`
  return load?.large ?? true
}

/**
 * Makes the server end a statement whose client is gone: it would otherwise finish the statement, and keep what was
 * staged locked until then. A server on Windows can't tell.
 */
async function endWithClient(tx: SqlOrTransaction): Promise<void> {
  await tx`
    do $$ begin
      perform set_config('client_connection_check_interval', '1s', true);
    exception when invalid_parameter_value then null;
    end $$`
}
