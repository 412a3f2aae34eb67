/**
 * Listings make every page of a filter cost the same, with an exact total: the ids that match are found once for a
 * version of the dataset, and kept in the database in chunks, so that a page is a look-up of one chunk or two.
 *
 * @module
 */
import { createAdmission } from '../admission.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { type Filter, findDependencies, hashFilter, type ListName, selectMatches } from './filter.ts'
import { type ListPage, offsetOf, type Page } from './page.ts'

/** Ids in a chunk: the largest page (100) touches two at most. */
const chunkSize = 120
/** What a listing takes in the database, at least, in bytes. */
const smallestListing = 4096
/** What each of its ids takes, with its share of the chunk's row, in bytes. */
const bytesPerId = 5
/** Old listings are cleared away after every so many new ones, … */
const sweepInterval = 32
/** … and when the new ones take this share of the bound. */
const sweepShare = 1 / 16
/** Listings that an instance computes at a time; callers take turns. */
const computedAtOnce = 2

/** Kept listings of one database. */
export interface ListingStore {
  /** SQL: `total`, `version`, `skipped` (items before the page) and `ids` (of the page, ascending) of a filter's listing at the dataset's version; no row if there is none yet. */
  selectPage(list: ListName, filter: Filter, page: Page<number>): Fragment
  /**
   * Makes the listing that `selectPage` did not find. Many who ask at once cause one computation, and a caller who asks
   * for ever new ones waits for itself alone. Throws `OverCapacityError` when there is too much to compute.
   */
  build(list: ListName, filter: Filter, caller: number): Promise<void>
}

/** What listings may take. */
export interface ListingOptions {
  /** In the database, all together. */
  maxBytes: number
  /** Who would have to wait longer for a turn is refused. In milliseconds. */
  longestWait: number
}

/** Creates the store. */
export function createListingStore(sql: Sql, { maxBytes, longestWait }: ListingOptions): ListingStore {
  const underWay = new Map<string, Promise<void>>()
  const turns = createAdmission<number>({
    atOnce: computedAtOnce,
    mostWaiting: Number.POSITIVE_INFINITY, // as many as were admitted to the service
    longestWait,
  })
  let untilSweep = sweepInterval
  let bytesUntilSweep = maxBytes * sweepShare

  async function compute(list: ListName, filter: Filter, hash: Buffer): Promise<void> {
    const made = await sql.begin(async (tx) => {
      // Other instances may want the same: the first computes, the others wait and find it done.
      await tx`select pg_advisory_xact_lock(${hash.readInt32BE(0)}, ${hash.readInt32BE(4)})`
      return makeListing(tx, list, filter, hash)
    })
    if (made === undefined) return
    untilSweep--
    bytesUntilSweep -= Math.max(smallestListing, made.total * bytesPerId)
    if (untilSweep > 0 && bytesUntilSweep > 0) return
    untilSweep = sweepInterval
    bytesUntilSweep = maxBytes * sweepShare
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
      const { after, size } = page
      const byNumber = sql`select ${offsetOf(page)}::bigint as skipped`
      // What is new, or matches no more, may have come before it: so its rank is looked up.
      const byId = sql`
        select coalesce((
          select c.chunk * ${chunkSize}::bigint + (select count(*) from unnest(c.ids) as id where id <= ${after ?? 0})
          from listing_chunks c where c.listing_id = l.id and c.ids[1] <= ${after ?? 0} order by c.ids[1] desc limit 1
        ), 0) as skipped`
      return sql`
        select l.total, l.version, place.skipped, array(
          select id from listing_chunks c, unnest(c.ids) as id
          where c.listing_id = l.id and c.chunk >= place.skipped / ${chunkSize} and c.chunk <= place.skipped / ${chunkSize} + 1
          order by id limit ${size} offset place.skipped % ${chunkSize}
        ) as ids
        from dataset d join listings l on l.version = d.version and l.filter_hash = ${hashFilter(list, filter)},
          lateral (${after === undefined ? byNumber : byId}) place`
    },
    async build(list, filter, caller) {
      const hash = hashFilter(list, filter)
      const key = hash.toString('hex')
      const known = underWay.get(key)
      if (known !== undefined) return known
      const leave = await turns.enter(caller)
      try {
        const started = underWay.get(key) ?? compute(list, filter, hash).finally(() => underWay.delete(key))
        underWay.set(key, started)
        await started
      } finally {
        leave()
      }
    },
  }
}

/** Makes a filter's listing at the dataset's version, unless it is there. Promises how many ids it has. */
async function makeListing(
  tx: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  hash: Buffer,
): Promise<{ total: number } | undefined> {
  const [dataset] = await tx<{ version: number }[]>`select version from dataset`
  const dependencies = await findDependencies(tx, filter)
  // `limit 1` is for the planner: expecting more rows it would compile the statement, which takes far longer.
  // Where a load comes in between, the dependencies may be out of date: nothing is made then.
  const [listing] = await tx<{ total: number }[]>`
    with current as (select * from dataset limit 1),
    missing as (
      select version, ${list === 'users' ? tx`users_count` : tx`repositories_count`} as published from current
      where version = ${dataset?.version ?? 0}
        and not exists (select from listings l where l.filter_hash = ${hash} and l.version = current.version)
    ),
    matches as materialized (
      select array(
        select id from (${selectMatches(tx, list, filter, dependencies)}) m where id <= published order by id
      ) as ids
      from missing
    ),
    listing as (
      insert into listings (filter_hash, version, total, list, filter)
      select ${hash}, version, cardinality(ids), ${list}, ${JSON.stringify(filter)}::text::json from missing, matches
      returning id, total
    ),
    chunks as (
      insert into listing_chunks (listing_id, chunk, ids)
      select listing.id, chunk, ids[chunk * ${chunkSize}::integer + 1 : (chunk + 1) * ${chunkSize}::integer]
      from listing, matches, generate_series(0, (cardinality(ids) - 1) / ${chunkSize}::integer) chunk
      where total > 0
    )
    select total from listing`
  return listing
}

/** Listings that a load makes anew, at most, … */
const mostRenewed = 200
/** … and for so long, in milliseconds: nobody waits for it but the load. */
const renewalTime = 10_000

/**
 * Makes the newest listings of version `before` anew, in the transaction that has given the dataset its next version:
 * so the filters that clients use cost nothing to the first who asks for them after a load.
 */
export async function renewListings(tx: SqlOrTransaction, before: number): Promise<void> {
  const listings = await tx<{ list: ListName; filter: Filter }[]>`
    select list, filter from listings where version = ${before} order by id desc limit ${mostRenewed}`
  const end = performance.now() + renewalTime
  for (const { list, filter } of listings) {
    if (performance.now() > end) return
    await makeListing(tx, list, filter, hashFilter(list, filter))
  }
}

/**
 * Reads a page through `read`, and makes the listing first where there is none. A new version of the dataset may
 * come between the two: then once more.
 */
export async function readListed(
  store: ListingStore,
  { list, filter, caller }: { list: ListName; filter: Filter; caller: number },
  read: () => Promise<ListPage | undefined>,
): Promise<ListPage> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const page = await read()
    if (page !== undefined) return page
    await store.build(list, filter, caller)
  }
  throw new Error('the dataset changed faster than a listing of it could be made')
}
