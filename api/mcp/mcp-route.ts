/**
 * `/mcp`: the tools of devdata-mcp for assistants that can't start a program, over MCP's streamable HTTP. An instance keeps nothing
 * between requests, so any instance responds to any of them.
 *
 * A call of a tool is metered as the requests that it stands for: they go through the app as those of other clients do. The `POST`
 * itself is a free request. What fails before the body is read is an error as everywhere; in JSON-RPC, errors are JSON-RPC's.
 *
 * @module
 */
import type { Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { Meter } from '../checkout/meter.ts'
import { readMaxCredits } from '../checkout/request-conditions.ts'
import { ApiError } from '../errors.ts'
import type { Fetch, HonoEnvironment } from '../http/request-context.ts'
import { isPrivate, mcpPath } from '../http/url.ts'

/** In bytes. The largest call names some hundred packages. */
const maxBodyBytes = 256 * 1024

/** What the route works with. */
export interface McpRouteOptions {
  /** Authenticates the key. It must not hold a turn of the queue, because the requests of a call wait for their own. */
  authenticate: MiddlewareHandler<HonoEnvironment>
  meter: Pick<Meter, 'settle'>
  /** Responds to the requests that a call stands for. */
  fetch: Fetch
  /** The public origin; undefined: that of each request. */
  publicOrigin: string | undefined
  basePath: string
  version: string
}

/** Adds the route. */
export function addMcpRoute(
  app: Hono<HonoEnvironment>,
  { authenticate, meter, fetch, publicOrigin, basePath, version }: McpRouteOptions,
): void {
  // Assistants are few, and what serves them takes 150 ms to load and 30 MB: only instances that need it have it.
  let mcp: Promise<typeof import('./streamable-http.ts')> | undefined
  app.post(
    mcpPath,
    assertAllowedOrigin(publicOrigin),
    authenticate,
    bodyLimit({
      maxSize: maxBodyBytes,
      onError() {
        throw bodyTooLarge()
      },
    }),
    async (c) => {
      await meter.settle(c)
      if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
        throw new ApiError(
          415,
          'unsupported_media_type',
          'Unsupported Content-Type: must be application/json',
        )
      }
      const maxCredits = readMaxCredits(c)
      mcp ??= import('./streamable-http.ts')
      const { respond } = await mcp
      return respond(c.req.raw, {
        baseUrl: new URL(c.req.url).origin + basePath,
        apiKey: c.get('caller').secret,
        maxCredits,
        fetch: async (url, init) => fetch(new Request(url, init)),
        version,
      })
    },
  )
}

/** The rest of the body isn't read, so the connection ends with the response. */
function bodyTooLarge(): ApiError {
  return new ApiError(413, 'body_too_large', `Body too large: at most ${maxBodyBytes} bytes`, {
    headers: { Connection: 'close' },
  })
}

/**
 * Refuses requests of pages that a browser reached without encryption, unless they are on this machine: whoever is on their way could
 * have replaced them (MCP, transports, "Security Warning"). Programs send no `Origin`.
 */
function assertAllowedOrigin(publicOrigin: string | undefined) {
  return createMiddleware<HonoEnvironment>(async function assertAllowedOrigin(c, next) {
    const origin = c.req.header('Origin')
    if (origin !== undefined && !isAllowedOrigin(origin, publicOrigin)) {
      throw new ApiError(
        403,
        'origin_not_allowed',
        'Origin not allowed: a page that uses /mcp must be served over https, or by this machine',
      )
    }
    await next()
  })
}

function isAllowedOrigin(origin: string, publicOrigin: string | undefined): boolean {
  return origin === publicOrigin || (URL.canParse(origin) && isPrivate(new URL(origin)))
}
