/**
 * The ledger as requests see it: whose key is it, and may this request be answered?
 *
 * Speed may come from memory, permission never does: what is remembered here spares a look-up, and every request is
 * settled in the database before it is answered. A key that was revoked stops there.
 *
 * @module
 */
import { LRUCache } from 'lru-cache'
import { createBatcher } from '../concurrency/batcher.ts'
import type { Sql } from '../database/connect.ts'
import { isOutOfResources } from '../database/connection-error.ts'
import { type BearerKey, findApiKeys, hashSecret } from './api-key.ts'
import { createGroupCommit, type GroupCommitState } from './group-commit.ts'
import { sweepIdempotencyKeys } from './idempotency.ts'
import type { Claim, Settlement, Stale } from './settle.ts'
import { createStatementCount } from './statement-count.ts'

/** The ledger of one instance. */
export interface Ledger {
  /** Finds a key that is remembered, without asking the database. It may have been revoked since. */
  recallKey(secret: string): BearerKey | undefined
  /** Asks the database for a key, and remembers it. Undefined when it is unknown. */
  findKey(secret: string): Promise<BearerKey | undefined>
  /**
   * Decides about a request with a key, and charges it. Calls `onBusy` when the key is locked, which takes a while.
   * Throws `ClientGoneError` when the request's signal is aborted before the database has the request.
   */
  settle(
    key: BearerKey,
    request: Omit<Claim, 'keyId' | 'secretHash'>,
    onBusy?: () => void,
  ): Promise<Settlement | Stale>
  /** What a request of a key would be told for sure, as the key was over its limit a moment ago; undefined: ask. */
  foresee(keyId: number): Settlement | undefined
  /** Whether a charge could be recorded, as far as is known without an attempt: a full disk shows in writes alone. */
  canCharge(): boolean
  /** What is being settled, and was. */
  readState(): GroupCommitState
}

/** Keys that are remembered: a few hundred bytes each. */
const maxKeys = 10_000
/** A limit that was used up is asked for again after this long, in milliseconds: operators may have lifted it. */
const longestForesight = 1_000
/**
 * After a settlement that the database had no room for, none is expected to succeed for this long, in milliseconds,
 * unless one does. Then requests have to try: where a load balancer sent them elsewhere, nothing else would.
 */
const failureMemory = 30_000
/** After so many charges with an idempotency key, old ones are cleared away. */
const sweepInterval = 1_000

interface Foreseen {
  settlement: Settlement
  /** Before this moment, on the clock of `performance.now()`, the answer is sure. */
  until: number
  /** At this moment the window is over for sure. */
  end: number
}

/** Creates the ledger of an instance, on connections that nobody else uses. */
export function createLedger(sql: Sql): Ledger {
  const keys = new LRUCache<string, BearerKey>({ max: maxKeys }) // by secret
  const throttled = new LRUCache<number, Foreseen>({ max: maxKeys })
  const statements = createStatementCount(sql)
  const lookUp = createBatcher({
    run: (hashes: Buffer[]) => statements.count(() => findApiKeys(sql, hashes)),
    size: 1_000,
    hasRoom: statements.hasFreeConnection,
  })
  // One connection for groups, one for look-ups, one for `/health`, and the others for whoever has to wait. No more
  // statements than connections: postgres.js would send one behind another, which may wait, or be lost with its connection.
  const settleInGroup = createGroupCommit(sql, { patientLanes: Math.max(0, sql.options.max - 3), statements })
  let untilSweep = sweepInterval
  /** On the clock of `performance.now()`. */
  let failingUntil = Number.NEGATIVE_INFINITY

  async function settleClaim(claim: Claim, onBusy?: () => void): Promise<Settlement | Stale> {
    try {
      const settlement = await settleInGroup(claim, onBusy)
      if (settlement.outcome !== 'stale' && settlement.charged > 0) failingUntil = Number.NEGATIVE_INFINITY
      return settlement
    } catch (error) {
      if (isOutOfResources(error)) failingUntil = performance.now() + failureMemory
      throw error
    }
  }

  function rememberThrottled(keyId: number, settlement: Settlement, asked: number): void {
    const milliseconds = (settlement.rateLimit?.resetSeconds ?? 0) * 1_000
    // The database answered between `asked` and now: the window ends between these two.
    const until = asked + Math.min(milliseconds, longestForesight)
    throttled.set(keyId, { settlement, until, end: performance.now() + milliseconds })
  }

  /** Now and then, beside the requests; what fails is tried again next time. */
  function sweepSometimes(): void {
    untilSweep--
    if (untilSweep > 0) return
    untilSweep = sweepInterval
    sweepIdempotencyKeys(sql).catch(() => {})
  }

  return {
    readState: settleInGroup.readState,
    canCharge: () => performance.now() >= failingUntil,
    recallKey: (secret) => keys.get(secret),
    async findKey(secret) {
      const secretHash = hashSecret(secret)
      const found = await lookUp(secretHash)
      if (found === undefined) return undefined
      const key = { ...found, secret, secretHash }
      keys.set(secret, key)
      return key
    },
    async settle({ id, secret, secretHash }, request, onBusy) {
      const asked = performance.now()
      const settlement = await settleClaim({ keyId: id, secretHash, ...request }, onBusy)
      if (settlement.outcome === 'stale') return settlement
      if (settlement.outcome === 'unusable') keys.delete(secret)
      if (settlement.outcome === 'throttled') rememberThrottled(id, settlement, asked)
      if (settlement.charged > 0 && request.purchase?.idempotency) sweepSometimes()
      return settlement
    },
    foresee(keyId) {
      const foreseen = throttled.get(keyId)
      const now = performance.now()
      if (foreseen === undefined || now >= foreseen.until) return undefined
      const { settlement, end } = foreseen
      return {
        ...settlement,
        rateLimit: settlement.rateLimit && { ...settlement.rateLimit, resetSeconds: (end - now) / 1_000 },
      }
    },
  }
}
