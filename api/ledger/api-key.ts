/**
 * API keys: what they look like, what is known of them, and who may use them.
 *
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Sql } from '../database/connect.ts'
import type { RateLimit } from './rate-limit.ts'

/** What a user key may be narrowed to (`decisions.md`, Authentication). */
export const scopes = ['users:read', 'repos:read'] as const
export type Scope = (typeof scopes)[number]

/** `user` keys are metered; `admin` keys are not, and may call the operators' endpoints. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** A key that may be used now. */
export interface ApiKey {
  id: number
  role: Role
  scopes: readonly Scope[]
  /** Balance in credits when the key was looked up. */
  credits: number
  rateLimit: RateLimit | null
  /** Whether its last use was noted within the last minute. */
  recentlyUsed: boolean
}

/** An API key as its bearer knows it: a lowercase UUID v4 (`service.md` §5). */
export function mintSecret(): string {
  return randomUUID()
}

/** Whether a text has the form of a key: a canonical lowercase UUID of any version (`decisions.md`). */
export function isSecret(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

/** What is stored of a key: its SHA-256. A random UUID needs no salt, and no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** SQL: the key `k`, reached through its secret `s`, may be used at this moment. */
export function isUsable(sql: Sql) {
  return sql`(
    k.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and (s.expires_at is null or s.expires_at > now())
  )`
}

/** Finds the key of a secret by the secret's hash. Undefined when it is unknown, deleted, revoked or expired. */
export async function findApiKey(sql: Sql, secretHash: Buffer): Promise<ApiKey | undefined> {
  const [row] = await sql<
    (Omit<ApiKey, 'rateLimit'> & { requests: number | null; seconds: number | null })[]
  >`
    select k.id, k.role, k.scopes, k.credits, k.rate_limit_requests as requests, k.rate_limit_seconds as seconds,
      coalesce(k.last_used_at > now() - interval '1 minute', false) as "recentlyUsed"
    from api_key_secrets s join api_keys k on k.id = s.api_key_id
    where s.hash = ${secretHash} and ${isUsable(sql)}`
  if (row === undefined) return undefined
  const { requests, seconds, ...key } = row
  return { ...key, rateLimit: requests !== null && seconds !== null ? { requests, seconds } : null }
}

/** Notes that a key was used, for operators; to the minute, so that not every request writes. */
export async function noteUse(sql: Sql, keyId: number): Promise<void> {
  await sql`
    update api_keys set last_used_at = now()
    where id = ${keyId} and coalesce(last_used_at <= now() - interval '1 minute', true)`
}
