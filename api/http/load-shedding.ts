/**
 * Load shedding: the check in front of the app, which refuses requests with 503 while there is more work than can be
 * done soon, and lets requests of unknown senders take turns (`decisions/0005-http.md`).
 *
 * A refusal must cost almost nothing, or it slows down the requests in progress. So servers run the check before they
 * create a `Request`. It reads one header and writes no log line. `/metrics` counts refusals.
 */
import { setImmediate } from 'node:timers'
import { type ApiError, overCapacity } from '../errors.ts'
import type { PlainResponse } from './error-handler.ts'
import type { Fetch } from './request-context.ts'

/** What a server knows of a request before it creates a `Request`. */
export interface RequestHead {
  method: string
  /** A path or a URL. */
  target: string
  authorization: string | undefined
}

/** What a server calls. */
export interface ServedApp {
  /**
   * Returns the response to a complete request that is refused. Pass an accepted one to `fetch`. Send the response in
   * another turn of the event loop: clients may send their next request immediately, and many of them would keep the
   * event loop from the requests in progress.
   */
  shedLoad(request: RequestHead): PlainResponse | 'accepted'
  /** Responds to a request. */
  fetch: Fetch
  /** Renders the error response to a request that isn't passed to `fetch`. Counts the error, and logs its cause. */
  refuse(method: string, error: ApiError): PlainResponse
}

/** Requests in progress, with or without a key. Each takes memory. */
const maxInProgress = 4_000
/** Of these, requests of one key, or of all senders that aren't known: others have room beside slow readers. */
const maxInProgressOfSender = 3_000
/** Further ones to `/health` and `/metrics`: an instance that is busy is still healthy. */
const maxProbes = 20
/** Further ones with an admin key, so that operators can see the metrics of an instance that refuses all others. */
const maxInProgressForAdmins = maxInProgress + 100

/** What is known of the sender of a request before the app sees it. */
export interface RequestSender {
  /** Of the key. */
  id: number
  isAdmin: boolean
  /** Whether the queue would refuse the request. */
  isQueueFull: boolean
}

/** What a load shedder works with. */
export interface LoadSheddingOptions extends Pick<ServedApp, 'fetch' | 'refuse'> {
  /** Returns the sender that an Authorization header names, if the key is in memory. It is called for most requests. */
  findSender: (authorization: string | undefined) => RequestSender | undefined
  /** Paths that have places of their own. */
  probePaths: readonly string[]
}

/** Counts requests in progress, in all and of each key, by its id. Undefined: of all senders that aren't known. */
function createPlaces() {
  const ofSenders = new Map<number | undefined, number>()
  let all = 0
  const countOf = (id: number | undefined) => ofSenders.get(id) ?? 0
  function change(id: number | undefined, by: 1 | -1): void {
    all += by
    const ofSender = countOf(id) + by
    if (ofSender > 0) ofSenders.set(id, ofSender)
    else ofSenders.delete(id)
  }
  return {
    count: () => all,
    countOf,
    /** Returns a function that leaves the place. */
    enter(id: number | undefined): () => void {
      change(id, 1)
      return () => change(id, -1)
    },
  }
}

/** Puts the check in front of an app. */
export function createLoadShedder({
  fetch,
  refuse,
  findSender,
  probePaths,
}: LoadSheddingOptions): ServedApp & { countInProgress(): number } {
  const error = overCapacity() // made once: a stack trace costs more than a response
  const others = createPlaces()
  const probes = createPlaces()
  /** Requests of unknown senders, oldest first. */
  const waiting: { request: Request; start: () => void }[] = []
  /** Takes a path, or a URL with an authority, which has at least one character. */
  const isProbe = (url: string) =>
    probePaths.includes(url.startsWith('/') ? url : url.slice(url.indexOf('/', 'http://h'.length)))

  function isFull({ target, authorization }: RequestHead): boolean {
    if (isProbe(target) && probes.count() < maxProbes) return false
    const { id, isAdmin = false, isQueueFull = false } = findSender(authorization) ?? {}
    if (isQueueFull || others.countOf(id) >= maxInProgressOfSender) return true
    return others.count() >= (isAdmin ? maxInProgressForAdmins : maxInProgress)
  }

  const findSenderOf = ({ headers }: Request) => findSender(headers.get('Authorization') ?? undefined)

  /** Not if its key was found while it waited, so a key's first burst waits once, or if its client has left. */
  function needsTurn(request: Request): boolean {
    return !request.signal.aborted && findSenderOf(request) === undefined
  }

  /**
   * Waits for the turn of an unknown sender. One of them starts in each turn of the event loop. So any number of pages
   * and errors, which cost nothing, delays each step of a paid request by one of them.
   */
  function waitForTurn(request: Request): Promise<void> {
    return new Promise((start) => {
      waiting.push({ request, start })
      if (waiting.length === 1) setImmediate(startNext)
    })
  }

  /** Also starts those behind the first one that need no turn anymore. */
  function startNext(): void {
    do waiting.shift()?.start()
    while (waiting[0] !== undefined && !needsTurn(waiting[0].request))
    if (waiting.length > 0) setImmediate(startNext)
  }

  return {
    refuse,
    shedLoad: (request) => (isFull(request) ? refuse(request.method, error) : 'accepted'),
    async fetch(request, server) {
      const isOwnPlace = isProbe(request.url) && probes.count() < maxProbes
      const leave = isOwnPlace ? probes.enter(undefined) : others.enter(findSenderOf(request)?.id)
      try {
        if (!isOwnPlace && needsTurn(request)) await waitForTurn(request)
        return await fetch(request, server)
      } finally {
        // A response takes memory until it is sent.
        if (server?.onClosed) server.onClosed(leave)
        else leave()
      }
    },
    countInProgress: () => others.count() + probes.count(),
  }
}
