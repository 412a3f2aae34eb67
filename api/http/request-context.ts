/**
 * What a request carries from one part of the HTTP surface to the next.
 *
 * @module
 */
import type { Context } from 'hono'
import type { BearerKey } from '../ledger/api-key.ts'

/** What a runtime's server tells of a request beside what is in it. */
export interface ServerBindings {
  /**
   * Calls `act` when the response is closed: it has been handed to the operating system, or its connection is lost. At
   * once, if that is so already.
   */
  onClosed?(act: () => void): void
}

/** Hono's types of what the server hands in, and of what middleware sets. */
export interface HonoEnvironment {
  Bindings: ServerBindings
  Variables: {
    requestId: string
    /** `performance.now()` when the request came in. */
    startedAt: number
    /** What `publicUrl` parsed: the request's URL at the public origin. */
    url?: URL
    /** What `describeRoute` found. */
    route?: string
    /** Headers of the answer, until they are in it. */
    headers: Record<string, string> | undefined
    /** Set on routes behind `authenticate`. */
    caller: BearerKey
    /** Credits charged, for the log. */
    charged?: number
  }
}

export type ApiContext = Context<HonoEnvironment>
