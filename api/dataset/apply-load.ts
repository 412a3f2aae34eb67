/**
 * Applies a staged load in one transaction: readers see all of it, under a new version of the dataset, or nothing.
 *
 * What the load changes is in temporary tables (load-map.ts). Derived tables (what users depend on, sets, identities,
 * positions) are updated for these, not rebuilt.
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import type { RecordKind } from '../staging/records.ts'
import { dropStaged } from '../staging/staging.ts'
import { applyAddresses, removeMissingAddresses, removeOrphanAddresses } from './addresses.ts'
import { applyCommits, removeOrphanCommits } from './commit-changes.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'
import { addTerms } from './load-terms.ts'
import type { LoadOrigin } from './loads.ts'
import { joinLocalRepositories } from './local-repositories.ts'
import {
  removeMissingCommits,
  removeMissingRepositories,
  removeMissingUsers,
  removeUnreachableCommits,
} from './mirror.ts'
import { deriveMissingTerms } from './missing-terms.ts'
import type { DatasetChange } from './pending-change.ts'
import { applyRemovals } from './removal.ts'
import { applyRepositories, useKnownRepositories } from './repository-changes.ts'
import { beginLoad, type Orphan } from './staged-load.ts'
import { applyUsers, dropKnownUsers } from './user-changes.ts'
import { renewUsers } from './user-rules.ts'

/** How a load is applied. */
export interface ApplyOptions extends DatasetChangeOptions {
  origin: LoadOrigin
  /** Takes each line of something unknown, in the order of the load, and the others are applied. */
  onOrphan?: ((orphan: Orphan) => Promise<void>) | undefined
  /** The load has all items of these kinds: other items are removed. */
  mirrored?: ReadonlySet<RecordKind> | undefined
  /** Throws if the staged records can no longer be applied. */
  assertValid?: ((tx: SqlOrTransaction) => Promise<void>) | undefined
  /** Whether users and repositories stay as they are if their records don't come from clones. */
  keepsKnownRecords?: boolean | undefined
  /** Completes the change in the same transaction, after the load was applied. */
  finish?: ((change: DatasetChange) => Promise<void>) | undefined
  /** The load has all commits of the repositories with these URLs: other commits are removed. */
  completeUrls?: readonly string[] | undefined
  /** Notes in the same transaction what the source knows of the records, which are applied by then. */
  onApplied?: ((tx: SqlOrTransaction) => Promise<void>) | undefined
}

/**
 * Applies what was staged under `importId`, and drops its staging tables. Throws `ImportError`, or what a callback
 * throws; then nothing was changed.
 */
export async function applyImport(
  sql: Sql,
  importId: number,
  {
    onOrphan,
    mirrored = new Set(),
    assertValid,
    keepsKnownRecords,
    completeUrls = [],
    finish,
    onApplied,
    ...options
  }: ApplyOptions,
): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async (change) => {
    await assertValid?.(change.tx)
    await deriveMissingTerms(change)
    await renewUsers(change, options.settings?.automationAccounts)
    const load = await beginLoad(change, importId)
    await applyRemovals(load) // first, so that what the load also has exists afterwards
    await removeOrphanAddresses(load, { onOrphan, areOthersRemoved: mirrored.has('users') })
    await removeOrphanCommits(load, { onOrphan, areOthersRemoved: mirrored.has('repos') })
    if (keepsKnownRecords) {
      await dropKnownUsers(load)
      await useKnownRepositories(load)
    }
    await addTerms(load)
    await applyUsers(load)
    if (mirrored.has('users')) await removeMissingUsers(load)
    await applyAddresses(load)
    if (mirrored.has('identities')) await removeMissingAddresses(load)
    await joinLocalRepositories(load)
    await applyRepositories(load)
    if (mirrored.has('repos')) await removeMissingRepositories(load) // before commits: another may have their URL
    await applyCommits(load)
    if (mirrored.has('commits')) await removeMissingCommits(load)
    if (completeUrls.length > 0) await removeUnreachableCommits(load, completeUrls)
    await finish?.(load)
    await onApplied?.(load.tx)
    await dropStaged(load.tx, importId)
  })
}
