/**
 * What the ledger decides for a request: may its key be used, does its rate limit let it pass, was it paid already,
 * can the key pay? And, when all is well, the debit. One statement does all of that for many requests at once, and
 * commits before any of them is answered; `settle` in the migrations is where it happens, and `in_time` there sees to
 * it that nothing is charged when nobody waits for it any more.
 *
 * @module
 */
import { type LookUp, selectDocument } from '../catalog/lookup.ts'
import {
  type Fragment,
  isEmbedded,
  readStatementLimit,
  responseMargin,
  type Sql,
} from '../database/connect.ts'
import type { RateLimitState } from './rate-limit.ts'

/** What a request asks of the ledger. */
export interface Claim {
  keyId: number
  /** SHA-256 of the key. */
  secretHash: Buffer
  /** Whether it counts against the rate limit. */
  counts: boolean
  /** The version that the dataset must have; null: any. */
  version: number | null
  /** What is bought; null for what is free. */
  purchase: Purchase | null
  /** What is looked up with the same statement, if the key may have it; null: nothing. */
  lookUp: PricedLookUp | null
  /** Aborted when the client is gone. */
  signal?: AbortSignal
}

/** A document that is bought unseen. */
export interface PricedLookUp extends LookUp {
  /** In credits: what it costs when there is no such thing. It has no items then. */
  costIfAbsent: number
}

/** An answer that costs credits, with what the ledger keeps of it. */
export interface Purchase {
  /** In credits; an empty page costs 0. Admin keys are never charged, whatever it says. */
  cost: number
  /** In credits: what the client is ready to pay. Null: any cost. */
  maxCredits: number | null
  /** Items in the answer. */
  items: number
  /** A UUID. */
  requestId: string
  /** Path of the request, without the query. */
  path: string
  /** The route's pattern. */
  endpoint: string
  /** Under which, for 24 hours, a repetition costs only what was not yet paid; null: none. */
  idempotency: Idempotency | null
}

/** An `Idempotency-Key` and the request that it came with, both as UUIDs that stand for them. */
export interface Idempotency {
  key: string
  request: string
}

/**
 * What was decided. Nothing was taken unless it is `settled` or `replayed`:
 * - `settled`: the key may have the answer, and `charged` credits were taken for it
 * - `replayed`: the same, and the key paid for it before under the same idempotency key, at least in part
 * - `unusable`: the key is unknown, revoked, deleted or expired
 * - `throttled`: its rate limit is used up
 * - `over_most`: it costs more than the client is ready to pay
 * - `insufficient`: it costs more than the key has
 * - `conflict`: the idempotency key belongs to another request
 */
export interface Settlement {
  outcome: 'settled' | 'replayed' | 'unusable' | 'throttled' | 'over_most' | 'insufficient' | 'conflict'
  /** In credits: what the request costs; a repetition, what was not yet paid under its idempotency key. */
  cost: number
  /** In credits: `cost`, or 0 when the request is refused. */
  charged: number
  /** In credits, after it. */
  balance: number
  /** Where the key stands in its window, if it has a limit. */
  rateLimit: RateLimitState | undefined
  /** The dataset's version at that moment. */
  version: number
  /** JSON text of what was looked up, as of that version; undefined: nothing was, or there is none. */
  document: string | undefined
}

/** The dataset has another version than the claim says: nothing was decided. */
export interface Stale {
  outcome: 'stale'
  /** The dataset's version. */
  version: number
}

/** The key's row is in other hands: nothing was decided. */
export interface Busy {
  outcome: 'busy'
}

interface Row {
  n: number
  outcome: (Settlement | Busy)['outcome']
  cost: number
  charged: number
  balance: number
  quota: number | null
  window: number | null
  used: number
  reset: number | null
}

/** The first one has the settlements, and each the document of the claim in its place, if it looks one up. */
interface SettledRow {
  version: number
  rows: Row[] | null
  document: string | null
}

const noLookUp = { kind: '', key: '' }

/**
 * Settles a group, in its order. A patient group waits up to five seconds for keys that are in other hands; another
 * one passes over them, and they are `busy`.
 */
export async function settleGroup(
  sql: Sql,
  claims: readonly Claim[],
  { patient }: { patient: boolean },
): Promise<(Settlement | Stale | Busy)[]> {
  const versions = new Set(claims.flatMap(({ version }) => version ?? []))
  const expected = versions.size === 0 ? null : Math.max(...versions)
  // The dataset had that version, and goes on from there: it is none of the others any more.
  if (expected !== null && versions.size > 1) return settleOthers(sql, claims, expected, { patient })
  const requests = claims.map(({ keyId, secretHash, counts, purchase, lookUp }, n) => ({
    n,
    key_id: keyId,
    secret: `\\x${secretHash.toString('hex')}`,
    counts,
    cost: purchase?.cost ?? 0,
    most: purchase?.maxCredits,
    items: purchase?.items,
    request_id: purchase?.requestId,
    path: purchase?.path,
    endpoint: purchase?.endpoint,
    idempotency_key: purchase?.idempotency?.key,
    request: purchase?.idempotency?.request,
    cost_if_absent: lookUp?.costIfAbsent,
  }))
  // `case` settles nothing if the version is another one, or if the statement has waited too long. Both are retried.
  const settled = (absent: Fragment) => sql`
    select version,
      case when version = coalesce(${expected}::bigint, version) and ${isAwaited(sql)}
        then in_time(
          settle(${JSON.stringify(requests)}::text::json, ${patient}, ${absent}), ${readStatementLimit(sql)}::integer
        )
      end as rows
    from dataset`
  const lookUps = claims.map(({ lookUp }) => lookUp ?? noLookUp)
  // What looks nothing up does without the catalog's tables: whoever locks them does not hold it up.
  const answers = lookUps.every((lookUp) => lookUp === noLookUp)
    ? await sql<SettledRow[]>`select version, rows, null as document from (${settled(sql`'{}'`)}) settled`
    : await sql<SettledRow[]>`
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
  const [first] = answers
  if (first === undefined) throw new Error('the dataset row is missing')
  const { version, rows } = first
  if (rows === null) return settleOthers(sql, claims, version, { patient })
  return rows
    .sort((a, b) => a.n - b.n)
    .map((row) => toSettlement(row, version, answers[row.n]?.document ?? undefined))
}

/**
 * SQL: whether the statement begins early enough to end before its caller stops waiting for it. Only the embedded database
 * makes statements wait, for its one session. Its clock is this machine's.
 */
function isAwaited(sql: Sql): Fragment {
  if (!isEmbedded(sql)) return sql`true`
  return sql`now() < to_timestamp(${Date.now() / 1000 + responseMargin}::double precision)`
}

/** Settles those of a group that expect no version or the one that the dataset has; the others are stale. */
async function settleOthers(
  sql: Sql,
  claims: readonly Claim[],
  version: number,
  { patient }: { patient: boolean },
): Promise<(Settlement | Stale | Busy)[]> {
  const isStale = (claim: Claim) => claim.version !== null && claim.version !== version
  const others = claims.filter((claim) => !isStale(claim))
  const settled = (others.length > 0 ? await settleGroup(sql, others, { patient }) : []).values()
  return claims.map((claim) => {
    const next = isStale(claim) ? undefined : settled.next()
    return next?.value ?? { outcome: 'stale', version }
  })
}

function toSettlement(
  { outcome, cost, charged, balance, quota, window, used, reset }: Row,
  version: number,
  document: string | undefined,
): Settlement | Busy {
  if (outcome === 'busy') return { outcome }
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
