/**
 * Load shedding: the check in front of the app, which refuses requests with 503 while there is more work than can be done
 * soon (`decisions/0005-http.md`).
 *
 * A refusal must cost almost nothing, or it slows down the requests in progress. So servers run the check before they
 * create a `Request`. It reads one header and writes no log line. `/metrics` counts refusals.
 *
 * @module
 */
import { type ApiError, overCapacity } from '../errors.ts'
import type { PlainResponse } from './error-handler.ts'
import type { Fetch } from './request-context.ts'

/** What a server calls. */
export interface ServedApp {
  /**
   * Returns the response to a request that is refused. Pass an accepted one to `fetch`. Send the response in another turn
   * of the event loop: clients may send their next request immediately, and many of them would keep the event loop from
   * the requests in progress.
   */
  shedLoad(method: string, authorization: string | undefined): PlainResponse | 'accepted'
  /** Responds to a request. */
  fetch: Fetch
  /** Renders the error response to a request that isn't passed to `fetch`. Counts the error, and logs its cause. */
  refuse(method: string, error: ApiError): PlainResponse
}

/** Requests in progress, with or without a key. Each takes memory. */
const maxInProgress = 4_000
/** Further ones with an admin key, so that operators can see the metrics of an instance that refuses all others. */
const maxInProgressForAdmins = maxInProgress + 100

/** What is known of the sender of a request before the app sees it. */
export interface Sender {
  isAdmin: boolean
  /** Whether the queue would refuse the request. */
  isQueueFull: boolean
}

/**
 * Puts the check in front of an app. `findSender` returns the sender that an Authorization header names, if the key is in
 * memory. It is called for each request.
 */
export function createLoadShedder(
  { fetch, refuse }: Pick<ServedApp, 'fetch' | 'refuse'>,
  findSender: (authorization: string | undefined) => Sender | undefined,
): ServedApp & { countInProgress(): number } {
  const error = overCapacity() // made once: a stack trace costs more than a response
  let inProgress = 0
  const leave = () => {
    inProgress--
  }
  return {
    refuse,
    shedLoad(method, authorization) {
      const { isAdmin = false, isQueueFull = false } = findSender(authorization) ?? {}
      const isFull = inProgress >= (isAdmin ? maxInProgressForAdmins : maxInProgress)
      return isFull || isQueueFull ? refuse(method, error) : 'accepted'
    },
    async fetch(request, server) {
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
