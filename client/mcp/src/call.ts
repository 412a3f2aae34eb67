/** One call of a tool: a client that counts what the call is charged, and gives up before the assistant does. */
import {
  type Client,
  createClient,
  isUnreachable,
  RateLimitError,
  UnavailableError,
} from '../../src/client.ts'
import type { Budget } from './budget.ts'

/** How long a call may take. Most assistants wait 60 seconds. */
const maxCallMs = 50_000
/** The longest wait before a request is sent again. */
const maxWaitMs = 15_000

/** How the service is reached. */
export interface Connection {
  baseUrl: string
  apiKey: string
  /** Where the key is from, for messages: what the user can check. Undefined: the user has signed in. */
  keySource: string | undefined
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** A call that runs. */
export interface Call {
  api: Client
  /** Ends the call. */
  signal: AbortSignal
  /** What was charged, in credits. */
  readonly spent: number
  /** What the key or its connection may still spend, in credits, as the last response had it. */
  readonly balance: number | undefined
  /** Whether a request was sent that may have been charged, and no whole response has come. */
  readonly isUnconfirmed: boolean
  /** The key of the last request that may be charged. */
  readonly idempotencyKey: string
  readonly requestedUrl: string
}

/** Starts a call. `cancelled` is the assistant's signal. */
export function startCall(
  { baseUrl, apiKey, fetch = globalThis.fetch }: Connection,
  budget: Budget,
  cancelled: AbortSignal,
): Call {
  let spent = 0
  let balance: number | undefined
  let isUnconfirmed = false
  /** Whether an earlier try of the request may have been charged. */
  let isRepeated = false
  let idempotencyKey = ''
  let requestedUrl = ''
  const given = new AbortController()
  const signal = AbortSignal.any([cancelled, given.signal, AbortSignal.timeout(maxCallMs)])
  const api = createClient({
    baseUrl,
    apiKey,
    retries: 3,
    async fetch(url, init) {
      if (init?.method === 'HEAD') return fetch(url, init)
      idempotencyKey = new Headers(init?.headers).get('Idempotency-Key') ?? ''
      requestedUrl = String(url)
      isRepeated = isUnconfirmed
      isUnconfirmed = true
      try {
        const response = await fetch(url, init)
        if (isEarly(response)) isUnconfirmed = isRepeated
        else if (isRefusal(response)) isUnconfirmed = false
        return response
      } catch (error) {
        if (isUnreachable(error)) isUnconfirmed = isRepeated
        throw error
      }
    },
    onResponse({ method, status, cost, paid, balance: left }) {
      balance = left ?? balance
      if (method === 'HEAD') return
      // An unknown user is a 404 that is charged.
      if (status !== 200 && status !== 404) return
      spent += budget.count(idempotencyKey, { cost, paid }, isRepeated)
      isUnconfirmed = false
    },
    onWait({ delayMs, error }) {
      if (delayMs <= maxWaitMs) return
      const details = { retryAfterSeconds: Math.ceil(delayMs / 1000) }
      const isLimited = error === undefined || error instanceof RateLimitError
      given.abort(
        isLimited
          ? new RateLimitError('The rate limit of the key is used up', details)
          : new UnavailableError(error.message, details),
      )
    },
  })
  return {
    api,
    signal,
    get spent() {
      return spent
    },
    get balance() {
      return balance
    },
    get isUnconfirmed() {
      return isUnconfirmed
    },
    get idempotencyKey() {
      return idempotencyKey
    },
    get requestedUrl() {
      return requestedUrl
    },
  }
}

/** Whether the service has refused this try before it looked at what earlier tries were charged. */
function isEarly({ status, headers }: Response): boolean {
  return headers.get('X-Error-Code') === 'over_capacity' || status === 401 || status === 429
}

/**
 * Whether the service has refused the request. It was not charged for an earlier try either: its repetition would be
 * free. Other errors may be a proxy's, in place of a response that was charged.
 */
function isRefusal({ status }: Response): boolean {
  return status >= 400 && status < 500 && status !== 404 && status !== 408
}
