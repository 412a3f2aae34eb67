/**
 * Applies a staged load in one transaction: readers see all of it, under a new version of the dataset, or nothing.
 *
 * What the load changes is in temporary tables: `changed_users`, `changed_repositories` and `changed_commits`. Derived
 * tables (postings, identities, positions) are updated for these, not rebuilt.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { applyCommits, type OrphanCommit, removeOrphans } from './apply/commits.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './apply/dataset-change.ts'
import { applyRepositories } from './apply/repositories.ts'
import { beginLoad } from './apply/staged-load.ts'
import { applyRemovals } from './apply/staged-removals.ts'
import { applyUsers } from './apply/users.ts'
import { dropStaged } from './staging.ts'

/** What a load changed. */
export type ImportResult = DatasetChangeResult

/** Callbacks of a load that is applied. */
export interface ApplyOptions extends DatasetChangeOptions {
  /** Takes each commit of an unknown repository, in the order of the load, and the others are applied. */
  onOrphan?: ((orphan: OrphanCommit) => Promise<void>) | undefined
}

/**
 * Applies what was staged under `importId`, and drops its staging tables. Throws `ImportError`, or what a callback throws;
 * then nothing was changed.
 */
export function applyImport(
  sql: Sql,
  importId: number,
  { onOrphan, ...options }: ApplyOptions = {},
): Promise<ImportResult> {
  return changeDataset(sql, options, async (change) => {
    const load = await beginLoad(change, importId)
    await applyRemovals(load) // first, so that what the load also has exists afterwards
    await removeOrphans(load, onOrphan)
    const users = await applyUsers(load)
    const repositories = await applyRepositories(load)
    const commits = await applyCommits(load)
    await dropStaged(load.tx, importId)
    return { users, repositories, commits }
  })
}
