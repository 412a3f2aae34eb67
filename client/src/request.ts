/**
 * Sends requests, until each has a whole response or can't have one.
 *
 * @module
 */
import {
  ConnectionError,
  createResponseError,
  type DevdataError,
  InvalidRequestError,
  isAboutUrl,
  isTransient,
  isUnreachable,
  UnreachableError,
} from './errors.ts'
import { readNext } from './next-link.ts'
import { assertKnownOptions, isWholeNumber } from './options.ts'
import type { ErrorCode } from './types.ts'
import { chooseDelayMs, maxTimerMs, readPauseSeconds, readRetryAfter, wait } from './waiting.ts'

/** A response that a cache keeps. It is plain data. */
export interface CachedResponse {
  etag: string
  /** The body, JSON text. */
  body: string
  next: string | null
}

/** Where responses are kept for conditional requests: a `Map`, or anything with these two methods. */
export interface ResponseCache {
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>
  set(url: string, response: CachedResponse): unknown
}

/** What a response says besides its data. */
export interface ResponseInfo {
  method: 'GET' | 'HEAD'
  /** Path and query below the base URL. */
  path: string
  status: number
  requestId: string | undefined
  /** What was charged for this response, in credits. On `HEAD`: what the `GET` would cost. */
  cost: number
  /** The same, and what was charged under the same idempotency key for responses that were lost. */
  paid: number
  /** The balance of the key, in credits. */
  balance: number | undefined
}

/** A wait before a request. */
export interface Wait {
  delayMs: number
  /** Why the request is sent again; undefined: the rate limit is used up. */
  error: DevdataError | undefined
}

/** How often a URL is tried again that has never responded. */
const maxRetriesBeforeResponse = 2

/** A possible API key: what a header may contain. */
export const keyPattern = /^[!-~]+$/

/** How requests are sent. */
export interface SenderOptions {
  /** The base URL of the service. */
  baseUrl: string | URL
  /** The API key. */
  apiKey: string
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /**
   * How often a request is sent again at most. Default: 6. Before the first response, a URL that can't be reached is tried
   * again twice at most: it may be wrong.
   */
  retries?: number | undefined
  /** How long a whole response may take, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
  /** Keeps responses. One that hasn't changed is free the next time. Default: none. */
  cache?: ResponseCache | undefined
  /** Called after each whole response, error responses included. */
  onResponse?: ((info: ResponseInfo) => void) | undefined
  /** Called before each wait. */
  onWait?: ((wait: Wait) => void) | undefined
}

/** One request. */
export interface ApiRequest {
  method?: 'GET' | 'HEAD'
  /** Path and query below the base URL, without a leading slash. */
  path: string
  /** Sent with each try, so that the request is charged once. */
  idempotencyKey?: string | undefined
  /** What the request may cost, in credits. */
  maxCredits?: number | undefined
  signal?: AbortSignal | undefined
}

/** A whole response. */
export interface ApiResponse<Body> extends ResponseInfo {
  body: Body
  /** The query of the next page, from the question mark on; null: there is none. */
  next: string | null
  /** Items on all pages. */
  total: number
  /** The version of the dataset that the data was read at. */
  version: number | undefined
}

/** Sends a request. Throws a `DevdataError`, or the reason of the signal when it is aborted. */
export type Send = <Body>(request: ApiRequest) => Promise<ApiResponse<Body>>

/** Creates the function that sends requests. Throws a `TypeError` if an option breaks its rule or doesn't exist. */
export function createSender({
  baseUrl,
  apiKey,
  fetch = globalThis.fetch,
  retries = 6,
  timeoutMs = 60_000,
  cache,
  onResponse,
  onWait,
  ...others
}: SenderOptions): Send {
  assertKnownOptions(others)
  const { href: base } = readBaseUrl(baseUrl)
  if (typeof apiKey !== 'string' || !keyPattern.test(apiKey)) {
    throw new TypeError('apiKey must be an API key: visible ASCII characters')
  }
  if (!isWholeNumber(retries)) throw new TypeError('retries must be a whole number')
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number of milliseconds')
  /** Until when the rate limit is used up. */
  let pausedUntil = 0
  let hasResponded = false

  async function pause(signal: AbortSignal | undefined): Promise<void> {
    for (let delayMs = pausedUntil - Date.now(); delayMs > 0; delayMs = pausedUntil - Date.now()) {
      onWait?.({ delayMs, error: undefined })
      await wait(delayMs, signal)
    }
  }

  /** Sends a request once, and reads the response to its end. */
  async function exchange<Body>(request: ApiRequest): Promise<ApiResponse<Body>> {
    const { method = 'GET', path, idempotencyKey, maxCredits, signal } = request
    const url = base + path
    const cached = method === 'GET' ? await cache?.get(url) : undefined
    const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' }
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
    if (maxCredits !== undefined) headers['Max-Credits'] = String(maxCredits)
    if (cached !== undefined) headers['If-None-Match'] = cached.etag
    const { response, text } = await receive(url, { method, headers }, signal)

    const header = (name: string) => response.headers.get(name)
    const count = (name: string) => {
      const text = header(name)
      return text === null ? undefined : Number(text)
    }
    const { status } = response
    const requestId = header('X-Request-Id') ?? undefined
    const pauseSeconds = readPauseSeconds(header('RateLimit'))
    if (pauseSeconds > 0) pausedUntil = Date.now() + pauseSeconds * 1000
    const kept = status === 304 ? cached : undefined
    const isSuccess = status === 200 || kept !== undefined
    const body = method === 'HEAD' ? undefined : parse(kept?.body ?? text, response)
    const cost = count('X-Credits-Cost') ?? 0
    const isReplayed = header('Idempotency-Replayed') !== null
    const info: ResponseInfo = {
      ...{ method, path, status, requestId, cost },
      paid: isReplayed ? Math.max(cost, countItems(body)) : cost,
      balance: count('X-Credits-Remaining'),
    }
    onResponse?.(info)
    if (!isSuccess) {
      const code = (header('X-Error-Code') ?? undefined) as ErrorCode | undefined
      const message = readMessage(body) ?? `${method} ${path} failed with status ${status}`
      const retryAfterSeconds = readRetryAfter(header('Retry-After'))
      const error = createResponseError(message, {
        ...{ status, requestId, code, retryAfterSeconds, maxCredits },
        needed: count('X-Credits-Needed'),
        balance: info.balance,
      })
      if (isAboutUrl(error)) error.message += `. Check the base URL ${base}`
      throw error
    }
    const etag = header('ETag')
    const total = count('X-Total-Count') ?? 0
    const next = kept === undefined ? readNext(header('Link')) : kept.next // unchanged, because the tag depends on it
    if (status === 200 && method === 'GET' && etag !== null) {
      await cache?.set(url, { etag, body: text, next })
    }
    return { ...info, body, next, total, version: count('X-Dataset-Version') }
  }

  /** Throws a `ConnectionError` if no whole response arrives in time. */
  async function receive(url: string, init: RequestInit, signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    // `AbortSignal.any` would do, but it leaks in some runtimes when the caller's signal lives long.
    const controller = new AbortController()
    const stop = () => controller.abort(signal?.reason)
    const timer = setTimeout(
      () => controller.abort(new Error(`no response within ${timeoutMs} ms`)),
      Math.min(timeoutMs, maxTimerMs),
    )
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const response = await fetch(url, { ...init, signal: controller.signal })
      hasResponded = true
      return { response, text: await response.text() }
    } catch (cause) {
      signal?.throwIfAborted()
      if (!isUnreachable(cause))
        throw new ConnectionError(`The request failed: ${describe(cause)}`, { cause })
      const message = `Can't connect: ${describe(cause)}. Check the base URL ${base}, and whether the service runs`
      throw new UnreachableError(message, { cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  return async function send<Body>(request: ApiRequest): Promise<ApiResponse<Body>> {
    for (let retry = 0; ; retry++) {
      await pause(request.signal)
      try {
        return await exchange<Body>(request)
      } catch (error) {
        const isNew = error instanceof UnreachableError && !hasResponded
        const mostRetries = isNew ? Math.min(retries, maxRetriesBeforeResponse) : retries
        if (!isTransient(error) || retry >= mostRetries) throw error
        const delayMs = chooseDelayMs(error, retry)
        onWait?.({ delayMs, error })
        await wait(delayMs, request.signal)
      }
    }
  }
}

/** Returns the URL that paths are appended to. Programs without types may give anything, such as an unset variable. */
function readBaseUrl(baseUrl: string | URL): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol)) {
    throw new TypeError('baseUrl must be the URL of the API, such as https://api.example.com')
  }
  if (base.username !== '' || base.password !== '') {
    throw new TypeError(
      'baseUrl must not have a user name or a password: runtimes refuse to request such a URL',
    )
  }
  base.pathname = base.pathname.replace(/\/*$/, '/')
  base.search = ''
  base.hash = ''
  return base
}

/** Parses a body. JSON that can't be parsed was cut. Undefined: an error response of something before the service. */
function parse(text: string, { ok, status, headers }: Response) {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (!ok && status !== 304) return undefined
    const details = { status, requestId: headers.get('X-Request-Id') ?? undefined, cause }
    const isJson = headers.get('Content-Type')?.includes('json')
    if (isJson) throw new ConnectionError('The request failed: the response is not whole', details)
    throw new InvalidRequestError('The response is not JSON: the base URL must be that of the API', details)
  }
}

function readMessage(body: { error?: unknown } | undefined): string | undefined {
  return typeof body?.error === 'string' ? body.error : undefined
}

function countItems(body: { data?: unknown[] } | undefined): number {
  return body?.data?.length ?? 1
}

/** Says what broke: `fetch` itself says only that it failed, and has the rest in causes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? describe(error.cause) : error.message
}
