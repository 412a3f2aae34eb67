/** How often a request is tried, and how long to wait before a try. */
import { type DevdataError, isTransient, UnreachableError } from './errors.ts'

/** A wait before a request. */
export interface Wait {
  delayMs: number
  /** Why the request is sent again; undefined: the rate limit is used up. */
  error: DevdataError | undefined
}

/** What the tries of all requests have in common. */
export interface Tries {
  /** How often a request is sent again at most. */
  readonly retries: number
  readonly onWait: ((wait: Wait) => void) | undefined
  /** Whether the service has ever responded. */
  hasResponded: boolean
  /** Until when the rate limit is used up, by the clock that nobody sets, `performance.now()`. */
  pausedUntil: number
}

/** How often a URL is tried again that has never responded. */
const maxRetriesBeforeResponse = 2
const firstDelayMs = 500
const maxDelayMs = 30_000
/** What is added to `Retry-After` at most, so that clients don't return at the same moment. */
const maxJitterMs = 1_000
/** The longest wait of a timer, 25 days. A longer one would end immediately. */
export const maxTimerMs = 2 ** 31 - 1

/** Tries until it succeeds or fails for good. Throws the last error, or the signal's reason when it is aborted. */
export async function tryRepeatedly<Result>(
  tries: Tries,
  attempt: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const { retries, onWait } = tries
  for (let retry = 0; ; retry++) {
    for (
      let delayMs = tries.pausedUntil - performance.now();
      delayMs > 0;
      delayMs = tries.pausedUntil - performance.now()
    ) {
      onWait?.({ delayMs, error: undefined })
      await wait(delayMs, signal)
    }
    try {
      return await attempt()
    } catch (error) {
      const isNew = error instanceof UnreachableError && !tries.hasResponded
      const mostRetries = isNew ? Math.min(retries, maxRetriesBeforeResponse) : retries
      if (!isTransient(error) || retry >= mostRetries) throw error
      const delayMs = chooseDelayMs(error, retry)
      onWait?.({ delayMs, error })
      await wait(delayMs, signal)
    }
  }
}

/**
 * Returns how long to wait before the retry of this number, from 0. `Retry-After` decides; without it, waits double.
 */
function chooseDelayMs({ retryAfterSeconds }: DevdataError, retry: number): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000 + Math.random() * maxJitterMs
  return Math.min(maxDelayMs, firstDelayMs * 2 ** retry) * (0.5 + Math.random() / 2)
}

/** Reads `Retry-After`, which is a number of seconds or a date. A date that has passed says nothing: clocks differ. */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return seconds >= 0 ? seconds : undefined
}

/** Reads `RateLimit`: for how many seconds no request is left. 0: requests are left, or there is no limit. */
export function readPauseSeconds(header: string | null): number {
  const [, remaining, seconds] = /;r=(\d+);t=(\d+)/.exec(header ?? '') ?? []
  return remaining === '0' ? Number(seconds) : 0
}

/** Waits, 25 days at most. Throws the signal's reason when it is aborted. */
function wait(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(delayMs, maxTimerMs),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}
