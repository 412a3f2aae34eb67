/**
 * A fair queue: a bounded number of requests run at a time, and callers whose requests wait take turns. A caller with a
 * thousand waiting requests delays another caller's request by one turn.
 */
import { ClientGoneError, overCapacity } from '../errors.ts'

/** The bounds of a queue. */
export interface FairQueueOptions {
  /** Requests that run at a time. */
  maxConcurrent: number
  /** Requests of one caller that run at a time. Default: `maxConcurrent`. */
  maxConcurrentOfCaller?: number
  /** Requests that wait at a time. When the queue is full, each caller has an equal share of its places. */
  maxQueued: number
  /** A request that has waited this long is refused. */
  maxWaitMs: number
}

/** Starts requests, one after the other. */
export interface FairQueue<Caller> {
  /**
   * Waits for the caller's turn. The caller must call the returned function when its request has ended; further calls
   * do nothing. Throws `overCapacity` when the queue is full or the wait is too long, and `ClientGoneError` when the
   * signal is aborted before the turn comes.
   */
  enter(caller: Caller, signal?: AbortSignal): Promise<() => void>
  /** Whether `enter` lets the caller start at once. */
  mayRun(caller: Caller): boolean
  /** Whether the queue is full, and the caller has its share of the places. `enter` refuses such a caller. */
  isFullFor(caller: Caller): boolean
  readState(): { running: number; queued: number }
}

/** A waiting request. */
interface Entry<Caller> {
  caller: Caller
  resolve(leave: () => void): void
  reject(error: Error): void
  /** Stops the timer, and listening for the signal. */
  dispose(): void
}

/** Creates an empty queue. It is long because its functions share the entries and the turns. */
export function createFairQueue<Caller>(options: FairQueueOptions): FairQueue<Caller> {
  const { maxConcurrent, maxConcurrentOfCaller = maxConcurrent, maxQueued, maxWaitMs } = options
  /** Waiting requests by caller, oldest first. The map's first caller has the next turn. */
  const entries = new Map<Caller, Entry<Caller>[]>()
  /** Running requests by caller. */
  const runningOf = new Map<Caller, number>()
  let running = 0
  let queued = 0

  function mayRun(caller: Caller): boolean {
    return running < maxConcurrent && (runningOf.get(caller) ?? 0) < maxConcurrentOfCaller
  }

  function start(caller: Caller): () => void {
    running++
    runningOf.set(caller, (runningOf.get(caller) ?? 0) + 1)
    let isRunning = true
    return function leave() {
      if (!isRunning) return
      isRunning = false
      running--
      const others = (runningOf.get(caller) ?? 0) - 1
      if (others > 0) runningOf.set(caller, others)
      else runningOf.delete(caller)
      startNext()
    }
  }

  function startNext(): void {
    for (const [caller, own] of entries) {
      const [oldest] = own
      if (oldest === undefined || !mayRun(caller)) continue
      remove(oldest)
      if (own.length > 0) {
        entries.delete(caller) // moves the caller to the end of the map: the others have the next turns
        entries.set(caller, own)
      }
      oldest.resolve(start(caller))
      return
    }
  }

  function remove(entry: Entry<Caller>): void {
    const own = entries.get(entry.caller) ?? []
    own.splice(own.indexOf(entry), 1)
    if (own.length === 0) entries.delete(entry.caller)
    queued--
    entry.dispose()
  }

  function refuse(entry: Entry<Caller>, error: Error): void {
    remove(entry)
    entry.reject(error)
  }

  function refuseNewestOfLongest(): void {
    let longest: Entry<Caller>[] = []
    for (const own of entries.values()) if (own.length > longest.length) longest = own
    const newest = longest.at(-1)
    if (newest !== undefined) refuse(newest, overCapacity())
  }

  function isFullFor(caller: Caller): boolean {
    if (queued < maxQueued) return false
    const own = entries.get(caller)?.length ?? 0
    const callers = entries.size + (own === 0 ? 1 : 0)
    return (own + 1) * callers > maxQueued
  }

  return {
    mayRun,
    isFullFor,
    readState: () => ({ running, queued }),
    async enter(caller, signal) {
      if (signal?.aborted) throw new ClientGoneError()
      if (mayRun(caller)) return start(caller) // none of those who wait may: a place that becomes free is taken at once
      if (isFullFor(caller)) throw overCapacity()
      if (queued >= maxQueued) refuseNewestOfLongest()
      return new Promise((resolve, reject) => {
        const drop = () => refuse(entry, new ClientGoneError())
        const timer = setTimeout(() => refuse(entry, overCapacity()), maxWaitMs)
        const entry: Entry<Caller> = {
          caller,
          resolve,
          reject,
          dispose() {
            clearTimeout(timer)
            signal?.removeEventListener('abort', drop)
          },
        }
        signal?.addEventListener('abort', drop, { once: true })
        const own = entries.get(caller)
        if (own === undefined) entries.set(caller, [entry])
        else own.push(entry)
        queued++
      })
    },
  }
}
