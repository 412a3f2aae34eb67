/**
 * The response cache: keeps responses with data in memory, up to a number of bytes, until the dataset gets a new
 * version. A cached response saves a read, never a charge: the ledger still settles each request, and says whether the
 * version is current.
 */
import { LRUCache } from 'lru-cache'
import type { MeteredResponse } from './metered-response.ts'

/** The response cache of one instance. */
export interface ResponseCache {
  /** Returns the cached response of a URL, unless its version is known to be outdated. */
  get(url: string): MeteredResponse | undefined
  /**
   * Caches a response that has a version, if its URL was requested before. Evicts the least recently used responses if
   * there is no room. A client that pages through a list requests each URL once, so it evicts nothing.
   */
  set(url: string, response: MeteredResponse): void
  /** Records the dataset's version. Removes all responses if it has changed, even to a lower one, as a restore does. */
  noteVersion(version: number): void
}

/** Estimated memory of an entry, besides its texts. */
const entryOverheadBytes = 600
const urlOverheadBytes = 200
/** The share of `maxBytes` for URLs that were requested once. */
const urlShare = 1 / 16

/** Estimated size of both compressed forms of items, as a share of the items: about a quarter each. */
const compressedShare = 1 / 2

/** Creates an empty cache. `maxBytes` 0 turns it off. */
export function createResponseCache({ maxBytes }: { maxBytes: number }): ResponseCache {
  if (maxBytes === 0) return { get: () => undefined, set() {}, noteVersion() {} }
  const maxUrlBytes = Math.ceil(maxBytes * urlShare)
  const requestedUrls = new LRUCache<string, true>({
    maxSize: maxUrlBytes,
    sizeCalculation: (_, url) => urlOverheadBytes + countBytes(url),
  })
  const responses = new LRUCache<string, MeteredResponse>({
    maxSize: Math.max(1, maxBytes - maxUrlBytes),
    sizeCalculation: ({ data, headers }, url) =>
      entryOverheadBytes +
      countBytes(url) +
      data.length +
      Math.ceil(compressedShare * data.length) +
      Object.values(headers).reduce((sum, text) => sum + countBytes(text), 0),
  })
  let current: number | undefined
  return {
    get(url) {
      const response = responses.get(url)
      return response?.version === current ? response : undefined
    },
    set(url, { settlement: _, ...response }) {
      const { data, version } = response
      if (version === undefined || (current !== undefined && version < current)) return
      if (!requestedUrls.has(url)) {
        requestedUrls.set(url, true)
        return
      }
      // Bytes from the driver are part of a larger buffer, which they would keep alive.
      responses.set(url, { ...response, data: new Uint8Array(data), compressed: new Map() })
    },
    noteVersion(version) {
      if (version === current) return
      current = version
      responses.clear()
    },
  }
}

/** An upper bound: a character takes two bytes at most. */
function countBytes(text: string): number {
  return 2 * text.length
}
