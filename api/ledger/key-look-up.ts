/** Look-ups of keys that an instance doesn't know. The unknown ones can't crowd out the others. */
import type { LRUCache } from 'lru-cache'
import { createBatcher } from '../concurrency/batcher.ts'
import { createMissLimit } from '../concurrency/miss-limit.ts'
import type { Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { type BearerKey, findApiKeys, hashSecret, isSecret } from './api-key.ts'
import { findConnectedKeys } from './connections.ts'

/**
 * Limits of look-ups. One that finds nothing keeps its place for `missMs`, so that no more than 128 a second find
 * nothing, however many anonymous clients there are. One that finds a key leaves its place immediately. Secrets take
 * turns.
 */
const limits = { maxConcurrent: 64, maxQueued: 2_000, maxWaitMs: 2_000, missMs: 500 }

/** Reads a key from the database, as `Ledger.findKey` promises. */
export type KeyLookUp = (secret: string, signal?: AbortSignal) => Promise<BearerKey | undefined>

/** Creates the look-up of an instance, which caches keys by secret. */
export function createKeyLookUp(sql: Sql, cache: LRUCache<string, BearerKey>): KeyLookUp {
  const createLookUp = (find: (texts: string[]) => Promise<(BearerKey | undefined)[]>) =>
    createBatcher({
      run: (texts: string[]) => countStatement(sql, () => find(texts)),
      size: 1_000,
      hasRoom: () => countFreeConnections(sql) > 1, // the last one is for `/health`
    })
  const lookUpSecret = createLookUp(async (secrets) => {
    const hashes = secrets.map(hashSecret)
    const keys = await findApiKeys(sql, hashes)
    return secrets.map((secret, place) => {
      const [key, secretHash] = [keys[place], hashes[place]]
      return key && secretHash && { ...key, secret, secretHash }
    })
  })
  // Apart, so that an error of one statement isn't one of the other's keys.
  const lookUpToken = createLookUp((tokens) => findConnectedKeys(sql, tokens))
  const limitMisses = createMissLimit(limits)

  return function findKey(secret, signal) {
    return limitMisses(
      secret,
      async () => {
        const known = cache.get(secret) // another request may have found it during the wait
        if (known !== undefined) return known
        const key = await (isSecret(secret) ? lookUpSecret : lookUpToken)(secret)
        if (key !== undefined) cache.set(secret, key) // a miss isn't cached: the key may be created or restored at any time
        return key
      },
      signal,
    )
  }
}
