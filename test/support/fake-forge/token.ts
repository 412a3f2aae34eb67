/**
 * Tokens of the fake forge, each with the limits that the forge documents: points per hour, queries per minute and at
 * a time, and waits after a refusal. What a client does against better knowledge is reported.
 */
import { type Account, formatTime } from './model.ts'

/** Limits of a token. */
export interface Limits {
  /** Points in a window. Infinity: there is no limit, as on an enterprise server by default. */
  points: number
  windowSeconds: number
  queriesPerMinute: number
  concurrentQueries: number
  /** What `retry-after` asks for when a secondary limit is exceeded. */
  retryAfterSeconds: number
}

/** The limits of github.com. */
export const defaultLimits: Limits = {
  points: 5000,
  windowSeconds: 3600,
  queriesPerMinute: 2000,
  concurrentQueries: 100,
  retryAfterSeconds: 60,
}

/** Something that a client should not have asked. */
export interface Violation {
  rule:
    | 'concurrent queries'
    | 'invalid query'
    | 'known refusal'
    | 'missing user agent'
    | 'not modeled'
    | 'queries per minute'
    | 'size of a query'
  message: string
}

/** What the client was told, and when it ends. */
interface Notice {
  what: string
  untilMs: number
  /** On the real clock. */
  sinceMs: number
  /** Queries that may still be forgiven. */
  forgivable: number
}

/** Queries under way with all tokens, now and at most: how many a client has at a time. */
export interface Traffic {
  underWay: number
  most: number
}

/** Queries of clients with several at a time may cross the response on the wire. Then they are forgiven. */
const raceMs = 500
/** Timers end a little early. */
const timerToleranceMs = 20

/** A token and what is left of its limits. */
export class Token {
  readonly text: string
  readonly seesPrivate: boolean
  readonly viewer: Account
  readonly limits: Limits
  /** Queries under way. */
  underWay = 0
  used = 0
  /** Revoked, or expired: it is refused from now on. */
  isRevoked = false
  readonly #now: () => number
  readonly #report: (violation: Violation) => void
  #resetMs = 0
  #waitUntilMs = 0
  readonly #traffic: Traffic
  #notices: Notice[] = []
  #lastMinute: number[] = []

  constructor(
    text: string,
    viewer: Account,
    options: {
      seesPrivate: boolean
      limits: Limits
      now: () => number
      report: (violation: Violation) => void
      traffic: Traffic
    },
  ) {
    this.text = text
    this.viewer = viewer
    this.seesPrivate = options.seesPrivate
    this.limits = options.limits
    this.#now = options.now
    this.#report = options.report
    this.#traffic = options.traffic
  }

  /**
   * Counts a query that arrives, and reports what the client knew would be refused. Returns for how many seconds a
   * secondary limit refuses it; 0 when it may go on.
   */
  begin(): number {
    const now = this.#now()
    if (now >= this.#resetMs) {
      this.used = 0
      this.#resetMs = Math.ceil(now / 1000 + this.limits.windowSeconds) * 1000
    }
    this.#notices = this.#notices.filter(({ untilMs }) => now < untilMs - timerToleranceMs)
    for (const notice of this.#notices) {
      if (performance.now() - notice.sinceMs < raceMs && notice.forgivable-- > 0) continue
      const seconds = Math.ceil((notice.untilMs - now) / 1000)
      const message = `A query was sent although ${notice.what}, ${seconds} s too early`
      this.#report({ rule: 'known refusal', message })
    }
    this.underWay++
    const traffic = this.#traffic
    traffic.most = Math.max(traffic.most, ++traffic.underWay)
    this.#lastMinute = [...this.#lastMinute.filter((at) => at > now - 60_000), now]
    return this.#checkSecondaryLimits(now)
  }

  #checkSecondaryLimits(now: number): number {
    const { queriesPerMinute, concurrentQueries, retryAfterSeconds } = this.limits
    const left = Math.ceil((this.#waitUntilMs - timerToleranceMs - now) / 1000)
    if (left > 0) return left
    if (this.underWay > concurrentQueries) {
      this.#report({ rule: 'concurrent queries', message: `${this.underWay} queries were under way at once` })
      return retryAfterSeconds
    }
    if (this.#lastMinute.length > queriesPerMinute) {
      const message = `${this.#lastMinute.length} queries were sent within a minute`
      this.#report({ rule: 'queries per minute', message })
      return retryAfterSeconds
    }
    return 0
  }

  /** Ends a query whose response was sent. */
  end(): void {
    this.underWay--
    this.#traffic.underWay--
  }

  /** Takes the points of a query. False: too few are left, and the rest is gone too. */
  charge(points: number): boolean {
    const isEnough = this.used + points <= this.limits.points
    this.used = isEnough ? this.used + points : this.limits.points
    return isEnough
  }

  get remaining(): number {
    return this.limits.points - this.used
  }

  /** Refuses the queries of the next seconds. */
  wait(seconds: number): void {
    this.#waitUntilMs = Math.max(this.#waitUntilMs, this.#now() + seconds * 1000)
  }

  /** Notes a response that asks the client to wait for `seconds`. */
  noticeWait(seconds: number): void {
    this.#notice('a response had asked to wait', this.#now() + seconds * 1000)
  }

  /** Notes a response that says that no points are left. */
  noticeEmptyBudget(): void {
    this.#notice('a response had said that no points are left', this.#resetMs)
  }

  /** Notes a response that says that the token is not valid. */
  noticeRevocation(): void {
    this.#notice('a response had said that the token is not valid', Number.POSITIVE_INFINITY)
  }

  /** Forgets the responses to a client: the next one has not seen them. */
  forgetNotices(): void {
    this.#notices = []
  }

  #notice(what: string, untilMs: number): void {
    this.#notices = this.#notices.filter((notice) => notice.what !== what)
    this.#notices.push({ what, untilMs, sinceMs: performance.now(), forgivable: this.#traffic.most - 1 })
  }

  /** The headers of every response. */
  get headers(): Record<string, string> {
    const date = new Date(this.#now()).toUTCString()
    if (this.limits.points === Number.POSITIVE_INFINITY) return { date }
    return {
      date,
      'x-ratelimit-limit': String(this.limits.points),
      'x-ratelimit-remaining': String(this.remaining),
      'x-ratelimit-used': String(this.used),
      'x-ratelimit-reset': String(this.#resetMs / 1000),
      'x-ratelimit-resource': 'graphql',
    }
  }

  /** The budget as a query sees it. */
  showRateLimit(cost: number, nodeCount: number) {
    const { remaining, used } = this
    if (remaining === Number.POSITIVE_INFINITY) return null
    return {
      cost,
      nodeCount,
      remaining,
      used,
      limit: this.limits.points,
      resetAt: formatTime(this.#resetMs / 1000),
    }
  }
}
