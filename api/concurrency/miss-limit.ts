/** A bound of look-ups that anybody may start, which also bounds how many a second find nothing. */
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts'

/**
 * Creates a function that runs look-ups in a fair queue. One that finds nothing keeps its place for `missMs`; one that
 * finds something leaves its place immediately. Throws `overCapacity` and `ClientGoneError`, as `FairQueue.enter`.
 */
export function createMissLimit({ missMs, ...options }: FairQueueOptions & { missMs: number }) {
  const queue = createFairQueue<string>(options)
  return async function find<T>(
    caller: string,
    lookUp: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    const leave = await queue.enter(caller, signal)
    try {
      const found = await lookUp()
      if (found === undefined) setTimeout(leave, missMs)
      else leave()
      return found
    } catch (error) {
      leave()
      throw error
    }
  }
}

export type MissLimit = ReturnType<typeof createMissLimit>
