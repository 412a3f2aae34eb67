/**
 * The response cache: keeps responses with data in memory, up to a number of bytes, until the dataset gets a new
 * version. A cached response saves a read, never a charge: the ledger still settles each request, and says whether the
 * version is current.
 */
import { LRUCache } from 'lru-cache'
import { freeBytes } from '../http/response.ts'
import type { MeteredResponse } from './metered-response.ts'

/** The response cache of one instance. */
export interface ResponseCache {
  /**
   * Passes the cached response of a URL to `work`, which must not need it afterwards. Undefined: there is none, or its
   * version is known to be outdated.
   */
  use<Result>(url: string, work: (response: MeteredResponse) => Promise<Result>): Promise<Result | undefined>
  /**
   * Caches a response that has a version, if its URL was requested before. Evicts the least recently used responses if
   * there is no room. A client that pages through a list requests each URL once, so it evicts nothing.
   */
  offer(url: string, response: MeteredResponse): void
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

interface Entry {
  response: MeteredResponse
  /** Calls of `use` that have not ended. */
  users: number
  isEvicted: boolean
}

/**
 * Frees the page of an evicted list that nobody uses. The data of a single resource, which is small, is in its
 * responses.
 */
function freeUnused({ response: { data, pagination }, users, isEvicted }: Entry): void {
  if (isEvicted && users === 0 && pagination !== undefined) freeBytes(data)
}

/** Creates an empty cache. `maxBytes` 0 turns it off. */
export function createResponseCache({ maxBytes }: { maxBytes: number }): ResponseCache {
  if (maxBytes === 0) return { use: async () => undefined, offer() {}, noteVersion() {} }
  const maxUrlBytes = Math.ceil(maxBytes * urlShare)
  const requestedUrls = new LRUCache<string, true>({
    maxSize: maxUrlBytes,
    sizeCalculation: (_, url) => urlOverheadBytes + countBytes(url),
  })
  const responses = new LRUCache<string, Entry>({
    maxSize: Math.max(1, maxBytes - maxUrlBytes),
    dispose(entry) {
      entry.isEvicted = true
      freeUnused(entry)
    },
    sizeCalculation: ({ response: { data, headers } }, url) =>
      entryOverheadBytes +
      countBytes(url) +
      data.length +
      Math.ceil(compressedShare * data.length) +
      Object.values(headers).reduce((sum, text) => sum + countBytes(text), 0),
  })
  let current: number | undefined
  return {
    async use(url, work) {
      const entry = responses.get(url)
      if (entry === undefined || entry.response.version !== current) return undefined
      entry.users++
      try {
        return await work(entry.response)
      } finally {
        entry.users--
        freeUnused(entry)
      }
    },
    offer(url, { settlement: _, ...response }) {
      const { data, version } = response
      if (version === undefined || (current !== undefined && version < current)) return
      if (!requestedUrls.has(url)) {
        requestedUrls.set(url, true)
        return
      }
      // Bytes from the driver are part of a larger buffer, which they would keep alive.
      const cached = { ...response, data: new Uint8Array(data), compressed: new Map() }
      responses.set(url, { response: cached, users: 0, isEvicted: false })
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
