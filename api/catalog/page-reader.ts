/**
 * Reads pages of the catalog: one statement reads those of many concurrent requests, and settles these requests.
 *
 * @module
 */
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import { countStatements } from '../database/statement-count.ts'
import {
  callSettle,
  isSettlingError,
  type PageRequest,
  type Settlement,
  type SettlementRow,
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
  toSettle: PageRequest | undefined,
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
  const statements = countStatements(sql)

  async function run(
    inputs: readonly { request: Request; toSettle: PageRequest | undefined }[],
  ): Promise<(CatalogPage | undefined)[]> {
    const pages = select(inputs.map(({ request }) => request))
    const readAlone = () => readRows(selectAlone(sql, pages), inputs.length)
    // A statement behind another one may wait for long. One connection is left for those that aren't counted.
    const requests = inputs.map(({ toSettle }) => (statements.countFree() > 0 ? toSettle : undefined))
    if (requests.every((request) => request === undefined)) return readAlone()
    try {
      return await readRows(selectSettled(sql, pages, requests), inputs.length)
    } catch (error) {
      if (!isSettlingError(error)) throw error
      return readAlone() // the ledger finds out what is wrong
    }
  }

  const read = createBatcher({
    size: maxPages,
    maxConcurrent,
    run: (inputs: { request: Request; toSettle: PageRequest | undefined }[]) =>
      statements.count(() => run(inputs)),
  })
  return (request, toSettle) => read({ request, toSettle }, toSettle?.signal)
}

/** A page at its place, from 1. One row also has the settlements of all requests, even if there is no page. */
interface Row extends Partial<ListPage> {
  place?: number
  settlements?: SettlementRow[]
}

/** SQL: the dataset's version. `limit` is for the planner: if it expected more rows, it would compile the statement. */
const selectVersion = (sql: Sql) => sql`(select version from dataset limit 1) dataset`

function selectAlone(sql: Sql, pages: Fragment) {
  return sql<Row[]>`select found.*, version from ${selectVersion(sql)}, (${pages}) found`
}

/** SQL: the pages, and the settlements of their requests. */
function selectSettled(sql: Sql, pages: Fragment, requests: readonly (PageRequest | undefined)[]) {
  const settle = callSettle(sql, requests, {
    waitForLocks: false,
    condition: sql`clock_timestamp() < statement_timestamp() + ${`${maxReadMs} ms`}::interval`,
    foundItems: sql`counted.items`,
  })
  // Because of `offset 0`, everything is read before the clock is.
  return sql<Row[]>`
    with found as materialized (${pages}),
    settled as materialized (
      select version, ${settle} as settlements
      from ${selectVersion(sql)}, (select array(select count from found order by place) as items offset 0) counted
    )
    select found.*, settled.version, case when coalesce(place, 1) = 1 then settlements end as settlements
    from settled left join found on true`
}

/** Runs a statement that selects `count` pages. They are ordered here: the database would copy each once more. */
async function readRows(
  statement: Parameters<typeof selectRows<Row>>[0],
  count: number,
): Promise<(CatalogPage | undefined)[]> {
  const pages = new Array<CatalogPage | undefined>(count).fill(undefined)
  const rows = await selectRows(statement)
  for (const { place = 0, settlements: _, ...page } of rows) {
    if (isPage(page)) pages[place - 1] = { ...page, settlement: undefined }
  }
  for (const { settlements = [], version } of rows) {
    for (const settlement of settlements) {
      const page = pages[settlement.n]
      const decision = toDecision(settlement, version ?? 0)
      if (page !== undefined && 'charged' in decision) page.settlement = decision
    }
  }
  return pages
}
