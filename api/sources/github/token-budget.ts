/** What a token may still ask. The forge says it in each response; a query that would be refused is not sent. */
import { marginMs, Pauses } from './pauses.ts'

const minuteMs = 60_000
/** Of the 2,000 that a token has. */
const maxPointsPerMinute = 1_800

/** The points of a token, as a response states them. */
export interface RateLimit {
  remaining: number
  /** When there are new points, in milliseconds. */
  resetAtMs: number
}

/** A token and its budget. */
export class TokenBudget {
  readonly token: string
  /** Its place among the tokens, for messages. */
  readonly number: number
  /** Why the forge refuses it. Undefined: it doesn't. */
  refusal: string | undefined
  /** False: responses state no limit, as on an enterprise server by default. */
  hasLimit = true
  /** Those that the forge asks for. */
  readonly pauses = new Pauses()
  /** Undefined: not known yet, so one query finds out. */
  #limit: RateLimit | undefined
  /** Points of queries under way. */
  #reserved = 0
  #lastMinute: { atMs: number; points: number }[] = []

  constructor(token: string, number: number) {
    this.token = token
    this.number = number
  }

  /** Points that are left; undefined if no response has said so. */
  get remaining(): number | undefined {
    return this.#limit?.remaining
  }

  /** Points that are left when the queries under way have ended. Infinity: not known. */
  get available(): number {
    return (this.#limit?.remaining ?? Number.POSITIVE_INFINITY) - this.#reserved
  }

  /** For how many milliseconds a query that costs `points` must wait. Infinity: until a query under way has ended. */
  waitMsFor(points: number): number {
    const now = Date.now()
    if (this.refusal !== undefined) return Number.POSITIVE_INFINITY
    if (now < this.pauses.untilMs) return this.pauses.untilMs - now
    if (this.#limit === undefined) {
      return this.#reserved === 0 || !this.hasLimit ? 0 : Number.POSITIVE_INFINITY
    }
    if (now >= this.#limit.resetAtMs) {
      // The first response of the new hour says what it has.
      return this.#reserved === 0 ? 0 : Number.POSITIVE_INFINITY
    }
    if (this.#limit.remaining - this.#reserved < points) return this.#limit.resetAtMs - now
    this.#lastMinute = this.#lastMinute.filter(({ atMs }) => atMs > now - minuteMs)
    const spent = this.#lastMinute.reduce((sum, each) => sum + each.points, 0)
    const [first] = this.#lastMinute
    return first !== undefined && spent + points > maxPointsPerMinute ? first.atMs + minuteMs - now : 0
  }

  /** Reserves the points of a query. Call `release` when it has ended. */
  reserve(points: number): void {
    this.#reserved += points
    this.#lastMinute.push({ atMs: Date.now(), points })
  }

  release(points: number): void {
    this.#reserved -= points
  }

  /** Notes what a response says. Responses may overtake each other: within an hour, the least is true. */
  note({ remaining, resetAtMs }: RateLimit): void {
    const resets = resetAtMs + marginMs
    const isSameHour = this.#limit !== undefined && this.#limit.resetAtMs >= resets
    const least = isSameHour ? Math.min(remaining, this.#limit?.remaining ?? remaining) : remaining
    this.#limit = { remaining: least, resetAtMs: isSameHour ? (this.#limit?.resetAtMs ?? resets) : resets }
  }

  /** Notes that a query without a response may have cost its points. */
  suspect(points: number): void {
    if (this.#limit !== undefined) this.#limit.remaining -= points
  }
}
