/**
 * Settles requests: decides which keys may have their response, and charges them. One call of the SQL function `settle`
 * does this for a group of requests, and commits before any response is sent (decisions/0001-billing.md). The statement
 * that calls it may also read the responses.
 */
import postgres from 'postgres'
import {
  type Fragment,
  isEmbedded,
  readStatementLimit,
  responseMarginSeconds,
  type Sql,
  writeBytes,
} from '../database/connect.ts'
import type { RateLimit, UsedConnection } from './api-key.ts'
import type { Idempotency } from './idempotency-keys.ts'

/** What a request asks of the ledger. */
export interface SettleRequest {
  keyId: number
  /** SHA-256 of the secret. */
  secretHash: Buffer
  /** Undefined: the request was sent with the key. */
  connection?: UsedConnection | undefined
  /** Whether the request counts against the rate limit. */
  isCounted: boolean
  /** The version that the dataset must have; null: any. */
  version: number | null
  /** Null: the request is free. */
  charge: Charge | null
  /** Aborted when the client closes its connection. */
  signal?: AbortSignal
}

/** A response that costs credits, and what the ledger records about it. */
export interface Charge {
  /**
   * In credits; an empty page costs 0. Null: one for each item that the same statement finds. Admin keys are never
   * charged.
   */
  price: number | null
  /** In the response. Null: as many as the price. */
  items: number | null
  /** The most credits that the client is ready to pay. Null: any price. */
  maxCredits: number | null
  /** A UUID. */
  requestId: string
  /** Without the query. For a resource that doesn't exist, the endpoint: the ledger doesn't keep unknown names. */
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
    | 'insufficient' // `due` is higher than the balance, or than what the connection may still spend
    | 'conflict' // the idempotency key belongs to another request
  /** In credits: the price, or what is not paid yet under the idempotency key. */
  due: number
  /** In credits: `due`, or 0 when the request is refused. */
  charged: number
  /** In credits, after this request. Of a connection: what it may still spend. */
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
  /** The dataset's version when the statement began. */
  version: number
}

/** The dataset does not have the version that the request needs. Nothing was decided. */
export interface Stale {
  outcome: 'stale'
  /** The dataset's version. */
  version: number
}

/** Another session has locked the key's row. Nothing was decided. */
interface Locked {
  outcome: 'locked'
}

type Decision = Settlement | Stale | Locked

/** A row of the type `settlement`. */
export interface SettlementRow {
  /** Of the request, from 1. */
  place: number
  outcome: Decision['outcome']
  due: number
  charged: number
  balance: number
  rate_limit_requests: number | null
  rate_limit_seconds: number | null
  used: number
  reset_seconds: number | null
}

/**
 * SQL: settles requests, each at its place in the array; undefined: a place without a request. The value is a JSON
 * array of `SettlementRow`, without order; null: nothing is settled, because the statement is older than `maxAgeMs`.
 * With `waitForLocks`, waits for locked keys, for 5 seconds at most. Without, their requests are `locked`. `foundItems`
 * is SQL: an array of the number of items found for each place. If it is null, there is no such resource: a request
 * without a price then has no row. The statement reads `dataset`.
 */
export function callSettle(
  sql: Sql,
  requests: readonly (SettleRequest | undefined)[],
  {
    waitForLocks,
    maxAgeMs,
    foundItems = sql`'{}'`,
  }: { waitForLocks: boolean; maxAgeMs?: number | undefined; foundItems?: Fragment },
): Fragment {
  const input = requests.flatMap((request, index) =>
    request === undefined ? [] : toInput(request, index + 1),
  )
  return sql`case when ${maxAgeMs === undefined ? sql`true` : isYounger(sql, maxAgeMs)} then settle(
    ${JSON.stringify(input)}::text::json, ${waitForLocks}, dataset.version, ${foundItems}, ${readStatementLimit(sql)}::integer
  ) end`
}

/** Settles a group of requests, and returns the decisions in their order. */
export async function settleGroup(
  sql: Sql,
  requests: readonly SettleRequest[],
  { waitForLocks }: { waitForLocks: boolean },
): Promise<Decision[]> {
  // A statement that waits for the embedded database's session must not charge after its caller has stopped waiting.
  const maxAgeMs = isEmbedded(sql) ? responseMarginSeconds * 1_000 : undefined
  const [result] = await sql<{ version: number; settlements: SettlementRow[] | null }[]>`
    select version, ${callSettle(sql, requests, { waitForLocks, maxAgeMs })} as settlements from dataset`
  if (result === undefined) throw new Error('the dataset row is missing')
  const { version, settlements } = result
  if (settlements === null) return settleGroup(sql, requests, { waitForLocks }) // nothing is settled yet
  return settlements.sort((a, b) => a.place - b.place).map((row) => toDecision(row, version))
}

/** Whether an error comes from settling: the statement's other work didn't fail. */
export function isSettlingError(error: unknown): boolean {
  // The server may translate the words around the function's name, and quote it.
  return error instanceof postgres.PostgresError && / "?settle"?\("?json"?,/.test(error.where ?? '')
}

/** Returns the JSON object of the type `settle_request`. */
function toInput(
  { keyId, secretHash, connection, version, isCounted, charge }: SettleRequest,
  place: number,
) {
  return {
    place,
    key_id: keyId,
    secret_hash: writeBytes(secretHash),
    ...(connection && { connection_id: connection.id, token_hash: writeBytes(connection.tokenHash) }),
    version,
    is_counted: isCounted,
    price: charge === null ? 0 : charge.price,
    max_credits: charge?.maxCredits,
    items: charge?.items,
    request_id: charge?.requestId,
    path: charge?.path,
    endpoint: charge?.endpoint,
    idempotency_key: charge?.idempotency?.key,
    request: charge?.idempotency?.request,
  }
}

/**
 * SQL: whether the statement was sent less than `maxAgeMs` ago. A server counts from its arrival. A statement may wait
 * for the embedded database's one session before it counts as arrived, but that database has this machine's clock.
 */
function isYounger(sql: Sql, maxAgeMs: number): Fragment {
  return isEmbedded(sql)
    ? sql`clock_timestamp() < to_timestamp(${(Date.now() + maxAgeMs) / 1_000}::double precision)`
    : sql`clock_timestamp() < now() + ${maxAgeMs}::integer * interval '1 millisecond'`
}

/** Returns the decision of a row. `version` is the dataset's. */
export function toDecision(
  { outcome, due, charged, balance, used, ...row }: SettlementRow,
  version: number,
): Decision {
  if (outcome === 'stale') return { outcome, version }
  if (outcome === 'locked') return { outcome }
  const { rate_limit_requests: requests, rate_limit_seconds: seconds, reset_seconds: resetSeconds } = row
  const rateLimit =
    requests === null || seconds === null || resetSeconds === null
      ? undefined
      : { limit: { requests, seconds }, remaining: Math.max(0, requests - used), resetSeconds }
  return { outcome, due, charged, balance, rateLimit, version }
}
