/**
 * What all calls together may cost: `DEVDATA_BUDGET`.
 *
 * @module
 */

/** How many requests are remembered. A cursor's page may be requested again. */
const maxRequests = 1_000

/** Credits that calls may spend. A call reserves what it may cost first, so calls at the same time can't exceed it. */
export class Budget {
  /** In credits; infinite: only the balance of the key counts. */
  readonly total: number
  #left: number
  /** What was paid for a request, by its idempotency key. */
  readonly #paid = new Map<string, number>()

  constructor(total = Number.POSITIVE_INFINITY) {
    this.total = total
    this.#left = total
  }

  /** What is neither spent nor reserved, in credits. */
  get left(): number {
    return this.#left
  }

  /** Reserves credits, and returns how many: no more than are left. */
  reserve(credits: number): number {
    const granted = Math.max(0, Math.min(credits, this.#left))
    this.#left -= granted
    return granted
  }

  /** Gives back what a call has reserved and not spent. */
  settle(granted: number, spent: number): void {
    this.#left += granted - spent
  }

  /**
   * Notes what has been paid under an idempotency key in all, and returns how much of it is new. It may be an earlier
   * charge, if its response was lost.
   */
  book(key: string, paid: number): number {
    const before = this.#paid.get(key) ?? 0
    this.#paid.set(key, Math.max(before, paid))
    for (const [oldest] of this.#paid) {
      if (this.#paid.size <= maxRequests) break
      this.#paid.delete(oldest)
    }
    return Math.max(0, paid - before)
  }
}
