/** The current state of the dataset, and the versions since which changes are known. */
import { type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { badRequest, changesExpired } from '../errors.ts'

/** A load may change the dataset between two statements. After these attempts, one transaction sees one state of it. */
const maxAttempts = 3

/**
 * Reads with several statements that must see the same state of the dataset: `read` returns `outdated` if they don't.
 * Repeats it then, at last in one transaction, with `readSnapshot`.
 */
export async function readOneState<Result>(
  sql: Sql,
  read: (sql: SqlOrTransaction) => Promise<Result | 'outdated'>,
  readSnapshot = read,
): Promise<Result> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const result = await read(sql)
    if (result !== 'outdated') return result
  }
  let result: Result | 'outdated' = 'outdated'
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    result = await readSnapshot(tx)
  })
  if (result === 'outdated') throw new Error('the dataset changed within a snapshot')
  return result
}

/** A version of the data: each load that changes something creates a new one. Times are ISO 8601. */
export interface Dataset {
  version: number
  /** When that load was applied. */
  updated_at: string
  /** When the last load was applied that wasn't partial. It may have changed nothing. Null: there was none. */
  loaded_at: string | null
  /** When the last load was applied that had looked at everything: a refresh, or a mirror of files. Null: none has. */
  refreshed_at: string | null
}

/** Reads the dataset's version and times. */
export async function readDataset(sql: Sql): Promise<Dataset> {
  const [dataset] = await sql<Dataset[]>`
    select version, ${selectTime(sql, sql`updated_at`)} as updated_at,
      (
        select ${selectTime(sql, sql`applied_at`)} from loads where changes -> 'is_partial' is null order by id desc limit 1
      ) as loaded_at,
      (select ${selectTime(sql, sql`applied_at`)} from loads where covers_all order by id desc limit 1) as refreshed_at
    from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  return dataset
}

/** The versions that a client may ask changes since: `changesSince` to `version`. */
export interface KnownChanges {
  version: number
  changesSince: number
}

/** Throws 410 for a version whose later changes are no longer known, and 400 for one that doesn't exist yet. */
export function assertChangesKnown(
  parameter: string,
  since: number,
  { version, changesSince }: KnownChanges,
  hasFilters = false,
): void {
  if (since < changesSince) throw changesExpired(since, changesSince, hasFilters)
  if (since > version) {
    throw badRequest(`Invalid ${parameter}: must be at most ${version}, the version of the dataset`)
  }
}
