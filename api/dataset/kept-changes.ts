/**
 * For how long clients can ask what has changed: `CHANGES_KEPT_DAYS`.
 *
 * @module
 */
import type { SqlOrTransaction } from '../database/connect.ts'

/** Deletes versions and removals that are older than `keptDays`. Clients can't ask for changes since these versions. */
export async function dropOldChanges(tx: SqlOrTransaction, keptDays = 90): Promise<void> {
  await tx`
    update dataset set changes_since = greatest(changes_since, (
      select max(version) from dataset_versions
      where applied_at <= clock_timestamp() - make_interval(days => ${keptDays}::integer)
    ))`
  await tx`
    with dropped as (
      delete from dataset_versions where version < (select changes_since from dataset) returning term_id
    )
    delete from sets where term_id in (select term_id from dropped)`
  await tx`delete from removals where version <= (select changes_since from dataset)`
}
