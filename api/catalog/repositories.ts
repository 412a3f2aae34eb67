/**
 * Repositories: one by owner and name, and pages of all or of those that a filter matches.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { type Filter, isUnfiltered } from './filter.ts'
import { type ListingStore, readListed } from './listing.ts'
import type { LookUp } from './lookup.ts'
import { type ListPage, offsetOf, type Page, renderPage } from './page.ts'
import { foldText } from './text-key.ts'

/**
 * SQL: the row of the repository with an owner and a name, without regard to case.
 * A name that has changed hands is whose came last.
 */
export function selectRepository(sql: Sql, owner: string, name: string) {
  return selectByKey(sql, sql`${lookUpRepository(owner, name).key}`)
}

function selectByKey(sql: Sql, key: Fragment) {
  return sql`
    select * from repositories
    where full_name_key = ${key} and id <= (select repositories_count from dataset)
    order by id desc limit 1`
}

/** What finds a repository: owner and name, without regard to case. */
export function lookUpRepository(owner: string, name: string): LookUp {
  return { kind: 'repository', key: foldText(`${owner}/${name}`) }
}

/**
 * SQL: the JSON text of a Repository object without `dependencies` (`service.md` §2.3), for the row `asked` of a
 * look-up. A name that has changed hands is whose came last.
 */
export function selectRepositoryDocument(sql: Sql) {
  return sql`
    select '{"internal_id":' || id || ',' || substr(document, 2) as document
    from (${selectByKey(sql, sql`asked.key`)}) r where asked.kind = 'repository'`
}

/**
 * Lists the repositories that a filter matches, with their `dependencies`, by internal id. `caller` is whose turn it
 * takes if they have to be found first.
 */
export function listRepositories(
  sql: Sql,
  listings: ListingStore,
  filter: Filter,
  page: Page<number>,
  caller: number,
): Promise<ListPage> {
  if (isUnfiltered(filter)) return listAllRepositories(sql, page)
  return readListed(listings, { list: 'repositories', filter, caller }, async () => {
    const [found] = await sql<ListPage[]>`
      select listing.total, listing.version, listing.skipped as offset,
        listing.ids[cardinality(listing.ids)] as next, found.count, found.items
      from (${listings.selectPage('repositories', filter, page)}) listing,
      lateral (select ${renderRepositories(sql)} from repositories where id = any(listing.ids)) found`
    return found
  })
}

async function listAllRepositories(sql: Sql, page: Page<number>): Promise<ListPage> {
  const offset = page.after ?? offsetOf(page) // an id is its rank
  const [found] = await sql<ListPage[]>`
    select dataset.repositories_count as total, dataset.version, ${offset}::bigint as offset, found.count, found.items
    from dataset, lateral (
      select ${renderRepositories(sql)} from repositories
      where id > ${offset}::bigint and id <= least(${offset + page.size}::bigint, dataset.repositories_count)
    ) found`
  if (found === undefined) throw new Error('the dataset row is missing')
  return found
}

/** Each document with `internal_id` before and `dependencies` behind. */
function renderRepositories(sql: Sql) {
  const item = sql`
    '{"internal_id":' || id || ',' || substr(left(document, -1), 2) || ',"dependencies":' || dependencies || '}'`
  return renderPage(sql, item, sql`id`)
}
