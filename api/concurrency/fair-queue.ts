/**
 * Who may go next when more is asked than can be done: a few are worked on at a time, and the callers take turns, so
 * that one with a thousand requests waiting does not delay another's one. What would wait too long is turned away at
 * once instead.
 *
 * @module
 */

import { ClientGoneError } from '../errors.ts'

/** How much is done at a time, and how much may wait. */
export interface FairQueueOptions {
  /** Under way at a time. */
  maxConcurrent: number
  /**
   * Under way at a time while callers are turned away: each refusal takes a part of the thread's turn, so more must be
   * in the works for all else to be busy. Default: as many as usual.
   */
  maxConcurrentInCrowd?: number
  /** Waiting at a time. When there are more, the newest of the caller with the most waiting is turned away. */
  maxQueued: number
  /**
   * Who would have to wait for longer, as fast as things go now, is turned away at once; and whoever has waited for
   * longer after all, when the turn comes. In milliseconds.
   */
  maxWaitMs: number
}

/** Lets callers in, one after the other. */
export interface FairQueue<Caller> {
  /**
   * Waits for the caller's turn. What it resolves with must be called when that is over; a second call does nothing.
   * Throws `OverCapacityError`, and `ClientGoneError` when the signal is aborted while it waits.
   */
  enter(caller: Caller, signal?: AbortSignal): Promise<() => void>
  /** Whether anybody would have to wait now. */
  isFull(): boolean
  /** Whether `enter` would turn the caller away now, since it would wait too long; who asks takes that for an answer. */
  turnsAway(caller: Caller): boolean
  /** How many are inside, and how many wait. */
  readState(): { inside: number; waiting: number }
}

/** There is more to do than can be done soon. */
export class OverCapacityError extends Error {
  override name = 'OverCapacityError'
}

interface Waiting {
  since: number
  admit(): void
  refuse(): void
}

/** So long after the last refusal it is still a crowd, in milliseconds. */
const crowdTime = 1_000

/** Creates an empty room with its line. */
export function createFairQueue<Caller>(options: FairQueueOptions): FairQueue<Caller> {
  const { maxConcurrent, maxConcurrentInCrowd = maxConcurrent, maxQueued, maxWaitMs } = options
  /** By caller. Whoever stands first in the map has the next turn. */
  const lines = new Map<Caller, Waiting[]>()
  const pace = createPace(maxConcurrent)
  let underWay = 0
  let waiting = 0
  /** On the clock of `performance.now()`. */
  let crowdUntil = Number.NEGATIVE_INFINITY
  const isFull = () =>
    underWay >= maxConcurrent && (underWay >= maxConcurrentInCrowd || performance.now() >= crowdUntil)

  function admit(resolve: (leave: () => void) => void): void {
    underWay++
    let isInside = true
    resolve(() => {
      if (!isInside) return
      isInside = false
      if (isFull()) pace.count() // a pace is measured under load alone: pauses say nothing
      underWay--
      fill()
    })
  }

  function fill(): void {
    while (!isFull() && admitNext());
  }

  function admitNext(): boolean {
    for (const [caller, line] of lines) {
      const first = line.shift()
      lines.delete(caller)
      if (line.length > 0) lines.set(caller, line) // behind the others
      if (first === undefined) continue
      waiting--
      // Things went slower than they did when it came.
      if (performance.now() - first.since > maxWaitMs) first.refuse()
      else first.admit()
      return true
    }
    return false
  }

  /** How long a newcomer would wait, in milliseconds: its caller's line moves on once in a round of all lines. */
  function expectWait(caller: Caller): number {
    const own = lines.get(caller)?.length ?? 0
    return Math.min(waiting, (own + 1) * lines.size) * pace.interval()
  }

  /** Makes room for a newcomer; false when nobody has more in the line than its own caller would have. */
  function makeRoom(caller: Caller): boolean {
    const own = lines.get(caller)?.length ?? 0
    let longest: Waiting[] = []
    for (const line of lines.values()) if (line.length > longest.length) longest = line
    if (longest.length <= own + 1) return false
    longest.pop()?.refuse()
    waiting--
    return true
  }

  function turnsAway(caller: Caller): boolean {
    if (!isFull() || expectWait(caller) <= maxWaitMs) return false
    crowdUntil = performance.now() + crowdTime
    fill()
    return true
  }

  /** Takes one out of its caller's line. */
  function remove(caller: Caller, entry: Waiting): void {
    const line = lines.get(caller)?.filter((other) => other !== entry) ?? []
    if (line.length > 0) lines.set(caller, line)
    else lines.delete(caller)
    waiting--
  }

  return {
    isFull,
    turnsAway,
    readState: () => ({ inside: underWay, waiting }),
    enter(caller, signal) {
      return new Promise((resolve, reject) => {
        const refuse = () => reject(new OverCapacityError('over capacity'))
        if (!isFull() && waiting === 0) {
          admit(resolve)
          if (isFull()) pace.start()
          return
        }
        if (turnsAway(caller)) return refuse()
        if (waiting >= maxQueued && !makeRoom(caller)) return refuse()
        const drop = () => {
          remove(caller, entry)
          reject(new ClientGoneError())
        }
        const stopListening = () => signal?.removeEventListener('abort', drop)
        const entry: Waiting = {
          since: performance.now(),
          admit() {
            stopListening()
            admit(resolve)
          },
          refuse() {
            stopListening()
            refuse()
          },
        }
        signal?.addEventListener('abort', drop, { once: true })
        const line = lines.get(caller) ?? []
        line.push(entry)
        lines.set(caller, line)
        waiting++
        fill()
      })
    },
  }
}

/** Looks back over so much time, in milliseconds. */
const paceWindow = 250

/**
 * Measures how fast things get done while the room is full. They get done in bursts, many with one statement: so it
 * counts from the first of a burst to the first of a later one.
 */
function createPace(maxConcurrent: number) {
  let known = 0
  let since = 0
  let done = 0
  let isFirst = true
  return {
    /** The room has become full. */
    start() {
      known = 0
      since = performance.now()
      done = 0
      isFirst = true
    },
    /** One thing is done. */
    count() {
      done++
      const elapsed = performance.now() - since
      if (!isFirst && elapsed < paceWindow) return
      if (!isFirst) known = elapsed / done
      isFirst = false
      since += elapsed
      done = 0
    },
    /**
     * Milliseconds from one thing done to the next; 0 while nothing is known. A standstill shows while it lasts: the
     * next burst may be all that is under way.
     */
    interval(): number {
      const elapsed = performance.now() - since
      return elapsed < paceWindow ? known : Math.max(known, elapsed / (done + maxConcurrent))
    },
  }
}
