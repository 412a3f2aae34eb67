/**
 * Batch look-ups: the users or repositories that a request names, as a list. Nothing is stored for them.
 *
 * @module
 */
import { type BatchOptions, createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, selectPages } from '../paging/page.ts'
import type { ListName } from './filter.ts'

/** What a batch look-up names. */
export interface BatchLookUp {
  by: 'name' | 'forgeRestId'
  /**
   * Logins, or owners and names, as `foldText` writes them; or ids in digits. They are valid, so none has a comma, and
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
 * Creates a function that reads pages of batch look-ups: many at a time with one statement. A batch look-up finds what
 * single look-ups find: a name that has changed hands belongs to the item that came last.
 *
 * `rendered` is SQL: what `renderPage` returns, and `next`.
 */
export function createBatchReader(
  sql: Sql,
  list: ListName,
  rendered: Fragment,
  options: Pick<BatchOptions<BatchRequest, ListPage>, 'size' | 'maxConcurrent'>,
): (request: BatchRequest) => Promise<ListPage | undefined> {
  const nameColumn = { users: 'login_key', repositories: 'full_name_key' }[list]
  const readers = {
    name: createReader(sql`${sql(nameColumn)} = entry`),
    forgeRestId: createReader(sql`forge_rest_id = entry::bigint`),
  }

  /** `isNamed` is SQL: whether `entry` names a row. */
  function createReader(isNamed: Fragment) {
    return createBatcher({
      ...options,
      run: (requests: BatchRequest[]) =>
        selectPages(sql`
          select page.*
          from unnest(
            ${sql.typed.texts(requests.map(({ lookUp }) => lookUp.entries.join()))},
            ${sql.typed.bigints(requests.map(({ page }) => offsetOf(page)))},
            ${sql.typed.bigints(requests.map(({ page }) => page.after ?? 0))},
            ${sql.typed.bigints(requests.map(({ page }) => page.size))}
          ) with ordinality asked(entries, skipped, after, size, place),
          lateral (
            with named as (
              select item.* from unnest(string_to_array(asked.entries, ',')) entry, lateral (
                select * from ${sql(list)} where ${isNamed} order by id desc limit 1
              ) item
            ), start as (
              select count(*) as total, case when asked.after = 0 then asked.skipped
                else count(*) filter (where id <= asked.after) end as skipped
              from named
            )
            select start.total, dataset.version, start.skipped as offset, found.*
            from dataset, start, lateral (
              select ${rendered} from (
                select * from named order by id limit asked.size offset start.skipped
              ) page
            ) found
          ) page
          order by asked.place`),
    })
  }

  return (request) => readers[request.lookUp.by](request)
}
