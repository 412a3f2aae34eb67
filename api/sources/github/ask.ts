/**
 * How an import asks the forge: in batches, several at a time. After an interruption, it repeats no query that has a
 * response.
 */
import { batchesOf } from '../../concurrency/batches.ts'
import { type ForgeClient, ForgeError, type Query, type Reply } from './client.ts'
import type { Journal } from './journal.ts'

/** The forge, and what an import has of it. */
export interface Forge {
  client: ForgeClient
  journal: Journal
  /** Queries, and fetches, at a time. */
  concurrency: number
  /** Ends all queries and fetches, because of an error. */
  abort: (reason: unknown) => void
  onProgress: (step: string, done: number, total: number | undefined) => void
}

/** A query that fails this many times is asked in smaller parts: it may be too large for the forge. */
const attemptsOfLarge = 3

/** How many items in a row the forge may fail at. After more, the cause is the forge, not the items. */
const maxGivenUp = 20

/** Asks, or returns the response from before an interruption. Throws `ForgeError`. */
export function ask({ client, journal }: Forge, query: Query): Promise<Reply> {
  const { name, text, variables } = query
  return journal.once([name, text, variables], () => client.ask(query))
}

/** Asks, with few attempts. `forge_failed`: a smaller query may succeed. Throws `ForgeError` when it refuses. */
export function tryToAsk(forge: Forge, query: Query): Promise<Reply | 'forge_failed'> {
  return ask(forge, { ...query, maxAttempts: attemptsOfLarge }).catch((error: unknown) => {
    if (error instanceof ForgeError && error.failure !== undefined) return 'forge_failed'
    throw error
  })
}

/** What is asked for items, and what is done with the responses. */
export interface ItemQueries<Item> {
  /** Items of a query, at most. */
  size: number
  createQuery: (batch: readonly Item[]) => Query
  /** Takes an item, its index in its query, and the response. */
  read: (item: Item, index: number, reply: Reply) => void
  /** Takes an item that the forge fails at. */
  giveUp: (item: Item, reason: string) => void
  onProgress?: (done: number) => void
}

/**
 * Asks for items. A query that the forge fails at is halved. An item that it fails at alone is given up. Throws
 * `ForgeError` if the forge fails at the smallest query too, or at many items in a row: then the cause is the forge,
 * not the items.
 */
export async function askInBatches<Item>(
  forge: Forge,
  items: readonly Item[],
  { size, createQuery, read, giveUp, onProgress = () => {} }: ItemQueries<Item>,
): Promise<void> {
  let [done, givenUp] = [0, 0]
  async function askFor(batch: readonly Item[], isPart: boolean): Promise<void> {
    const query = createQuery(batch)
    const maxAttempts = isPart || batch.length > 1 ? attemptsOfLarge : undefined
    try {
      const reply = await ask(forge, { ...query, maxAttempts })
      for (const [index, item] of batch.entries()) read(item, index, reply)
      givenUp = 0
    } catch (error) {
      const failure = error instanceof ForgeError ? error.failure : undefined
      const [item] = batch
      if (failure === undefined || item === undefined) throw error
      if (batch.length > 1) {
        for (const half of batchesOf(batch, Math.ceil(batch.length / 2))) await askFor(half, true)
        return
      }
      await forge.client.probe()
      if (++givenUp > maxGivenUp) throw error
      giveUp(item, `GitHub fails at it: ${failure}`)
    }
    done += batch.length
    onProgress(done)
  }

  await inParallel(forge, batchesOf(items, size), (batch) => askFor(batch, false))
}

/** Does the work for each item, `concurrency` at a time. After an error, begins no other and ends those under way. */
export async function inParallel<Item>(
  { concurrency, abort }: Pick<Forge, 'concurrency' | 'abort'>,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const errors: unknown[] = []
  async function run(): Promise<void> {
    for (const item of left) {
      if (errors.length > 0) return
      await work(item).catch((error: unknown) => {
        errors.push(error)
        abort(error)
      })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, run))
  if (errors.length > 0) throw errors[0]
}
