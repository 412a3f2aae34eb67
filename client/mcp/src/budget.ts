/** What calls may cost: all together (`DEVDATA_BUDGET`), or each alone (`Max-Credits`, a connection). */

/** How many requests are remembered, and how long. A call may be repeated, or a cursor used again. */
const maxRequests = 1_000
/** The shortest time that the service remembers a payment for. After it, the same request may be charged again. */
const maxAgeMs = 3_600_000

/** What was counted for a request. */
interface Count {
  credits: number
  /** No response has come: the request may have been charged. */
  isAssumed: boolean
  countedAt: number
}

/** What a whole response says about its cost, in credits. */
export interface Payment {
  /** What was charged for it. */
  cost: number
  /** The same, and what was charged under the same idempotency key before. */
  paid: number
}

/** Credits that calls may spend. A call reserves what it may cost first, so calls at the same time can't exceed it. */
export class Budget {
  /** In credits; infinite: only the balance of the key counts. */
  readonly total: number
  /** How the user sets it, for messages. */
  readonly name: 'DEVDATA_BUDGET' | 'Max-Credits' | 'The connection'
  #left: number
  /** By idempotency key. */
  readonly #counts = new Map<string, Count>()

  constructor(total = Number.POSITIVE_INFINITY, name: Budget['name'] = 'DEVDATA_BUDGET') {
    this.total = total
    this.name = name
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
   * Counts a whole response, and returns how many credits of it were not counted before. If an earlier try of the
   * request was lost, what was paid before is that try's.
   */
  count(key: string, { cost, paid }: Payment, isRepeated: boolean): number {
    const { credits, isAssumed } = this.#find(key)
    const added = isRepeated || isAssumed ? Math.max(0, paid - credits) : cost
    this.#note(key, Math.min(paid, credits + added), false)
    return added
  }

  /**
   * Counts what a request may have cost whose response never came, and returns how much of it was not counted before.
   */
  assume(key: string, cost: number): number {
    if (cost === 0) return 0
    const { credits } = this.#find(key)
    this.#note(key, Math.max(cost, credits), true)
    return Math.max(0, cost - credits)
  }

  #find(key: string): Pick<Count, 'credits' | 'isAssumed'> {
    const count = this.#counts.get(key)
    const isKnown = count !== undefined && Date.now() - count.countedAt < maxAgeMs
    return isKnown ? count : { credits: 0, isAssumed: false }
  }

  #note(key: string, credits: number, isAssumed: boolean): void {
    this.#counts.delete(key)
    this.#counts.set(key, { credits, isAssumed, countedAt: Date.now() })
    for (const [oldest] of this.#counts) {
      if (this.#counts.size <= maxRequests) break
      this.#counts.delete(oldest)
    }
  }
}
