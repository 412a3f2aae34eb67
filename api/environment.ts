/**
 * What a request carries from one part of the HTTP surface to the next.
 *
 * @module
 */
import type { Context } from 'hono'
import type { ApiKey } from './ledger/api-key.ts'

/** Whose request it is. */
export interface Caller extends ApiKey {
  /** The key as the caller sent it. */
  secret: string
  secretHash: Buffer
}

/** Hono's types of what middleware sets. */
export interface Environment {
  Variables: {
    requestId: string
    /** `performance.now()` when the request came in. */
    startedAt: number
    /** Set on routes behind `authenticate`. */
    caller: Caller
    /** Gives up the request's place among those that are worked on. Set behind `admit`. */
    leave?: () => void
    /** Credits charged, for the log. */
    charged?: number
  }
}

export type ApiContext = Context<Environment>
