/**
 * Users: one by login, and pages of all or of those that a filter matches.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { type Filter, isUnfiltered } from './filter.ts'
import { type ListingStore, readListed } from './listing.ts'
import type { LookUp } from './lookup.ts'
import { type ListPage, offsetOf, type Page, renderPage } from './page.ts'
import { foldText } from './text-key.ts'

/** What finds a user: the login, without regard to case. */
export function lookUpUser(login: string): LookUp {
  return { kind: 'user', key: foldText(login) }
}

/**
 * SQL: the JSON text of a User object (`service.md` §2.2), for the row `asked` of a look-up. A login that has changed
 * hands is whose came last.
 */
export function selectUserDocument(sql: Sql) {
  return sql`
    select document from users
    where asked.kind = 'user' and login_key = asked.key and id <= (select users_count from dataset)
    order by id desc limit 1`
}

/** Lists the users that a filter matches, by internal id. `caller` is whose turn it takes if they have to be found first. */
export function listUsers(
  sql: Sql,
  listings: ListingStore,
  filter: Filter,
  page: Page<number>,
  caller: number,
): Promise<ListPage> {
  if (isUnfiltered(filter)) return listAllUsers(sql, page)
  return readListed(listings, { list: 'users', filter, caller }, async () => {
    const [found] = await sql<ListPage[]>`
      select listing.total, listing.version, listing.skipped as offset,
        listing.ids[cardinality(listing.ids)] as next, found.count, found.items
      from (${listings.selectPage('users', filter, page)}) listing,
      lateral (select ${renderUsers(sql)} from users where id = any(listing.ids)) found`
    return found
  })
}

async function listAllUsers(sql: Sql, page: Page<number>): Promise<ListPage> {
  const offset = page.after ?? offsetOf(page) // an id is its rank
  const [found] = await sql<ListPage[]>`
    select dataset.users_count as total, dataset.version, ${offset}::bigint as offset, found.count, found.items
    from dataset, lateral (
      select ${renderUsers(sql)} from users
      where id > ${offset}::bigint and id <= least(${offset + page.size}::bigint, dataset.users_count)
    ) found`
  if (found === undefined) throw new Error('the dataset row is missing')
  return found
}

function renderUsers(sql: Sql) {
  return renderPage(sql, sql`document`, sql`id`)
}
