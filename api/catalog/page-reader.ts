/**
 * Reads pages of the catalog: one statement reads those of many concurrent requests, and settles these requests.
 *
 * @module
 */
import type postgres from 'postgres'
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import {
  callSettle,
  isSettlingError,
  type Settlement,
  type SettlementRow,
  type SettleRequest,
  toDecision,
} from '../ledger/settlement.ts'
import { isPage, type ListPage, selectRows } from '../paging/page.ts'

/** A page of the catalog. */
export interface CatalogPage extends ListPage {
  /** Of the request. Undefined: the statement has not settled it. */
  settlement: Settlement | undefined
}

/**
 * Reads a page. The statement also settles the request `toSettle`, unless its key is locked, the database is busy, or
 * settling fails. Undefined: there is no such list or resource, and nothing is settled. Throws `ClientGoneError` when the
 * request's signal is aborted before the statement is sent.
 */
export type ReadPage<Request> = (
  request: Request,
  toSettle: SettleRequest | undefined,
) => Promise<CatalogPage | undefined>

interface PageReaderOptions<Request> {
  /** Maximum pages that one statement reads. A few large pages must not delay the others. */
  maxPages: number
  /**
   * Statements at a time. Default: 1. With two, requests of the same key may be in both, and one of them finds the key
   * locked.
   */
  maxConcurrent?: number | undefined
  /**
   * SQL: a row for each request, with the column `place` (from 1), and those of `ListPage` except `version`. They are null
   * for a list that doesn't exist.
   */
  select(requests: readonly Request[]): Fragment
}

/**
 * Settling is left to the ledger if reading takes longer, because clients may have left meanwhile. It is the time after
 * which a batch is late.
 */
const maxReadMs = 100

/** Creates a function that reads pages. */
export function createPageReader<Request>(
  sql: Sql,
  { maxPages, maxConcurrent, select }: PageReaderOptions<Request>,
): ReadPage<Request> {
  async function run(
    inputs: readonly { request: Request; toSettle: SettleRequest | undefined }[],
  ): Promise<(CatalogPage | undefined)[]> {
    const pages = select(inputs.map(({ request }) => request))
    const readAlone = () => readRows(selectAlone(sql, pages))
    // A statement behind another one may wait for long. One connection is left for those that aren't counted.
    const requests = inputs.map(({ toSettle }) => (countFreeConnections(sql) > 0 ? toSettle : undefined))
    if (requests.every((request) => request === undefined)) return readAlone()
    try {
      return await readRows(selectSettled(sql, pages, requests))
    } catch (error) {
      if (!isSettlingError(error)) throw error
      return readAlone() // the ledger finds out what is wrong
    }
  }

  const read = createBatcher({
    size: maxPages,
    maxConcurrent,
    run: (inputs: { request: Request; toSettle: SettleRequest | undefined }[]) =>
      countStatement(sql, () => run(inputs)),
  })
  return (request, toSettle) => read({ request, toSettle }, toSettle?.signal)
}

/** A page at its place, from 1; without items, there is none. The first row has the settlements of all requests. */
interface Row extends Partial<ListPage> {
  place: number
  version: number
  settlements?: SettlementRow[]
}

/** SQL: the dataset's version. `limit` is for the planner: if it expected more rows, it would compile the statement. */
const selectVersion = (sql: Sql) => sql`(select version from dataset limit 1) dataset`

function selectAlone(sql: Sql, pages: Fragment) {
  return sql<Row[]>`select found.*, version from ${selectVersion(sql)}, (${pages}) found`
}

/** SQL: the pages, and the settlements of their requests. */
function selectSettled(sql: Sql, pages: Fragment, requests: readonly (SettleRequest | undefined)[]) {
  const settle = callSettle(sql, requests, {
    waitForLocks: false,
    condition: sql`clock_timestamp() < now() + ${`${maxReadMs} ms`}::interval`,
    foundItems: sql`counted.items`,
  })
  // Because of `offset 0`, everything is read before the clock is. `now()` is when the statement arrived, even if it had to
  // wait for a lock before it could be parsed.
  return sql<Row[]>`
    with found as materialized (${pages}),
    settled as materialized (
      select version, ${settle} as settlements
      from ${selectVersion(sql)}, (select array(select count from found order by place) as items offset 0) counted
    )
    select found.*, settled.version, case when place = 1 then settlements end as settlements from settled, found`
}

/** Reads pages in the order of their places. Ordering them in the database would copy each once more. */
async function readRows(statement: postgres.PendingQuery<Row[]>): Promise<(CatalogPage | undefined)[]> {
  const rows = (await selectRows(statement)).sort((a, b) => a.place - b.place)
  const settlements = new Map(rows[0]?.settlements?.map((row) => [row.n + 1, row]))
  return rows.map(({ place, settlements: _, ...page }) => {
    if (!isPage(page)) return undefined
    const row = settlements.get(place)
    const decision = row && toDecision(row, page.version)
    return { ...page, settlement: decision && 'charged' in decision ? decision : undefined }
  })
}
