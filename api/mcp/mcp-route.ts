/**
 * `/mcp`: the tools of devdata-mcp for assistants that can't start a program, over MCP's streamable HTTP. An instance
 * keeps nothing between requests, so any instance responds to any of them.
 *
 * A call of a tool is metered as the requests that it makes: they go through the app like those of other clients. The
 * `POST` itself is a free request. What fails before the message is read is an error as everywhere; in JSON-RPC, errors
 * are JSON-RPC's.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Hono, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Meter } from '../checkout/meter.ts'
import { readMaxCredits } from '../checkout/request-conditions.ts'
import { requestQueueLimits } from '../checkout/request-queue.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { ApiError } from '../errors.ts'
import { assertJson } from '../http/json-body.ts'
import { mcpPath } from '../http/paths.ts'
import type { ApiContext, Fetch, HonoEnvironment } from '../http/request-context.ts'
import { setHeader } from '../http/response.ts'
import { isLoopback } from '../names/loopback.ts'

/** What the route works with. */
export interface McpRouteOptions {
  /** Authenticates the key, without a turn in the queue: the requests of a call wait for their own. */
  authenticate: MiddlewareHandler<HonoEnvironment>
  meter: Pick<Meter, 'settle'>
  /** Responds to the requests that a call makes. */
  fetch: Fetch
  /** The public origin; undefined: none is known. */
  publicOrigin: string | undefined
  basePath: string
  version: string
}

/** Messages are parsed one at a time, because parsing blocks the event loop. Their keys take turns. */
const parsingLimits = { ...requestQueueLimits, maxConcurrent: 1 }

/** Adds the route. */
export function addMcpRoute(
  app: Hono<HonoEnvironment>,
  { authenticate, meter, fetch, publicOrigin, basePath, version }: McpRouteOptions,
): void {
  const parsing = createFairQueue<number>(parsingLimits)
  // Assistants are few, and what serves them takes 150 ms to load and 30 MB: only instances that need it have it.
  let mcp: Promise<typeof import('./streamable-http.ts')> | undefined
  app.post(mcpPath, assertAllowedOrigin(publicOrigin), authenticate, async (c) => {
    await meter.settle(c)
    assertJson(c)
    const { id: keyId, secret: apiKey, connection } = c.get('caller')
    const ofRequest = readMaxCredits(c) ?? Number.POSITIVE_INFINITY
    const ofConnection = connection?.maxCreditsPerCall ?? Number.POSITIVE_INFINITY
    const body = await c.req.text()
    mcp ??= import('./streamable-http.ts')
    const { respond } = await mcp
    const leave = await parsing.enter(keyId, c.req.raw.signal)
    try {
      await nextTurn() // between two messages, the event loop serves others
      return await respond(c.req.raw, body, {
        baseUrl: new URL(c.req.url).origin + basePath,
        apiKey,
        keySource: connection === undefined ? 'the Authorization header' : undefined,
        limit:
          ofRequest < ofConnection
            ? { credits: ofRequest, name: 'Max-Credits' }
            : { credits: ofConnection, name: 'The connection' },
        async fetch(url, init) {
          leave() // the message was read, and its requests wait for their own turns
          const response = await fetch(new Request(url, init))
          // Requests in memory end with a response even when they are stopped.
          init?.signal?.throwIfAborted()
          copyQuota(c, response.headers)
          return response
        },
        version,
      })
    } finally {
      leave()
    }
  })
}

/** The limit and the balance after the last request of a call. What the whole call cost is in its result. */
function copyQuota(c: ApiContext, headers: Headers): void {
  for (const name of ['RateLimit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Credits-Remaining']) {
    const value = headers.get(name)
    if (value !== null) setHeader(c, name, value)
  }
}

/**
 * Refuses pages that were loaded over plain HTTP, except from localhost: anyone on the network could have changed them
 * (MCP, transports, "Security Warning"). Programs send no `Origin`.
 */
function assertAllowedOrigin(publicOrigin: string | undefined) {
  return createMiddleware<HonoEnvironment>(async function assertAllowedOrigin(c, next) {
    const origin = c.req.header('Origin')
    if (origin !== undefined && !isAllowedOrigin(origin, publicOrigin)) {
      throw new ApiError(
        403,
        'origin_not_allowed',
        'Origin not allowed: a page that uses /mcp must be served over https, or from localhost',
      )
    }
    await next()
  })
}

/** Apps and browser extensions have schemes of their own, and bring their pages along. */
function isAllowedOrigin(origin: string, publicOrigin: string | undefined): boolean {
  if (origin === publicOrigin) return true
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol !== 'http:' || isLoopback(hostname)
}
