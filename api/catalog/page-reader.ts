/**
 * Reads pages of the catalog: one statement reads those of many concurrent requests, and settles these requests.
 */
import type postgres from 'postgres'
import { createBatcher, lateAfterMs } from '../concurrency/batcher.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import {
  callSettle,
  isSettlingError,
  type Settlement,
  type SettlementRow,
  type SettleRequest,
  toDecision,
} from '../ledger/settlement.ts'
import { type ListPage, selectRows } from '../paging/page.ts'

/** A page of the catalog. */
export interface CatalogPage extends ListPage {
  /** Of the request, if the statement has settled it. */
  settlement?: Settlement | undefined
}

/** What a page reader does for a request beside reading. */
export interface ReadOptions {
  /** The request, if the statement that reads the page is to settle it. */
  toSettle?: SettleRequest | undefined
  /** Aborted when the client closes its connection. */
  signal?: AbortSignal | undefined
}

/**
 * Reads a page. The statement also settles the request `toSettle`, unless its key is locked, the database is busy,
 * reading takes longer than `maxReadMs`, or settling fails. For a request without a page, it settles nothing, and
 * returns the reason `NoPage`. Throws `ClientGoneError` if the signal is aborted before the statement is sent.
 */
export type ReadPage<Request, NoPage extends string = never> = (
  request: Request,
  options: ReadOptions,
) => Promise<CatalogPage | NoPage>

interface PageReaderOptions<Request, NoPage extends string> {
  /** Maximum pages that one statement reads. A few large pages must not delay the others. */
  maxPages: number
  /**
   * Statements at a time. Default: 1. With two, requests of the same key may be in both, and one of them finds the key
   * locked.
   */
  maxConcurrent?: number | undefined
  /**
   * SQL: a row for each request, with the column `place` (from 1), and those of `ListPage` except `version`. They are
   * null for a request without a page.
   */
  select(requests: readonly Request[]): Fragment
  /** The outcome of a request that has no page. Absent: each request has one. */
  noPage?: NoPage
}

/** If reading takes longer, the ledger settles the requests, because clients may have disconnected. */
const maxReadMs = lateAfterMs

/** Creates a function that reads pages. */
export function createPageReader<Request, NoPage extends string = never>(
  sql: Sql,
  { maxPages, maxConcurrent, select, noPage }: PageReaderOptions<Request, NoPage>,
): ReadPage<Request, NoPage> {
  interface Input {
    request: Request
    toSettle: SettleRequest | undefined
  }

  async function run(inputs: readonly Input[]): Promise<(CatalogPage | NoPage)[]> {
    const pages = select(inputs.map(({ request }) => request))
    const readAlone = () => readRows(selectAlone(sql, pages), noPage)
    const requests = inputs.map(({ toSettle }) => toSettle)
    // A statement queued behind another one may wait a long time. One connection is left for those that aren't counted.
    const isBusy = countFreeConnections(sql) <= 0
    if (isBusy || requests.every((request) => request === undefined)) return readAlone()
    try {
      return await readRows(selectSettled(sql, pages, requests), noPage)
    } catch (error) {
      if (!isSettlingError(error)) throw error
      return readAlone() // then `ledger.settle` reports the error
    }
  }

  const read = createBatcher({
    size: maxPages,
    maxConcurrent,
    charges: true,
    run: (inputs: Input[]) => countStatement(sql, () => run(inputs)),
  })
  return (request, { toSettle, signal }) => read({ request, toSettle }, signal)
}

/** The page of the request at `place`, from 1. The first row has the settlements of all requests. */
interface Row extends Partial<ListPage> {
  place: number
  version: number
  settlements?: SettlementRow[]
}

/** Whether a row has a page: it has items then, perhaps none. */
function isPage(row: Partial<ListPage>): row is ListPage {
  return row.items !== undefined
}

/**
 * SQL: the dataset's version. `limit` is for the planner: if it expected more rows, it would JIT-compile the statement.
 */
const selectVersion = (sql: SqlOrTransaction) => sql`(select version from dataset limit 1) dataset`

function selectAlone(sql: SqlOrTransaction, pages: Fragment) {
  return sql<Row[]>`select found.*, version from ${selectVersion(sql)}, (${pages}) found`
}

/** SQL: the pages, and the settlements of their requests. */
function selectSettled(sql: Sql, pages: Fragment, requests: readonly (SettleRequest | undefined)[]) {
  const settle = callSettle(sql, requests, {
    waitForLocks: false,
    maxAgeMs: maxReadMs,
    foundItems: sql`counted.items`,
  })
  // Because of `offset 0`, everything is read before the statement's age is checked.
  return sql<Row[]>`
    with found as materialized (${pages}),
    settled as materialized (
      select version, ${settle} as settlements
      from ${selectVersion(sql)}, (select array(select count from found order by place) as items offset 0) counted
    )
    select found.*, settled.version, case when place = 1 then settlements end as settlements from settled, found`
}

/** Reads the page of one request, without settling it. `pages` is SQL as `select` of a page reader returns it. */
export async function readPage<NoPage extends string>(
  sql: SqlOrTransaction,
  pages: Fragment,
  noPage: NoPage,
): Promise<CatalogPage | NoPage> {
  const [page] = await readRows(selectAlone(sql, pages), noPage)
  if (page === undefined) throw new Error('a request has no row')
  return page
}

/** Reads pages in the order of their places. Ordering them in the database would copy each once more. */
async function readRows<NoPage extends string>(
  statement: postgres.PendingQuery<Row[]>,
  noPage: NoPage | undefined,
): Promise<(CatalogPage | NoPage)[]> {
  const rows = (await selectRows(statement)).sort((a, b) => a.place - b.place)
  const settlements = new Map(rows[0]?.settlements?.map((row) => [row.place, row]))
  return rows.map(({ place, settlements: _, ...page }) => {
    if (!isPage(page)) {
      if (noPage === undefined) throw new Error('a request has no page')
      return noPage
    }
    const row = settlements.get(place)
    const decision = row && toDecision(row, page.version)
    return { ...page, settlement: decision && 'charged' in decision ? decision : undefined }
  })
}
