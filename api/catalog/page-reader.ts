/**
 * Reads pages of the catalog: one statement reads those of many concurrent requests, and settles these requests.
 *
 * @module
 */
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql } from '../database/connect.ts'
import {
  callSettle,
  isAwaited,
  type Settlement,
  type SettlementRow,
  type SettleRequest,
  toDecision,
} from '../ledger/settlement.ts'
import { type ListPage, selectRows, toPage } from '../paging/page.ts'

/** A page of the catalog. */
export interface CatalogPage extends ListPage {
  /** Of the request, if the statement has settled it. */
  settlement?: Settlement | undefined
}

/**
 * Reads a page. With `settle`, the statement also settles this request, and the page has its settlement, unless the key
 * is locked or reading takes long. Undefined: there is no such list or resource, and nothing is settled. Throws
 * `ClientGoneError` when the request's signal is aborted before the statement is sent.
 */
export type ReadPage<Request> = (request: Request, settle?: SettleRequest) => Promise<CatalogPage | undefined>

interface PageReaderOptions<Request> {
  /** Maximum pages that one statement reads. A few large pages must not delay the others. */
  maxPages: number
  /** Statements at a time. Default: 1. Two at a time may have requests of the same key, which is locked for one of them. */
  maxConcurrent?: number | undefined
  /**
   * SQL: a row for each request, with the column `place` (from 1), and those of `ListPage`, which are null for a list that
   * doesn't exist.
   */
  select(requests: readonly Request[]): Fragment
}

/** Creates a function that reads pages. */
export function createPageReader<Request>(
  sql: Sql,
  { maxPages, maxConcurrent, select }: PageReaderOptions<Request>,
): ReadPage<Request> {
  const read = createBatcher({
    size: maxPages,
    maxConcurrent,
    run: (inputs: { request: Request; settle: SettleRequest | undefined }[]) =>
      readPages(
        sql,
        select(inputs.map(({ request }) => request)),
        inputs.map(({ settle }) => settle),
      ),
  })
  return (request, settle) => read({ request, settle }, settle?.signal)
}

/** Reads pages and settles their requests; undefined: one that isn't settled. `select` is that of `PageReaderOptions`. */
export async function readPages(
  sql: Sql,
  select: Fragment,
  requests: readonly (SettleRequest | undefined)[],
): Promise<(CatalogPage | undefined)[]> {
  const hasRequests = requests.some((request) => request !== undefined)
  const rows = await selectRows(hasRequests ? selectSettled(sql, select, requests) : sql<Row[]>`${select}`)
  const pages: (CatalogPage | undefined)[] = requests.map(() => undefined)
  // Ordered here: sorting in the database would copy each page once more, a tenth of its cost.
  for (const row of rows) if (row.place !== undefined) pages[row.place - 1] = toPage(row)
  const { settlements = [], version = 0 } = rows.find((row) => row.settlements !== undefined) ?? {}
  for (const row of settlements) {
    const page = pages[row.n]
    const decision = toDecision(row, version)
    if (page !== undefined && 'charged' in decision) page.settlement = decision
  }
  return pages
}

/** A page at its place, from 1. One row also has the settlements of all requests, even if there is no page. */
interface Row extends Partial<ListPage> {
  place?: number
  settlements?: SettlementRow[]
}

/**
 * SQL: the pages, and the settlements of their requests. If reading takes longer than 100 ms, nothing is settled: clients
 * may have left meanwhile.
 */
function selectSettled(sql: Sql, select: Fragment, requests: readonly (SettleRequest | undefined)[]) {
  const settle = callSettle(sql, requests, { waitForLocks: false, foundItems: sql`counted.items` })
  // Because of `offset 0`, everything is read before the clock is.
  return sql<Row[]>`
    with found as materialized (${select}),
    settled as materialized (
      select version, case
        when ${isAwaited(sql)} and clock_timestamp() < now() + interval '100 ms' then ${settle}
      end as settlements
      from dataset, (select array(select count from found order by place) as items offset 0) counted
    )
    select found.*, settled.version, case when coalesce(place, 1) = 1 then settlements end as settlements
    from settled left join found on true`
}
