// Generated from openapi.yml by `npm run client`.

/** Role of the key. */
export type Role = 'user' | 'admin'

/** An API key as operators see it, without the key itself. */
export type Key = {
  /** Id of the key for the command line. */
  id: number
  /** Name that the operator gave the key. */
  name: string | null
  /** Role of the key. */
  role: Role
  /** What a `user` key may read. An `admin` key with `metrics:read` is for `/metrics` alone, and one with `keys:write` for `/admin/keys` alone. Both read their own state below `/api-key`, too. */
  scopes: ('users:read' | 'repos:read' | 'metrics:read' | 'keys:write')[]
  /** Balance of the key. */
  remaining_credits: number
  /** Rate limit as requests/seconds: `100/60` is 100 requests in 60 seconds. Null if there is none. */
  rate_limit: string | null
  /** The operator's webhook is told when a charge takes the balance below this. Null if it isn't. */
  notify_below: number | null
  /** Whether the key works. Only `active` keys do. */
  status: 'active' | 'revoked' | 'expired'
  /** When the key was created (ISO 8601). */
  created_at: string
  /** When the key stops working (ISO 8601); null if it doesn't expire. */
  expires_at: string | null
  /** When the key was last used (ISO 8601), to the minute; null if never. */
  last_used_at: string | null
}

/** An API key with its secret. */
export type CreatedKey = {
  /** Id of the key. */
  id: number
  /** The key itself, which clients send. It is shown once. Null if the request was repeated. */
  secret: string | null
  /** An API key as operators see it, without the key itself. */
  key: Key
}

/** What became of a grant. */
export type KeyGrant = {
  /** Whether the credits were granted now, or before under the same reference. */
  outcome: 'granted' | 'repeated'
  /** An API key as operators see it, without the key itself. */
  key: Key
}

/** A key to create. */
export type NewKey = {
  /** A name for this request, such as the number of an order. 1 to 100 characters without control characters. */
  reference: string
  /** Starting balance. 0 if it is missing. */
  credits?: number | undefined
  /** A name for your own records; null for none. 1 to 100 characters without control characters. */
  name?: string | null | undefined
  /** What the key may read. Everything if it is missing. */
  scopes?: ('users:read' | 'repos:read')[] | undefined
  /** Rate limit as requests/seconds, such as `100/60`. Null for none. If it is missing, the operator's default. */
  rateLimit?: string | null | undefined
  /** The operator's webhook is told when a charge takes the balance below this. Null for none. */
  notifyBelow?: number | null | undefined
  /** When the key stops working, a date (0:00 UTC) or a timestamp in the future (ISO 8601). Null for never. */
  expiresAt?: string | null | undefined
}

/** What to change of a key. What is missing stays as it is. */
export type KeyChange = {
  /** A name for your own records; null for none. 1 to 100 characters without control characters. */
  name?: string | null | undefined
  /** Rate limit as requests/seconds: `100/60` is 100 requests in 60 seconds. Null for none. */
  rateLimit?: string | null | undefined
  /** The operator's webhook is told when a charge takes the balance below this. Null for none. */
  notifyBelow?: number | null | undefined
}

/** Credits to grant. */
export type NewGrant = {
  /** Credits to add, or to withdraw if negative. Not 0. */
  credits: number
  /** A name for this grant, such as the number of an invoice. 1 to 100 characters without control characters. */
  reference: string
}
