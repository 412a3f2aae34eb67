/**
 * Notices about keys and loads, which a webhook sends. They wait in a table that is written with what they are about
 * (database/migrations/). An instance claims a notice for some seconds, sends it, and notes the result. Those of a key
 * are sent in their order, one at a time.
 */
import { type Fragment, type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'

/** What notices are about. */
export type NoticeKind = 'key.low' | 'key.exhausted' | 'load.applied'

/** A notice that this instance may send. */
export interface ClaimedNotice {
  id: number
  /** A UUID, the same in each attempt. */
  message_id: string
  kind: NoticeKind
  /** ISO 8601. */
  created_at: string
  data: Record<string, unknown>
  /** This one included. */
  attempts: number
}

/** Longer than an attempt takes. If the instance is killed, another one tries then. */
const claimSeconds = 15
const firstWaitSeconds = 5
const maxWaitSeconds = 7_200
/** This many attempts take 24 hours. Their number counts, too, because a clock may jump. */
const minAttempts = 18
const minAge = '24 hours'

/** SQL: whether a notice waits: a week for its first attempt, and a day longer for the next ones. */
function isWaiting(sql: Sql, notice: Fragment): Fragment {
  return sql`
    ${notice}.outcome is null
      and ${notice}.created_at > now() - case ${notice}.attempts when 0 then interval '7 days' else interval '8 days' end`
}

/**
 * Claims notices that are due, at most `max`: of each key the oldest one that waits. If the clock was set back, an
 * attempt may be due too far in the future; then it is due now. What is asked of `n` is asked again once it is locked.
 */
export function claimNotices(sql: Sql, max: number): Promise<ClaimedNotice[]> {
  return sql<ClaimedNotice[]>`
    with due as (
      select id from notices n
      where id in (select min(id) from notices w where ${isWaiting(sql, sql`w`)} group by coalesce(api_key_id, 0))
        and ${isWaiting(sql, sql`n`)}
        and not (n.next_attempt_at > now()
          and n.next_attempt_at < now() + 2 * ${maxWaitSeconds}::integer * interval '1 second')
      order by n.next_attempt_at, n.id limit ${max}
      for update skip locked
    )
    update notices n
    set attempts = attempts + 1, next_attempt_at = now() + ${claimSeconds}::integer * interval '1 second'
    from due where n.id = due.id
    returning n.id, message_id, kind, ${selectTime(sql, sql`created_at`)} as created_at, data, attempts`
}

/** Notes that a notice was delivered. */
export async function noteDelivery(sql: Sql, { id }: Pick<ClaimedNotice, 'id'>): Promise<void> {
  await sql`update notices set outcome = 'delivered', last_error = null where id = ${id}`
}

/**
 * Notes that an attempt has failed, unless another one has begun since. The next one follows later and later. After 24
 * hours, gives up.
 */
export async function noteFailure(
  sql: Sql,
  { id, attempts }: Pick<ClaimedNotice, 'id' | 'attempts'>,
  error: string,
): Promise<void> {
  const waitSeconds = Math.min(maxWaitSeconds, firstWaitSeconds * 4 ** Math.min(attempts - 1, 10))
  await sql`
    update notices set last_error = ${error},
      next_attempt_at = now() + ${waitSeconds}::integer * interval '1 second',
      outcome = case when attempts >= ${minAttempts} and created_at < now() - ${minAge}::interval then 'given_up' end
    where id = ${id} and attempts = ${attempts} and outcome is null`
}

/** Writes the notice of a load, in its transaction. Prunes some of those that are too old to be sent. */
export async function writeLoadNotice(tx: SqlOrTransaction, data: object): Promise<void> {
  await tx`
    delete from notices
    where id in (select id from notices order by id limit 100) and created_at < now() - interval '8 days'`
  await tx`insert into notices (kind, data) values ('load.applied', ${JSON.stringify(data)}::text::json)`
}

/** How many notices wait, and for how long the oldest of them has: 0 if none waits. */
export interface WaitingNotices {
  count: number
  oldestSeconds: number
}

/** Reads how many notices wait. */
export async function readWaitingNotices(sql: Sql): Promise<WaitingNotices> {
  const [waiting] = await sql<WaitingNotices[]>`
    select count(*) as count, greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0))::bigint as "oldestSeconds"
    from notices n where ${isWaiting(sql, sql`n`)}`
  if (waiting === undefined) throw new Error('the notices were not counted')
  return waiting
}

/** A notice as operators see it. Times are ISO 8601. */
export interface NoticeSummary {
  id: number
  message_id: string
  kind: NoticeKind
  key_id: number | null
  state: 'waiting' | 'delivered' | 'given_up'
  attempts: number
  created_at: string
  /** Null: it doesn't wait. */
  next_attempt_at: string | null
  last_error: string | null
  data: Record<string, unknown>
}

/** Lists notices, newest first. */
export function listNotices(sql: Sql, max: number): Promise<NoticeSummary[]> {
  return sql<NoticeSummary[]>`
    select id, message_id, kind, api_key_id as key_id,
      case when ${isWaiting(sql, sql`n`)} then 'waiting' else coalesce(outcome, 'given_up') end as state, attempts,
      ${selectTime(sql, sql`created_at`)} as created_at,
      case when ${isWaiting(sql, sql`n`)} then ${selectTime(sql, sql`next_attempt_at`)} end as next_attempt_at,
      last_error, data
    from notices n order by id desc limit ${max}`
}
