/**
 * Group commit: while one group of requests is being settled, the next ones queue, and are then settled together. Many
 * requests share a statement and a flush of the disk, so a busy key is not limited to one charge per flush.
 *
 * Groups skip keys that another session has locked: a statement that reads pages, another instance, or a command.
 * Requests of a locked key have a queue of their own, so that they don't delay other keys.
 *
 * Requests of a key are settled in the order of arrival. The exception is a group that is late: the group that runs
 * beside it may be settled first, because the late group's connection may be dead.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createBatcher } from '../concurrency/batcher.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { lockNotAvailable, queryCanceled } from '../database/connection-error.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { ClientGoneError, readCode } from '../errors.ts'
import { type Settlement, type SettleRequest, type Stale, settleGroup } from './settlement.ts'

const maxGroupSize = 256

/** Requests that wait. */
export interface GroupCommitState {
  /** For the next group. */
  queued: number
  /** For the lock of their key, or in a statement that waits for it. */
  waitingForLock: number
}

export interface GroupCommitOptions {
  /**
   * How many statements may wait for locks at a time. Other requests need further connections. 0: none may wait; locked
   * keys are polled, which takes longer, and other instances may go first.
   */
  maxLockWaits: number
}

type Decision = Settlement | Stale

/** A key that another session has locked. */
interface LockedKey {
  /** `client_gone`: the client closed its connection, so nothing was decided. */
  settle(request: SettleRequest, signal: AbortSignal | undefined): Promise<Decision | 'client_gone'>
  waiting: number
}

/** How long a request waits for a connection for its lock wait. The lock wait itself has the same limit, in SQL. */
const maxWaitMs = 5_000
const lockPollIntervalMs = 20

/** A key was locked for too long. It has the code of the server's error for a lock timeout. */
class LockTimeoutError extends Error {
  override name = 'LockTimeoutError'
  readonly code = lockNotAvailable
}

/**
 * Creates the group commit of an instance, which settles a request in a group with others. It is long because its
 * functions share the state of locked keys.
 */
export function createGroupCommit(sql: Sql, { maxLockWaits }: GroupCommitOptions) {
  const settleUnlocked = createBatcher({
    run: settleUnlockedKeys,
    size: maxGroupSize,
    charges: true,
    hasRoom: () => countFreeConnections(sql) > 1, // the last one is for `/health`
  })
  const waitForLocks = maxLockWaits > 0
  const lockWaits = createFairQueue<number>({
    maxConcurrent: Math.max(1, maxLockWaits),
    maxQueued: Number.POSITIVE_INFINITY, // the service limits the requests in progress
    maxWaitMs,
  })
  /** By key id. */
  const lockedKeys = new Map<number, LockedKey>()

  const isLocked = (keyId: number) => lockedKeys.has(keyId)

  function settleTogether(requests: readonly SettleRequest[], options: { waitForLocks: boolean }) {
    return countStatement(sql, async () => (requests.length === 0 ? [] : settleGroup(sql, requests, options)))
  }

  /** A statement whose time ends during its lock wait tells nothing of the database: only this key is locked. */
  function explainCancel(error: unknown): never {
    throw waitForLocks && readCode(error) === queryCanceled
      ? new LockTimeoutError('a key is locked', { cause: error })
      : error
  }

  /** Requests of keys that were found locked since they arrived queue behind those that wait for the lock. */
  async function settleUnlockedKeys(requests: SettleRequest[]): Promise<(Decision | LockedKey)[]> {
    const unlocked = requests.filter(({ keyId }) => !isLocked(keyId))
    const settled = await settleTogether(unlocked, { waitForLocks: false })
    let place = 0
    return requests.map((request) => {
      const decision = request === unlocked[place] ? settled[place++] : undefined
      return decision === undefined || decision.outcome === 'locked' ? markLocked(request) : decision
    })
  }

  /** Called before the next group starts, so that it doesn't overtake this request. `settleLocked` must follow. */
  function markLocked({ keyId }: SettleRequest): LockedKey {
    const key = lockedKeys.get(keyId) ?? { settle: createLockedKeyBatcher(keyId), waiting: 0 }
    key.waiting++
    lockedKeys.set(keyId, key)
    return key
  }

  /** Creates the batcher of one locked key. Each of its groups waits for the lock, or polls it. */
  function createLockedKeyBatcher(keyId: number) {
    return createBatcher({
      size: maxGroupSize,
      hasRoom: () => false, // a second group would wait for the first one's lock, or overtake it
      async run(requests: SettleRequest[]) {
        const decisions = new Map<SettleRequest, Decision>()
        const isOpen = (request: SettleRequest) => !request.signal?.aborted && !decisions.has(request)
        const deadline = performance.now() + maxWaitMs
        for (;;) {
          const leave = await lockWaits.enter(keyId).catch(() => {
            throw new LockTimeoutError('a key is locked') // other locked keys had the connections
          })
          const open = requests.filter(isOpen)
          const settled = await settleTogether(open, { waitForLocks }).catch(explainCancel).finally(leave)
          for (const [index, request] of open.entries()) {
            const decision = settled[index]
            if (decision !== undefined && decision.outcome !== 'locked') decisions.set(request, decision)
          }
          if (!requests.some(isOpen)) {
            return requests.map((request) => decisions.get(request) ?? 'client_gone')
          }
          if (performance.now() > deadline) throw new LockTimeoutError('a key is locked')
          await sleep(lockPollIntervalMs)
        }
      },
    })
  }

  async function settleLocked(key: LockedKey, request: SettleRequest): Promise<Decision> {
    try {
      const decision = await key.settle(request, request.signal)
      if (decision === 'client_gone') throw new ClientGoneError()
      return decision
    } finally {
      key.waiting--
      if (key.waiting === 0) lockedKeys.delete(request.keyId)
    }
  }

  /**
   * Calls `onWait` when the request has to wait for its key's lock. Throws `ClientGoneError` when the request's
   * signal is aborted before the statement is sent, and an error with the code `lockNotAvailable` when the lock wait
   * times out.
   */
  async function settle(request: SettleRequest, onWait = () => {}): Promise<Decision> {
    const decision = await settleUnlocked(request, request.signal)
    if ('outcome' in decision) return decision
    onWait()
    return settleLocked(decision, request)
  }

  function readState(): GroupCommitState {
    let waitingForLock = 0
    for (const { waiting } of lockedKeys.values()) waitingForLock += waiting
    return { queued: settleUnlocked.countQueued(), waitingForLock }
  }

  return { settle, isLocked, readState }
}
