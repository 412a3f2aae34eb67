/** Asks the forge for repositories: owners' repositories, single ones, and known ones again. */
import * as v from 'valibot'
import type { RepositoryRecord } from '../../staging/records.ts'
import { ask, askInBatches, type Forge, inParallel, tryToAsk } from './ask.ts'
import type { Reply } from './client.ts'
import { mapRepository } from './forge-records.ts'
import type { KnownRepository } from './known.ts'
import {
  type ForgeRepository,
  forgeRepository,
  maxItems,
  ownedRepositories,
  queryNamedRepositories,
  queryOwnedRepositories,
  queryRepositories,
} from './queries.ts'
import { type MissingItem, readItem } from './reply-items.ts'
import type { Skipped } from './skipped.ts'

/** An owner, or a single repository. */
export interface Target {
  owner: string
  name?: string
}

/** A repository as the forge describes it, and its record without dependencies. */
export interface FoundRepository extends ForgeRepository {
  record: RepositoryRecord
}

/** A repository of the dataset that isn't public any more. */
export interface MissingRepository {
  forgeRestId: number
  name: string
  /** What the forge says of it. A token that may see it learns that it is private. */
  state: 'not found' | 'private'
  /** When the forge said so, in milliseconds. */
  saidAtMs: number
}

/** Repositories by their GraphQL ids, and what the forge doesn't give. */
export interface FoundRepositories {
  repositories: Map<string, FoundRepository>
  /** By `forge_rest_id`. They are not among `skipped`. */
  missing: Map<number, MissingRepository>
  skipped: Skipped[]
}

/** What is found, and what the dataset has. */
interface Search extends FoundRepositories {
  /** By `forge_rest_id`. */
  known: ReadonlyMap<number, KnownRepository>
}

/** Asks for the targets, and for known repositories by their GraphQL ids. Throws `ForgeError`. */
export async function findRepositories(
  forge: Forge,
  targets: readonly Target[],
  known: readonly KnownRepository[],
): Promise<FoundRepositories> {
  const search: Search = {
    repositories: new Map(),
    missing: new Map(),
    skipped: [],
    known: new Map(known.map((each) => [each.forgeRestId, each])),
  }
  const owners = targets.filter(({ name }) => name === undefined)
  const named = targets.flatMap(({ owner, name }) => (name === undefined ? [] : [{ owner, name }]))
  await inParallel(forge, owners, ({ owner }) => listOwned(forge, owner, search))
  await findNamed(forge, named, search)
  await findKnown(forge, search)
  return search
}

const notFound = 'not found: deleted, private, or renamed and replaced'
const unknownOwner = 'no account has this login'

/** Smaller pages take more queries, but a large one may take the forge too long. */
const minPageSize = 10

async function listOwned(forge: Forge, owner: string, search: Search): Promise<void> {
  let first = maxItems
  for (let after: string | null = null; ; ) {
    const query = queryOwnedRepositories(owner, after, first)
    const reply = first === minPageSize ? await ask(forge, query) : await tryToAsk(forge, query)
    if (reply === 'forge_failed') {
      first = Math.max(minPageSize, Math.floor(first / 3))
      continue
    }
    const page = readItem(reply, ['repositoryOwner'], ownedRepositories, unknownOwner)
    if (page.outcome !== 'given') {
      // The forge has no error for a login that no account has.
      search.skipped.push(
        page.outcome === 'unexplained' ? { name: owner, reason: unknownOwner } : skip(owner, page),
      )
      return
    }
    const { nodes, pageInfo } = page.item.repositories
    for (const [index, node] of nodes.entries()) {
      const path = ['repositoryOwner', 'repositories', 'nodes', index]
      const repository = readItem(reply, path, forgeRepository, notFound)
      const name = readName(node) ?? `a repository of ${owner}`
      if (repository.outcome === 'given') addRepository(search, repository.item, reply)
      else search.skipped.push(skip(name, repository))
    }
    forge.onProgress('listing repositories', search.repositories.size, undefined)
    if (!pageInfo.hasNextPage) return
    after = pageInfo.endCursor
  }
}

/** Reads the name of a repository that may be described incompletely. */
function readName(node: unknown): string | undefined {
  return v.is(v.object({ nameWithOwner: v.string() }), node) ? node.nameWithOwner : undefined
}

function findNamed(
  forge: Forge,
  names: readonly { owner: string; name: string }[],
  search: Search,
): Promise<void> {
  const { skipped } = search
  return askInBatches(forge, names, {
    size: maxItems / 2,
    createQuery: queryNamedRepositories,
    read({ owner, name }, index, reply) {
      const repository = readItem(reply, [`r${index}`], forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(search, repository.item, reply)
      else skipped.push(skip(`${owner}/${name}`, repository))
    },
    giveUp: ({ owner, name }, reason) => skipped.push({ name: `${owner}/${name}`, reason, isFailure: true }),
  })
}

/** Asks again for the known repositories that the targets didn't have. */
function findKnown(forge: Forge, search: Search): Promise<void> {
  const { repositories, missing, skipped, known } = search
  const found = new Set([...repositories.values()].map(({ databaseId }) => databaseId))
  const left = [...known.values()].filter(
    ({ forgeRestId }) => !found.has(forgeRestId) && !missing.has(forgeRestId),
  )
  return askInBatches(forge, left, {
    size: maxItems,
    createQuery: (batch) => queryRepositories(batch.map(({ id }) => id)),
    read(each, index, reply) {
      const repository = readItem(reply, ['nodes', index], forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(search, repository.item, reply)
      else if (repository.outcome === 'not_found') addMissing(search, each, 'not found', reply)
      else skipped.push(skip(each.name, repository))
    },
    giveUp: ({ name }, reason) => skipped.push({ name, reason, isFailure: true }),
    onProgress: (done) => forge.onProgress('asking for known repositories', done, left.length),
  })
}

function skip(name: string, { outcome: _, ...why }: MissingItem): Skipped {
  return { name, ...why }
}

function addRepository(search: Search, repository: ForgeRepository, reply: Reply): void {
  const { repositories, skipped, known } = search
  const { id, databaseId, nameWithOwner: name, isPrivate } = repository
  if (isPrivate) {
    const before = databaseId === null ? undefined : known.get(databaseId)
    if (before === undefined) skipped.push({ name, reason: 'private' })
    else addMissing(search, before, 'private', reply)
    return
  }
  const mapped = mapRepository(repository)
  if (mapped.outcome === 'unusable') skipped.push({ name, reason: mapped.reason })
  else repositories.set(id, { ...repository, record: mapped.record })
}

function addMissing(
  { missing }: Search,
  { forgeRestId, name }: KnownRepository,
  state: MissingRepository['state'],
  { receivedAtMs: saidAtMs }: Reply,
): void {
  missing.set(forgeRestId, { forgeRestId, name, state, saidAtMs })
}
