/**
 * How an import asks the forge: in batches, several at a time, and never again for what was answered before an interruption.
 *
 * @module
 */
import { type ForgeClient, ForgeError, type Query, type Reply } from './client.ts'
import type { Journal } from './journal.ts'

/** The forge, and what an import has of it. */
export interface Forge {
  client: ForgeClient
  journal: Journal
  /** Queries, and fetches, at a time. */
  concurrency: number
  onProgress: (step: string, done: number, total: number | undefined) => void
}

/** What fails so often is asked in smaller parts: a query may be too large for the forge. */
const attemptsOfLarge = 3

/** Asks, or returns what was answered before an interruption. Throws `ForgeError`. */
export function ask<Data>({ client, journal }: Forge, query: Query): Promise<Reply<Data>> {
  const { name, text, variables } = query
  return journal.once([name, text, variables], () => client.ask<Data>(query))
}

/** Asks, but not for long. Undefined: the forge failed. Throws `ForgeError` when it refuses. */
export function tryToAsk<Data>(forge: Forge, query: Query): Promise<Reply<Data> | undefined> {
  return ask<Data>(forge, { ...query, maxAttempts: attemptsOfLarge }).catch((error: unknown) => {
    if (error instanceof ForgeError && error.failure !== undefined) return undefined
    throw error
  })
}

/** What is asked for items, and what is done with the responses. */
export interface ItemQueries<Item, Data> {
  /** Items of a query, at most. */
  size: number
  createQuery: (batch: readonly Item[]) => Query
  /** Takes an item, its index in its query, and the response. */
  read: (item: Item, index: number, reply: Reply<Data>) => void
  /** Takes an item that the forge fails at. */
  giveUp: (item: Item, reason: string) => void
  onProgress?: (done: number) => void
}

/**
 * Asks for items. A query that the forge fails at is halved. An item that it fails at alone is given up, if the forge
 * answers another query. Otherwise throws `ForgeError`: the forge is out of order.
 */
export async function askInBatches<Item, Data>(
  forge: Forge,
  items: readonly Item[],
  { size, createQuery, read, giveUp, onProgress = () => {} }: ItemQueries<Item, Data>,
): Promise<void> {
  let done = 0
  async function askFor(batch: readonly Item[], isPart: boolean): Promise<void> {
    const query = createQuery(batch)
    const maxAttempts = isPart || batch.length > 1 ? attemptsOfLarge : undefined
    try {
      const reply = await ask<Data>(forge, { ...query, maxAttempts })
      for (const [index, item] of batch.entries()) read(item, index, reply)
    } catch (error) {
      const failure = error instanceof ForgeError ? error.failure : undefined
      const [item] = batch
      if (failure === undefined || item === undefined) throw error
      if (batch.length > 1) {
        for (const half of batchesOf(batch, Math.ceil(batch.length / 2))) await askFor(half, true)
        return
      }
      await forge.client.probe()
      giveUp(item, `GitHub fails at it: ${failure}`)
    }
    done += batch.length
    onProgress(done)
  }

  await inParallel(batchesOf(items, size), forge.concurrency, (batch) => askFor(batch, false))
}

export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** Does the work for each item, so many at a time. After an error, begins no other. */
export async function inParallel<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  let hasFailed = false
  async function run(): Promise<void> {
    for (const item of left) {
      if (hasFailed) return
      await work(item).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: concurrency }, run))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
