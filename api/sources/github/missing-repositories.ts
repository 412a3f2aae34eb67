/**
 * Repositories of the dataset that the forge doesn't have any more. One is removed when the forge has said so in two
 * refreshes, and not the first time: an hour's trouble of the forge must not remove anything.
 */
import type { Sql, SqlOrTransaction } from '../../database/connect.ts'
import { assertRemovalsBounded } from '../../dataset/removal-bound.ts'
import type { CloneFolder } from './clones.ts'
import type { MissingRepository } from './forge-repositories.ts'
import type { Skipped } from './skipped.ts'

/** Time between the two refreshes, at least. Shorter than a day: refreshes at night differ in length. */
const minAbsenceMs = 20 * 3_600_000

/** A repository to remove. */
export interface GoneRepository extends MissingRepository {
  /** When the forge first said that it is missing, in milliseconds. */
  sinceMs: number
}

/** What becomes of missing repositories. */
export interface Departures {
  /** Those that `import github` found earlier. The load notes that they are missing. */
  missing: MissingRepository[]
  /** Those among them that the load removes. */
  gone: GoneRepository[]
  /** Those that stay, and why. One that may be removed later isn't mentioned. */
  skipped: Skipped[]
}

/**
 * Decides what becomes of missing repositories. With `keepMissing`, those that are missing for the first time are
 * skipped.
 */
export async function judgeMissing(
  sql: Sql,
  repositories: readonly MissingRepository[],
  { keepMissing = false }: { keepMissing?: boolean | undefined },
): Promise<Departures> {
  const ids = repositories.map(({ forgeRestId }) => forgeRestId)
  const rows = await sql<{ id: number; sinceMs: number | null }[]>`
    select forge_rest_id as id, floor(extract(epoch from missing_since) * 1000)::bigint as "sinceMs"
    from forge_repositories where forge_rest_id = any (${sql.typed.bigints(ids)})`
  const since = new Map(rows.map(({ id, sinceMs }) => [id, sinceMs]))
  const departures: Departures = { missing: [], gone: [], skipped: [] }
  for (const repository of repositories) {
    const { forgeRestId, name, state, saidAtMs } = repository
    const sinceMs = since.get(forgeRestId)
    if (sinceMs === undefined) {
      // No import has found it, such as one of the sample data: that it isn't there says nothing.
      departures.skipped.push({ name, reason: `${state} on GitHub` })
      continue
    }
    departures.missing.push(repository)
    if (keepMissing) {
      if (sinceMs === null) departures.skipped.push({ name, reason: `${state} on GitHub; it stays` })
    } else if (sinceMs !== null && saidAtMs - sinceMs >= minAbsenceMs) {
      departures.gone.push({ ...repository, sinceMs })
    }
  }
  return departures
}

/**
 * Throws `ImportError` if the removal of these repositories would exceed `maxRemovals`, or by default a part of all.
 */
export async function assertFew(
  sql: Sql,
  gone: readonly GoneRepository[],
  maxRemovals: number | undefined,
): Promise<void> {
  const [dataset] = await sql<{ stored: number }[]>`select repositories_count as stored from dataset`
  const { stored } = dataset ?? { stored: 0 }
  assertRemovalsBounded([{ kind: 'repositories', removed: gone.length, stored }], maxRemovals)
}

/** Notes which repositories the forge has, and which it doesn't have. Those that aren't in the dataset don't count. */
export async function noteRepositories(
  tx: SqlOrTransaction,
  found: readonly number[],
  missing: readonly MissingRepository[],
): Promise<void> {
  await tx`
    insert into forge_repositories as f (forge_rest_id)
    select forge_rest_id from repositories where forge_rest_id = any (${tx.typed.bigints(found)})
    on conflict (forge_rest_id) do update set missing_since = null where f.missing_since is not null`
  const ids = missing.map(({ forgeRestId }) => forgeRestId)
  const times = missing.map(({ saidAtMs }) => saidAtMs)
  await tx`
    update forge_repositories f set missing_since = to_timestamp(m.at / 1000.0)
    from unnest(${tx.typed.bigints(ids)}, ${tx.typed.bigints(times)}) m(id, at)
    where forge_rest_id = m.id and missing_since is null`
}

/**
 * Deletes the clones of repositories that were removed from the dataset, apart from those that the import has found.
 * Other clones may be those of another database. Throws if a clone can't be deleted.
 */
export async function deleteOldClones(
  sql: Sql,
  clones: CloneFolder,
  repositories: readonly { databaseId: number | null }[],
): Promise<void> {
  const found = new Set(repositories.map(({ databaseId }) => databaseId))
  const others = (await clones.list()).filter((id) => !found.has(id))
  const removed = await sql<{ id: number }[]>`
    select forge_rest_id as id from removals
    where kind = 'repository' and not exists_again and forge_rest_id = any (${sql.typed.bigints(others)})`
  for (const { id } of removed) await clones.delete(id)
}
