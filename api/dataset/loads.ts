/** Notes loads, for `/docs/coverage.json`: when each was, what it read, and what it changed. */
import { type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { writeLoadNotice } from '../ledger/webhook-notices.ts'
import type { DatasetChange, RowChanges } from './pending-change.ts'

/** What loads, and what from. Everybody can read it: it names neither people nor paths. */
export interface LoadOrigin {
  command: 'import ndjson' | 'import git' | 'import github'
  /** Kinds of records, the number of clones, or the forge's host. */
  source: string
  /** When the command began to read. */
  startedAt: Date
  /**
   * Whether it has loaded only a part of what it was to load: it is a batch before the last one, or something failed,
   * which the command reports by its exit code. It doesn't count as the last load.
   */
  isPartial: boolean
  /** Whether it looked at everything that the dataset had: it mirrors files, or refreshes from a forge. */
  coversAll: boolean
}

/** Notes a load, even if it has changed nothing. `version` is that of the dataset after the load. */
export async function noteLoad(
  { tx }: Pick<DatasetChange, 'tx'>,
  { command, source, startedAt, isPartial, coversAll }: LoadOrigin,
  { version, ...rows }: RowChanges & { version: number },
): Promise<void> {
  const changes = { ...rows, ...(isPartial && { is_partial: true }) } // readDataset reads that
  await tx`
    insert into loads (command, source, started_at, covers_all, version, changes)
    values (${command}, ${source}, ${startedAt}, ${coversAll}, ${version}, ${JSON.stringify(changes)}::text::json)`
  await writeLoadNotice(tx, {
    command,
    source,
    dataset_version: version,
    is_partial: isPartial,
    changes: rows,
  })
}

/** Where a version of the dataset is from. */
export interface VersionOrigin {
  dataset_version: number
  /** The load that made it; its times are ISO 8601. Undefined: another command did, such as `forget` or `remove`. */
  load?: { command: string; source: string; started_at: string; applied_at: string } | undefined
}

/** Reads where versions are from. Records have the version that last changed them. */
export async function readOrigins(
  sql: SqlOrTransaction,
  versions: Iterable<number>,
): Promise<Map<number, VersionOrigin>> {
  const wanted = [...new Set(versions)]
  // A load that changed nothing has the version that was there. Its numbers are all 0.
  const loads = await sql<(NonNullable<VersionOrigin['load']> & { version: number })[]>`
    select distinct on (version) version, command, source, ${selectTime(sql, sql`started_at`)} as started_at,
      ${selectTime(sql, sql`applied_at`)} as applied_at
    from loads
    where version = any (${sql.typed.bigints(wanted)}) and changes::text ~ '[1-9]'
    order by version, id`
  const byVersion = new Map(loads.map(({ version, ...load }) => [version, load]))
  return new Map(
    wanted.map((version) => [version, { dataset_version: version, load: byVersion.get(version) }]),
  )
}
