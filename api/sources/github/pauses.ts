/** Pauses that the forge asks for, of the queries of a token or of all fetches. */

/** In a row. Those of a minute and more add up to an hour, after which a token has new points. */
export const maxPauses = 6

/** A little more than what the forge asks for: its clock and ours differ, and timers end early. */
export const marginMs = 1_000

/** Pauses, and when the last one ends. */
export class Pauses {
  /** Since the last success. */
  count = 0
  untilMs = 0
  readonly #firstSeconds: number

  constructor(firstSeconds = 60) {
    this.#firstSeconds = firstSeconds
  }

  /** Begins a pause, or prolongs it. Without `seconds`, a minute, and twice as long each time. */
  begin(seconds: number | undefined): void {
    const now = Date.now()
    if (now >= this.untilMs) this.count++ // what was under way together is refused together
    const waitMs = (seconds ?? this.#firstSeconds * 2 ** (this.count - 1)) * 1000 + marginMs
    this.untilMs = Math.max(this.untilMs, now + waitMs)
  }
}
