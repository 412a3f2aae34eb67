/**
 * Notes loads, for `/docs/coverage.json`: when each was, what it read, and what it changed.
 *
 * @module
 */
import type { DatasetChange, RowChanges } from './pending-change.ts'

/** What loads, and what from. Everybody can read it: it names neither people nor paths. */
export interface LoadOrigin {
  command: 'import ndjson' | 'import git' | 'import github'
  /** Kinds of records, the number of clones, or the forge's host. */
  source: string
  /** When the command began to read. */
  startedAt: Date
  /** Whether it looked at everything that the dataset had: it mirrors files, or refreshes from a forge. */
  coversAll: boolean
}

/** Notes a load, even if it has changed nothing. `version` is that of the dataset after the load. */
export async function noteLoad(
  { tx }: Pick<DatasetChange, 'tx'>,
  { command, source, startedAt, coversAll }: LoadOrigin,
  { version, ...changes }: RowChanges & { version: number },
): Promise<void> {
  await tx`
    insert into loads (command, source, started_at, covers_all, version, changes)
    values (${command}, ${source}, ${startedAt}, ${coversAll}, ${version}, ${JSON.stringify(changes)}::text::json)`
}
