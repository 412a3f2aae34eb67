/** What operators do with keys: create them, grant credits, limit, rotate, revoke and delete them. */
import { Buffer } from 'node:buffer'
import { hash, randomUUID } from 'node:crypto'
import { type Fragment, type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { OperatorError } from '../errors.ts'
import { foldText } from '../names/case-folding.ts'
import { type ListPage, offsetOf, type Page } from '../paging/page.ts'
import { hashSecret, type RateLimit, type Role, type Scope } from './api-key.ts'

/** JSON numbers are exact up to this. */
export const maxBalance = Number.MAX_SAFE_INTEGER
export const maxKeyId = 2 ** 31 - 1
/** How long the secret before a rotation may work: 366 days. */
export const maxGraceSeconds = 366 * 86_400

export interface NewKey {
  role: Role
  scopes: readonly Scope[]
  /** In credits. */
  credits: number
  rateLimit: RateLimit | null
  /** A notice is sent when a charge takes the balance below this. Null or missing: none. */
  notifyBelow?: number | null | undefined
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
  /** In credits; null: no notice of a low balance. */
  notify_below: number | null
  /** `deleted`: only in the responses of `deleteKey` and `findKeyBySecret`. */
  status: 'active' | 'revoked' | 'expired' | 'deleted'
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}

/** Why a key can't be changed. */
export type KeyProblem = 'unknown_key' | 'conflict' | 'out_of_range' | 'expired'

/** The key does not exist, or the change is not possible. */
export class KeyError extends OperatorError {
  override name = 'KeyError'
  readonly problem: KeyProblem

  constructor(problem: KeyProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

function unknownKey(id: number): KeyError {
  return new KeyError('unknown_key', `There is no key ${id}`)
}

/**
 * Which keys a caller may change. `user`: only user keys, with functions that have the rights of the schema's owner
 * (api/database/roles.sql); to them, other keys don't exist.
 */
export type KeyAccess = 'any' | 'user'

/** The SQL functions that change keys. */
const functions = {
  any: { change: 'change_key', grant: 'grant_credits' },
  user: { change: 'change_user_key', grant: 'grant_user_credits' },
} as const

function summary(sql: SqlOrTransaction) {
  return sql`
    id, name, role, to_json(scopes) as scopes,
    (select credits from balances where api_key_id = id) as remaining_credits,
    rate_limit_requests || '/' || rate_limit_seconds as rate_limit, notify_below,
    case
      when deleted_at is not null then 'deleted'
      when revoked_at is not null then 'revoked'
      when expires_at <= now() then 'expired'
      else 'active'
    end as status, ${selectTime(sql, sql`created_at`)} as created_at, ${selectTime(sql, sql`expires_at`)} as expires_at,
    ${selectTime(sql, sql`last_used_at`)} as last_used_at`
}

/**
 * Runs `work` with a new secret in a transaction, so that a failed read of the key undoes the new secret: nothing could
 * return it again. If this process freezes before the commit, charges of the key wait for ten seconds at most.
 */
async function withNewSecret<Result>(
  sql: Sql,
  work: (tx: SqlOrTransaction, secret: string) => Promise<Result>,
  newSecret: string = randomUUID(),
): Promise<Result> {
  const { result } = await sql.begin('isolation level read committed', async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = '10s'`
    return { result: await work(tx, newSecret) }
  })
  return result
}

/** Creates a key. Its `secret`, which the caller may have made, is not stored. */
export function createKey(
  sql: Sql,
  key: NewKey,
  newSecret?: string,
): Promise<{ secret: string; key: KeySummary }> {
  const create = async (tx: SqlOrTransaction, secret: string) => {
    const [created] = await tx<{ id: number }[]>`
      select create_key(${writeNewKey(key)}::text::jsonb, ${hashSecret(secret)}) as id`
    if (created === undefined) throw new Error('the key was not stored')
    return { secret, key: await getKey(tx, created.id) }
  }
  return withNewSecret(sql, create, newSecret)
}

/** What became of a request for a key, and the key. */
export interface KeyCreation {
  /** `repeated`: the same was asked for under the reference before, and nothing has changed. */
  outcome: 'created' | 'repeated'
  /** Null: it was shown before. */
  secret: string | null
  key: KeySummary
}

/**
 * Creates a user key for the admin key `maker`, once under a reference, which is the maker's own. `request` is what was
 * asked for. Throws `KeyError` when something else was asked for under the reference, when its key was deleted, or when
 * a new key would have expired.
 */
export function createUserKey(
  sql: Sql,
  { maker, reference, request }: { maker: number; reference: string; request: string },
  newKey: Omit<NewKey, 'role'>,
): Promise<KeyCreation> {
  return withNewSecret(sql, async (tx, secret) => {
    const [row] = await tx<{ outcome: KeyCreation['outcome'] | 'conflict' | 'expired'; key_id: number }[]>`
      select * from create_user_key(
        ${maker}, ${reference}, ${hash('sha256', request, 'buffer')}, ${writeNewKey(newKey)}::text::jsonb, ${hashSecret(secret)}
      )`
    if (row === undefined) throw new Error('the request for a key was not decided')
    const { outcome, key_id: id } = row
    if (outcome === 'expired') throw new KeyError('expired', 'A new key must expire in the future')
    if (outcome === 'conflict') {
      throw new KeyError(
        'conflict',
        `Under the reference "${reference}", key ${id} was made from another body; use another reference for another key`,
      )
    }
    const key = await getKey(tx, id).catch((error) => {
      if (!(error instanceof KeyError)) throw error
      throw new KeyError(
        'conflict',
        `Under the reference "${reference}", key ${id} was made and later deleted; use another reference for another key`,
      )
    })
    return { outcome, secret: outcome === 'created' ? secret : null, key }
  })
}

/** Writes the argument of the SQL function `create_key`. */
function writeNewKey({ rateLimit, notifyBelow, expiresAt, ...key }: Omit<NewKey, 'role'>): string {
  const members = { notify_below: notifyBelow ?? null, expires_at: expiresAt }
  return JSON.stringify({ ...key, ...writeRateLimit(rateLimit), ...members })
}

function writeRateLimit(limit: RateLimit | null) {
  return { rate_limit_requests: limit?.requests ?? null, rate_limit_seconds: limit?.seconds ?? null }
}

/** Which keys to list. Without members: all. */
export interface KeyFilter {
  /** Only user keys with fewer credits. */
  below?: number | undefined
  /** Only keys whose name contains this text, ignoring case. */
  name?: string | undefined
}

/** SQL: whether a key isn't deleted, and matches a filter. `named` is what `findNamed` returns. */
function isListed(sql: Sql, { below }: KeyFilter, named: readonly number[] | undefined): Fragment {
  return sql`
    deleted_at is null
      and (${below ?? null}::bigint is null or role = 'user' and
        (select credits from balances where api_key_id = id) < ${below ?? null}::bigint)
      and (${named === undefined} or id = any (${sql.typed.bigints(named ?? [])}))`
}

/** Finds the keys whose name matches a filter. Undefined: all do. The database may not know the case of all letters. */
async function findNamed(sql: Sql, { name }: KeyFilter): Promise<number[] | undefined> {
  if (name === undefined) return undefined
  const keys = await sql<{ id: number; name: string }[]>`
    select id, name from api_keys where name is not null and deleted_at is null`
  const folded = foldText(name)
  return keys.filter((key) => foldText(key.name).includes(folded)).map(({ id }) => id)
}

/** Lists the keys that are not deleted, oldest first. */
export async function listKeys(sql: Sql, filter: KeyFilter = {}): Promise<KeySummary[]> {
  const named = await findNamed(sql, filter)
  return await sql<KeySummary[]>`
    select ${summary(sql)} from api_keys where ${isListed(sql, filter, named)} order by id`
}

/** Lists a page of the keys that are not deleted, oldest first, from one snapshot, but for the names of a filter. */
export async function listKeyPage(sql: Sql, page: Page<number>, filter: KeyFilter = {}): Promise<ListPage> {
  const { after, size } = page
  const named = await findNamed(sql, filter)
  const skipped =
    after === undefined ? sql`${offsetOf(page)}::bigint` : sql`count(*) filter (where id <= ${after})`
  const rows = await sql<({ total: number; skipped: number } & (KeySummary | { id: null }))[]>`
    with listed as (select id from api_keys where ${isListed(sql, filter, named)}),
    place as (select count(*) as total, ${skipped} as skipped from listed)
    select place.*, page.* from place left join lateral (
      select ${summary(sql)} from api_keys
      where id in (select id from listed order by id limit ${size} offset place.skipped) order by id
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
  access: KeyAccess = 'any',
): Promise<Grant> {
  const [row] = await sql<GrantRow[]>`
    select * from ${sql(functions[access].grant)}(${id}, ${credits}, ${reference})`
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
        'conflict',
        `Under the reference "${reference}", key ${id} was granted ${granted} credits, not ${credits}; ` +
          'use another reference for another grant',
      )
    case 'out_of_range':
      throw new KeyError(
        'out_of_range',
        credits < 0
          ? `Key ${id} has ${balance} credits: ${-credits} can't be withdrawn; grant at least ${-balance}`
          : `Key ${id} has ${balance} credits: ${credits} more would exceed the highest balance, ${maxBalance}`,
      )
  }
}

/** What to change of a key. */
export interface KeyChange {
  name?: string | null | undefined
  /** Ends the window of the one before. Null: none. */
  rateLimit?: RateLimit | null | undefined
  notifyBelow?: number | null | undefined
  isRevoked?: boolean
}

/** Changes a key, and returns it. */
export async function changeKey(
  sql: Sql,
  id: number,
  { rateLimit, notifyBelow, isRevoked, ...change }: KeyChange,
  access: KeyAccess = 'any',
): Promise<KeySummary> {
  const members = JSON.stringify({
    ...change,
    ...(rateLimit !== undefined && writeRateLimit(rateLimit)),
    notify_below: notifyBelow,
    is_revoked: isRevoked,
  })
  const [row] = await sql<{ changed: boolean }[]>`
    select ${sql(functions[access].change)}(${id}, ${members}::text::jsonb) as changed`
  if (row?.changed !== true) throw unknownKey(id)
  return getKey(sql, id)
}

/** Sets or removes a key's rate limit, and ends its window. */
export function setRateLimit(sql: Sql, id: number, rateLimit: RateLimit | null): Promise<KeySummary> {
  return changeKey(sql, id, { rateLimit })
}

/** Revokes a key from its next request on, until `restoreKey`. */
export function revokeKey(sql: Sql, id: number, access?: KeyAccess): Promise<KeySummary> {
  return changeKey(sql, id, { isRevoked: true }, access)
}

/** Undoes `revokeKey`. */
export function restoreKey(sql: Sql, id: number, access?: KeyAccess): Promise<KeySummary> {
  return changeKey(sql, id, { isRevoked: false }, access)
}

/** Deletes a key for good. Its ledger stays. */
export async function deleteKey(sql: Sql, id: number): Promise<KeySummary> {
  const { count } = await sql`update api_keys set deleted_at = now() where id = ${id} and deleted_at is null`
  if (count === 0) throw unknownKey(id)
  return await readKey(sql, id)
}

/** Reads a key that exists, also one that is deleted. */
async function readKey(sql: Sql, id: number): Promise<KeySummary> {
  const [key] = await sql<KeySummary[]>`select ${summary(sql)} from api_keys where id = ${id}`
  if (key === undefined) throw new Error('the key is missing')
  return key
}

/** Creates a new secret for a key. The old ones work for another `graceSeconds`. */
export function rotateKey(
  sql: Sql,
  id: number,
  graceSeconds: number,
): Promise<{ secret: string; key: KeySummary }> {
  return withNewSecret(sql, async (tx, secret) => {
    const [row] = await tx<{ outcome: string }[]>`
      select rotate_key(${id}, ${hashSecret(secret)}, ${graceSeconds}) as outcome`
    if (row?.outcome !== 'rotated') throw unknownKey(id)
    return { secret, key: await getKey(tx, id) }
  })
}

/**
 * Does so for a user key; under a reference, which is the key's own, once. Throws `KeyError` when the key was rotated
 * under the reference with another grace period.
 */
export function rotateUserKey(
  sql: Sql,
  id: number,
  { graceSeconds, reference }: { graceSeconds: number; reference: string | undefined },
): Promise<Omit<KeyCreation, 'outcome'>> {
  return withNewSecret(sql, async (tx, secret) => {
    const [row] = await tx<{ outcome: 'rotated' | 'repeated' | 'conflict' | 'unknown_key' }[]>`
      select rotate_user_key(${id}, ${hashSecret(secret)}, ${graceSeconds}, ${reference ?? null}) as outcome`
    if (row === undefined) throw new Error('the rotation was not decided')
    if (row.outcome === 'unknown_key') throw unknownKey(id)
    if (row.outcome === 'conflict') {
      throw new KeyError(
        'conflict',
        `Under the reference "${reference}", key ${id} was rotated with another grace_seconds; use another reference for another rotation`,
      )
    }
    return { secret: row.outcome === 'rotated' ? secret : null, key: await getKey(tx, id) }
  })
}

/** Returns a key that isn't deleted. Throws `KeyError` if there is none. */
export async function getKey(sql: SqlOrTransaction, id: number): Promise<KeySummary> {
  const [key] = await sql<KeySummary[]>`
    select ${summary(sql)} from api_keys where id = ${id} and deleted_at is null`
  if (key === undefined) throw unknownKey(id)
  return key
}

/**
 * Finds the key of a secret, also one that is revoked, expired or deleted, and says whether a rotation has ended the
 * secret. Undefined: no key has it.
 */
export async function findKeyBySecret(
  sql: Sql,
  secret: string,
): Promise<{ key: KeySummary; isReplaced: boolean } | undefined> {
  const [row] = await sql<{ id: number; replaced: boolean }[]>`
    select api_key_id as id, expires_at <= now() is true as replaced
    from api_key_secrets where hash = ${hashSecret(secret)}`
  return row && { key: await readKey(sql, row.id), isReplaced: row.replaced }
}
