/**
 * Streaming replicas of the primary, for reading. Which of them are fit for it is looked at all the time: one that is
 * away, silent, or has not yet replayed the dataset's version is left out, and taken back when that is over.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from './connect.ts'
import { describeFailure, isDatabaseError, isDatabaseUnavailable } from './connection-error.ts'

/** Connections to one replica. */
export interface ReplicaPool {
  /** Where it is, without what is secret. */
  name: string
  sql: Sql
  /** See `Database`. */
  adapt(): Promise<void>
}

/** The replicas of a database; maybe none. */
export interface Replicas {
  /** One after the other of those that are fit; undefined: there is none now. */
  pick(): ReplicaPool | undefined
  /** Whether any is fit. */
  hasFit(): boolean
  /**
   * A read failed there. If the database is at fault, it is counted and said; if it does not answer, it is left out until
   * it has.
   */
  reportFailure(replica: ReplicaPool, error: unknown): void
  /** The primary's dataset has this version: no replica is fit before it has it too. */
  noteVersion(version: number): void
  /** All of them, as they are now, and how many reads have failed there. */
  list(): readonly (Pick<ReplicaPool, 'name' | 'sql'> & { isFit: boolean; failedReads: number })[]
  /**
   * Begins to look, and says of each replica when it is left out, with the reason, and when it is taken back. That reads
   * fail there is said too, once in a while.
   */
  watch(report: (message: string) => void): void
  /** Stops to look, and disconnects. */
  close(): Promise<void>
}

/** Between two looks at a replica, in milliseconds: while it is fit, and while it is not. */
const intervals = { fit: 1_000, unfit: 250 }
/** Reads may fail by the thousand: that they do is said of a replica once in so long, in milliseconds. */
const failureInterval = 60_000

interface Watched extends ReplicaPool {
  /** Of its dataset, when it answered last; undefined: it does not answer. */
  version: number | undefined
  /** What was said of it last. */
  reported: string | undefined
  failedReads: number
  /** On the clock of `performance.now()`: until then nothing more is said about reads that fail. */
  quietUntil: number
}

/** Watches replicas. None is fit before it has been looked at. */
export function createReplicas(pools: readonly ReplicaPool[]): Replicas {
  const replicas: Watched[] = pools.map((pool) => ({
    ...pool,
    version: undefined,
    reported: undefined,
    failedReads: 0,
    quietUntil: Number.NEGATIVE_INFINITY,
  }))
  let current = 0
  let turn = 0
  let report: ((message: string) => void) | undefined
  const stopping = new AbortController()

  function isFit({ version }: Watched): boolean {
    return version !== undefined && version >= current
  }

  async function look(replica: Watched): Promise<string> {
    try {
      await replica.adapt()
      const [dataset] = await replica.sql<{ version: number }[]>`select version from dataset`
      replica.version = dataset?.version
      return isFit(replica) ? fit : `it has version ${replica.version} of the dataset, not yet ${current}`
    } catch (error) {
      replica.version = undefined
      return error instanceof Error ? describeFailure(error) : String(error)
    }
  }

  async function keepLooking(replica: Watched): Promise<void> {
    while (!stopping.signal.aborted) {
      const state = await look(replica)
      if (stopping.signal.aborted) return
      if (state !== (replica.reported ?? fit)) {
        report?.(`Replica ${replica.name} is ${state === fit ? 'taken back' : `left out: ${state}`}`)
      }
      replica.reported = state
      const interval = isFit(replica) ? intervals.fit : intervals.unfit
      await sleep(interval, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  return {
    hasFit: () => replicas.some(isFit),
    pick() {
      for (let tries = 0; tries < replicas.length; tries++) {
        const replica = replicas[turn++ % replicas.length]
        if (replica !== undefined && isFit(replica)) return replica
      }
      return undefined
    },
    reportFailure(replica, error) {
      const watched = replicas.find(({ sql }) => sql === replica.sql)
      if (watched === undefined) return
      if (!(error instanceof Error) || !isDatabaseError(error)) return // what is not there yet is no failure
      watched.failedReads++
      if (isDatabaseUnavailable(error)) watched.version = undefined
      if (report === undefined || performance.now() < watched.quietUntil) return
      watched.quietUntil = performance.now() + failureInterval
      report(`Replica ${watched.name} fails reads, which the primary does instead: ${describeFailure(error)}`)
    },
    noteVersion(version) {
      current = version
    },
    list: () =>
      replicas.map((replica) => {
        const { name, sql, failedReads } = replica
        return { name, sql, isFit: isFit(replica), failedReads }
      }),
    watch(listener) {
      if (report !== undefined) return
      report = listener
      for (const replica of replicas) void keepLooking(replica)
    },
    async close() {
      stopping.abort()
      await Promise.all(replicas.map(({ sql }) => sql.end({ timeout: 1 })))
    },
  }
}

const fit = 'fit'
