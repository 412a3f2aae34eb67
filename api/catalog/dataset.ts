/**
 * The current state of the dataset.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'

/** A version of the data: each load that changes something creates a new one. */
export interface Dataset {
  version: number
  /** When that load was applied. */
  updated_at: Date
}

/** Reads the dataset's version. */
export async function readDataset(sql: Sql): Promise<Dataset> {
  const [dataset] = await sql<Dataset[]>`select version, updated_at from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  return dataset
}
