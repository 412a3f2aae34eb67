/**
 * Settles requests: decides which keys may have their response, and charges them. One call of the SQL function `settle`
 * does this for a group of requests, and commits before any response is sent (decisions/0001-billing.md).
 *
 * @module
 */
import { type LookUp, selectDocument } from '../catalog/document-lookup.ts'
import {
  type Fragment,
  isEmbedded,
  readStatementLimit,
  responseMarginSeconds,
  type Sql,
} from '../database/connect.ts'
import type { RateLimitState } from './rate-limit.ts'

/** What a request asks of the ledger. */
export interface SettleRequest {
  keyId: number
  /** SHA-256 of the secret. */
  secretHash: Buffer
  /** Whether the request counts against the rate limit. */
  isCounted: boolean
  /** The version that the dataset must have; null: any. */
  version: number | null
  /** Null: the request is free. */
  charge: Charge | null
  /** A look-up in the same statement; null: none. */
  lookUp: PricedLookUp | null
  /** Aborted when the client closes its connection. */
  signal?: AbortSignal
}

/** A document that is charged for in the statement that reads it. */
export interface PricedLookUp extends LookUp {
  /** Cost in credits when nothing is found. The response has no items then. */
  costIfAbsent: number
}

/** A response that costs credits, and what the ledger records about it. */
export interface Charge {
  /** In credits; an empty page costs 0. Admin keys are never charged. */
  cost: number
  /** The most credits that the client is ready to pay. Null: any cost. */
  maxCredits: number | null
  /** Number of items in the response. */
  items: number
  /** A UUID. */
  requestId: string
  /** Path of the request, without the query. */
  path: string
  /** The route's pattern. */
  endpoint: string
  /** Null: the request has no idempotency key. */
  idempotency: Idempotency | null
}

/** Digests of an `Idempotency-Key` and of its request, in the form of UUIDs. */
export interface Idempotency {
  key: string
  request: string
}

/**
 * The decision about a request. Nothing is charged unless it is `settled` or `replayed`:
 * - `settled`: the key may have the response, and `charged` credits were taken
 * - `replayed`: the same, and the key paid before under this idempotency key, at least in part
 * - `unusable`: the key is unknown, revoked, deleted or expired
 * - `throttled`: the rate limit is used up
 * - `over_max_credits`: the cost is higher than `maxCredits`
 * - `insufficient`: the cost is higher than the balance
 * - `conflict`: the idempotency key belongs to another request
 */
export interface Settlement {
  outcome:
    | 'settled'
    | 'replayed'
    | 'unusable'
    | 'throttled'
    | 'over_max_credits'
    | 'insufficient'
    | 'conflict'
  /** In credits. For a repetition, what is not paid yet under its idempotency key. */
  cost: number
  /** In credits: `cost`, or 0 when the request is refused. */
  charged: number
  /** In credits, after this request. */
  balance: number
  /** Undefined: the key has no rate limit. */
  rateLimit: RateLimitState | undefined
  /** The dataset's version at that moment. */
  version: number
  /** The document found, as JSON text, of that version. Undefined: none was found or looked up. */
  document: string | undefined
}

/** The dataset does not have the version that the request needs. Nothing was decided. */
export interface Stale {
  outcome: 'stale'
  /** The dataset's version. */
  version: number
}

/** Another session has locked the key's row. Nothing was decided. */
export interface Locked {
  outcome: 'locked'
}

export interface SettleOptions {
  /** Whether to wait for locked keys, for 5 seconds at most. If not, their requests are `locked`. */
  waitForLocks: boolean
}

interface Row {
  n: number
  outcome: (Settlement | Locked)['outcome']
  cost: number
  charged: number
  balance: number
  quota: number | null
  window: number | null
  used: number
  reset: number | null
}

/** The first row has the settlements of the whole group. Row n has the document of request n, if any. */
interface ResultRow {
  version: number
  rows: Row[] | null
  document: string | null
}

const noLookUp = { kind: '', key: '' }

/** Settles a group of requests, and returns the decisions in their order. */
export async function settleGroup(
  sql: Sql,
  requests: readonly SettleRequest[],
  options: SettleOptions,
): Promise<(Settlement | Stale | Locked)[]> {
  const versions = new Set(requests.flatMap(({ version }) => version ?? []))
  const expected = versions.size === 0 ? null : Math.max(...versions)
  // Versions only increase, so requests that expect a lower version than the highest are stale.
  if (expected !== null && versions.size > 1) return settleOfVersion(sql, requests, expected, options)
  const input = requests.map(({ keyId, secretHash, isCounted, charge, lookUp }, n) => ({
    n,
    key_id: keyId,
    secret_hash: `\\x${secretHash.toString('hex')}`,
    is_counted: isCounted,
    cost: charge?.cost ?? 0,
    max_credits: charge?.maxCredits,
    items: charge?.items,
    request_id: charge?.requestId,
    path: charge?.path,
    endpoint: charge?.endpoint,
    idempotency_key: charge?.idempotency?.key,
    request: charge?.idempotency?.request,
    cost_if_absent: lookUp?.costIfAbsent,
  }))
  // `case` settles nothing if the version differs, or if the statement has waited too long. Then `rows` is null, and
  // `settleOfVersion` retries with the version found.
  const settled = (absent: Fragment) => sql`
    select version,
      case when version = coalesce(${expected}::bigint, version) and ${isAwaited(sql)}
        then settle(
          ${JSON.stringify(input)}::text::json, ${options.waitForLocks}, ${absent}, ${readStatementLimit(sql)}::integer
        )
      end as rows
    from dataset`
  const lookUps = requests.map(({ lookUp }) => lookUp ?? noLookUp)
  // Without look-ups, the statement doesn't use the catalog's tables, so that locks on these don't delay it.
  const result = lookUps.every((lookUp) => lookUp === noLookUp)
    ? await sql<ResultRow[]>`select version, rows, null as document from (${settled(sql`'{}'`)}) settled`
    : await sql<ResultRow[]>`
      with found as materialized (
        select place - 1 as n, kind <> '' and document is null as is_absent, document
        from unnest(
            ${sql.typed.texts(lookUps.map(({ kind }) => kind))}, ${sql.typed.texts(lookUps.map(({ key }) => key))}
          ) with ordinality asked(kind, key, place)
          left join lateral (${selectDocument(sql)}) document on true
      ), settled as materialized (
        ${settled(sql`array(select n::integer from found where is_absent)`)}
      )
      select version, case when n = 0 then rows end as rows, document from settled, found order by n`
  const [first] = result
  if (first === undefined) throw new Error('the dataset row is missing')
  const { version, rows } = first
  if (rows === null) return settleOfVersion(sql, requests, version, options)
  return rows
    .sort((a, b) => a.n - b.n)
    .map((row) => toSettlement(row, version, result[row.n]?.document ?? undefined))
}

/**
 * SQL: whether the statement begins early enough to end before its caller stops waiting for it. This matters only for
 * the embedded database, where statements wait for the one session. It uses this machine's clock, so times compare.
 */
function isAwaited(sql: Sql): Fragment {
  if (!isEmbedded(sql)) return sql`true`
  return sql`now() < to_timestamp(${Date.now() / 1000 + responseMarginSeconds}::double precision)`
}

/** Settles the requests that need this version of the dataset or none. The others are stale. */
async function settleOfVersion(
  sql: Sql,
  requests: readonly SettleRequest[],
  version: number,
  options: SettleOptions,
): Promise<(Settlement | Stale | Locked)[]> {
  const isStale = (request: SettleRequest) => request.version !== null && request.version !== version
  const current = requests.filter((request) => !isStale(request))
  const settled = (current.length > 0 ? await settleGroup(sql, current, options) : []).values()
  return requests.map((request) => {
    const next = isStale(request) ? undefined : settled.next()
    return next?.value ?? { outcome: 'stale', version }
  })
}

function toSettlement(
  { outcome, cost, charged, balance, quota, window, used, reset }: Row,
  version: number,
  document: string | undefined,
): Settlement | Locked {
  if (outcome === 'locked') return { outcome }
  const isLimited = quota !== null && window !== null && reset !== null
  return {
    outcome,
    cost,
    charged,
    balance,
    rateLimit: isLimited
      ? {
          limit: { requests: quota, seconds: window },
          remaining: Math.max(0, quota - used),
          resetSeconds: reset,
        }
      : undefined,
    version,
    document,
  }
}
