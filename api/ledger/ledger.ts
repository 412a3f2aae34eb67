/**
 * The ledger of an instance: authenticates keys, and settles requests.
 *
 * Caches save look-ups of keys, and never decide that a request is allowed: each request is settled in the database
 * before its response (decisions/0002-keys.md). A revoked key stops there.
 */
import { LRUCache } from 'lru-cache'
import type { Sql } from '../database/connect.ts'
import { isOutOfResources } from '../database/connection-error.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { createAcceptedAdmins } from './accepted-admins.ts'
import type { BearerKey } from './api-key.ts'
import { createGroupCommit, type GroupCommitState } from './group-commit.ts'
import { sweepIdempotencyKeys } from './idempotency-keys.ts'
import { createKeyLookUp } from './key-look-up.ts'
import type { Settlement, SettleRequest, Stale } from './settlement.ts'

/** A request of a known key. */
export type KeyRequest = Omit<SettleRequest, 'keyId' | 'secretHash' | 'connection'>

export interface Ledger {
  /** Returns a key from the cache. It may have been revoked since. */
  findCachedKey(secret: string): BearerKey | undefined
  /**
   * Returns an admin key that the database has accepted lately (`accepted-admins.ts`). It may have been revoked since.
   */
  findAcceptedAdmin(secret: string): BearerKey | undefined
  /**
   * Reads a key from the database, and caches it. Returns undefined when it is unknown. Waits while there are many
   * unknown keys. Throws `overCapacity` when the wait is too long, and `ClientGoneError` when the signal is aborted
   * before it ends.
   */
  findKey(secret: string, signal?: AbortSignal): Promise<BearerKey | undefined>
  /**
   * Decides about a key's request, and charges it. Calls `onWait` when another session has locked the key.
   * Throws `ClientGoneError` when the request's signal is aborted before the statement is sent.
   */
  settle(key: BearerKey, request: KeyRequest, onWait?: () => void): Promise<Settlement | Stale>
  /**
   * Returns what the statement that reads a response shall settle. `key_locked`: other requests wait for the key's
   * lock; call `settle`, which queues behind them.
   */
  prepare(key: BearerKey, request: KeyRequest): SettleRequest | 'key_locked'
  /** Notes what such a statement has settled. It was sent after `sentAt`, on the clock of `performance.now()`. */
  noteSettlement(key: BearerKey, request: KeyRequest, settlement: Settlement, sentAt: number): void
  /**
   * Returns the cached `throttled` settlement of a secret. A key and each token of it have their own, because each has
   * a balance of its own. A settlement is cached until the key's rate-limit window ends, for a second at most.
   */
  findCachedThrottle(secret: string): Settlement | undefined
  /** Whether charges can be recorded. Only a failed charge reveals that they can't: a full disk still allows reads. */
  canCharge(): boolean
  readState(): GroupCommitState
}

/** A few hundred bytes each. */
const maxCachedKeys = 10_000
/** Operators may lift a rate limit at any time. */
const maxThrottleCacheMs = 1_000
/**
 * How long `canCharge` is false after a charge failed because the database was out of resources. It becomes true again
 * even without a successful charge, because a load balancer may send no requests here while it is false.
 */
const chargeFailureMs = 30_000
/** In charges with an idempotency key. */
const sweepInterval = 1_000

interface CachedThrottle {
  settlement: Settlement
  /** When the entry expires, on the clock of `performance.now()`. */
  expiresAt: number
  /** The latest time at which the window ends, on the same clock. */
  windowEndsAt: number
}

function identify({ id: keyId, secretHash, connection }: BearerKey, request: KeyRequest): SettleRequest {
  return { keyId, secretHash, connection, ...request }
}

/** Creates the ledger of an instance. Only `/health` also uses the connections of `sql`. */
export function createLedger(sql: Sql): Ledger {
  const keys = new LRUCache<string, BearerKey>({ max: maxCachedKeys }) // by secret
  const acceptedAdmins = createAcceptedAdmins()
  const throttles = new LRUCache<string, CachedThrottle>({ max: maxCachedKeys }) // by secret
  const lookUp = createKeyLookUp(sql, keys)
  // One connection is for groups, one for look-ups of keys, one for `/health`, the others for lock waits. With more
  // statements than connections, postgres.js would send one behind another, which may wait for a lock.
  const groupCommit = createGroupCommit(sql, { maxLockWaits: Math.max(0, sql.options.max - 3) })
  // Random, because many instances end before they have made `sweepInterval` charges.
  let chargesUntilSweep = Math.ceil(Math.random() * sweepInterval)
  /** On the clock of `performance.now()`. */
  let failingUntil = Number.NEGATIVE_INFINITY

  function cacheThrottle(secret: string, settlement: Settlement, sentAt: number): void {
    const windowMs = (settlement.rateLimit?.resetSeconds ?? 0) * 1_000
    // The database decided between `sentAt` and now, so the window ends between these plus `windowMs`.
    throttles.set(secret, {
      settlement,
      expiresAt: sentAt + Math.min(windowMs, maxThrottleCacheMs),
      windowEndsAt: performance.now() + windowMs,
    })
  }

  /** Deletes old idempotency keys from time to time, in the background. The next sweep makes up for one that fails. */
  function countSweep(): void {
    chargesUntilSweep--
    if (chargesUntilSweep > 0 || countFreeConnections(sql) === 0) return
    chargesUntilSweep = sweepInterval
    countStatement(sql, () => sweepIdempotencyKeys(sql)).catch(() => {})
  }

  function noteSettlement(
    key: BearerKey,
    { charge }: KeyRequest,
    settlement: Settlement,
    sentAt: number,
  ): void {
    acceptedAdmins.note(key, settlement.outcome !== 'unusable')
    if (settlement.outcome === 'unusable') keys.delete(key.secret)
    if (settlement.outcome === 'throttled') cacheThrottle(key.secret, settlement, sentAt)
    if (settlement.charged === 0) return
    failingUntil = Number.NEGATIVE_INFINITY
    if (charge?.idempotency) countSweep()
  }

  return {
    readState: groupCommit.readState,
    canCharge: () => performance.now() >= failingUntil,
    findCachedKey: (secret) => keys.get(secret),
    findAcceptedAdmin: acceptedAdmins.find,
    findKey: lookUp,
    async settle(key, request, onWait) {
      const sentAt = performance.now()
      const decision = await groupCommit.settle(identify(key, request), onWait).catch((error: unknown) => {
        if (request.charge !== null && isOutOfResources(error))
          failingUntil = performance.now() + chargeFailureMs
        throw error
      })
      if (decision.outcome !== 'stale') noteSettlement(key, request, decision, sentAt)
      return decision
    },
    prepare(key, request) {
      return groupCommit.isLocked(key.id) ? 'key_locked' : identify(key, request)
    },
    noteSettlement,
    findCachedThrottle(secret) {
      const { settlement, expiresAt = 0, windowEndsAt = 0 } = throttles.get(secret) ?? {}
      const now = performance.now()
      if (settlement?.rateLimit === undefined || now >= expiresAt) return undefined
      const resetSeconds = (windowEndsAt - now) / 1_000
      return { ...settlement, rateLimit: { ...settlement.rateLimit, resetSeconds } }
    },
  }
}
