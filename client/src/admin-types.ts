// Generated from openapi.yml by `npm run client`.
import type { components } from './schema.ts'

type Schemas = components['schemas']

/** An API key as operators see it, without the key itself. */
export type Key = Schemas['Key']
/** An API key with its secret. */
export type CreatedKey = Schemas['CreatedKey']
/** What became of a grant. */
export type KeyGrant = Schemas['KeyGrant']
/** A key to create. */
export interface NewKey {
  /** A name for this request, such as the number of an order. 1 to 100 characters without control characters. */
  reference: Schemas['NewKey']['reference']
  /** Starting balance. 0 if it is missing. */
  credits?: Schemas['NewKey']['credits']
  /** A name for your own records; null for none. 1 to 100 characters without control characters. */
  name?: Schemas['NewKey']['name']
  /** What the key may read. Everything if it is missing. */
  scopes?: Schemas['NewKey']['scopes']
  /** Rate limit as requests/seconds, such as `100/60`. Null for none. If it is missing, the operator's default. */
  rateLimit?: Schemas['NewKey']['rate_limit']
  /** The operator's webhook is told when a charge takes the balance below this. Null for none. */
  notifyBelow?: Schemas['NewKey']['notify_below']
  /** When the key stops working, a date (0:00 UTC) or a timestamp in the future (ISO 8601). Null for never. */
  expiresAt?: Schemas['NewKey']['expires_at']
}
/** What to change of a key. What is missing stays as it is. */
export interface KeyChange {
  /** A name for your own records; null for none. 1 to 100 characters without control characters. */
  name?: Schemas['KeyChange']['name']
  /** Rate limit as requests/seconds: `100/60` is 100 requests in 60 seconds. Null for none. */
  rateLimit?: Schemas['KeyChange']['rate_limit']
  /** The operator's webhook is told when a charge takes the balance below this. Null for none. */
  notifyBelow?: Schemas['KeyChange']['notify_below']
}
/** Credits to grant. */
export interface NewGrant {
  /** Credits to add, or to withdraw if negative. Not 0. */
  credits: Schemas['NewGrant']['credits']
  /** A name for this grant, such as the number of an invoice. 1 to 100 characters without control characters. */
  reference: Schemas['NewGrant']['reference']
}
