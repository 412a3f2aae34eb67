/**
 * Pages of users or of repositories: of all of them, or of those that a filter matches.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { type Filter, isUnfiltered, type ListName } from './filter.ts'
import { type ListingStore, readListed } from './listing.ts'
import { type ListPage, offsetOf, type Page, renderPage } from './page.ts'

/**
 * Creates a function that lists what a filter matches, by internal id. `renderItem` is SQL: an item's JSON text.
 * `caller` is whose turn it takes if the matches have to be found first.
 */
export function createList(list: ListName, renderItem: (sql: Sql) => Fragment) {
  const render = (sql: Sql) => renderPage(sql, renderItem(sql), sql`id`)

  async function listAll(sql: Sql, page: Page<number>): Promise<ListPage> {
    const offset = page.after ?? offsetOf(page) // an id is its rank
    const [found] = await sql<ListPage[]>`
      select published.count as total, published.version, ${offset}::bigint as offset, found.count, found.items
      from (select version, ${sql(`${list}_count`)} as count from dataset) published, lateral (
        select ${render(sql)} from ${sql(list)}
        where id > ${offset}::bigint and id <= least(${offset + page.size}::bigint, published.count)
      ) found`
    if (found === undefined) throw new Error('the dataset row is missing')
    return found
  }

  return (
    sql: Sql,
    listings: ListingStore,
    filter: Filter,
    page: Page<number>,
    caller: number,
  ): Promise<ListPage> => {
    if (isUnfiltered(filter)) return listAll(sql, page)
    return readListed(listings, { list, filter, caller }, async () => {
      const [found] = await sql<ListPage[]>`
        select listing.total, listing.version, listing.skipped as offset,
          listing.ids[cardinality(listing.ids)] as next, found.count, found.items
        from (${listings.selectPage(list, filter, page)}) listing,
        lateral (select ${render(sql)} from ${sql(list)} where id = any(listing.ids)) found`
      return found
    })
  }
}
