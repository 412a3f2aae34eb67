/**
 * The middleware of every request: its id, the standard headers, the access log and the methods of a read-only API.
 */
import type { Logger } from '@logtape/logtape'
import { createMiddleware } from 'hono/factory'
import { methodNotAllowed, notFound, postMethods, readMethods } from '../errors.ts'
import { encodings } from './compression.ts'
import { findMethods, isSameOriginPath, mcpPath, signInPath } from './paths.ts'
import { describeRoute, type HonoEnvironment } from './request-context.ts'
import { send, setHeader, takeHeaders } from './response.ts'

/**
 * Gives each request a unique id, which the response has as `X-Request-Id` and lists repeat in `meta`. An id that the
 * client sends is ignored, because it need not be unique. Also starts the request's clock and its response headers, and
 * notes which codings the response may have.
 */
export function beginRequest({ compressResponses }: { compressResponses: boolean }) {
  const offered = compressResponses ? encodings : []
  return createMiddleware<HonoEnvironment>(function beginRequest(c, next) {
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    c.set('startedAt', performance.now())
    c.set('headers', { 'X-Request-Id': requestId })
    c.set('encodings', offered)
    return next()
  })
}

/** Request headers beyond the safelisted ones that scripts of other origins may send. */
const allowedHeaders = ['Authorization', 'Idempotency-Key', 'If-None-Match', 'Max-Credits']
/** The same for `/mcp`: the headers of MCP, and `Content-Type`, which needs a preflight for JSON. */
const allowedMcpHeaders = [
  ...['Authorization', 'Content-Type', 'Max-Credits'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
]

/** Response headers beyond the safelisted ones that scripts of other origins may read. */
const exposedHeaders = [
  'Allow',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Credits-Cost',
  'X-Credits-Needed',
  'X-Credits-Remaining',
  'X-Dataset-Version',
  'X-Error-Code',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Total-Count',
]

const preflightMaxAgeSeconds = 86_400

/** The headers of every response: security headers, and those that let scripts of any origin call the API (CORS). */
export interface StandardHeaders {
  endpoint: Record<string, string>
  /** Pages and what admins do are for their own origin alone, because the viewer may hold a key. */
  sameOrigin: Record<string, string>
  /** Added to the response to a preflight. */
  preflight: Record<string, string>
  /** Added to the response to a preflight of `/mcp` and of the sign-in. */
  mcpPreflight: Record<string, string>
}

/** Lists the standard headers. */
export function listStandardHeaders({ isHttps }: { isHttps: boolean }): StandardHeaders {
  const security = {
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(isHttps && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
  return {
    endpoint: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': exposedHeaders.join(','),
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...security,
    },
    sameOrigin: { 'Cross-Origin-Resource-Policy': 'same-origin', ...security },
    preflight: listPreflightHeaders(readMethods, allowedHeaders),
    mcpPreflight: listPreflightHeaders(postMethods, allowedMcpHeaders),
  }
}

function listPreflightHeaders(methods: readonly string[], names: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods.join(','),
    'Access-Control-Allow-Headers': names.join(','),
    'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
  }
}

/**
 * Gives every response the standard headers, unless its route sets its own, and responds to `OPTIONS`. While the
 * instance stops, asks clients to close connections, so that none is closed under their next request.
 *
 * Hono's `secure-headers` and `cors` do the same, but they change finished responses. This makes Node's adapter convert
 * each response, which takes 130 µs of a request that takes 110 µs otherwise.
 */
export function standardHeaders(headers: StandardHeaders, basePath: string, lifecycle: Readonly<Lifecycle>) {
  return createMiddleware<HonoEnvironment>(async function standardHeaders(c, next) {
    const { path, method } = c.req
    const isSameOrigin = path.startsWith(basePath) && isSameOriginPath(path.slice(basePath.length))
    c.set('headers', { ...c.get('headers'), ...(isSameOrigin ? headers.sameOrigin : headers.endpoint) })
    if (method === 'OPTIONS') {
      const preflight = isForMcp(path, basePath) ? headers.mcpPreflight : headers.preflight
      for (const [name, value] of Object.entries(isSameOrigin ? {} : preflight)) setHeader(c, name, value)
      setHeader(c, 'Allow', findMethods(path, basePath).join(', '))
      c.res = await send(c, null, { status: 204 })
    } else {
      await next()
    }
    // Responses that were made without `send` still lack them.
    for (const [name, value] of Object.entries(takeHeaders(c))) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    }
    if (lifecycle.phase === 'stopping') c.res.headers.set('Connection', 'close')
  })
}

/** Whether programs of assistants request a path: `/mcp`, or what they sign in with. */
function isForMcp(path: string, basePath: string): boolean {
  return (
    path === basePath + mcpPath ||
    path.startsWith(`${basePath + signInPath}/`) ||
    path.includes('/.well-known/o') // OAuth's metadata, also at the root
  )
}

/** The life of an instance. */
export interface Lifecycle {
  /**
   * `waiting`: for the database and its schema. `stopping`: requests are still served, but load balancers should send
   * no more.
   */
  phase: 'waiting' | 'serving' | 'stopping'
}

/** Paths that probes and scrapes request every few seconds. */
const probePaths = ['/health', '/version', '/metrics']

/**
 * Writes a log line for each request except `OPTIONS`. It has no key, and the route's pattern instead of the path.
 * Without `logProbes`, probes and scrapes that succeed have no line.
 */
export function accessLog(logger: Logger, basePath: string, { logProbes }: { logProbes: boolean }) {
  const unlogged = new Set(logProbes ? [] : probePaths.map((path) => basePath + path))
  return createMiddleware<HonoEnvironment>(async function accessLog(c, next) {
    await next()
    const { method } = c.req
    const { status } = c.res
    const route = describeRoute(c)
    if (status < 400 && unlogged.has(route)) return
    const milliseconds = Math.round(performance.now() - c.get('startedAt'))
    logger.info('{method} {route} {status} {milliseconds} ms', {
      request_id: c.get('requestId'),
      method,
      route,
      status,
      milliseconds,
      credits: c.get('charged') ?? 0,
      key_id: c.get('caller')?.id ?? null,
    })
  })
}

/** Throws 405 for methods that a path doesn't have, and 404 for `/mcp/`: a `POST` to it is meant for `/mcp`. */
export function assertAllowedMethod(basePath: string) {
  return createMiddleware<HonoEnvironment>(function assertAllowedMethod(c, next) {
    if (c.req.path === `${basePath + mcpPath}/`) {
      throw notFound(`Not found; use ${mcpPath}, without a slash at its end`)
    }
    const methods = findMethods(c.req.path, basePath)
    if (!methods.includes(c.req.method)) throw methodNotAllowed(methods)
    return next()
  })
}
