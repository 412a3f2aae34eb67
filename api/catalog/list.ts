/**
 * Pages of users or repositories: of all, of those that a filter matches, or of those that a batch look-up names.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { overCapacity } from '../errors.ts'
import { limitPage, offsetOf, type Page, type Rendering, renderPage } from '../paging/page.ts'
import { type BatchLookUp, createBatchReader } from './batch-lookup.ts'
import { type Filter, hashFilter, isUnfiltered, type ListName } from './filter.ts'
import { createOwnedReader } from './owned-repositories.ts'
import { type CatalogPage, createPageReader, type ReadOptions } from './page-reader.ts'
import { type Requester, type StoredLists, selectStoredPage, selectStoredStart } from './stored-lists.ts'

/** How the pages of a list are read. */
interface ListKind {
  list: ListName
  /** Of the table `dataset`: the number of items. */
  countColumn: string
  /** Of the table `dataset`: the highest id that was ever used. */
  lastIdColumn: string
  /** SQL. */
  render(sql: Sql): Rendering
  /** Maximum pages that one statement reads. A few large pages must not delay the others. */
  maxPages: number
}

const repositories: ListKind = {
  list: 'repositories',
  countColumn: 'repositories_count',
  lastIdColumn: 'last_repository_id',
  render: (sql) => ({
    item: sql`'{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`,
    digest: sql`hashint8extended(digest, id)`,
  }),
  maxPages: 16,
}

/** The lists of the catalog. */
const kinds = {
  users: {
    list: 'users',
    countColumn: 'users_count',
    lastIdColumn: 'last_user_id',
    render: (sql) => ({ item: sql`document`, digest: sql`hashint8extended(digest, id)` }),
    maxPages: 32,
  },
  repositories,
  /** Repositories without their dependencies. */
  repositoriesAlone: {
    ...repositories,
    render: (sql) => ({
      item: sql`'{"internal_id":' || id || ',' || members || '}'`,
      digest: sql`hashtextextended(members, id)`,
    }),
    maxPages: 32,
  },
} satisfies Record<string, ListKind>

/**
 * Reads a page of the items that a filter matches or a batch look-up names, by internal id, and settles the request as
 * `ReadPage` does. The first request for a filter waits until its stored list is built. Throws as `build` does, and
 * `overCapacity` if that takes too long. `not_stored`: the replica doesn't have the stored list yet.
 */
export type ReadList = (
  request: { filter: Filter | BatchLookUp; page: Page<number> },
  requester: Requester & ReadOptions,
) => Promise<CatalogPage | 'not_stored'>

/** A page of the stored list with this hash. */
interface StoredPageRequest {
  hash: Buffer
  page: Page<number>
}

/** A load makes stored lists outdated, possibly between building one and reading it. */
const maxAttempts = 5

/** Creates a function that reads pages. One statement reads those of many concurrent requests. */
export function createList(
  sql: Sql,
  storedLists: StoredLists,
  { kind, isReplica }: { kind: keyof typeof kinds; isReplica: boolean },
): ReadList {
  const { list, countColumn, lastIdColumn, render, maxPages }: ListKind = kinds[kind]
  /** Once true, it stays true, because ids aren't reused. */
  let hasGaps = false
  const rendered = sql`${renderPage(sql, render(sql))}, max(id) as next`
  const readNamed = createBatchReader(sql, list, rendered, { maxPages })
  const readOwned = createOwnedReader(sql, rendered)

  // Without gaps an id is the item's rank, and a page is a range of ids.
  const readUnfiltered = createPageReader(sql, {
    maxPages,
    noPage: 'has_gaps',
    select: (pages: readonly Page<number>[]) => sql`
      select asked.place, page.*
      from unnest(
        ${sql.typed.bigints(pages.map((page) => page.after ?? offsetOf(page)))},
        ${sql.typed.bigints(pages.map(({ size }) => size))}
      ) with ordinality asked(skipped, size, place)
      left join lateral (
        select published.total, asked.skipped as offset, found.*
        from (
          select ${sql(countColumn)} as total from dataset where ${sql(countColumn)} = ${sql(lastIdColumn)}
        ) published,
        lateral (
          select ${rendered} from (
            select * from ${sql(list)}
            where id > asked.skipped and id <= asked.skipped + asked.size
            order by id ${limitPage(sql)}
          ) page
        ) found
      ) page on true`,
  })

  /** Creates a reader of stored lists. `page` is SQL: the page that the row `asked` requests. */
  function createStoredReader(page: Fragment) {
    return createPageReader(sql, {
      maxPages,
      noPage: 'not_stored',
      select: (requests: readonly StoredPageRequest[]) => sql`
        select asked.place, page.*
        from unnest(
          ${sql.typed.texts(requests.map(({ hash }) => hash.toString('hex')))},
          ${sql.typed.bigints(requests.map(({ page }) => offsetOf(page)))},
          ${sql.typed.bigints(requests.map(({ page }) => page.after ?? 0))},
          ${sql.typed.bigints(requests.map(({ page }) => page.size))}
        ) with ordinality asked(hash, skipped, after, size, place)
        left join lateral (${page}) page on true`,
    })
  }

  const readFiltered = createStoredReader(sql`
    select stored_list.total, stored_list.skipped as offset, found.*
    from (${selectStoredPage(sql)}) stored_list,
    lateral (
      select ${rendered} from (
        select * from ${sql(list)} where id = any(stored_list.ids) order by id ${limitPage(sql)}
      ) page
    ) found`)

  // With gaps, the stored list of all ids says where a page begins, and the page is read as a range from there.
  const readWithGaps = createStoredReader(sql`
    select start.total, start.skipped as offset, found.*
    from (${selectStoredStart(sql)}) start,
    lateral (
      select ${rendered} from (
        select * from (
          select * from ${sql(list)} where id >= start.first_id order by id ${limitPage(sql)}
        ) following limit asked.size
      ) page
    ) found`)

  return async ({ filter, page }, requester) => {
    if ('entries' in filter) return readNamed({ lookUp: filter, page }, requester)
    if (isUnfiltered(filter) && !hasGaps) {
      const found = await readUnfiltered(page, requester)
      if (found !== 'has_gaps') return found
      hasGaps = true
    }
    if (filter.ownerKey !== '') {
      const found = await readOwned({ filter, page }, requester)
      if (found !== 'too_many') return found
    }
    const hash = hashFilter(list, filter)
    const readStored = isUnfiltered(filter) ? readWithGaps : readFiltered
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await readStored({ hash, page }, requester)
      if (found !== 'not_stored') {
        storedLists.noteUse(hash)
        return found
      }
      if (isReplica) return found
      await storedLists.build(list, filter, requester)
    }
    throw overCapacity() // the dataset changes faster than a stored list can be built and read
  }
}
