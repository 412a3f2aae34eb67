/**
 * A staged load while it is applied, and what its parts share.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'
import { stagingTable } from '../staging.ts'

/** A staged load. */
export interface Load {
  importId: number
  /** Whether the load is large compared with the dataset. Then the planner needs new statistics on the way. */
  isLarge: boolean
}

/** Rows that were inserted, and rows that existed with other content. */
export interface Change {
  added: number
  updated: number
}

/** SQL: the table of users whose dependencies the load may change. */
export function affectedUsersTable(tx: SqlOrTransaction, { importId }: Load) {
  return tx(stagingTable('affected', importId))
}

/** SQL: `user_id` existed before this load. The postings of new users are made separately, for all of them. */
export function isKnownUser(tx: SqlOrTransaction): Fragment {
  return tx`user_id <= (select users_count from dataset)`
}

/** Counts the rows of a table of changes. */
export async function countChanges(tx: SqlOrTransaction, table: string): Promise<Change> {
  const [change] = await tx<Change[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return change ?? { added: 0, updated: 0 }
}
