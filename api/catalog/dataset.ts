/**
 * The current state of the dataset, and the versions since which changes are known.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { badRequest, changesExpired } from '../errors.ts'

/** A version of the data: each load that changes something creates a new one. */
export interface Dataset {
  version: number
  /** When that load was applied. */
  updated_at: Date
  /** When the last load was applied, which may have changed nothing. Null: nothing was ever loaded. */
  loaded_at: Date | null
}

/** Reads the dataset's version and times. */
export async function readDataset(sql: Sql): Promise<Dataset> {
  const [dataset] = await sql<Dataset[]>`select version, updated_at, loaded_at from dataset`
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
): void {
  if (since < changesSince) throw changesExpired(since, changesSince)
  if (since > version) {
    throw badRequest(`Invalid ${parameter}: must be at most ${version}, the version of the dataset`)
  }
}
