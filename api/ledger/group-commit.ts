/**
 * Group commit: while one group of requests is being settled, the next ones gather, and are settled together. A
 * statement and a flush of the disk are thus shared by many, and a busy key is not limited to one debit per flush.
 *
 * @module
 */
import { type Admission, createAdmission } from '../admission.ts'
import { type BatchState, createBatcher } from '../database/batch.ts'
import type { Sql } from '../database/connect.ts'
import { type Claim, type Settlement, type Stale, settleGroup } from './settle.ts'

/** Requests in a group, at most. */
const groupSize = 256

/** Settles claims together. */
export interface GroupCommit {
  (claim: Claim, onBusy?: () => void): Promise<Settlement | Stale>
  /** What it does at the moment, and has done. */
  readState(): GroupCommitState
}

/** `waiting`: claims for the next group. What waits for a key in other hands is counted apart. */
export interface GroupCommitState extends BatchState {
  /** Claims whose key is in other hands, waiting or being settled. */
  waitingForKey: number
}

type Settle = (claim: Claim) => Promise<Settlement | Stale>

/** For this long a key may wait for a lane, in milliseconds; a lane waits for a key as long. */
const longestWait = 5_000

/**
 * Creates a function that settles one claim together with others; it calls `onBusy` when the claim will have to wait for
 * its key. `patientLanes` is how many statements may at a time wait for a key that is in other hands (another instance
 * settles it, an operator changes it); a connection more is needed for everybody else.
 */
export function createGroupCommit(sql: Sql, { patientLanes }: { patientLanes: number }): GroupCommit {
  const settleTogether = createBatcher({
    run: (claims: Claim[]) => settleGroup(sql, claims, { patient: false }),
    size: groupSize,
  })
  const lanes = createAdmission<number>({
    atOnce: patientLanes,
    mostWaiting: Number.POSITIVE_INFINITY, // as many as were admitted to the service
    longestWait,
  })
  /** Keys that were found in other hands, each with the line of those who wait for it. */
  const lines = new Map<number, { settle: Settle; waiting: number }>()

  async function settlePatiently(claim: Claim): Promise<Settlement | Stale> {
    const { keyId } = claim
    const line = lines.get(keyId) ?? { settle: createLine(sql, keyId, lanes), waiting: 0 }
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
      if (settlement.outcome !== 'busy') return settlement
    }
    onBusy()
    return settlePatiently(claim) // behind those who came before
  }
  settle.readState = (): GroupCommitState => {
    let waitingForKey = 0
    for (const { waiting } of lines.values()) waitingForKey += waiting
    return { ...settleTogether.readState(), waitingForKey }
  }
  return settle
}

/** The line of one key: a group at a time, and each waits for the key itself. */
function createLine(sql: Sql, keyId: number, lanes: Admission<number>): Settle {
  return createBatcher({
    size: groupSize,
    async run(claims: Claim[]) {
      const leave = await lanes.enter(keyId)
      try {
        const settlements = await settleGroup(sql, claims, { patient: true })
        return settlements.map((settlement) => {
          if (settlement.outcome === 'busy') throw new Error('a patient group found a key busy')
          return settlement
        })
      } finally {
        leave()
      }
    },
  })
}
