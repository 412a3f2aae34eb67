/** A staged load while it is applied, and what its parts share. */
import type { Fragment } from '../database/connect.ts'
import { assertStaged } from '../staging/staging.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import type { DatasetChange, RowChanges } from './pending-change.ts'

/** A staged load. */
export interface Load extends DatasetChange {
  importId: number
}

/** A staged line about something that is neither in the dataset nor in the same load. */
export interface Orphan {
  kind: 'identities' | 'commits'
  position: number
  document: string
}

/** What to do with orphans. */
export interface OrphanOptions {
  /** Takes each, by position. Default: throws. */
  onOrphan: ((orphan: Orphan) => Promise<void>) | undefined
  /** Whether the load removes the users or repositories that it lacks. */
  areOthersRemoved: boolean
}

/** Hands orphans to `onOrphan`, by position, and unstages them. `where` selects them, `document` is their line. */
export async function removeOrphans(
  { tx, importId }: Load,
  kind: Orphan['kind'],
  {
    where,
    document,
    onOrphan = refuseOrphan,
  }: Pick<OrphanOptions, 'onOrphan'> & { where: Fragment; document: Fragment },
): Promise<void> {
  const staged = tx(stagingTable(kind, importId))
  const orphans = tx<Omit<Orphan, 'kind'>[]>`
    select position, ${document} as document from ${staged} s where ${where} order by position`
  for await (const batch of orphans.cursor(1_000)) {
    for (const orphan of batch) await onOrphan({ kind, ...orphan })
  }
  await tx`delete from ${staged} s where ${where}`
}

async function refuseOrphan({ kind, document }: Orphan): Promise<void> {
  throw new Error(`an orphan of ${kind} was staged: ${document}`)
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
export async function countApplied({ tx, rows }: Load, kind: keyof RowChanges, table: string): Promise<void> {
  const [applied] = await tx<{ added: number; updated: number }[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  rows[kind].added += applied?.added ?? 0
  rows[kind].updated += applied?.updated ?? 0
}
