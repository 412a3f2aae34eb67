/** API keys: their secrets and rate limits, and finding them by their secret (decisions/0002-keys.md). */
import { hash } from 'node:crypto'
import { type Fragment, type Sql, type SqlOrTransaction, writeBytes } from '../database/connect.ts'

/** A user key has one or both. */
export const scopes = ['users:read', 'repos:read'] as const
/** The only scope of an admin key that a monitoring system holds: it may read `/metrics`, and neither data nor keys. */
export const metricsScope = 'metrics:read'
/**
 * The only scope of an admin key that a shop holds: it may make and change user keys, and read neither data nor
 * metrics.
 */
export const keysScope = 'keys:write'
/** Scopes that an admin key has alone. */
export const adminScopes = [metricsScope, keysScope] as const
export type Scope = (typeof scopes)[number] | (typeof adminScopes)[number]

/** `user` keys are charged; `admin` keys are not, and may call the operators' endpoints. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** The properties of a key that never change, so they can be cached. */
export interface ApiKey {
  id: number
  role: Role
  scopes: readonly Scope[]
}

/** The scope that narrows a key to one task. Only an admin key can have one. */
export function findAdminScope({ scopes }: Pick<ApiKey, 'scopes'>): (typeof adminScopes)[number] | undefined {
  return adminScopes.find((scope) => scopes.includes(scope))
}

/** The key of a request. */
export interface BearerKey extends ApiKey {
  /** That the request was sent with: the key's, or the access token of a connection. */
  secret: string
  /** Of the key's secret. */
  secretHash: Buffer
  /** Undefined: the request was sent with the key. */
  connection?: UsedConnection
}

/** The connection of a request (`connections.ts`). */
export interface UsedConnection {
  id: number
  /** SHA-256 of the access token. */
  tokenHash: Buffer
  /** What a call of `/mcp` may cost, in credits. Null: no limit. */
  maxCreditsPerCall: number | null
}

/**
 * A number of requests in a fixed window. A window begins with the first request after the last one has ended, on the
 * database's clock, so that all instances agree.
 */
export interface RateLimit {
  requests: number
  seconds: number
}

const maxInteger = 2 ** 31 - 1

/** Parses `100/60`, or `none` (null). */
export function parseRateLimit(text: string): RateLimit | null | 'invalid' {
  if (text === 'none') return null
  const [, requests = 0, seconds = 0] = (/^(\d{1,10})\/(\d{1,10})$/.exec(text) ?? []).map(Number)
  const inRange = (value: number) => value >= 1 && value <= maxInteger
  return inRange(requests) && inRange(seconds) ? { requests, seconds } : 'invalid'
}

/** The rule of `parseLabel`, for messages. */
export const labelRule = 'must have 1 to 100 characters, and no control characters or line breaks'

/** Parses what an operator calls a key or a grant. */
export function parseLabel(text: string): string | 'invalid' {
  const label = text.trim()
  return label !== '' && [...label].length <= 100 && !/\p{C}/u.test(label) ? label : 'invalid'
}

/** Whether a text is a canonical lowercase UUID of any version. New secrets are of version 4. */
export function isSecret(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

/** Returns the SHA-256 that is stored of a secret. A random UUID needs no salt and no slow hash. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Finds the keys of secrets, in the order of these hashes. Deleted, revoked and expired keys are not found. */
export async function findApiKeys(
  sql: Sql,
  secretHashes: readonly Buffer[],
): Promise<(ApiKey | undefined)[]> {
  const rows = await sql<(ApiKey & { hash: string })[]>`
    select encode(s.hash, 'hex') as hash, k.id, k.role, to_json(k.scopes) as scopes
    from api_key_secrets s join api_keys k on k.id = s.api_key_id
    where s.hash = any(${sql.typed.texts(secretHashes.map(writeBytes))}::bytea[])
      and ${isUsable(sql)}`
  const found = new Map(rows.map(({ hash, ...key }) => [hash, key]))
  return secretHashes.map((hash) => found.get(hash.toString('hex')))
}

/** SQL: whether the secret `s` of the key `k` is accepted. */
export function isUsable(sql: SqlOrTransaction): Fragment {
  return sql`
    k.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (s.expires_at is null or s.expires_at > now())`
}

/** What operators are told when keys are not found. */
export const keysNotFound =
  'a usable key is not found by its secret, so its requests get 401; try: reindex table api_key_secrets'

/** Its key may have been revoked since a hash was picked, but not each time. */
const findAttempts = 3

/**
 * Creates a check whether keys are found by their secrets: it looks up one that is usable, as requests do. True if
 * there is none among the newest 100 keys.
 */
export function createKeyCheck(sql: Sql): () => Promise<boolean> {
  let hash: Buffer | undefined
  return async function canFindKeys() {
    for (let attempt = 1; attempt <= findAttempts; attempt++) {
      hash ??= await pickSecretHash(sql)
      if (hash === undefined) return true
      const [key] = await findApiKeys(sql, [hash])
      if (key !== undefined) return true
      hash = undefined
    }
    return false
  }
}

async function pickSecretHash(sql: Sql): Promise<Buffer | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select encode(s.hash, 'hex') as hash
    from (select * from api_keys order by id desc limit 100) k join api_key_secrets s on s.api_key_id = k.id
    where ${isUsable(sql)} limit 1`
  return row && Buffer.from(row.hash, 'hex')
}
