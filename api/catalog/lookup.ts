/**
 * Looking single things up by name: many at a time with one statement.
 *
 * @module
 */
import { createBatcher } from '../database/batch.ts'
import type { Fragment, Sql } from '../database/connect.ts'

/** Names that are looked up with one statement, at most. */
const lookupSize = 256

/** A document, and the version of the dataset that it was read at. */
export interface Found {
  /** JSON text. */
  document: string
  version: number
}

/**
 * Creates a function that finds the `document` of a key. `select` is a statement that finds it for `asked.key`; it has
 * at most one row.
 */
export function createLookup(sql: Sql, select: Fragment): (key: string) => Promise<Found | undefined> {
  return createBatcher({
    size: lookupSize,
    lanes: 2,
    async run(keys: string[]) {
      const rows = await sql<{ document: string | null; version: number }[]>`
        select found.document, dataset.version
        from dataset, unnest(${sql.typed.texts(keys)}) with ordinality as asked(key, place)
          left join lateral (${select}) found on true
        order by place`
      return rows.map(({ document, version }) => (document === null ? undefined : { document, version }))
    },
  })
}
