/**
 * Listings make every page of a filter cost the same, with an exact total: the ids that match are found once for a
 * version of the dataset, and kept in the database in chunks, so that a page is a look-up of one chunk or two.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { type Filter, hashFilter, type ListName, selectMatches } from './filter.ts'
import { type ListPage, offsetOf, type Page } from './page.ts'

/** Ids in a chunk: the largest page (100) touches two at most. */
const chunkSize = 120
/** What a listing takes in the database, at least, in bytes. */
const smallestListing = 4096
/** What each of its ids takes, with its share of the chunk's row, in bytes. */
const bytesPerId = 5
/** Every so many new listings, old ones are cleared away. */
const sweepInterval = 32

/** Kept listings of one database. */
export interface ListingStore {
  /** SQL: `total`, `version` and `ids` (of the page, ascending) of a filter's listing at the dataset's version; no row if there is none yet. */
  selectPage(list: ListName, filter: Filter, page: Page): Fragment
  /** Makes the listing that `selectPage` did not find. Many who ask at once cause one computation. */
  build(list: ListName, filter: Filter): Promise<void>
}

/** Creates the store; `maxBytes` is what all listings together may take. */
export function createListingStore(sql: Sql, { maxBytes }: { maxBytes: number }): ListingStore {
  const underWay = new Map<string, Promise<void>>()
  let untilSweep = sweepInterval

  async function compute(list: ListName, filter: Filter, hash: Buffer): Promise<void> {
    await sql.begin(async (tx) => {
      // Other instances may want the same: the first computes, the others wait and find it done.
      await tx`select pg_advisory_xact_lock(${hash.readInt32BE(0)}, ${hash.readInt32BE(4)})`
      // `limit 1` is for the planner: expecting more rows it would compile the statement, which takes far longer.
      await tx`
        with current as (select * from dataset limit 1),
        missing as (
          select version, ${list === 'users' ? tx`users_count` : tx`repositories_count`} as published from current
          where not exists (select from listings l where l.filter_hash = ${hash} and l.version = current.version)
        ),
        matches as materialized (
          select id from (${selectMatches(tx, list, filter)}) m, missing where id <= published
        ),
        listing as (
          insert into listings (filter_hash, version, total)
          select ${hash}, version, (select count(*) from matches) from missing
          returning id
        ),
        ranked as (select id, ((row_number() over (order by id)) - 1) / ${chunkSize}::integer as chunk from matches)
        insert into listing_chunks (listing_id, chunk, ids)
        select listing.id, chunk, array_agg(ranked.id order by ranked.id) from ranked, listing
        group by listing.id, chunk`
    })
    untilSweep--
    if (untilSweep > 0) return
    untilSweep = sweepInterval
    await sweep().catch(() => {}) // the listing is there; what is over the bound goes with the next sweep
  }

  /** Drops what no version needs any more, and the oldest of what is over the bound. */
  async function sweep(): Promise<void> {
    await sql`
      delete from listings where id in (
        select id from (
          select id, version, sum(greatest(${smallestListing}::bigint, total::bigint * ${bytesPerId}::bigint)) over (order by id desc) as bytes
          from listings
        ) l
        where bytes > ${maxBytes}::bigint or version < (select version from dataset)
        order by id limit 10000
      )`
  }

  return {
    selectPage(list, filter, page) {
      const offset = offsetOf(page)
      const firstChunk = Math.min(Math.floor(offset / chunkSize), 2 ** 31 - 3)
      return sql`
        select l.total, l.version, array(
          select id from listing_chunks c, unnest(c.ids) as id
          where c.listing_id = l.id and c.chunk between ${firstChunk} and ${firstChunk + 1}
          order by id limit ${page.size} offset ${offset - firstChunk * chunkSize}::bigint
        ) as ids
        from dataset d join listings l on l.version = d.version and l.filter_hash = ${hashFilter(list, filter)}`
    },
    build(list, filter) {
      const hash = hashFilter(list, filter)
      const key = hash.toString('hex')
      const known = underWay.get(key)
      if (known !== undefined) return known
      const building = compute(list, filter, hash).finally(() => underWay.delete(key))
      underWay.set(key, building)
      return building
    },
  }
}

/**
 * Reads a page through `read`, and makes the listing first where there is none. A new version of the dataset may
 * come between the two: then once more.
 */
export async function readListed(
  store: ListingStore,
  list: ListName,
  filter: Filter,
  read: () => Promise<ListPage | undefined>,
): Promise<ListPage> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const page = await read()
    if (page !== undefined) return page
    await store.build(list, filter)
  }
  throw new Error('the dataset changed faster than a listing of it could be made')
}
