/**
 * A staged load while it is applied, and what its parts share.
 *
 * @module
 */
import { assertStaged } from '../staging.ts'
import type { AppliedRows, DatasetChange } from './dataset-change.ts'

/** A staged load. */
export interface Load extends DatasetChange {
  importId: number
}

/** Begins to apply a staged load. Throws `ImportError` if staged rows are missing. */
export async function beginLoad(change: DatasetChange, importId: number): Promise<Load> {
  const { tx } = change
  await assertStaged(tx, importId)
  const [load] = await tx<{ isLarge: boolean }[]>`
    select staged * 10 > known.users_and_repositories + known.commits
      or (users_count + repositories_count) * 10 > known.users_and_repositories * 11 as "isLarge"
    from imports, dataset, (
      select
        sum(greatest(reltuples, 0)) filter (where oid <> 'commits'::regclass) as users_and_repositories,
        sum(greatest(reltuples, 0)) filter (where oid = 'commits'::regclass) as commits
      from pg_class where oid in ('users'::regclass, 'repositories'::regclass, 'commits'::regclass)
    ) known
    where id = ${importId}`
  change.isLarge = load?.isLarge ?? true
  return Object.assign(change, { importId })
}

/** Counts the rows of a table of changes. */
export async function countApplied({ tx }: Load, table: string): Promise<AppliedRows> {
  const [rows] = await tx<AppliedRows[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return rows ?? { added: 0, updated: 0 }
}
