/**
 * What all calls together may cost: `DEVDATA_BUDGET`.
 *
 * @module
 */

/** Credits that calls may spend. A call reserves what it may cost first, so calls at the same time can't exceed it. */
export class Budget {
  /** In credits; infinite: only the balance of the key counts. */
  readonly total: number
  #left: number

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
    const granted = Math.min(credits, this.#left)
    this.#left -= granted
    return granted
  }

  /** Gives back what a call has reserved and not spent. */
  settle(granted: number, spent: number): void {
    this.#left += granted - spent
  }
}
