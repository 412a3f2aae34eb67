/** Asks the forge for repositories: owners' repositories, single ones, and known ones again. */
import * as v from 'valibot'
import { foldText } from '../../names/case-folding.ts'
import type { RepositoryRecord } from '../../staging/records.ts'
import { ask, askInBatches, type Forge, inParallel, tryToAsk } from './ask.ts'
import type { Reply } from './client.ts'
import { mapRepository } from './forge-records.ts'
import type { KnownItem } from './known.ts'
import {
  type ForgeRepository,
  forgeRepository,
  maxItems,
  ownedRepositories,
  queryNamedRepositories,
  queryOwnedRepositories,
  queryRepositories,
  repositoryName,
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
  known: ReadonlyMap<number, KnownItem>
  /** Repositories that lists of owners lack, without their names. */
  unnamed: (Omit<Skipped, 'name'> & { owner: string })[]
}

/** Asks for the targets, and for known repositories by their GraphQL ids. Throws `ForgeError`. */
export async function findRepositories(
  forge: Forge,
  targets: readonly Target[],
  known: readonly KnownItem[],
): Promise<FoundRepositories> {
  const search: Search = {
    repositories: new Map(),
    missing: new Map(),
    skipped: [],
    known: new Map(known.map((each) => [each.forgeRestId, each])),
    unnamed: [],
  }
  const listed = targets.filter(({ name }) => name === undefined)
  const owners = new Map(listed.map(({ owner }) => [foldText(owner), owner]))
  const named = targets.flatMap(({ owner, name }) => (name === undefined ? [] : [{ owner, name }]))
  await inParallel(forge, [...owners.values()], (owner) => listOwned(forge, owner, search))
  await findNamed(forge, named, search)
  await findKnown(forge, search)
  return { ...search, skipped: mergeSkipped(search) }
}

/**
 * Names each repository once, although a list and its name or id were asked for, and none that the forge gave in the
 * end. One that a list lacks may be one that the forge doesn't give by its name or id for the same reason.
 */
function mergeSkipped({ repositories, skipped, unnamed }: Search): Skipped[] {
  const found = new Set([...repositories.values()].map(({ nameWithOwner }) => nameWithOwner))
  const named = [...new Map(skipped.map((each) => [each.name, each])).values()].filter(
    ({ name }) => !found.has(name),
  )
  const left = new Set(named)
  const others = unnamed.flatMap(({ owner, ...why }) => {
    const own = foldText(`${owner}/`)
    const same = [...left].find(({ name, reason }) => reason === why.reason && foldText(name).startsWith(own))
    return same !== undefined && left.delete(same) ? [] : [{ name: `a repository of ${owner}`, ...why }]
  })
  return [...others, ...named]
}

const notFound = 'not found: deleted, private, or renamed and replaced'
const unknownOwner = 'no account has this login; if it was renamed, use the new one'

/**
 * Smaller pages take more queries, but a large one may take the forge too long. If it fails at one of this size, too, a
 * single repository may be the reason.
 */
const minPageSize = 10

async function listOwned(forge: Forge, owner: string, search: Search): Promise<void> {
  let first = maxItems
  /** Those of pages that the forge fails at. */
  const named: RepositoryName[] = []
  for (let after: string | null = null; ; ) {
    const described: Reply | 'forge_failed' = await tryToAsk(
      forge,
      queryOwnedRepositories(owner, after, { first }),
    )
    if (described === 'forge_failed' && first > minPageSize) {
      first = Math.max(minPageSize, Math.floor(first / 3))
      continue
    }
    const areNamed = described === 'forge_failed'
    const reply: Reply = areNamed
      ? await ask(forge, queryOwnedRepositories(owner, after, { first, areNamed }))
      : described
    const page = readItem(reply, ['repositoryOwner'], ownedRepositories, unknownOwner)
    if (page.outcome !== 'given') {
      // The forge has no error for a login that no account has.
      const isUnknown = page.outcome === 'unexplained' && after === null
      search.skipped.push({ ...skip(owner, page), ...(isUnknown && { reason: unknownOwner }) })
      break
    }
    const { nodes, pageInfo } = page.item.repositories
    if (areNamed) named.push(...readNodes(search, owner, nodes, reply, repositoryName))
    else {
      for (const each of readNodes(search, owner, nodes, reply, forgeRepository)) {
        addRepository(search, each, reply)
      }
    }
    forge.onProgress('listing repositories', search.repositories.size, undefined)
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  await findEach(forge, named, search)
}

type RepositoryName = v.InferOutput<typeof repositoryName>

/** Reads a page of an owner's repositories. Notes those that the forge doesn't give. */
function readNodes<Item>(
  { skipped, unnamed }: Search,
  owner: string,
  nodes: readonly unknown[],
  reply: Reply,
  schema: v.GenericSchema<unknown, Item>,
): Item[] {
  return nodes.flatMap((node, index) => {
    const repository = readItem(reply, ['repositoryOwner', 'repositories', 'nodes', index], schema, notFound)
    if (repository.outcome === 'given') return [repository.item]
    const name = readName(node)
    if (name === undefined) unnamed.push({ owner, ...explain(repository) })
    else skipped.push(skip(name, repository))
    return []
  })
}

/** Asks for repositories by their ids, and leaves out single ones that the forge fails at. */
function findEach(forge: Forge, repositories: readonly RepositoryName[], search: Search): Promise<void> {
  return askInBatches(forge, repositories, {
    size: minPageSize / 2,
    createQuery: (batch) => queryRepositories(batch.map(({ id }) => id)),
    read({ nameWithOwner: name }, index, reply) {
      const repository = readItem(reply, ['nodes', index], forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(search, repository.item, reply)
      else search.skipped.push(skip(name, repository))
    },
    giveUp: ({ nameWithOwner: name }, reason) => search.skipped.push({ name, reason, isFailure: true }),
  })
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

function skip(name: string, item: MissingItem): Skipped {
  return { name, ...explain(item) }
}

function explain({ outcome: _, ...why }: MissingItem): Omit<Skipped, 'name'> {
  return why
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
  { forgeRestId, name }: KnownItem,
  state: MissingRepository['state'],
  { receivedAtMs: saidAtMs }: Reply,
): void {
  missing.set(forgeRestId, { forgeRestId, name, state, saidAtMs })
}
