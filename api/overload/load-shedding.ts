/**
 * Load shedding: the check in front of the app, which refuses requests with 503 while there is more work than can be done
 * soon (`decisions/0005-http.md`).
 *
 * A refusal must cost almost nothing, or it slows down the requests in progress. So servers run the check before they
 * create a `Request`. It reads one header and writes no log line. `/metrics` counts refusals.
 *
 * @module
 */
import { overCapacity } from '../errors.ts'
import type { PlainResponse, Refuse } from '../http/error-handler.ts'
import type { Fetch } from '../http/request-context.ts'

/** When requests are refused. */
export interface LoadSheddingOptions {
  /** Requests in progress, with or without a key. Each takes memory. */
  maxInProgress: number
  /** Whether the queue would refuse a request with this Authorization header. It is called for each request. */
  isQueueFull(authorization: string | undefined): boolean
  refuse: Refuse
}

/** The check in front of an app. */
export interface LoadShedder {
  /**
   * Returns the response to a request that is refused. Send it in another turn of the event loop: clients may send their
   * next request immediately, and many of them would keep the event loop from the requests in progress.
   */
  refuse(method: string, authorization: string | undefined): PlainResponse | undefined
  /** Counts the requests that `fetch` has in progress. */
  track(fetch: Fetch): Fetch
  /** Requests whose response isn't sent yet. */
  countInProgress(): number
}

/** Creates a load shedder. */
export function createLoadShedder({ maxInProgress, isQueueFull, refuse }: LoadSheddingOptions): LoadShedder {
  const error = overCapacity() // made once: a stack trace costs more than a response
  let inProgress = 0
  const leave = () => {
    inProgress--
  }
  return {
    refuse(method, authorization) {
      return inProgress >= maxInProgress || isQueueFull(authorization) ? refuse(method, error) : undefined
    },
    track: (fetch) =>
      async function trackedFetch(request, server) {
        inProgress++
        try {
          return await fetch(request, server)
        } finally {
          // A response takes memory until it is sent.
          if (server?.onClosed) server.onClosed(leave)
          else leave()
        }
      },
    countInProgress: () => inProgress,
  }
}
