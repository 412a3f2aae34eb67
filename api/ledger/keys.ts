/** What operators do with keys: create them, grant credits, limit, rotate, revoke and delete them. */
import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { type Fragment, type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { OperatorError } from '../errors.ts'
import { type ListPage, offsetOf, type Page } from '../paging/page.ts'
import { hashSecret, type RateLimit, type Role, type Scope } from './api-key.ts'

/** JSON numbers are exact up to this. */
export const maxBalance = Number.MAX_SAFE_INTEGER

export interface NewKey {
  role: Role
  scopes: readonly Scope[]
  /** In credits. */
  credits: number
  rateLimit: RateLimit | null
  expiresAt: Date | null
  name: string | null
}

/** What operators see of a key: neither its secret nor the hash. Times are ISO 8601. */
export interface KeySummary {
  id: number
  name: string | null
  role: Role
  scopes: Scope[]
  remaining_credits: number
  /** `REQUESTS/SECONDS`; null: none. */
  rate_limit: string | null
  status: 'active' | 'revoked' | 'expired'
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}

/** The key does not exist, or the change is not possible. */
export class KeyError extends OperatorError {
  override name = 'KeyError'
}

function unknownKey(id: number): KeyError {
  return new KeyError(`There is no key ${id}`)
}

function summary(sql: SqlOrTransaction) {
  return sql`
    id, name, role, to_json(scopes) as scopes,
    (select credits from balances where api_key_id = id) as remaining_credits,
    rate_limit_requests || '/' || rate_limit_seconds as rate_limit,
    case
      when revoked_at is not null then 'revoked'
      when expires_at <= now() then 'expired'
      else 'active'
    end as status, ${selectTime(sql, sql`created_at`)} as created_at, ${selectTime(sql, sql`expires_at`)} as expires_at,
    ${selectTime(sql, sql`last_used_at`)} as last_used_at`
}

/** Creates a key. Its `secret` is not stored, so nothing can return it again. */
export function createKey(sql: Sql, key: NewKey): Promise<{ secret: string; key: KeySummary }> {
  const secret = randomUUID()
  return sql.begin(async (tx) => {
    const [created] = await tx<{ id: number }[]>`
      insert into api_keys (role, scopes, rate_limit_requests, rate_limit_seconds, expires_at, name)
      values (${key.role}, ${sql.typed.texts(key.scopes)}, ${key.rateLimit?.requests ?? null},
        ${key.rateLimit?.seconds ?? null}, ${key.expiresAt}, ${key.name})
      returning id`
    if (created === undefined) throw new Error('the key was not stored')
    await tx`insert into api_key_secrets (hash, api_key_id) values (${hashSecret(secret)}, ${created.id})`
    const grant = await grantCredits(tx, created.id, key.credits)
    return { secret, key: grant.key }
  })
}

/** Which keys to list. Without members: all. */
export interface KeyFilter {
  /** Only user keys with fewer credits. */
  below?: number
  /** Only keys whose name contains this text, ignoring case. */
  name?: string
}

/** Lists the keys that are not deleted, oldest first. */
export function listKeys(sql: Sql, { below, name }: KeyFilter = {}): Promise<KeySummary[]> {
  return sql<KeySummary[]>`
    select ${summary(sql)} from api_keys
    where deleted_at is null
      and (${below ?? null}::bigint is null or role = 'user' and
        (select credits from balances where api_key_id = id) < ${below ?? null}::bigint)
      and (${name ?? null}::text is null or strpos(lower(name), lower(${name ?? null}::text)) > 0)
    order by id`
}

/** Lists a page of the keys that are not deleted, oldest first, from one snapshot. */
export async function listKeyPage(sql: Sql, page: Page<number>): Promise<ListPage> {
  const { after, size } = page
  const skipped =
    after === undefined ? sql`${offsetOf(page)}::bigint` : sql`count(*) filter (where id <= ${after})`
  const rows = await sql<({ total: number; skipped: number } & (KeySummary | { id: null }))[]>`
    with place as (select count(*) as total, ${skipped} as skipped from api_keys where deleted_at is null)
    select place.*, page.* from place left join lateral (
      select ${summary(sql)} from api_keys where deleted_at is null order by id limit ${size} offset place.skipped
    ) page on true
    order by page.id`
  const [{ total, skipped: offset } = { total: 0, skipped: 0 }] = rows
  const keys = rows.flatMap(({ total: _total, skipped: _skipped, ...key }) => (key.id === null ? [] : [key]))
  const items = Buffer.from(keys.map((key) => JSON.stringify(key)).join(','))
  return { total, offset, count: keys.length, items, next: keys.at(-1)?.id }
}

/** What became of a grant, and the key after it. */
export interface Grant {
  /** `repeated`: it was granted under the same reference before, and nothing has changed. */
  outcome: 'granted' | 'repeated'
  key: KeySummary
}

/** A row of the type `grant_decision`. */
interface GrantRow {
  outcome: Grant['outcome'] | 'conflict' | 'out_of_range' | 'unknown_key'
  /** Credits that were granted under the reference. */
  granted: number | null
}

/**
 * Adds credits to a key; a negative number withdraws them. Under a reference, which is the key's own, does so once.
 * Throws `KeyError` when the balance would leave the range from 0 to `maxBalance`, or when another number of credits
 * was granted under the reference.
 */
export async function grantCredits(
  sql: SqlOrTransaction,
  id: number,
  credits: number,
  reference: string | null = null,
): Promise<Grant> {
  const [row] = await sql<GrantRow[]>`select * from grant_credits(${id}, ${credits}, ${reference})`
  if (row === undefined) throw new Error('the grant was not decided')
  const { outcome, granted } = row
  if (outcome === 'unknown_key') throw unknownKey(id)
  const key = await getKey(sql, id)
  const { remaining_credits: balance } = key
  switch (outcome) {
    case 'granted':
    case 'repeated':
      return { outcome, key }
    case 'conflict':
      throw new KeyError(
        `Under the reference "${reference}", key ${id} was granted ${granted} credits, not ${credits}; ` +
          'use another reference for another grant',
      )
    case 'out_of_range':
      throw new KeyError(
        credits < 0
          ? `Key ${id} has ${balance} credits: ${-credits} can't be withdrawn; grant at least ${-balance}`
          : `Key ${id} has ${balance} credits: ${credits} more would exceed the highest balance, ${maxBalance}`,
      )
  }
}

/** Sets or removes a key's rate limit, and ends its window. */
export function setRateLimit(sql: Sql, id: number, limit: RateLimit | null): Promise<KeySummary> {
  return sql.begin(async (tx) => {
    const key = await changeKey(
      tx,
      id,
      tx`rate_limit_requests = ${limit?.requests ?? null}, rate_limit_seconds = ${limit?.seconds ?? null}`,
    )
    await tx`delete from rate_limit_windows where api_key_id = ${id}` // the key's row is locked: nobody adds a window
    return key
  })
}

/** Revokes a key from its next request on, until `restoreKey`. */
export function revokeKey(sql: Sql, id: number): Promise<KeySummary> {
  return changeKey(sql, id, sql`revoked_at = coalesce(revoked_at, now())`)
}

/** Undoes `revokeKey`. */
export function restoreKey(sql: Sql, id: number): Promise<KeySummary> {
  return changeKey(sql, id, sql`revoked_at = null`)
}

/** Deletes a key for good. Its ledger stays. */
export function deleteKey(sql: Sql, id: number): Promise<KeySummary> {
  return changeKey(sql, id, sql`deleted_at = now()`)
}

/** Creates a new secret for a key. The old ones work for another `graceSeconds`. */
export function rotateKey(
  sql: Sql,
  id: number,
  graceSeconds: number,
): Promise<{ secret: string; key: KeySummary }> {
  const secret = randomUUID()
  return sql.begin(async (tx) => {
    await tx`select from api_keys where id = ${id} for update` // of two concurrent rotations the later one wins
    const key = await getKey(tx, id)
    await tx`
      update api_key_secrets
      set expires_at = least(expires_at, now() + make_interval(secs => ${graceSeconds}))
      where api_key_id = ${id}`
    await tx`insert into api_key_secrets (hash, api_key_id) values (${hashSecret(secret)}, ${id})`
    return { secret, key }
  })
}

/** Returns a key that isn't deleted. Throws `KeyError` if there is none. */
export async function getKey(sql: SqlOrTransaction, id: number): Promise<KeySummary> {
  const [key] = await sql<KeySummary[]>`
    select ${summary(sql)} from api_keys where id = ${id} and deleted_at is null`
  if (key === undefined) throw unknownKey(id)
  return key
}

async function changeKey(sql: SqlOrTransaction, id: number, change: Fragment): Promise<KeySummary> {
  const { count } = await sql`update api_keys set ${change} where id = ${id} and deleted_at is null`
  if (count === 0) throw unknownKey(id)
  // Not `returning`, which, after a lock wait, has the balance from before it.
  const [key] = await sql<KeySummary[]>`select ${summary(sql)} from api_keys where id = ${id}`
  if (key === undefined) throw new Error('the key is missing')
  return key
}
