/** Idempotency keys. The service charges a request once, however often it is sent under the same key. */

/** Creates a text that nobody else has. */
export function createRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

/**
 * Returns the idempotency key of a page. It depends on the list's key and the page's URL alone, so a page that is
 * requested again is free, whichever state the list was resumed from.
 */
export function createPageKey(listKey: string, url: string): string {
  return `${listKey}.${hash(url)}`
}

/** A hash of 53 bits (cyrb53, public domain): quick, and the same everywhere. Web Crypto's needs a secure context. */
function hash(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
