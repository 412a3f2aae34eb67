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
import type { RateLimit } from './api-key.ts'
import type { Idempotency } from './idempotency-keys.ts'

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
  /** In credits, when nothing is found. The response has no items then. */
  priceIfAbsent: number
}

/** A response that costs credits, and what the ledger records about it. */
export interface Charge {
  /** In credits; an empty page costs 0. Admin keys are never charged. */
  price: number
  /** The most credits that the client is ready to pay. Null: any price. */
  maxCredits: number | null
  /** In the response. */
  items: number
  /** A UUID. */
  requestId: string
  /** Without the query. Of a look-up that finds nothing, the ledger records the endpoint instead. */
  path: string
  /** The route's pattern. */
  endpoint: string
  /** Null: the request has no idempotency key. */
  idempotency: Idempotency | null
}

/** The decision about a request. Nothing is charged unless it is `settled` or `replayed`. */
export interface Settlement {
  outcome:
    | 'settled' // the key may have the response, and `charged` credits were taken
    | 'replayed' // the same, and the key paid before under this idempotency key, at least in part
    | 'unusable' // the key is unknown, revoked, deleted or expired
    | 'throttled' // the rate limit is used up
    | 'over_max_credits' // `due` is higher than `maxCredits`
    | 'insufficient' // `due` is higher than the balance
    | 'conflict' // the idempotency key belongs to another request
  /** In credits: the price, or what is not paid yet under the idempotency key. */
  due: number
  /** In credits: `due`, or 0 when the request is refused. */
  charged: number
  /** In credits, after this request. */
  balance: number
  /** After this request. Undefined: the key has no rate limit. */
  rateLimit:
    | {
        limit: RateLimit
        /** Requests left in this window. */
        remaining: number
        /** Until the window ends; not a whole number. */
        resetSeconds: number
      }
    | undefined
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

/** A row of the type `settlement`. */
interface Row {
  n: number
  outcome: (Settlement | Stale | Locked)['outcome']
  due: number
  charged: number
  balance: number
  rate_limit_requests: number | null
  rate_limit_seconds: number | null
  used: number
  reset_seconds: number | null
}

/** The first row has the settlements of the whole group. Row n has the document of request n, if any. */
interface ResultRow {
  version: number
  rows: Row[] | null
  document: string | null
}

const noLookUp = { kind: '', key: '' }

/**
 * Settles a group of requests, and returns the decisions in their order. With `waitForLocks`, waits for locked keys, for
 * 5 seconds at most. Without, their requests are `locked`.
 */
export async function settleGroup(
  sql: Sql,
  requests: readonly SettleRequest[],
  { waitForLocks }: { waitForLocks: boolean },
): Promise<(Settlement | Stale | Locked)[]> {
  const input = requests.map(({ keyId, secretHash, version, isCounted, charge, lookUp }, n) => ({
    n,
    key_id: keyId,
    secret_hash: `\\x${secretHash.toString('hex')}`,
    version,
    is_counted: isCounted,
    price: charge?.price ?? 0,
    max_credits: charge?.maxCredits,
    items: charge?.items,
    request_id: charge?.requestId,
    path: charge?.path,
    endpoint: charge?.endpoint,
    idempotency_key: charge?.idempotency?.key,
    request: charge?.idempotency?.request,
    if_absent: lookUp && {
      price: lookUp.priceIfAbsent,
      items: 0,
      path: charge?.endpoint, // the ledger doesn't keep names that nobody has, or nobody has any more
      ...(lookUp.priceIfAbsent === 0 && { idempotency_key: null }), // what is free is not a repetition
    },
  }))
  const settled = (absent: Fragment) => sql`
    select version, case when ${isAwaited(sql)} then settle(
      ${JSON.stringify(input)}::text::json, ${waitForLocks}, version, ${absent}, ${readStatementLimit(sql)}::integer
    ) end as rows
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
  if (rows === null) return settleGroup(sql, requests, { waitForLocks }) // nothing is settled yet
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

function toSettlement(
  { outcome, due, charged, balance, used, ...row }: Row,
  version: number,
  document: string | undefined,
): Settlement | Stale | Locked {
  if (outcome === 'stale') return { outcome, version }
  if (outcome === 'locked') return { outcome }
  const { rate_limit_requests: requests, rate_limit_seconds: seconds, reset_seconds: resetSeconds } = row
  const rateLimit =
    requests === null || seconds === null || resetSeconds === null
      ? undefined
      : { limit: { requests, seconds }, remaining: Math.max(0, requests - used), resetSeconds }
  return { outcome, due, charged, balance, rateLimit, version, document }
}
