/** Look-ups of keys that an instance doesn't know. The unknown ones can't crowd out the others. */
import type { LRUCache } from 'lru-cache'
import { createBatcher } from '../concurrency/batcher.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { type BearerKey, findApiKeys, hashSecret, isSecret } from './api-key.ts'
import { findConnectedKeys } from './connections.ts'

/**
 * Limits of look-ups. One that finds nothing keeps its place for `missMs`, so that no more than 128 a second find
 * nothing, however many anonymous clients there are. One that finds a key leaves its place immediately. Secrets take
 * turns.
 */
const limits = { maxConcurrent: 64, maxQueued: 2_000, maxWaitMs: 2_000 }
const missMs = 500

/** Reads a key from the database, as `Ledger.findKey` promises. */
export type KeyLookUp = (secret: string, signal?: AbortSignal) => Promise<BearerKey | undefined>

/** Finds the keys of secrets and of access tokens, in their order. */
async function findBearerKeys(sql: Sql, given: readonly string[]): Promise<(BearerKey | undefined)[]> {
  const secrets = given.filter(isSecret).map((secret) => ({ secret, secretHash: hashSecret(secret) }))
  const tokens = given.filter((text) => !isSecret(text))
  const [keys, connected] = await Promise.all([
    secrets.length === 0
      ? []
      : findApiKeys(
          sql,
          secrets.map(({ secretHash }) => secretHash),
        ),
    tokens.length === 0 ? [] : findConnectedKeys(sql, tokens),
  ])
  const found = new Map(connected.map((key) => [key.secret, key]))
  for (const [index, key] of keys.entries()) {
    const secret = secrets[index]
    if (key !== undefined && secret !== undefined) found.set(secret.secret, { ...key, ...secret })
  }
  return given.map((text) => found.get(text))
}

/** Creates the look-up of an instance, which caches keys by secret. */
export function createKeyLookUp(sql: Sql, cache: LRUCache<string, BearerKey>): KeyLookUp {
  const lookUp = createBatcher({
    run: (secrets: string[]) => countStatement(sql, () => findBearerKeys(sql, secrets)),
    size: 1_000,
    hasRoom: () => countFreeConnections(sql) > 1, // the last one is for `/health`
  })
  const queue = createFairQueue<string>(limits)

  async function readKey(secret: string): Promise<BearerKey | undefined> {
    const key = await lookUp(secret)
    if (key !== undefined) cache.set(secret, key) // a miss isn't cached: the key may be created or restored at any time
    return key
  }

  return async function findKey(secret, signal) {
    const leave = await queue.enter(secret, signal)
    try {
      const key = cache.get(secret) ?? (await readKey(secret)) // another request may have found it during the wait
      if (key === undefined) setTimeout(leave, missMs)
      else leave()
      return key
    } catch (error) {
      leave()
      throw error
    }
  }
}
