/**
 * API keys: what they look like, and what is known of them.
 *
 * @module
 */
import { hash, randomUUID } from 'node:crypto'
import type { Sql } from '../database/connect.ts'

/** What a user key may be narrowed to (`decisions.md`, Authentication). */
export const scopes = ['users:read', 'repos:read'] as const
export type Scope = (typeof scopes)[number]

/** `user` keys are metered; `admin` keys are not, and may call the operators' endpoints. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** What never changes of a key, so that it may be remembered. */
export interface ApiKey {
  id: number
  role: Role
  scopes: readonly Scope[]
}

/** A key that a request came with. */
export interface BearerKey extends ApiKey {
  /** As it was sent. */
  secret: string
  secretHash: Buffer
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
  return hash('sha256', secret, 'buffer')
}

/**
 * Finds the keys of secrets by the secrets' hashes, in their order. Undefined for one that is unknown, deleted,
 * revoked or expired.
 */
export async function findApiKeys(
  sql: Sql,
  secretHashes: readonly Buffer[],
): Promise<(ApiKey | undefined)[]> {
  const rows = await sql<(ApiKey & { hash: Buffer })[]>`
    select s.hash, k.id, k.role, to_json(k.scopes) as scopes
    from api_key_secrets s join api_keys k on k.id = s.api_key_id
    where s.hash = any(${sql.typed.texts(secretHashes.map((hash) => `\\x${hash.toString('hex')}`))}::bytea[])
      and k.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and (s.expires_at is null or s.expires_at > now())`
  const found = new Map(rows.map(({ hash, ...key }) => [hash.toString('hex'), key]))
  return secretHashes.map((hash) => found.get(hash.toString('hex')))
}
