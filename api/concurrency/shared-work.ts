/** Work that several callers want at the same time: it is done once, and they share its result. */

/** The work of one cache. */
export interface SharedWork<Requester, Result> {
  /** Promises what is known, or the result that is on its way, or else that of `work`, at the requester's turn. */
  share(
    key: string,
    requester: Requester,
    findKnown: () => Result | undefined,
    work: () => Promise<Result>,
  ): Promise<Result>
  /** The result that is on its way. */
  find(key: string): Promise<Result> | undefined
}

/** Creates the work of a cache. `takeTurn` runs it when the requester may. */
export function createSharedWork<Requester, Result>(
  takeTurn: (requester: Requester, work: () => Promise<Result>) => Promise<Result>,
): SharedWork<Requester, Result> {
  const running = new Map<string, Promise<Result>>()
  return {
    async share(key, requester, findKnown, work) {
      const find = () => findKnown() ?? running.get(key)
      return (
        find() ??
        takeTurn(requester, async () => {
          const other = find() // of a requester whose turn came before
          if (other !== undefined) return other
          const own = work().finally(() => running.delete(key))
          running.set(key, own)
          return own
        })
      )
    },
    find: (key) => running.get(key),
  }
}
