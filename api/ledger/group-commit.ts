/**
 * Group commit: while one group of requests is being settled, the next ones gather, and are settled together. A
 * statement and a flush of the disk are thus shared by many, and a busy key is not limited to one debit per flush.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchState, createBatcher } from '../concurrency/batcher.ts'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { lockNotAvailable } from '../database/connection-error.ts'
import { hasFreeConnection } from '../database/pool-state.ts'
import { ClientGoneError } from '../errors.ts'
import { type Busy, type Claim, type Settlement, type Stale, settleGroup } from './settle.ts'

/** Requests in a group, at most. */
const groupSize = 256

/** Settles claims together. */
export interface GroupCommit {
  (claim: Claim, onBusy?: () => void): Promise<Settlement | Stale>
  /** What it does at the moment, and has done. */
  readState(): GroupCommitState
}

/** `queued`: claims for the next group. What waits for a key in other hands is counted apart. */
export interface GroupCommitState extends BatchState {
  /** Claims whose key is in other hands, waiting or being settled. */
  waitingForKey: number
}

type Settle = (claim: Claim) => Promise<Settlement | Stale | Gone>

/** The client was gone before the statement was sent: nothing was decided. */
interface Gone {
  outcome: 'gone'
}

/** For this long a key may wait for a lane, in milliseconds; a lane waits for a key as long. */
const maxWaitMs = 5_000
/** Between two looks whether a key is free, where no statement may wait for it. In milliseconds. */
const lookInterval = 20

/** A key was in other hands for too long. Its code is the server's, which says so of a statement that waited. */
class KeyBusyError extends Error {
  override name = 'KeyBusyError'
  readonly code = lockNotAvailable
}

/**
 * Creates a function that settles one claim together with others; it calls `onBusy` when the claim will have to wait for
 * its key. `patientLanes` is how many statements may at a time wait for a key that is in other hands (another instance
 * settles it, an operator changes it); connections more are needed for everybody else. 0: none may, and it is looked
 * again and again whether the key is free, which takes longer and lets other instances go first.
 */
export function createGroupCommit(sql: Sql, { patientLanes }: { patientLanes: number }): GroupCommit {
  const settleTogether = createBatcher({
    run: (claims: Claim[]) => settlePresent(sql, claims, { patient: false }),
    size: groupSize,
    hasRoom: () => hasFreeConnection(sql),
  })
  const mayWait = patientLanes > 0
  const lanes = createFairQueue<number>({
    maxConcurrent: Math.max(1, patientLanes),
    maxQueued: Number.POSITIVE_INFINITY, // as many as were admitted to the service
    maxWaitMs,
  })
  /** Keys that were found in other hands, each with the line of those who wait for it. */
  const lines = new Map<number, { settle: Settle; waiting: number }>()

  async function settlePatiently(claim: Claim): Promise<Settlement | Stale | Gone> {
    const { keyId } = claim
    const line = lines.get(keyId) ?? { settle: createLine(sql, { keyId, lanes, mayWait }), waiting: 0 }
    lines.set(keyId, line)
    line.waiting++
    try {
      return await line.settle(claim)
    } finally {
      line.waiting--
      if (line.waiting === 0) lines.delete(keyId)
    }
  }

  async function settle(claim: Claim, onBusy = () => {}): Promise<Settlement | Stale> {
    if (!lines.has(claim.keyId)) {
      const settlement = await settleTogether(claim)
      if (settlement.outcome !== 'busy') return assertPresent(settlement)
    }
    onBusy()
    return assertPresent(await settlePatiently(claim)) // behind those who came before
  }
  settle.readState = (): GroupCommitState => {
    let waitingForKey = 0
    for (const { waiting } of lines.values()) waitingForKey += waiting
    return { ...settleTogether.readState(), waitingForKey }
  }
  return settle
}

/** Settles those of a group whose clients are still there, in its order. */
async function settlePresent(
  sql: Sql,
  claims: readonly Claim[],
  options: { patient: boolean },
): Promise<(Settlement | Stale | Busy | Gone)[]> {
  const present = new Set(claims.filter(({ signal }) => !signal?.aborted))
  const settlements = present.size > 0 ? await settleGroup(sql, [...present], options) : []
  return claims.flatMap((claim) => (present.has(claim) ? (settlements.shift() ?? []) : { outcome: 'gone' }))
}

function assertPresent(settlement: Settlement | Stale | Gone): Settlement | Stale {
  if (settlement.outcome === 'gone') throw new ClientGoneError()
  return settlement
}

interface LineOptions {
  keyId: number
  lanes: FairQueue<number>
  /** Whether a statement may wait for the key. */
  mayWait: boolean
}

/** The line of one key: a group at a time, and each waits for the key itself. */
function createLine(sql: Sql, { keyId, lanes, mayWait }: LineOptions): Settle {
  async function settleInLane(claims: Claim[]): Promise<(Settlement | Stale | Busy | Gone)[]> {
    const leave = await lanes.enter(keyId)
    try {
      return await settlePresent(sql, claims, { patient: mayWait })
    } finally {
      leave()
    }
  }

  return createBatcher({
    size: groupSize,
    hasRoom: () => mayWait, // a second group could find the key free before the first one looks again
    async run(claims: Claim[]) {
      const settlements = new Map<Claim, Settlement | Stale | Gone>()
      const deadline = performance.now() + maxWaitMs
      for (let rest = claims; ; await sleep(lookInterval)) {
        for (const [index, settlement] of (await settleInLane(rest)).entries()) {
          const claim = rest[index]
          if (claim !== undefined && settlement.outcome !== 'busy') settlements.set(claim, settlement)
        }
        rest = claims.filter((claim) => !settlements.has(claim))
        if (rest.length === 0) return claims.flatMap((claim) => settlements.get(claim) ?? [])
        if (mayWait || performance.now() > deadline) throw new KeyBusyError('a key is in other hands')
      }
    },
  })
}
