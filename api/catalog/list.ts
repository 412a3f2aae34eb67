/**
 * Pages of users or repositories: of all, of those that a filter matches, or of those that a batch look-up names.
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { limitPage, offsetOf, type Page, type Rendering, renderPage } from '../paging/page.ts'
import { type BatchLookUp, createBatchReader } from './batch-lookup.ts'
import { type Filter, isUnfiltered } from './canonical-filter.ts'
import { readOneState } from './dataset.ts'
import type { ListName } from './filters.ts'
import { computeMatches, type Matches, type MatchFinder, type Requester } from './matches.ts'
import { type CatalogPage, createPageReader, type ReadOptions, readPage } from './page-reader.ts'
import { renderMembers } from './stored-documents.ts'

/** How the pages of a list are read. */
interface ListKind {
  list: ListName
  /** SQL. */
  render(sql: Sql): Rendering
  /** Maximum pages that one statement reads. A few large pages must not delay the others. */
  maxPages: number
}

const repositories: ListKind = {
  list: 'repositories',
  render: (sql) => ({
    item: renderMembers(sql, sql`members`, { internalId: sql`id`, dependencies: sql`dependencies` }),
    digest: sql`hashint8extended(digest, id)`,
  }),
  maxPages: 16,
}

/** The lists of the catalog. */
const kinds = {
  users: {
    list: 'users',
    render: (sql) => ({ item: sql`document`, digest: sql`hashint8extended(digest, id)` }),
    maxPages: 32,
  },
  repositories,
  /** Repositories without their dependencies. */
  repositoriesAlone: {
    ...repositories,
    render: (sql) => ({
      item: renderMembers(sql, sql`members`, { internalId: sql`id` }),
      digest: sql`hashtextextended(members, id)`,
    }),
    maxPages: 32,
  },
} satisfies Record<string, ListKind>

/**
 * Reads a page of the items that a filter matches or a batch look-up names, by internal id, and settles the request as
 * `ReadPage` does. Throws as `find` of a `MatchFinder` does.
 */
export type ReadList = (
  request: { filter: Filter | BatchLookUp; page: Page<number> },
  requester: Requester & ReadOptions,
) => Promise<CatalogPage>

/** A page of matches. */
interface MatchesPage {
  matches: Matches
  page: Page<number>
}

/** Creates a function that reads pages. One statement reads those of many concurrent requests. */
export function createList(sql: Sql, finder: MatchFinder, kind: keyof typeof kinds): ReadList {
  const { list, render, maxPages }: ListKind = kinds[kind]
  const rendered = sql`${renderPage(sql, render(sql))}, max(id) as next`
  const readNamed = createBatchReader(sql, list, rendered, { maxPages })

  /** Creates a reader. `isOnPage` is SQL: whether an item is on the page that the row `asked` requests. */
  function createMatchesReader(isOnPage: Fragment) {
    const select = (requests: readonly MatchesPage[]) => {
      const pages = requests.map(locatePage)
      return sql`
        select asked.place, page.*
        from unnest(
          ${sql.typed.texts(requests.map(({ matches }) => matches.edition))},
          ${sql.typed.texts(pages.map(({ ids }) => ids.join()))},
          ${sql.typed.bigints(pages.map(({ ids }) => ids.at(0) ?? 0))},
          ${sql.typed.bigints(pages.map(({ ids }) => ids.at(-1) ?? 0))},
          ${sql.typed.bigints(requests.map(({ matches }) => matches.ids.total))},
          ${sql.typed.bigints(pages.map(({ skipped }) => skipped))}
        ) with ordinality asked(edition, ids, first_id, last_id, total, skipped, place)
        left join lateral (
          select asked.total, asked.skipped as offset, found.*
          from (select from dataset where edition = asked.edition::uuid limit 1) current, lateral (
            select ${rendered} from (
              select * from ${sql(list)} where ${isOnPage} order by id ${limitPage(sql)}
            ) page
          ) found
        ) page on true`
    }
    return { read: createPageReader(sql, { maxPages, noPage: 'outdated', select }), select }
  }

  const some = createMatchesReader(sql`id = any(string_to_array(asked.ids, ',')::integer[])`)
  // All items match, so those of a page are a range, which is read faster.
  const all = createMatchesReader(sql`id >= asked.first_id and id <= asked.last_id`)

  return async ({ filter, page }, requester) => {
    if ('by' in filter) return readNamed({ lookUp: filter, page }, requester)
    const { read, select } = isUnfiltered(filter) ? all : some
    return readOneState(
      sql,
      async () => {
        const matches = await finder.find(list, filter, requester)
        if (matches === 'outdated') return matches
        const found = await read({ matches, page }, requester)
        if (found === 'outdated') finder.forget(list, filter, matches)
        return found
      },
      async (tx) => {
        const matches = await computeMatches(tx, list, filter)
        return matches === 'outdated' ? matches : readPage(tx, select([{ matches, page }]), 'outdated')
      },
    )
  }
}

/** Finds the ids of a page, and the number of items before it. Items before `after` may have come or gone. */
function locatePage({ matches: { ids }, page }: MatchesPage): { ids: number[]; skipped: number } {
  const skipped = page.after === undefined ? offsetOf(page) : ids.rank(page.after)
  return { ids: ids.select(skipped, page.size), skipped }
}
