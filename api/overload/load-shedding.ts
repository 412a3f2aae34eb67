/**
 * Load shedding: the check in front of the app, which refuses requests with 503 while there is more work than can be done
 * soon (`decisions/0005-http.md`).
 *
 * A refusal must cost next to nothing, or it takes the time of the requests in progress. So the check comes before
 * Hono, reads one header and writes no log line. `/metrics` counts refusals.
 *
 * @module
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { overCapacity } from '../errors.ts'
import { type Refuse, toResponse } from '../http/error-handler.ts'
import type { Fetch } from '../http/request-context.ts'

/** When requests are refused. */
export interface LoadSheddingOptions {
  /** Requests in progress, with or without a key. Each takes memory. */
  maxInProgress: number
  /** Whether the queue would refuse a request with this Authorization header. It is called for each request. */
  isQueueFull(authorization: string | null): boolean
  refuse: Refuse
}

/** The check in front of an app. */
export interface LoadShedder {
  /** The app's `fetch` behind the check. */
  fetch: Fetch
  /** Requests whose response isn't sent yet. */
  countInProgress(): number
}

/** Puts the check in front of an app's `fetch`. */
export function createLoadShedder(
  fetch: Fetch,
  { maxInProgress, isQueueFull, refuse }: LoadSheddingOptions,
): LoadShedder {
  const error = overCapacity() // made once: a stack trace costs more than a response
  let inProgress = 0
  const leave = () => {
    inProgress--
  }
  return {
    countInProgress: () => inProgress,
    async fetch(request, server) {
      if (inProgress >= maxInProgress || isQueueFull(request.headers.get('Authorization'))) {
        const response = toResponse(refuse(request.method, error), request.method)
        // Refused clients may send their next request immediately. In the same turn of the event loop, they could keep
        // it from ever reaching the requests in progress.
        await nextTurn()
        return response
      }
      inProgress++
      try {
        return await fetch(request, server)
      } finally {
        // A response takes memory until it is sent.
        if (server?.onClosed) server.onClosed(leave)
        else leave()
      }
    },
  }
}
