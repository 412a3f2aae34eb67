/** What a request carries through the app: Hono's context and its variables. */
import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { BearerKey } from '../ledger/api-key.ts'
import type { Encoding } from './compression.ts'

/** What a runtime's server provides with each request. */
export interface ServerBindings {
  /**
   * Calls `act` when the response is closed: it was handed to the operating system, or its connection is lost. Calls it
   * immediately if the response is closed already.
   */
  onClosed?(act: () => void): void
  /** Whether a call of `/mcp` makes the request, with the key or the token that was accepted there. */
  isOfTool?: boolean
}

/** Responds to a request, as the app and each layer in front of it do. */
export type Fetch = (request: Request, server?: ServerBindings) => Response | Promise<Response>

/** The types of Hono's context. */
export interface HonoEnvironment {
  Bindings: ServerBindings
  Variables: {
    /** Set by `beginRequest`, with `startedAt`, `headers` and `encodings`. */
    requestId: string
    /** When the request arrived, on the clock of `performance.now()`. */
    startedAt: number
    /** Headers for the response; undefined once they are in it. See `response.ts`. */
    headers: Record<string, string> | undefined
    /** The codings that the response may have; none if the service doesn't compress responses. */
    encodings: readonly Encoding[]
    /** The request's public URL, once `publicUrl` has parsed it. */
    url?: URL
    /** Set by the guard. */
    caller: BearerKey
    /** Set by the guard: ends the request's turn in the queue before it waits for something else. */
    onWait?: () => void
    /** Credits charged, for log, metrics and traces. */
    charged?: number
  }
}

export type ApiContext = Context<HonoEnvironment>

/**
 * Creates what reads need to know of a request: its caller, for a turn in the queue, and whether it is still wanted.
 */
export function createRequester(c: ApiContext) {
  return { caller: c.get('caller').id, onWait: c.get('onWait'), signal: c.req.raw.signal }
}

/** The pattern of the request's route, as openapi.yml writes it: `/users/{login}`. Paths may name people. */
export function describeRoute(c: ApiContext): string {
  return describePattern(routePath(c, -1))
}

/** Writes Hono's pattern of a route as openapi.yml does. */
export function describePattern(pattern: string): string {
  return pattern.replace(/:(\w+)/g, '{$1}')
}
