/** Codes and tokens of connections: each step is one statement, so that of two at the same time only one succeeds. */
import { Buffer } from 'node:buffer'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { type BearerKey, hashSecret, isUsable } from '../ledger/api-key.ts'
import {
  type CredentialKind,
  createCredential,
  createHandle,
  fromConnections,
  hashHandle,
  isCredential,
  readHandle,
} from '../ledger/connections.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Limits } from './limits.ts'

/** How long an access token works, if its connection and its key do. */
const accessSeconds = 3_600
/** Connections of a key that have not ended. */
const maxConnections = 50
/** The class of the locks of keys that get a connection. */
const connectionLockClass = 0x636f_6e6e

/** What a connector gets. */
export interface Tokens {
  access: string
  refresh: string
  /** How long the access token works from now on. */
  accessSeconds: number
}

/**
 * Stores what a person allowed, and returns the code for it, which works for 60 seconds. `too_many`: the key has 50
 * connections.
 */
export async function createConnection(
  sql: Sql,
  key: BearerKey,
  { connector, redirectUri, challenge }: AuthorizationRequest,
  { maxCreditsPerCall, creditLimit, lifetimeDays }: Limits,
): Promise<string | 'too_many'> {
  const handle = createHandle()
  const code = createCredential('code', handle)
  const store = async (tx: SqlOrTransaction) => {
    await tx`select pg_advisory_xact_lock(${connectionLockClass}, ${key.id})` // others at the same time are counted, too
    return tx`
      with ended as (delete from connections where expires_at <= now())
      insert into connections (
        handle_hash, code_hash, api_key_id, secret_hash, client_id, client_name, redirect_uri, code_challenge,
        max_credits_per_call, credit_limit, lifetime_days, expires_at
      )
      select ${hashHandle(handle)}, ${hashSecret(code)}, ${key.id}, ${key.secretHash}, ${connector.id}, ${connector.name},
        ${redirectUri}, ${challenge}, ${maxCreditsPerCall}, ${creditLimit}, ${lifetimeDays}, now() + interval '60 seconds'
      where (select count(*) ${fromConnections(tx, key.id)}) < ${maxConnections}`
  }
  const { count } = await countStatement(sql, () => sql.begin('isolation level read committed', store))
  return count === 1 ? code : 'too_many'
}

/** Creates the tokens for a code or a refresh token: the same ones for the same salt. */
function createTokens(credential: string, salt: Buffer) {
  const create = (kind: 'access' | 'refresh') =>
    createCredential(
      kind,
      readHandle(credential),
      createHmac('sha256', credential).update(salt).update(kind).digest().subarray(0, 16),
    )
  const tokens = { access: create('access'), refresh: create('refresh') }
  return { tokens, access: hashSecret(tokens.access), refresh: hashSecret(tokens.refresh) }
}

const hashesOf = (kind: CredentialKind, credential: string) =>
  isCredential(kind, credential)
    ? { handle: hashHandle(readHandle(credential)), given: hashSecret(credential) }
    : undefined

/** SQL: for how many whole seconds the access token of a connection `c` works, of the key `k` and its secret `s`. */
function selectAccessSeconds(sql: Sql): Fragment {
  return sql`
    floor(extract(epoch from least(c.access_expires_at, c.expires_at, k.expires_at, s.expires_at) - now()))::integer as "accessSeconds"`
}

/** What a connector shows with its code. */
export interface Proof {
  clientId: string
  verifier: string
  /** Undefined: OAuth 2.1 doesn't ask for it anymore. */
  redirectUri: string | undefined
}

/**
 * Returns tokens for a code. Undefined: it was not given to this connector for this redirect URI and this verifier, or it
 * no longer works. A code that was used before ends its connection, because somebody else has it. That is so for ten
 * minutes: later, the code is an old line in somebody's log.
 */
export async function exchangeCode(
  sql: Sql,
  code: string,
  { clientId, verifier, redirectUri }: Proof,
): Promise<Tokens | undefined> {
  const hashes = hashesOf('code', code)
  if (hashes === undefined) return undefined
  const { tokens, access, refresh } = createTokens(code, randomBytes(16))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const [used] = await countStatement(
    sql,
    () => sql<{ accessSeconds: number }[]>`
      update connections c set access_hash = ${access}, refresh_hash = ${refresh}, refreshed_at = now(),
        access_expires_at = now() + ${accessSeconds}::integer * interval '1 second', expires_at = now() + lifetime_days * interval '1 day'
      from api_keys k, api_key_secrets s
      where c.handle_hash = ${hashes.handle} and c.code_hash = ${hashes.given} and c.access_hash is null and c.expires_at > now()
        and c.client_id = ${clientId} and c.code_challenge = ${challenge}
        and (${redirectUri ?? null}::text is null or c.redirect_uri = ${redirectUri ?? null}::text)
        and k.id = c.api_key_id and s.hash = c.secret_hash and ${isUsable(sql)}
      returning ${selectAccessSeconds(sql)}`,
  )
  if (used !== undefined) return { ...tokens, ...used }
  await countStatement(
    sql,
    () => sql`
      delete from connections
      where handle_hash = ${hashes.handle} and code_hash = ${hashes.given} and access_hash is not null
        and client_id = ${clientId} and code_challenge = ${challenge} and created_at > now() - interval '10 minutes'`,
  )
  return undefined
}

/**
 * Returns new tokens for a refresh token. For a minute, it returns the same ones again, because a response may be lost,
 * and a connector may ask twice at the same time. Undefined: the token doesn't work. One that was replaced earlier ends
 * its connection, because somebody else has it.
 */
export async function refreshTokens(sql: Sql, token: string, clientId: string): Promise<Tokens | undefined> {
  const hashes = hashesOf('refresh', token)
  if (hashes === undefined) return undefined
  const { handle, given } = hashes
  const salt = randomBytes(16)
  const { tokens, access, refresh } = createTokens(token, salt)
  const isUsableHere = sql`
    c.handle_hash = ${handle} and c.client_id = ${clientId} and c.expires_at > now()
    and k.id = c.api_key_id and s.hash = c.secret_hash and ${isUsable(sql)}`
  const [used] = await countStatement(
    sql,
    () => sql<{ accessSeconds: number }[]>`
      update connections c set previous_access_hash = case when c.access_expires_at > now() then c.access_hash end,
        access_hash = ${access},
        previous_refresh_hash = ${given}, refresh_hash = ${refresh}, refresh_salt = ${salt}, refreshed_at = now(),
        access_expires_at = now() + ${accessSeconds}::integer * interval '1 second'
      from api_keys k, api_key_secrets s
      where c.refresh_hash = ${given} and ${isUsableHere}
      returning ${selectAccessSeconds(sql)}`,
  )
  if (used !== undefined) return { ...tokens, ...used }
  const [replaced] = await countStatement(
    sql,
    () => sql<{ salt: string; accessSeconds: number }[]>`
      select encode(c.refresh_salt, 'hex') as salt, ${selectAccessSeconds(sql)}
      from connections c, api_keys k, api_key_secrets s
      where c.previous_refresh_hash = ${given} and c.refreshed_at > now() - interval '1 minute' and ${isUsableHere}`,
  )
  if (replaced !== undefined) {
    const { salt, accessSeconds } = replaced
    return { ...createTokens(token, Buffer.from(salt, 'hex')).tokens, accessSeconds }
  }
  await countStatement(
    sql,
    () => sql`
      delete from connections where handle_hash = ${handle} and client_id = ${clientId} and refresh_hash <> ${given}
      and (previous_refresh_hash = ${given} and refreshed_at > now() - interval '1 minute') is not true`,
  )
  return undefined
}

/** Ends the connection of a token, whichever it is (RFC 7009). Returns whether there was one. */
export async function revokeToken(sql: Sql, token: string): Promise<boolean> {
  const hashes = hashesOf('refresh', token) ?? hashesOf('access', token)
  if (hashes === undefined) return false
  const { count } = await countStatement(
    sql,
    () => sql`
      delete from connections where handle_hash = ${hashes.handle} and ${hashes.given}::bytea in
        (access_hash, refresh_hash, previous_access_hash, previous_refresh_hash)`,
  )
  return count > 0
}
