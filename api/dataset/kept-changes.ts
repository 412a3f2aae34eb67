/** For how long clients can ask what has changed: `CHANGES_KEPT_DAYS`. */
import type { SqlOrTransaction } from '../database/connect.ts'
import { deleteSets } from '../sets/set-parts.ts'
import { selectVersionTerms } from '../sets/stored-sets.ts'

/** Deletes versions and removals that are older than `keptDays`. Clients can't ask for changes since these versions. */
export async function dropOldChanges(tx: SqlOrTransaction, keptDays = 90): Promise<void> {
  const [latest] = await tx<{ expired: number | null }[]>`
    select max(version) as expired from dataset_versions
    where applied_at <= clock_timestamp() - make_interval(hours => 24 * ${keptDays}::integer)`
  const [dataset] = await tx<{ since: number }[]>`
    update dataset set changes_since = greatest(changes_since, ${latest?.expired ?? null}::bigint)
    returning changes_since as since`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  await deleteSets(tx, tx`${tx.unsafe(selectVersionTerms())} where version < ${dataset.since}`)
  await tx`delete from dataset_versions where version < ${dataset.since}`
  await tx`delete from removals where version <= (select changes_since from dataset)`
}
