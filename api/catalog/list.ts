/**
 * Pages of users or of repositories: of all of them, or of those that a filter matches.
 *
 * @module
 */
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import { type ListPage, limitPage, offsetOf, type Page, renderPage, selectPages } from '../paging/page.ts'
import { type Filter, hashFilter, isUnfiltered, type ListName } from './filter.ts'
import { type Requester, readListed, type StoredLists } from './stored-list.ts'

/** What is listed, and how. */
export interface ListKind {
  list: ListName
  /** SQL: an item's JSON text. */
  renderItem(sql: Sql): Fragment
  /** Pages that are read with one statement, at most: a few of the largest must not hold up the others. */
  pagesAtOnce: number
  /** Statements that read pages at a time, as long as they answer soon. */
  maxConcurrent: number
}

/** Lists what a filter matches, by internal id. Who asks may have to wait until the matches are found. */
export type ReadList = (request: { filter: Filter; page: Page<number> } & Requester) => Promise<ListPage>

/** Creates a function that lists: many pages at a time with one statement. */
export function createList(
  sql: Sql,
  storedLists: StoredLists,
  { list, renderItem, pagesAtOnce, maxConcurrent }: ListKind,
): ReadList {
  const rendered = sql`${renderPage(sql, renderItem(sql))}, max(id) as next`
  const batch = { size: pagesAtOnce, maxConcurrent }

  // An id is its rank.
  const readAll = createBatcher({
    ...batch,
    run: (pages: Page<number>[]) =>
      selectPages(sql`
        select published.count as total, published.version, asked.skipped as offset, found.*
        from (select version, ${sql(`${list}_count`)} as count from dataset) published,
        unnest(
          ${sql.typed.bigints(pages.map((page) => page.after ?? offsetOf(page)))},
          ${sql.typed.bigints(pages.map(({ size }) => size))}
        ) with ordinality asked(skipped, size, place),
        lateral (
          select ${rendered} from (
            select * from ${sql(list)}
            where id > asked.skipped and id <= asked.skipped + asked.size
            order by id ${limitPage(sql)}
          ) page
        ) found
        order by asked.place`),
  })

  const readMatches = createBatcher({
    ...batch,
    run: (asked: { hash: Buffer; page: Page<number> }[]) =>
      selectPages(sql`
        select page.*
        from unnest(
          ${sql.typed.texts(asked.map(({ hash }) => hash.toString('hex')))},
          ${sql.typed.bigints(asked.map(({ page }) => offsetOf(page)))},
          ${sql.typed.bigints(asked.map(({ page }) => page.after ?? 0))},
          ${sql.typed.bigints(asked.map(({ page }) => page.size))}
        ) with ordinality asked(hash, skipped, after, size, place)
        left join lateral (
          select stored_list.total, stored_list.version, stored_list.skipped as offset, found.*
          from (${storedLists.selectPage(sql)}) stored_list,
          lateral (
            select ${rendered} from (
              select * from ${sql(list)} where id = any(stored_list.ids) order by id ${limitPage(sql)}
            ) page
          ) found
        ) page on true
        order by asked.place`),
  })

  return async ({ filter, page, ...requester }) => {
    if (!isUnfiltered(filter)) {
      const hash = hashFilter(list, filter)
      const found = await readListed(storedLists, { list, filter, ...requester }, () =>
        readMatches({ hash, page }),
      )
      storedLists.noteUse(hash)
      return found
    }
    const found = await readAll(page)
    if (found === undefined) throw new Error('the dataset row is missing')
    return found
  }
}
