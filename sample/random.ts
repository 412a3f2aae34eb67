/**
 * A seeded source of random choices. The same seed gives the same sequence on every machine and runtime: only
 * 32-bit integer arithmetic and the four exact floating-point operations are used.
 */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number
  /** Like `fraction`, but the closer to 0 the likelier: a fraction to the given power, a whole number from 1 on. */
  skewedFraction(power: number): number
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number
  /** True with the given probability, 0 to 1. */
  chance(probability: number): boolean
  /** One of the items, each as likely as the other. Throws a `RangeError` when there are none. */
  pick<Item>(items: readonly Item[]): Item
  /**
   * An item near the front of the list much more often than one near its end. Throws a `RangeError` when there are
   * none.
   */
  pickSkewed<Item>(items: readonly Item[]): Item
  /** A new array with the items in random order. */
  shuffle<Item>(items: readonly Item[]): Item[]
  /** `count` different items, those at the front of the list more likely than those behind (about 1 / rank). */
  sampleByRank<Item>(items: readonly Item[], count: number): Item[]
}

/** Creates the source for a seed. Sections of the sample have seeds of their own, so that one can change alone. */
export function createRandom(seed: string): Random {
  let state = hashSeed(seed)

  // mulberry32
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  // Not `**`, whose last bit engines may choose.
  function skewedFraction(power: number): number {
    const draw = fraction()
    let product = draw
    for (let factor = 1; factor < power; factor += 1) product *= draw
    return product
  }

  function integer(low: number, high: number): number {
    return low + Math.floor(fraction() * (high - low + 1))
  }

  function itemAt<Item>(items: readonly Item[], position: number): Item {
    const item = items[position]
    if (item === undefined) throw new RangeError('no items to choose from')
    return item
  }

  return {
    fraction,
    skewedFraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: (items) => itemAt(items, integer(0, items.length - 1)),
    pickSkewed: (items) => itemAt(items, Math.floor(skewedFraction(2) * items.length)),
    shuffle(items) {
      const rest = [...items]
      const shuffled: typeof rest = []
      while (rest.length > 0) shuffled.push(...rest.splice(integer(0, rest.length - 1), 1))
      return shuffled
    },
    sampleByRank(items, count) {
      const rest = items.map((item, index) => ({ item, weight: 1 / (index + 1) }))
      const chosen: (typeof items)[number][] = []
      while (chosen.length < count && rest.length > 0) {
        let mark = fraction() * rest.reduce((sum, { weight }) => sum + weight, 0)
        const position = rest.findIndex(({ weight }) => {
          mark -= weight
          return mark < 0
        })
        // Rounding may leave the mark at zero behind the last item.
        const [taken] = rest.splice(position, 1)
        if (taken) chosen.push(taken.item)
      }
      return chosen
    },
  }
}

/** FNV-1a, so that seeds can be names. */
function hashSeed(seed: string): number {
  let hash = 0x811c9dc5
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash
}
