/**
 * Asks the forge for repositories: those of owners, single ones, and again those that are known.
 *
 * @module
 */
import { type ForgeClient, ForgeError, type ItemError, type Query, type Reply } from './client.ts'
import type { Journal } from './journal.ts'
import {
  type ForgeRepository,
  maxItems,
  type NamedRepositories,
  type Nodes,
  type OwnedRepositories,
  queryNamedRepositories,
  queryOwnedRepositories,
  queryRepositories,
} from './queries.ts'

/** An owner, or a single repository. */
export interface Target {
  owner: string
  name?: string
}

/** Something that was not loaded, or not all of it, and why. */
export interface Skipped {
  /** `owner`, `owner/name`, or an id. */
  name: string
  reason: string
}

/** How the forge is asked: a query that was answered before an interruption is not sent again. */
export interface Forge {
  client: ForgeClient
  journal: Journal
  concurrency: number
  onProgress: (step: string, done: number, total: number | undefined) => void
}

/** Repositories by their GraphQL ids, and what the forge doesn't give. */
export interface FoundRepositories {
  repositories: Map<string, ForgeRepository>
  skipped: Skipped[]
}

/** Asks for the targets, and for known repositories by their GraphQL ids. Throws `ForgeError`. */
export async function findRepositories(
  forge: Forge,
  targets: readonly Target[],
  known: readonly { id: string; name: string }[],
): Promise<FoundRepositories> {
  const found: FoundRepositories = { repositories: new Map(), skipped: [] }
  const owners = targets.filter(({ name }) => name === undefined)
  const named = targets.flatMap(({ owner, name }) => (name === undefined ? [] : [{ owner, name }]))
  await inParallel(owners, forge.concurrency, ({ owner }) => listOwned(forge, owner, found))
  for (const batch of batchesOf(named, maxItems / 2)) await findNamed(forge, batch, found)
  const left = known.filter(({ id }) => !found.repositories.has(id))
  await inParallel(batchesOf(left, maxItems), forge.concurrency, (batch) => findKnown(forge, batch, found))
  return found
}

/** Smaller pages take more queries, but a large one may take the forge too long. */
const minPageSize = 10
const attemptsOfLargePages = 3

async function listOwned(forge: Forge, owner: string, found: FoundRepositories): Promise<void> {
  let first = maxItems
  for (let after: string | null = null; ; ) {
    const query = queryOwnedRepositories(owner, after, first)
    const reply: Reply<OwnedRepositories> | undefined =
      first === minPageSize ? await ask(forge, query) : await tryToAsk(forge, query)
    if (reply === undefined) {
      first = Math.max(minPageSize, Math.floor(first / 3))
      continue
    }
    const { data, errors } = reply
    const page: NonNullable<OwnedRepositories['repositoryOwner']>['repositories'] | undefined =
      data.repositoryOwner?.repositories
    if (page === undefined) {
      found.skipped.push({ name: owner, reason: 'no account has this login' })
      return
    }
    for (const repository of page.nodes) addRepository(found, repository)
    for (const { type } of errors)
      found.skipped.push({ name: `a repository of ${owner}`, reason: describe(type) })
    forge.onProgress('listing repositories', found.repositories.size, undefined)
    if (!page.pageInfo.hasNextPage) return
    after = page.pageInfo.endCursor
  }
}

/** Asks, but not for long. Undefined: the forge failed. */
function tryToAsk<Data>(forge: Forge, query: Query): Promise<Reply<Data> | undefined> {
  return ask<Data>(forge, { ...query, maxAttempts: attemptsOfLargePages }).catch((error: unknown) => {
    if (error instanceof ForgeError && error.isFailure) return undefined
    throw error
  })
}

async function findNamed(
  forge: Forge,
  names: readonly { owner: string; name: string }[],
  found: FoundRepositories,
): Promise<void> {
  const { data, errors } = await ask<NamedRepositories>(forge, queryNamedRepositories(names))
  for (const [index, { owner, name }] of names.entries()) {
    const repository = data[`r${index}`] ?? null
    if (repository === null) {
      const error = errors.find(({ path }) => path[0] === `r${index}`)
      found.skipped.push({ name: `${owner}/${name}`, reason: describe(error?.type) })
    } else addRepository(found, repository)
  }
}

async function findKnown(
  forge: Forge,
  known: readonly { id: string; name: string }[],
  found: FoundRepositories,
): Promise<void> {
  const { data, errors } = await ask<Nodes<ForgeRepository>>(
    forge,
    queryRepositories(known.map(({ id }) => id)),
  )
  for (const [index, { name }] of known.entries()) {
    const node = data.nodes[index] ?? null
    if (node !== null && 'id' in node) addRepository(found, node as ForgeRepository)
    else found.skipped.push({ name, reason: describe(findError(errors, index)?.type) })
  }
  forge.onProgress('asking for known repositories', found.repositories.size, undefined)
}

/** The error at an item of `nodes`. */
export function findError(errors: readonly ItemError[], index: number): ItemError | undefined {
  return errors.find(({ path }) => path.includes(index))
}

function addRepository(
  { repositories, skipped }: FoundRepositories,
  repository: ForgeRepository | null,
): void {
  if (repository === null) return // there is an error for it
  if (repository.isPrivate) skipped.push({ name: repository.nameWithOwner, reason: 'private' })
  else repositories.set(repository.id, repository)
}

function describe(type: string | undefined): string {
  return type === 'FORBIDDEN'
    ? 'blocked by the forge'
    : 'not found: deleted, private, or renamed and replaced'
}

/** Asks, or returns what was answered before an interruption. */
export function ask<Data>({ client, journal }: Forge, query: Query): Promise<Reply<Data>> {
  const { name, text, variables } = query
  return journal.once([name, text, variables], () => client.ask<Data>(query))
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
