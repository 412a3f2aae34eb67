/** A change of the dataset, in one transaction: readers see all of it, under a new version, or nothing. */
import { carryDerivedTerms } from '../catalog/derived-terms.ts'
import { assertHealthyCluster, useOneConnection } from '../database/cluster.ts'
import { isEmbedded, type Sql, type SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { changeLock } from '../database/migrate.ts'
import { textTables } from '../names/searchable-texts.ts'
import { applySetChanges } from '../sets/set-changes.ts'
import type { StagingSettings } from '../staging/staging.ts'
import { applyActivity } from './activity.ts'
import { summarizeCoverage } from './coverage-summary.ts'
import { dropOldChanges } from './kept-changes.ts'
import { type LoadOrigin, noteLoad } from './loads.ts'
import { analyzeTables, beginChange, type DatasetChange, type RowChanges } from './pending-change.ts'
import { removeUnusedTexts } from './text-terms.ts'
import { applyUseDates } from './use-dates.ts'
import { applyUserDependencies } from './user-dependencies.ts'

/** The largest tables in which a change leaves old versions of rows. */
const rewrittenTables = [
  ...textTables,
  'dependencies',
  'users',
  'repositories',
  'commits',
  'repository_dependencies',
  'user_dependencies',
  'user_activity',
  'attributes',
  'sets',
  'use_dates',
  'coverage',
]

/** What the deployer has set for all changes. */
export interface DatasetSettings extends StagingSettings {
  /** Days for which clients can ask what has changed. Default: that of `dropOldChanges`. */
  changesKeptDays?: number | undefined
}

/** How a change is applied. */
export interface DatasetChangeOptions {
  onStep?: ((step: 'waiting for another load' | 'applying') => void) | undefined
  settings?: DatasetSettings | undefined
}

/** What a change did. */
export interface DatasetChangeResult extends RowChanges {
  /** The dataset's version after the change. A change of nothing leaves it as it was. */
  version: number
}

/** Changes the dataset. What `work` throws rolls everything back. `origin`: that of the load, if the change is one. */
export async function changeDataset(
  sql: Sql,
  { onStep = () => {}, settings = {}, origin }: DatasetChangeOptions & { origin?: LoadOrigin },
  work: (change: DatasetChange) => Promise<void>,
): Promise<DatasetChangeResult> {
  const result = await beginLong(sql, async (tx) => {
    await tx`set local work_mem = '128MB'` // sorts and hashes take whole tables
    await tx`set local random_page_cost = 1.1` // so that a small change uses indexes
    await tx`set local plan_cache_mode = auto` // plans depend on how much is changed
    await useOneConnection(tx)
    await cancelWithClient(tx)
    await waitForOtherChanges(tx, () => onStep('waiting for another load'))
    onStep('applying')
    await assertHealthyCluster(tx)
    const change = await beginChange(tx)
    await work(change)
    await applyUserDependencies(change)
    await applyActivity(change)

    // Changes of trigram sets alone don't count: they are of new texts that no user has at the end.
    const [moved] = await tx`select 1 from set_changes where list in ('users', 'repositories') limit 1`
    const hasChanged =
      moved !== undefined ||
      Object.values(change.rows).some((rows) => rows.added + rows.updated + rows.removed > 0)
    if (hasChanged) await publish(change)
    const { emptied, haveUsesChanged } = await applySetChanges(tx, 'set_changes')
    await applyUseDates(change)
    await removeUnusedTerms(change, emptied)
    if (hasChanged) {
      await analyzeTables(change, [...textTables, 'dependencies', 'attributes', 'sets', 'use_dates'])
      await dropOldChanges(tx, settings.changesKeptDays)
      await summarizeCoverage(tx, haveUsesChanged)
    }
    const result = { ...change.rows, version: hasChanged ? change.version : change.version - 1 }
    if (origin) await noteLoad(change, origin, result)
    return result
  })
  // It has no autovacuum. The change is committed, so an error doesn't fail it.
  if (isEmbedded(sql)) await sql`vacuum ${sql.unsafe(rewrittenTables.join())}`.catch(() => {})
  return result
}

/**
 * Makes the server cancel a statement whose client has disconnected. Otherwise the statement would run to its end, and
 * keep its locks. Servers on some systems can't detect it, and refuse the setting.
 */
async function cancelWithClient(tx: SqlOrTransaction): Promise<void> {
  await tx`
    do $$ begin
      perform set_config('client_connection_check_interval', '1s', true);
    exception when invalid_parameter_value then null;
    end $$`
}

async function waitForOtherChanges(tx: SqlOrTransaction, onWait: () => void): Promise<void> {
  const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${changeLock}) as taken`
  if (lock?.taken === true) return
  onWait()
  await tx`select pg_advisory_xact_lock(${changeLock})`
}

/** Gives the dataset its new version and counts. */
async function publish({ tx, version, versionTerms, rows }: DatasetChange): Promise<void> {
  const { users, repositories, commits } = rows
  const { changed, gained, lost } = versionTerms
  await tx`
    insert into dataset_versions (version, applied_at, term_id, gained_term_id, lost_term_id)
    values (${version}, clock_timestamp(), ${changed}, ${gained}, ${lost})`
  await tx`
    update dataset set
      version = ${version},
      derived_terms = ${carryDerivedTerms(tx, tx`${version}::bigint`)},
      edition = gen_random_uuid(),
      updated_at = clock_timestamp(),
      users_count = users_count + ${users.added - users.removed},
      repositories_count = repositories_count + ${repositories.added - repositories.removed},
      commits_count = commits_count + ${commits.added - commits.removed},
      last_user_id = greatest(last_user_id, (select max(id) from users)),
      last_repository_id = greatest(last_repository_id, (select max(id) from repositories))`
}

/**
 * Removes attributes and searchable texts that nothing has any more, texts from the sets of their trigrams too, and new
 * dependencies that nothing has.
 */
async function removeUnusedTerms(change: DatasetChange, emptied: readonly number[]): Promise<void> {
  const { tx } = change
  const unused = tx`id in (select unnest(${tx.typed.bigints(emptied)}::integer[]) union all select id from new_terms)`
  await tx`delete from attributes where ${unused} and items_count = 0`
  await tx`
    delete from dependencies
    where id in (select id from new_terms) and users_count = 0 and repositories_count = 0`
  await tx`truncate set_changes` // they are applied; what follows concerns trigrams alone
  if (!(await removeUnusedTexts(tx, unused))) return
  await applySetChanges(tx, 'set_changes')
  await analyzeTables(change, textTables)
}
