/**
 * The one shape of list answers: `{ data, meta, pagination }` with `Link` and `X-Total-Count`.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import { joinOwnBytes, releaseOwnBytes } from '../database/own-bytes.ts'
import { createEntityTag } from '../http/entity-tag.ts'
import type { ApiContext } from '../http/request-context.ts'
import { createLinkHeader, createPagination } from '../paging/link-header.ts'
import type { ListPage, Page } from '../paging/page.ts'
import type { MeteredResponse } from './checkout.ts'

const head = Buffer.from('{"data":[')

/** A page that was read, and where the list is. */
export interface ListResponse {
  page: Page
  found: ListPage
  /** The list's public address, with the request's filters. */
  url: URL
}

/** Makes the answer of a list; it costs as many credits as it has items (`service.md` §8.2). */
export function createListResponse({ page, found, url }: ListResponse): MeteredResponse {
  const link = createLinkHeader(url, page, found)
  const pagination = JSON.stringify(createPagination(page, found))
  return {
    cost: found.count,
    tag: createEntityTag(link, String(page.number), found.items),
    headers: { Link: link, 'X-Total-Count': String(found.total) },
    body: found.items,
    version: found.version,
    render: (c) =>
      joinOwnBytes(
        head,
        found.items,
        Buffer.from(`],"meta":${JSON.stringify(createMeta(c))},"pagination":${pagination}}`),
      ),
    release: () => releaseOwnBytes(found.items),
  }
}

/** The meta object (`service.md` §2.1). */
function createMeta(c: ApiContext) {
  return {
    request_id: c.get('requestId'),
    timestamp: Math.floor(Date.now() / 1000), // seconds
    execution_time: Math.round(performance.now() - c.get('startedAt')), // milliseconds
  }
}
