/** Sends requests, until each has a whole response or can't have one. */
import {
  ConnectionError,
  createResponseError,
  type DevdataError,
  InvalidRequestError,
  isAboutUrl,
  isUnreachable,
  UnreachableError,
} from './errors.ts'
import { readNext } from './next-link.ts'
import { assertKnownOptions, isKey, isWholeNumber } from './options.ts'
import {
  maxTimerMs,
  readPauseSeconds,
  readRetryAfter,
  type Tries,
  tryRepeatedly,
  type Wait,
} from './retries.ts'
import type { ErrorCode } from './types.ts'

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
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
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

/** How requests are sent. */
export interface SenderOptions {
  /** The base URL of the service. */
  baseUrl: string | URL
  /** The API key. */
  apiKey: string
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /**
   * How often a request is sent again at most. Default: 6. Before the first response, a URL that can't be reached is
   * tried again twice at most: it may be wrong.
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
  method?: ResponseInfo['method']
  /** Path and query below the base URL, without a leading slash. */
  path: string
  /** Sent with each try, so that the request is charged once. */
  idempotencyKey?: string | undefined
  /** What the request may cost, in credits. */
  maxCredits?: number | undefined
  /** The members of a JSON body. */
  body?: object | undefined
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

/** What all requests have in common. */
interface Connection extends Tries {
  readonly base: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly cache: ResponseCache | undefined
  readonly onResponse: ((info: ResponseInfo) => void) | undefined
}

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
  if (!isKey(apiKey)) throw new TypeError('apiKey must be an API key: visible ASCII characters')
  if (!isWholeNumber(retries)) throw new TypeError('retries must be a whole number')
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number of milliseconds')
  const connection: Connection = {
    ...{ base, apiKey, fetch, retries, timeoutMs, cache, onResponse, onWait },
    ...{ hasResponded: false, pausedUntil: 0 },
  }
  return (request) => tryRepeatedly(connection, () => exchange(connection, request), request.signal)
}

/** Sends a request once, and reads the response to its end. */
async function exchange<Body>(connection: Connection, request: ApiRequest): Promise<ApiResponse<Body>> {
  const { base, apiKey, cache } = connection
  const { method = 'GET', path, idempotencyKey, maxCredits, body: sent, signal } = request
  const url = base + path
  const cached = method === 'GET' ? await cache?.get(url) : undefined
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' }
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
  if (maxCredits !== undefined) headers['Max-Credits'] = String(maxCredits)
  if (cached !== undefined) headers['If-None-Match'] = cached.etag
  if (sent !== undefined) headers['Content-Type'] = 'application/json'
  // Behind a redirect to another origin, `fetch` would leave out the key, which then looks refused.
  const init: RequestInit = {
    method,
    headers,
    redirect: 'manual',
    ...(sent && { body: JSON.stringify(sent) }),
  }
  const { response, text } = await receive(connection, url, init, signal)

  const { status } = response
  const pauseSeconds = readPauseSeconds(response.headers.get('RateLimit'))
  if (pauseSeconds > 0) connection.pausedUntil = performance.now() + pauseSeconds * 1000
  const kept = status === 304 ? cached : undefined
  const body = method === 'HEAD' || status === 204 ? undefined : parse(kept?.body ?? text, response)
  const info = { method, path, status, ...readInfo(response, body) }
  connection.onResponse?.(info)
  const success = method === 'DELETE' ? 204 : 200
  if (status !== success && kept === undefined)
    throw createError(base, { ...info, maxCredits }, response, body)
  const etag = response.headers.get('ETag')
  // Unchanged if the response is, because the tag depends on it.
  const next = kept === undefined ? readNext(response.headers.get('Link')) : kept.next
  if (status === 200 && method === 'GET' && etag !== null) {
    await cache?.set(url, { etag, body: text, next })
  }
  const total = readNumber(response, 'X-Total-Count') ?? 0
  return { ...info, body, next, total, version: readNumber(response, 'X-Dataset-Version') }
}

/** Throws a `ConnectionError` if no whole response arrives in time. */
async function receive(
  connection: Connection,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; text: string }> {
  const { base, fetch, timeoutMs } = connection
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
    connection.hasResponded = true
    return { response, text: await response.text() }
  } catch (cause) {
    signal?.throwIfAborted()
    if (!isUnreachable(cause)) throw new ConnectionError(`The request failed: ${describe(cause)}`, { cause })
    const message = `Can't connect: ${describe(cause)}. Check the base URL ${base}, and whether the service runs`
    throw new UnreachableError(message, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

function readNumber({ headers }: Response, name: string): number | undefined {
  const text = headers.get(name)
  return text === null ? undefined : Number(text)
}

function readInfo(response: Response, body: { data?: unknown[] } | undefined) {
  const cost = readNumber(response, 'X-Credits-Cost') ?? 0
  const isReplayed = response.headers.get('Idempotency-Replayed') !== null
  return {
    cost,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    paid: isReplayed ? Math.max(cost, body?.data?.length ?? 1) : cost,
    balance: readNumber(response, 'X-Credits-Remaining'),
  }
}

function createError(
  base: string,
  info: ResponseInfo & { maxCredits: number | undefined },
  response: Response,
  body: { error?: unknown } | undefined,
): DevdataError {
  const { method, path, status } = info
  const { headers } = response
  const text = body?.error
  const message = typeof text === 'string' ? text : `${method} ${path} failed with status ${status}`
  const code = (headers.get('X-Error-Code') ?? undefined) as ErrorCode | undefined
  const error = createResponseError(message, {
    ...info,
    code,
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After')),
    needed: readNumber(response, 'X-Credits-Needed'),
  })
  if (status < 400 && !response.ok) {
    const target = headers.get('Location') // which browsers don't show
    error.message = `Check the base URL ${base}: it redirects${target ? ` to ${target}` : ''}`
  } else if (isAboutUrl(error)) {
    const reason = code ? 'the service may be of an older version' : 'a proxy responded, not the service'
    error.message += `. Check the base URL ${base}. If it is right, ${reason}`
  }
  return error
}

/** Returns the URL that paths are appended to. Programs without types may give anything, such as an unset variable. */
function readBaseUrl(baseUrl: string | URL): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol)) {
    throw new TypeError('baseUrl must be the URL of the API, such as https://api.example.com')
  }
  if (base.username !== '' || base.password !== '') {
    throw new TypeError('baseUrl must not have a user name or a password')
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
    if (headers.get('Content-Type')?.includes('json')) {
      throw new ConnectionError('The request failed: the response is not whole', details)
    }
    throw new InvalidRequestError('The response is not JSON: the base URL must be that of the API', details)
  }
}

/** Says what broke: `fetch` itself says only that it failed, and has the rest in causes, one for each address. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause
  return cause instanceof Error ? describe(cause) : error.message
}
