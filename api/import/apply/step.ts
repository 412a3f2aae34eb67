/**
 * A part of a staged load that is applied in one go.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'
import { stagingTable } from '../staging.ts'

/** The staged rows after one position up to another. */
export interface Step {
  /** The load. */
  importId: number
  after: number
  upTo: number
  /** The load is large beside what is there: what the planner knows of the tables has to follow while it is applied. */
  isLarge: boolean
  /** Only what is not there yet; it takes ids beyond the dataset's counts, where no reader sees it. */
  onlyNew: boolean
  /** Whether users whom no reader sees yet need not be noted as affected: all of them will be looked at. */
  passesNewUsers: boolean
}

/** Things that came, and things that were there with other content. */
export interface Change {
  added: number
  updated: number
}

/** SQL: the staged row `s` belongs to the step. */
export function isOfStep(tx: SqlOrTransaction, { after, upTo }: Step) {
  return tx`s.position > ${after} and s.position <= ${upTo}`
}

/** SQL: where users are noted whose dependencies may have changed. */
export function affectedTable(tx: SqlOrTransaction, { importId }: Step) {
  return tx(stagingTable('affected', importId))
}

/** SQL: a user with that `user_id` needs to be noted. */
export function needsNote(tx: SqlOrTransaction, { passesNewUsers }: Step): Fragment {
  return passesNewUsers ? tx`user_id <= (select users_count from dataset)` : tx`true`
}

/** Counts the rows of a table of changes. */
export async function countChanges(tx: SqlOrTransaction, table: string): Promise<Change> {
  const [change] = await tx<Change[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return change ?? { added: 0, updated: 0 }
}
