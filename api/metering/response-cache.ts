/**
 * Answers that are remembered until the dataset has another version, within a bound of bytes. What is remembered spares
 * reading the data; the ledger settles each request all the same, and says there whether the version still holds.
 *
 * @module
 */
import { LRUCache } from 'lru-cache'
import type { MeteredResponse } from './checkout.ts'

/** An answer with the version of the dataset that it was read at. */
export type VersionedResponse = MeteredResponse & { version: number }

/** Answers of one instance. */
export interface ResponseCache {
  /** The answer of an address, if it is remembered and the version, as far as is known here, still holds. */
  recall(url: string): VersionedResponse | undefined
  /**
   * Remembers an answer that has a version, in place of others that were not asked for as lately, if its address was
   * asked for before: a walk, which asks for each page once, drives nothing out. Returns whether it keeps the answer.
   */
  remember(url: string, answer: MeteredResponse): boolean
  /** The dataset has this version: what is of another one is forgotten. */
  noteVersion(version: number): void
}

/** What an entry takes beside its texts, in bytes. */
const overhead = 600
const addressOverhead = 200
/** The part of the bound that is for addresses that were asked for once. */
const addressShare = 1 / 16

/** Creates an empty store; `maxBytes` is what it may hold, 0 for nothing. */
export function createResponseCache({ maxBytes }: { maxBytes: number }): ResponseCache {
  if (maxBytes === 0) return { recall: () => undefined, remember: () => false, noteVersion() {} }
  const addressBytes = Math.ceil(maxBytes * addressShare)
  const addresses = new LRUCache<string, true>({
    maxSize: addressBytes,
    sizeCalculation: (_, url) => addressOverhead + sizeOf(url),
  })
  const answers = new LRUCache<string, VersionedResponse>({
    maxSize: Math.max(1, maxBytes - addressBytes),
    sizeCalculation: ({ body, headers }, url) =>
      overhead +
      sizeOf(url) +
      sizeOf(body) +
      Object.values(headers).reduce((sum, text) => sum + sizeOf(text), 0),
  })
  let current: number | undefined
  return {
    recall(url) {
      const answer = answers.get(url)
      return answer?.version === current ? answer : undefined
    },
    remember(url, answer) {
      const { version } = answer
      if (version === undefined || (current !== undefined && version < current)) return false
      if (!addresses.has(url)) {
        addresses.set(url, true)
        return false
      }
      return answers.set(url, { ...answer, version }).has(url)
    },
    noteVersion(version) {
      if (version === current) return
      current = version
      answers.clear()
    },
  }
}

/** At most so many bytes: two for a character of a text. */
function sizeOf(text: string | Uint8Array): number {
  return typeof text === 'string' ? 2 * text.length : text.length
}
