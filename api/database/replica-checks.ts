/**
 * Streaming replicas of the primary, for reads. Each is checked at short intervals: one that is unreachable, doesn't
 * respond, or hasn't replayed the dataset's version isn't used until a check succeeds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from './connect.ts'
import { describeFailure, isDatabaseError, isDatabaseUnavailable } from './connection-error.ts'

/** Connections to one replica. */
export interface ReplicaPool {
  /** Host and port, or socket path. */
  name: string
  sql: Sql
  /** See `Database`. */
  detectPooler(): Promise<void>
}

/** The replicas of a database; maybe none. */
export interface Replicas {
  /** Takes the next usable replica in turn, if there is one. */
  pick(): ReplicaPool | undefined
  hasUsable(): boolean
  /** Counts and logs a failed read if the database failed. An unavailable replica isn't used until a check succeeds. */
  reportFailure(replica: ReplicaPool, error: unknown): void
  /** Sets the version of the primary's dataset: no replica is usable before it has it too. */
  noteVersion(version: number): void
  /** All replicas in their current state, and the number of reads that failed there. */
  list(): readonly (Pick<ReplicaPool, 'name' | 'sql'> & { isUsable: boolean; failedReads: number })[]
  /** Starts the checks. Reports when a replica is left out or used again, and failed reads once a minute. */
  watch(report: (message: string) => void): void
  /** Stops the checks and disconnects. */
  close(): Promise<void>
}

/** Time between two checks of a replica. */
const usableIntervalMs = 1_000
const unusableIntervalMs = 250
/** Time between two reports of failed reads, for each replica. */
const failureIntervalMs = 60_000

interface WatchedReplica extends ReplicaPool {
  /** Version of its dataset at the last check; unknown if the check failed. */
  version: number | 'unknown'
  /** Why it is left out, as last reported. */
  reportedReason: string | undefined
  failedReads: number
  /** On the clock of `performance.now()`: failed reads are not reported before. */
  quietUntil: number
}

/** Creates the watch over replicas. None is usable before its first check. */
export function createReplicas(pools: readonly ReplicaPool[]): Replicas {
  const replicas: WatchedReplica[] = pools.map((pool) => ({
    ...pool,
    version: 'unknown',
    reportedReason: undefined,
    failedReads: 0,
    quietUntil: Number.NEGATIVE_INFINITY,
  }))
  let primaryVersion = 0
  let turn = 0
  let report: ((message: string) => void) | undefined
  const stopping = new AbortController()

  function isUsable({ version }: WatchedReplica): boolean {
    return version !== 'unknown' && version >= primaryVersion
  }

  /** Checks a replica. Returns the reason not to use it, if there is one. */
  async function check(replica: WatchedReplica): Promise<string | undefined> {
    try {
      await replica.detectPooler()
      const [dataset] = await replica.sql<{ version: number }[]>`select version from dataset`
      replica.version = dataset?.version ?? 'unknown'
      if (isUsable(replica)) return undefined
      return `it has version ${replica.version} of the dataset, not yet ${primaryVersion}`
    } catch (error) {
      replica.version = 'unknown'
      return describeFailure(error)
    }
  }

  async function keepChecking(replica: WatchedReplica): Promise<void> {
    while (!stopping.signal.aborted) {
      const reason = await check(replica)
      if (stopping.signal.aborted) return
      if (reason !== replica.reportedReason) {
        report?.(`Replica ${replica.name} is ${reason === undefined ? 'used again' : `left out: ${reason}`}`)
      }
      replica.reportedReason = reason
      const intervalMs = reason === undefined ? usableIntervalMs : unusableIntervalMs
      await sleep(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  return {
    hasUsable: () => replicas.some(isUsable),
    pick() {
      for (let tries = 0; tries < replicas.length; tries++) {
        const replica = replicas[turn++ % replicas.length]
        if (replica !== undefined && isUsable(replica)) return replica
      }
      return undefined
    },
    reportFailure(pool, error) {
      const replica = replicas.find(({ sql }) => sql === pool.sql)
      if (replica === undefined || !(error instanceof Error) || !isDatabaseError(error)) return
      replica.failedReads++
      if (isDatabaseUnavailable(error)) replica.version = 'unknown'
      if (report === undefined || performance.now() < replica.quietUntil) return
      replica.quietUntil = performance.now() + failureIntervalMs
      report(`Replica ${replica.name} fails reads, so the primary serves them: ${describeFailure(error)}`)
    },
    noteVersion(version) {
      primaryVersion = version
    },
    list: () => replicas.map((replica) => ({ ...replica, isUsable: isUsable(replica) })),
    watch(listener) {
      if (report !== undefined) return
      report = listener
      for (const replica of replicas) void keepChecking(replica)
    },
    async close() {
      stopping.abort()
      await Promise.all(replicas.map(({ sql }) => sql.end({ timeout: 1 })))
    },
  }
}
