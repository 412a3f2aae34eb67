/** Records as NDJSON, and how they are loaded. */
import type { DatasetChangeResult } from '../../api/dataset/dataset-change.ts'
import { importNdjson, type Source } from '../../api/sources/ndjson/import.ts'
import type { RecordKind } from '../../api/staging/records.ts'
import type { TestService } from './service.ts'

/** What to load: records of any form, valid or not. */
export interface Load {
  users?: readonly object[]
  identities?: readonly object[]
  repos?: readonly object[]
  commits?: readonly object[]
  removals?: readonly object[]
}

/** The result for records of which none was added or updated. */
export const nothing = { added: 0, updated: 0, removed: 0 }

/** A file in memory, read in chunks of `chunkSize` bytes. */
export function createSource(kind: RecordKind, content: string | Uint8Array, chunkSize = 65_536): Source {
  const bytes = Buffer.from(content)
  return {
    kind,
    name: `${kind}.ndjson`,
    size: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize)
    },
  }
}

/** Records as lines of JSON. */
export function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Loads records. */
export function load(
  { sql }: Pick<TestService, 'sql'>,
  { users = [], identities = [], repos = [], commits = [], removals = [] }: Load,
): Promise<DatasetChangeResult> {
  return importNdjson(sql, {
    // Commits come first: the order of files must not matter.
    sources: [
      createSource('commits', toLines(commits)),
      createSource('repos', toLines(repos)),
      createSource('identities', toLines(identities)),
      createSource('users', toLines(users)),
      createSource('removals', toLines(removals)),
    ],
  })
}

/** The dataset's version. */
export async function readDatasetVersion({ sql }: TestService): Promise<number> {
  const [dataset] = await sql<{ version: number }[]>`select version from dataset`
  return dataset?.version ?? Number.NaN
}

/** Creates an admin key, and returns its secret. */
export async function createAdmin(service: TestService): Promise<string> {
  return (await service.createKey({ role: 'admin' })).secret
}
