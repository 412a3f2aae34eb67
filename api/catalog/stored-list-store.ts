/**
 * The stored lists as an instance uses them: it builds each missing list once, and callers take turns.
 *
 * @module
 */
import { createFairQueue, OverCapacityError } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { type Filter, hashFilter, type ListName } from './filter.ts'
import { buildStoredList } from './stored-list.ts'
import { createStoredListEviction } from './stored-list-eviction.ts'

/** The caller of a request for a filtered list. */
export interface Requester {
  caller: number
  /** Called before the request waits for a stored list. */
  onWait?: (() => void) | undefined
}

/** The stored lists of one database. */
export interface StoredLists {
  /**
   * Builds a missing list: once for all concurrent requests. A caller who requests many new lists delays only itself.
   * Throws `OverCapacityError` when too many requests wait, or the wait would be too long.
   */
  build(list: ListName, filter: Filter, requester: Requester): Promise<void>
  /** Whether `build` would refuse the caller, because too many of its requests wait already. */
  isFullFor(caller: number): boolean
  /** Records that the list with this hash was read: less recently used ones are evicted before it. */
  noteUse(hash: Buffer): void
  /** Starts nothing more in the background, and waits for what is under way there. */
  close(): Promise<void>
}

/** The limits of a store. */
export interface StoredListOptions {
  /** Of all stored lists in the database. */
  maxBytes: number
  /** A request that would wait longer for its turn is refused. */
  maxWaitMs: number
  /** Requests that wait at a time. A caller may have at most as many waiting as there are free places. */
  maxQueued: number
  /** Gets a message when old stored lists can't be deleted. */
  report?: (message: string) => void
}

/** Lists that an instance builds concurrently. */
const maxConcurrent = 2

/** A list that is to be built. */
interface Build extends PromiseWithResolvers<void> {
  isStarted: boolean
  /** Requests that wait for it. */
  waiting: number
}

/** Creates the store. */
export function createStoredLists(
  sql: Sql,
  { maxBytes, maxWaitMs, maxQueued, report = () => {} }: StoredListOptions,
): StoredLists {
  const eviction = createStoredListEviction(sql, { maxBytes, report })
  const queue = createFairQueue<number>({ maxConcurrent, maxWaitMs, maxQueued: Number.POSITIVE_INFINITY })
  /** By hash of list and filter. */
  const builds = new Map<string, Build>()
  /** Requests that wait, by caller. */
  const waiting = new Map<number, number>()
  let allWaiting = 0

  /** Waits until the list is built, by this request or by another one: the first whose turn comes builds it. */
  async function waitForBuild(list: ListName, filter: Filter, caller: number): Promise<void> {
    const key = hashFilter(list, filter).toString('hex')
    const build = builds.get(key) ?? { ...Promise.withResolvers<void>(), isStarted: false, waiting: 0 }
    builds.set(key, build)
    build.waiting++
    try {
      if (build.isStarted) return await build.promise
      await Promise.race([build.promise, takeTurn()])
    } finally {
      build.waiting--
      if (build.waiting === 0 && builds.get(key) === build) builds.delete(key)
    }

    async function takeTurn(): Promise<void> {
      const leave = await queue.enter(caller).catch((refusal: unknown) => {
        if (!build.isStarted) throw refusal
      })
      if (leave !== undefined && !build.isStarted) {
        build.isStarted = true
        await runBuild(list, filter).then(build.resolve, build.reject)
        builds.delete(key)
      }
      leave?.()
      return build.promise
    }
  }

  async function runBuild(list: ListName, filter: Filter): Promise<void> {
    const total = await buildStoredList(sql, list, filter)
    if (total !== undefined) eviction.noteBuilt(total)
  }

  const hasRoomFor = (caller: number) => (waiting.get(caller) ?? 0) < maxQueued - allWaiting

  return {
    isFullFor: (caller) => waiting.has(caller) && !hasRoomFor(caller),
    noteUse: eviction.noteUse,
    close: eviction.close,
    async build(list, filter, { caller, onWait }) {
      if (!hasRoomFor(caller)) throw new OverCapacityError('over capacity')
      waiting.set(caller, (waiting.get(caller) ?? 0) + 1)
      allWaiting++
      onWait?.()
      try {
        await waitForBuild(list, filter, caller)
      } finally {
        allWaiting--
        const left = (waiting.get(caller) ?? 0) - 1
        if (left > 0) waiting.set(caller, left)
        else waiting.delete(caller)
      }
    },
  }
}
