/**
 * Connections: what connectors have in place of a key, from the sign-in for `/mcp` (`api/sign-in/`). A connection is
 * charged to its key, within its limits, which `settle` holds.
 *
 * A connection has three kinds of credentials: a code, access tokens and refresh tokens. Each begins with the handle of
 * its connection, 16 bytes that the others share. Only the SHA-256 of handle and credentials is stored.
 */
import { Buffer } from 'node:buffer'
import { hash, randomBytes } from 'node:crypto'
import {
  type Fragment,
  type Sql,
  type SqlOrTransaction,
  selectTime,
  writeBytes,
} from '../database/connect.ts'
import { type ApiKey, type BearerKey, hashSecret, isUsable } from './api-key.ts'

const prefixes = { code: 'ddc_', access: 'dda_', refresh: 'ddr_' } as const
export type CredentialKind = keyof typeof prefixes

const handleBytes = 16

/** Creates the handle of a new connection. */
export function createHandle(): Buffer {
  return randomBytes(handleBytes)
}

/** Creates a credential of a connection. `secret`: 16 bytes that nobody can guess. */
export function createCredential(
  kind: CredentialKind,
  handle: Uint8Array,
  secret: Uint8Array = randomBytes(16),
): string {
  return prefixes[kind] + Buffer.concat([handle, secret]).toString('base64url')
}

/** Whether a text has the form of a credential. */
export function isCredential(kind: CredentialKind, text: string): boolean {
  return text.startsWith(prefixes[kind]) && /^.{4}[\w-]{43}$/.test(text)
}

/** Reads the handle of a text that has the form of a credential. */
export function readHandle(credential: string): Buffer {
  return Buffer.from(credential.slice(4), 'base64url').subarray(0, handleBytes)
}

/** Returns the SHA-256 that is stored of a handle. */
export function hashHandle(handle: Uint8Array): Buffer {
  return hash('sha256', handle, 'buffer')
}

/**
 * Finds the keys of access tokens, in the order of the tokens. Tokens whose key or connection has ended find none.
 */
export async function findConnectedKeys(
  sql: Sql,
  tokens: readonly string[],
): Promise<(BearerKey | undefined)[]> {
  const given = tokens.map((secret) => ({ secret, tokenHash: hashSecret(secret) }))
  const hashes = given.map(({ tokenHash }) => writeBytes(tokenHash))
  const handles = tokens.map((token) => writeBytes(hashHandle(readHandle(token))))
  const rows = await sql<
    (ApiKey & {
      connection: number
      max_credits_per_call: number | null
      secret_hash: string
      place: number
    })[]
  >`
    select k.id, k.role, to_json(k.scopes) as scopes, c.id as connection, c.max_credits_per_call,
      encode(c.secret_hash, 'hex') as secret_hash, t.place::integer
    from unnest(${sql.typed.texts(handles)}::bytea[], ${sql.typed.texts(hashes)}::bytea[])
        with ordinality t (handle, hash, place)
      join connections c on c.handle_hash = t.handle
      join api_keys k on k.id = c.api_key_id
      join api_key_secrets s on s.hash = c.secret_hash
    where accepts_token(c, t.hash, now()) and ${isUsable(sql)}`
  const found: (BearerKey | undefined)[] = given.map(() => undefined)
  for (const { place, connection: id, max_credits_per_call, secret_hash, ...key } of rows) {
    const token = given[place - 1]
    if (token === undefined) continue
    found[place - 1] = {
      ...key,
      secret: token.secret,
      secretHash: Buffer.from(secret_hash, 'hex'),
      connection: { id, tokenHash: token.tokenHash, maxCreditsPerCall: max_credits_per_call },
    }
  }
  return found
}

/** What the owner of a key sees of a connection. Times are ISO 8601. */
export interface ConnectionSummary {
  id: number
  /** What the connector calls itself. */
  name: string
  /** Where the code was sent: the host of the connector, or this machine. */
  host: string
  max_credits_per_call: number | null
  max_credits: number
  spent_credits: number
  created_at: string
  expires_at: string
}

function summary(sql: Sql): Fragment {
  return sql`
    c.id, client_name as name, redirect_uri, max_credits_per_call, credit_limit as max_credits, spent as spent_credits,
    ${selectTime(sql, sql`c.created_at`)} as created_at,
    ${selectTime(
      sql,
      sql`least(
        c.expires_at, (select expires_at from api_keys where id = c.api_key_id),
        (select expires_at from api_key_secrets where hash = c.secret_hash)
      )`,
    )} as expires_at`
}

type ConnectionRow = Omit<ConnectionSummary, 'host'> & { redirect_uri: string }

function toSummary({ id, name, redirect_uri, ...row }: ConnectionRow): ConnectionSummary {
  return { id, name, host: new URL(redirect_uri).host, ...row }
}

/** SQL: the connections `c` of a key that haven't ended. Those whose key or secret no longer works have. */
export function fromConnections(sql: SqlOrTransaction, keyId: number): Fragment {
  return sql`
    from connections c join api_keys k on k.id = c.api_key_id join api_key_secrets s on s.hash = c.secret_hash
    where c.api_key_id = ${keyId} and c.expires_at > now() and ${isUsable(sql)}`
}

/** Lists the connections of a key that haven't ended, oldest first. */
export async function listConnections(sql: Sql, keyId: number): Promise<ConnectionSummary[]> {
  const rows = await sql<ConnectionRow[]>`
    select ${summary(sql)} ${fromConnections(sql, keyId)} and c.access_hash is not null order by c.id`
  return rows.map(toSummary)
}

/** Ends a connection of a key, on each instance. Undefined: the key has no such connection. */
export async function endConnection(
  sql: Sql,
  keyId: number,
  id: number,
): Promise<ConnectionSummary | undefined> {
  const [row] = await sql<ConnectionRow[]>`
    delete from connections c where id = ${id} and api_key_id = ${keyId} returning ${summary(sql)}`
  return row && toSummary(row)
}
