/**
 * The one shape of list answers: `{ data, meta, pagination }` with `Link` and `X-Total-Count`.
 *
 * @module
 */
import { Buffer } from 'node:buffer'
import type { ListPage, Page } from '../catalog/page.ts'
import { joinOwnBytes, releaseOwnBytes } from '../database/own-bytes.ts'
import type { ApiContext } from '../environment.ts'
import { createEntityTag } from './entity-tag.ts'
import type { MeteredAnswer } from './metered.ts'
import { createLinkHeader, createPagination } from './pagination.ts'

const head = Buffer.from('{"data":[')

/** A page that was read, and where the list is. */
export interface ListAnswer {
  page: Page
  found: ListPage
  /** The list's public address, with the request's filters. */
  url: URL
}

/** Makes the answer of a list; it costs as many credits as it has items (`service.md` §8.2). */
export function createListAnswer({ page, found, url }: ListAnswer): MeteredAnswer {
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
