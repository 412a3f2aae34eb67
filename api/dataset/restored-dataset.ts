/** A dataset that was restored from a backup: its version jumps beyond those that were lost. */
import { carryDerivedTerms } from '../catalog/derived-terms.ts'
import { type Sql, selectTime } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { changeLock } from '../database/migrate.ts'
import { deleteSets } from '../sets/set-parts.ts'
import { selectVersionTerms } from '../sets/stored-sets.ts'
import { dropLoadedHistories } from './loaded-histories.ts'

/** What a restored database has. */
export interface RestoredDataset {
  /** The dataset's version now. */
  version: number
  /** The one in the backup. */
  previousVersion: number
  /** The time of the latest event in the database (ISO 8601). Later events are lost. */
  knownUntil: string
  /** Connections of assistants that were ended. */
  endedConnections: number
}

/**
 * Gives a restored dataset a version that no client has seen. Changes since any earlier version are unknown (410),
 * because the loads after the backup, which are lost, had versions that would otherwise be given again to other data.
 *
 * The version becomes the milliseconds since 1970. Each load that changes something counts one up, and loads, one at a
 * time, take more than a millisecond each. So a version that began at 0 or at a former restore is always below the
 * clock, also when the same backup is restored twice. It stays a safe integer for 285,000 years. If the clock was set
 * back, the version still goes up by one.
 *
 * Connections of assistants end, because nobody knows which of them were ended after the backup.
 *
 * Entity tags are made of data and ids, cached responses belong to one version, and the ledger has none: they are right
 * afterwards.
 */
export async function markRestored(sql: Sql): Promise<RestoredDataset> {
  return await beginLong(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${changeLock})`
    const [dataset] = await tx<{ previousVersion: number; knownUntil: string }[]>`
      select version as "previousVersion", ${selectTime(tx, tx`known_until`)} as "knownUntil"
      from (
        select version, greatest(
          updated_at,
          (select max(applied_at) from loads),
          (select max(greatest(created_at, revoked_at, deleted_at, last_used_at)) from api_keys),
          (
            select max(newest.created_at) from api_keys k, lateral (
              select created_at from ledger where api_key_id = k.id order by position desc limit 1
            ) newest
          ),
          (select max(forgotten_at) from forgotten_people)
        ) as known_until
        from dataset
      ) d`
    const [moved] = await tx<{ version: number }[]>`
      with moved as (
        select greatest(version + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as version from dataset
      )
      update dataset set
        version = moved.version, derived_terms = ${carryDerivedTerms(tx, tx`moved.version`)}, edition = gen_random_uuid(),
        changes_since = moved.version, updated_at = clock_timestamp()
      from moved returning dataset.version`
    if (dataset === undefined || moved === undefined) throw new Error('the dataset row is missing')
    await deleteSets(tx, tx.unsafe(selectVersionTerms()))
    await tx`delete from dataset_versions`
    await tx`insert into dataset_versions (version, applied_at) values (${moved.version}, clock_timestamp())`
    await tx`delete from removals`
    await dropLoadedHistories(tx) // the backup may be of some of the tables or servers alone
    const { count: endedConnections } = await tx`delete from connections`
    return { ...dataset, ...moved, endedConnections }
  })
}
