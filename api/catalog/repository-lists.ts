/** Lists of one repository: its commits and its dependencies. */
import type { Fragment, Sql } from '../database/connect.ts'
import { offsetOf, type Page } from '../paging/page.ts'
import { type LookUp, selectRepositoryByKey } from './document-lookup.ts'
import { createPageReader, type ReadPage } from './page-reader.ts'

/** A page of a list of a repository; `after` is the key of an item, as text. */
export interface RepositoryPage {
  repository: LookUp
  page: Page<string>
}

/** Reads a page. */
export type ReadRepositoryList = ReadPage<RepositoryPage, 'not_found'>

/**
 * Creates a function that reads pages. One statement reads those of many concurrent requests. `found` is SQL: `total`,
 * `offset` and the rendered page of the repository `r`, as the row `asked` requests it by `after` ('': none), `skipped`
 * and `size`.
 */
export function createRepositoryList(
  sql: Sql,
  found: Fragment,
  { maxConcurrent }: { maxConcurrent?: number | undefined } = {},
): ReadRepositoryList {
  return createPageReader(sql, {
    maxPages: 32,
    maxConcurrent,
    noPage: 'not_found',
    select: (requests) => sql`
      select asked.place, page.*
      from unnest(
        ${sql.typed.texts(requests.map(({ repository }) => repository.key))},
        ${sql.typed.texts(requests.map(({ page }) => page.after ?? ''))},
        ${sql.typed.bigints(requests.map(({ page }) => offsetOf(page)))},
        ${sql.typed.bigints(requests.map(({ page }) => page.size))}
      ) with ordinality asked(key, after, skipped, size, place)
      left join lateral (
        select found.* from (${selectRepositoryByKey(sql, sql`asked.key`)}) r, lateral (${found}) found
      ) page on true`,
  })
}
