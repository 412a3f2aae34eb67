/**
 * Group commit: while one group of requests is being settled, the next ones queue, and are then settled together. Many
 * requests share a statement and a flush of the disk, so a busy key is not limited to one charge per flush.
 *
 * Groups skip keys that another session has locked: another instance that settles, or an operator's command. Requests
 * of a locked key have a queue of their own, so that they don't delay other keys.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchState, createBatcher } from '../concurrency/batcher.ts'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { lockNotAvailable } from '../database/connection-error.ts'
import { ClientGoneError } from '../errors.ts'
import { type Locked, type Settlement, type SettleRequest, type Stale, settleGroup } from './settle.ts'
import { createStatementCount, type StatementCount } from './statement-count.ts'

const maxGroupSize = 256

/** Settles requests in groups. */
export interface GroupCommit {
  /**
   * Calls `onWait` when the request has to wait for its key's lock. Throws `ClientGoneError` when the request's signal
   * is aborted before the statement is sent, and an error with the code `lockNotAvailable` when the lock wait times out.
   */
  (request: SettleRequest, onWait?: () => void): Promise<Settlement | Stale>
  readState(): GroupCommitState
}

/** `queued` are the requests for the next group, without those that wait for a lock. */
export interface GroupCommitState extends BatchState {
  /** Requests whose key is locked, queued or in a statement. */
  waitingForLock: number
}

export interface GroupCommitOptions {
  /**
   * How many statements may wait for locks at a time. Other requests need further connections. 0: none may wait; locked
   * keys are polled, which takes longer, and other instances may go first.
   */
  maxLockWaits: number
  /** Counts the statements of everything that uses the connections. Default: nothing else does. */
  statements?: StatementCount
}

type Settle = (request: SettleRequest) => Promise<Settlement | Stale | Canceled>

/** The client closed its connection before the statement was sent. Nothing was decided. */
interface Canceled {
  outcome: 'canceled'
}

/** How long a request waits for a connection for its lock wait. The lock wait itself has the same limit, in SQL. */
const maxWaitMs = 5_000
const lockPollIntervalMs = 20

/** A key was locked for too long. It has the code of the server's error for a lock timeout. */
class LockTimeoutError extends Error {
  override name = 'LockTimeoutError'
  readonly code = lockNotAvailable
}

/** Creates the group commit of an instance. */
export function createGroupCommit(
  sql: Sql,
  { maxLockWaits, statements = createStatementCount(sql) }: GroupCommitOptions,
): GroupCommit {
  const settleTogether = createBatcher({
    run: (requests: SettleRequest[]) =>
      statements.count(() => settleConnected(sql, requests, { waitForLocks: false })),
    size: maxGroupSize,
    hasRoom: statements.hasFreeConnection,
  })
  const lockWaits = createFairQueue<number>({
    maxConcurrent: Math.max(1, maxLockWaits),
    maxQueued: Number.POSITIVE_INFINITY, // the service limits the requests in progress
    maxWaitMs,
  })
  /** By key id. */
  const lockedKeys = new Map<number, { settle: Settle; waiting: number }>()

  async function settleLocked(request: SettleRequest): Promise<Settlement | Stale | Canceled> {
    const { keyId } = request
    const key = lockedKeys.get(keyId) ?? {
      settle: createLockedKeyBatcher(sql, { keyId, lockWaits, waitForLocks: maxLockWaits > 0, statements }),
      waiting: 0,
    }
    lockedKeys.set(keyId, key)
    key.waiting++
    try {
      return await key.settle(request)
    } finally {
      key.waiting--
      if (key.waiting === 0) lockedKeys.delete(keyId)
    }
  }

  async function settle(request: SettleRequest, onWait = () => {}): Promise<Settlement | Stale> {
    // Requests of a key are settled in order, so a new one queues behind those that already wait for the key's lock.
    if (!lockedKeys.has(request.keyId)) {
      const settlement = await settleTogether(request)
      if (settlement.outcome !== 'locked') return assertConnected(settlement)
    }
    onWait()
    return assertConnected(await settleLocked(request))
  }
  settle.readState = (): GroupCommitState => {
    let waitingForLock = 0
    for (const { waiting } of lockedKeys.values()) waitingForLock += waiting
    return { ...settleTogether.readState(), waitingForLock }
  }
  return settle
}

/** Settles the requests of a group whose clients are still connected. */
async function settleConnected(
  sql: Sql,
  requests: readonly SettleRequest[],
  options: { waitForLocks: boolean },
): Promise<(Settlement | Stale | Locked | Canceled)[]> {
  const connected = new Set(requests.filter(({ signal }) => !signal?.aborted))
  const settlements = connected.size > 0 ? await settleGroup(sql, [...connected], options) : []
  return requests.flatMap((request) =>
    connected.has(request) ? (settlements.shift() ?? []) : { outcome: 'canceled' },
  )
}

function assertConnected(settlement: Settlement | Stale | Canceled): Settlement | Stale {
  if (settlement.outcome === 'canceled') throw new ClientGoneError()
  return settlement
}

interface LockedKeyOptions {
  keyId: number
  lockWaits: FairQueue<number>
  waitForLocks: boolean
  statements: StatementCount
}

/** Creates the batcher of one locked key. Each of its groups waits for the lock, or polls it. */
function createLockedKeyBatcher(
  sql: Sql,
  { keyId, lockWaits, waitForLocks, statements }: LockedKeyOptions,
): Settle {
  async function settleInTurn(
    requests: SettleRequest[],
  ): Promise<(Settlement | Stale | Locked | Canceled)[]> {
    const leave = await lockWaits.enter(keyId)
    try {
      return await statements.count(() => settleConnected(sql, requests, { waitForLocks }))
    } finally {
      leave()
    }
  }

  return createBatcher({
    size: maxGroupSize,
    hasRoom: () => waitForLocks, // a second group that polls might overtake the first
    async run(requests: SettleRequest[]) {
      const settlements = new Map<SettleRequest, Settlement | Stale | Canceled>()
      const deadline = performance.now() + maxWaitMs
      for (let rest = requests; ; await sleep(lockPollIntervalMs)) {
        for (const [index, settlement] of (await settleInTurn(rest)).entries()) {
          const request = rest[index]
          if (request !== undefined && settlement.outcome !== 'locked') settlements.set(request, settlement)
        }
        rest = requests.filter((request) => !settlements.has(request))
        if (rest.length === 0) return requests.flatMap((request) => settlements.get(request) ?? [])
        if (waitForLocks || performance.now() > deadline) throw new LockTimeoutError('a key is locked')
      }
    },
  })
}
