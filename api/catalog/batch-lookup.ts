/** Batch look-ups: lists of the users or repositories that a request names. */
import type { Fragment, Sql } from '../database/connect.ts'
import { offsetOf, type Page } from '../paging/page.ts'
import type { ListName } from './filters.ts'
import { createPageReader, type ReadPage } from './page-reader.ts'

/** What a batch look-up names. */
export interface BatchLookUp {
  by: 'name' | 'forgeRestId'
  /**
   * Logins, or owners and names, folded by `foldText`; or ids in digits. They are valid, so none contains a comma, and
   * there are no duplicates.
   */
  entries: readonly string[]
}

/** A page of a batch look-up. */
export interface BatchRequest {
  lookUp: BatchLookUp
  page: Page<number>
}

/**
 * Creates a function that reads pages of batch look-ups. One statement reads those of many concurrent requests. A name
 * finds the same item as a single look-up: of several items with the name, the one that was added last.
 *
 * `rendered` is SQL: what `renderPage` returns, and `next`.
 */
export function createBatchReader(
  sql: Sql,
  list: ListName,
  rendered: Fragment,
  { maxPages }: { maxPages: number },
): ReadPage<BatchRequest> {
  const readers = {
    name: createReader(list === 'users' ? sql`login_key` : sql`full_name_key`, sql`text[]`),
    forgeRestId: createReader(sql`forge_rest_id`, sql`bigint[]`),
  }

  /** `column` is the column that entries are compared with, and `type` the type of an array of entries. */
  function createReader(column: Fragment, type: Fragment) {
    return createPageReader(sql, {
      maxPages,
      select: (requests: readonly BatchRequest[]) => sql`
        select asked.place, page.*
        from unnest(
          ${sql.typed.texts(requests.map(({ lookUp }) => lookUp.entries.join()))},
          ${sql.typed.bigints(requests.map(({ page }) => offsetOf(page)))},
          ${sql.typed.bigints(requests.map(({ page }) => page.after ?? 0))},
          ${sql.typed.bigints(requests.map(({ page }) => page.size))}
        ) with ordinality asked(entries, skipped, after, size, place),
        lateral (
          with named as (
            select distinct on (${column}) * from ${sql(list)}
            where ${column} = any(string_to_array(asked.entries, ',')::${type})
            order by ${column}, id desc
          ), start as (
            select count(*) as total, case when asked.after = 0 then asked.skipped
              else count(*) filter (where id <= asked.after) end as skipped
            from named
          )
          select start.total, start.skipped as offset, found.*
          from start, lateral (
            select ${rendered} from (
              select * from named order by id limit asked.size offset start.skipped
            ) page
          ) found
        ) page`,
    })
  }

  return (request, options) => readers[request.lookUp.by](request, options)
}
