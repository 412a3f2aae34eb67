/**
 * Pages of users or repositories: of all, of those that a filter matches, or of those that a batch look-up names.
 */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { limitPage, offsetOf, type Page, type Rendering, renderPage } from '../paging/page.ts'
import { type BatchLookUp, createBatchReader } from './batch-lookup.ts'
import { type Filter, isUnfiltered } from './canonical-filter.ts'
import { readOneState } from './dataset.ts'
import type { ListName } from './filters.ts'
import { computeMatches, type Matches, type MatchFinder, type Requester } from './matches.ts'
import { type CatalogPage, createPageReader, type ReadOptions, readPage } from './page-reader.ts'
import { selectKnown, selectRanked } from './ranking.ts'
import { type Sort, type SortPlace, writePlace } from './sort-orders.ts'
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
export type ReadList = (request: ListRequest, requester: Requester & ReadOptions) => Promise<CatalogPage>

/** A request for a page. */
export interface ListRequest {
  filter: Filter | BatchLookUp
  /** Undefined: by internal id. A batch look-up has no other order. */
  sort?: Sort | undefined
  /** `after` is the place of an item in the order of `sort`; its value doesn't matter if there is none. */
  page: Page<SortPlace>
}

/** A page of matches. */
interface MatchesPage {
  matches: Matches
  /** In their order. */
  ids: readonly number[]
  /** Matches before the page. */
  skipped: number
  /** The place of the last one, unless the matches are in the order of their ids. */
  next?: string
}

/** Creates a function that reads pages. One statement reads those of many concurrent requests. */
export function createList(sql: Sql, finder: MatchFinder, kind: keyof typeof kinds): ReadList {
  const { list, render, maxPages }: ListKind = kinds[kind]
  const rendered = sql`${renderPage(sql, render(sql))}, max(id) as next`
  const readNamed = createBatchReader(sql, list, rendered, { maxPages })

  /** Creates a reader. `rows` is SQL: the items on the page that the row `asked` requests, in their order. */
  function createMatchesReader(rows: Fragment) {
    const select = (requests: readonly MatchesPage[]) => sql`
        select asked.place, page.*
        from unnest(
          ${sql.typed.texts(requests.map(({ matches }) => matches.edition))},
          ${sql.typed.texts(requests.map(({ ids }) => ids.join()))},
          ${sql.typed.bigints(requests.map(({ ids }) => ids.at(0) ?? 0))},
          ${sql.typed.bigints(requests.map(({ ids }) => ids.at(-1) ?? 0))},
          ${sql.typed.bigints(requests.map(({ matches }) => matches.ids.total))},
          ${sql.typed.bigints(requests.map(({ skipped }) => skipped))}
        ) with ordinality asked(edition, ids, first_id, last_id, total, skipped, place)
        left join lateral (
          select asked.total, asked.skipped as offset, found.*
          from (select from dataset where edition = asked.edition::uuid limit 1) current, lateral (
            select ${rendered} from (${rows} ${limitPage(sql)}) page
          ) found
        ) page on true`
    return { read: createPageReader(sql, { maxPages, noPage: 'outdated', select }), select }
  }

  const some = createMatchesReader(sql`
    select * from ${sql(list)} where id = any(string_to_array(asked.ids, ',')::integer[]) order by id`)
  // All items match, so those of a page are a range, which is read faster.
  const all = createMatchesReader(sql`
    select * from ${sql(list)} where id >= asked.first_id and id <= asked.last_id order by id`)
  const ranked = createMatchesReader(sql`
    select i.* from unnest(string_to_array(asked.ids, ',')::integer[]) with ordinality wanted(id, position)
      join ${sql(list)} i using (id)
    order by position`)

  return async ({ filter, sort, page }, requester) => {
    if ('by' in filter) {
      return readNamed({ lookUp: filter, page: { ...page, after: page.after?.id } }, requester)
    }
    const unranked = isUnfiltered(filter) ? all : some
    const { read, select } = sort === undefined ? unranked : ranked
    return readOneState(
      sql,
      async () => {
        const matches = await finder.find(list, filter, requester, sort)
        if (matches === 'outdated') return matches
        const located = await locatePage(sql, matches, page, (locate) =>
          finder.extend(list, filter, matches, requester, locate),
        )
        const found = located === 'outdated' ? located : addNext(await read(located, requester), located)
        if (found === 'outdated') finder.forget(list, filter, matches)
        return found
      },
      async (tx) => {
        const matches = await computeMatches(tx, list, filter, sort)
        if (matches === 'outdated') return matches
        const located = await locatePage(tx, matches, page)
        if (located === 'outdated') return located
        return addNext(await readPage(tx, select([located]), 'outdated'), located)
      },
    )
  }
}

/**
 * Finds the ids of a page, and the number of items before it. Items before `after` may have come or gone. `takeTurn`
 * runs what reads more about the order of the matches.
 */
async function locatePage(
  sql: SqlOrTransaction,
  matches: Matches,
  page: Page<SortPlace>,
  takeTurn = <Result>(locate: () => Promise<Result>) => locate(),
): Promise<MatchesPage | 'outdated'> {
  const { ids, ranking } = matches
  if (ranking === undefined) {
    const skipped = page.after === undefined ? offsetOf(page) : ids.rank(page.after.id)
    return { matches, ids: ids.select(skipped, page.size), skipped }
  }
  const ranked =
    selectKnown(ranking, page) ?? (await takeTurn(() => selectRanked(sql, ranking, matches, page)))
  if (ranked === 'outdated') return ranked
  const { places, skipped } = ranked
  const last = places.at(-1)
  return { matches, ids: places.map(({ id }) => id), skipped, ...(last && { next: writePlace(last) }) }
}

/** Replaces the key of a page's last item, if its place in an order is known. */
function addNext(found: CatalogPage | 'outdated', { next }: MatchesPage): CatalogPage | 'outdated' {
  return found === 'outdated' || next === undefined ? found : { ...found, next }
}
