/**
 * Looking single things up by name: many at a time with one statement.
 *
 * @module
 */
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import { selectRepositoryDocument } from './repositories.ts'
import { selectUserDocument } from './users.ts'

/** Names that are looked up with one statement, at most. */
const lookupSize = 256

/** What a document is found by. */
export interface LookUp {
  kind: 'user' | 'repository'
  /** The login, or owner and name, as `foldText` writes it. */
  key: string
}

/** A document, and the version of the dataset that it was read at. */
export interface Found {
  /** JSON text. */
  document: string
  version: number
}

/** SQL: the `document` of a thing of the kind and with the key of the row `asked`; no row when there is none. */
export function selectDocument(sql: Sql): Fragment {
  return sql`(${selectUserDocument(sql)}) union all (${selectRepositoryDocument(sql)})`
}

/** Creates a function that finds documents. */
export function createLookup(sql: Sql): (lookUp: LookUp) => Promise<Found | undefined> {
  return createBatcher({
    size: lookupSize,
    maxConcurrent: 2,
    async run(lookUps: LookUp[]) {
      const rows = await sql<{ document: string | null; version: number }[]>`
        select found.document, dataset.version
        from dataset, unnest(
            ${sql.typed.texts(lookUps.map(({ kind }) => kind))}, ${sql.typed.texts(lookUps.map(({ key }) => key))}
          ) with ordinality as asked(kind, key, place)
          left join lateral (${selectDocument(sql)}) found on true
        order by place`
      return rows.map(({ document, version }) => (document === null ? undefined : { document, version }))
    },
  })
}
