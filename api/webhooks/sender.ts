/**
 * The sender of an instance: sends notices that are due, beside the requests. Several instances share the work. A
 * notice is sent at least once: an instance that is killed after it has sent one leaves it to be sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../database/connect.ts'
import { countFreeConnections, countStatement } from '../database/statement-count.ts'
import { getMessage } from '../errors.ts'
import { type ClaimedNotice, claimNotices, noteDelivery, noteFailure } from '../ledger/webhook-notices.ts'
import { sendMessage, type Webhook } from './webhook.ts'

const pollIntervalMs = 1_000
/**
 * Messages at a time. Each waits for its receiver without a connection to the database. When none of them was
 * delivered, one is sent at a time until one is: requests beside it would notice a burst of failures each second.
 */
const maxConcurrent = 8
/** Polls in a row that leave the connections to requests. Then, notices have their turn. */
const maxSkipped = 5

/** What a sender works with. */
export interface SenderOptions {
  sql: Sql
  webhook: Webhook
  /** Logs a warning. */
  warn: (message: string) => void
  /** Default: 1,000. */
  pollIntervalMs?: number
}

/** A running sender. */
export interface NoticeSender {
  /** Claims no more. Resolves when the attempts in progress have ended. */
  stop(): Promise<void>
}

/** Starts a sender. Whatever fails, it continues. */
export function startSender({
  sql,
  webhook,
  warn,
  pollIntervalMs: intervalMs = pollIntervalMs,
}: SenderOptions): NoticeSender {
  const stopping = new AbortController()
  let skipped = 0

  async function claim(max: number): Promise<ClaimedNotice[]> {
    const isBusy = countFreeConnections(sql) < Math.min(2, sql.options.max)
    if (isBusy && skipped++ < maxSkipped) return [] // requests come first
    skipped = 0
    return countStatement(sql, () => claimNotices(sql, max))
  }

  /** Returns whether the receiver has it. */
  async function deliver(notice: ClaimedNotice): Promise<boolean> {
    const { id, message_id, kind, created_at, data } = notice
    const error = await sendMessage(webhook, {
      id: `msg_${message_id}`,
      type: kind,
      timestamp: created_at,
      data,
    })
    await countStatement(sql, () =>
      error === undefined ? noteDelivery(sql, notice) : noteFailure(sql, notice, error),
    )
    if (error !== undefined) warn(`Notice ${id} wasn't delivered in attempt ${notice.attempts}: ${error}`)
    return error === undefined
  }

  /** Sends at most `max`. Returns how many were delivered. */
  async function sendDue(max: number): Promise<number> {
    const claimed = await claim(max)
    const results = await Promise.allSettled(claimed.map(deliver))
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    return results.filter((result) => result.status === 'fulfilled' && result.value).length
  }

  async function run(): Promise<void> {
    let isFailing = false
    let max = maxConcurrent
    while (!stopping.signal.aborted) {
      const delivered = await sendDue(max).catch((error) => {
        if (!isFailing) warn(`Notices can't be sent: ${getMessage(error)}`)
        return 'failed' as const
      })
      isFailing = delivered === 'failed'
      // A receiver that is down gets few messages a second, however many wait: refused ones would fail at once.
      const isIdle = delivered === 0 || isFailing
      max = isIdle ? 1 : maxConcurrent
      if (isIdle) await sleep(intervalMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
    }
  }

  const done = run()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
