/**
 * A part of a staged load that is applied in one go.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'

/** The staged rows after one position up to another. */
export interface Step {
  importId: number
  after: number
  upTo: number
  /** Only what is not there yet; it takes ids beyond the dataset's counts, where no reader sees it. */
  onlyNew: boolean
}

/** Things that came, and things that were there with other content. */
export interface Change {
  added: number
  updated: number
}

/** SQL: the staged row `s` belongs to the step. */
export function isOfStep(tx: SqlOrTransaction, { importId, after, upTo }: Step) {
  return tx`s.import_id = ${importId} and s.position > ${after} and s.position <= ${upTo}`
}

/** What makes two staged rows be for the same thing. */
const keys = {
  import_users: ['forge_rest_id'],
  import_repositories: ['forge_rest_id'],
  import_commits: ['url_key', 'commit_hash'],
} as const

/** SQL: another line for the same thing comes after the staged row `s`, and wins. */
export function isSuperseded(tx: SqlOrTransaction, table: keyof typeof keys): Fragment {
  const isSame = tx.unsafe(keys[table].map((column) => `l.${column} = s.${column}`).join(' and '))
  return tx`exists (
    select from ${tx(table)} l where l.import_id = s.import_id and ${isSame} and l.position > s.position
  )`
}

/** Counts the rows of a table of changes. */
export async function countChanges(tx: SqlOrTransaction, table: string): Promise<Change> {
  const [change] = await tx<Change[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return change ?? { added: 0, updated: 0 }
}
