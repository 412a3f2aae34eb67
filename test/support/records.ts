/**
 * Loads records of a test's own, the way in which every load goes.
 *
 * @module
 */
import type { Sql } from '../../api/database/connect.ts'
import { importNdjson, type Source } from '../../api/import/ndjson.ts'
import type { SampleCommit, SampleRepository, SampleUser } from '../../sample/records.ts'

/** What to load, in the order in which it is to be listed. */
export interface Records {
  users?: readonly SampleUser[]
  /** Without dependencies: those that are there stay. */
  repos?: readonly (Omit<SampleRepository, 'dependencies'> & Record<'dependencies', object[] | null>)[]
  commits?: readonly SampleCommit[]
}

/** Loads records in one go. Throws when one of them breaks a rule. */
export async function loadRecords(
  sql: Sql,
  { users = [], repos = [], commits = [] }: Records,
): Promise<void> {
  const sources: Source[] = [
    createSource('users', users),
    createSource('repos', repos),
    createSource('commits', commits),
  ]
  await importNdjson(sql, { sources })
}

function createSource(kind: Source['kind'], records: readonly object[]): Source {
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return {
    kind,
    name: `${kind}.ndjson`,
    size: bytes.length,
    async *open() {
      yield bytes
    },
  }
}
