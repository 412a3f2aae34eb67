/** The limits of the queue in which requests with a key wait for their turn. */
import type { FairQueueOptions } from '../concurrency/fair-queue.ts'

/**
 * With a higher `maxConcurrent`, more requests are served under overload, when refusals delay each step of a running
 * request. With a lower one, a caller waits less behind another one's thousand requests. Measured (bench overload,
 * bench ledger): 64 serves 7 % of the capacity and waits 14 ms; 128, 10 % and 26 ms; 256, 12 % and 47 ms.
 */
export const requestQueueLimits: FairQueueOptions = { maxConcurrent: 128, maxQueued: 2_000, maxWaitMs: 2_000 }
