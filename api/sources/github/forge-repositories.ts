/**
 * Asks the forge for repositories: owners' repositories, single ones, and known ones again.
 *
 * @module
 */
import * as v from 'valibot'
import type { RepositoryRecord } from '../../dataset/records.ts'
import { ask, askInBatches, type Forge, inParallel, tryToAsk } from './ask.ts'
import { mapRepository } from './forge-records.ts'
import {
  type ForgeRepository,
  forgeRepository,
  maxItems,
  ownedRepositories,
  queryNamedRepositories,
  queryOwnedRepositories,
  queryRepositories,
} from './queries.ts'
import { readItem } from './reply-items.ts'

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

/** A repository as the forge describes it, and its record without dependencies. */
export interface FoundRepository extends ForgeRepository {
  record: RepositoryRecord
}

/** Repositories by their GraphQL ids, and what the forge doesn't give. */
export interface FoundRepositories {
  repositories: Map<string, FoundRepository>
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
  await inParallel(forge, owners, ({ owner }) => listOwned(forge, owner, found))
  await findNamed(forge, named, found)
  const left = known.filter(({ id }) => !found.repositories.has(id))
  await findKnown(forge, left, found)
  return found
}

const notFound = 'not found: deleted, private, or renamed and replaced'
const unknownOwner = 'no account has this login'

/** Smaller pages take more queries, but a large one may take the forge too long. */
const minPageSize = 10

async function listOwned(forge: Forge, owner: string, found: FoundRepositories): Promise<void> {
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
      const reason = page.outcome === 'unexplained' ? unknownOwner : page.reason
      found.skipped.push({ name: owner, reason })
      return
    }
    const { nodes, pageInfo } = page.item.repositories
    for (const [index, node] of nodes.entries()) {
      const path = ['repositoryOwner', 'repositories', 'nodes', index]
      const repository = readItem(reply, path, forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(found, repository.item)
      else
        found.skipped.push({ name: readName(node) ?? `a repository of ${owner}`, reason: repository.reason })
    }
    forge.onProgress('listing repositories', found.repositories.size, undefined)
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
  found: FoundRepositories,
): Promise<void> {
  return askInBatches(forge, names, {
    size: maxItems / 2,
    createQuery: queryNamedRepositories,
    read({ owner, name }, index, reply) {
      const repository = readItem(reply, [`r${index}`], forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(found, repository.item)
      else found.skipped.push({ name: `${owner}/${name}`, reason: repository.reason })
    },
    giveUp: ({ owner, name }, reason) => found.skipped.push({ name: `${owner}/${name}`, reason }),
  })
}

function findKnown(
  forge: Forge,
  known: readonly { id: string; name: string }[],
  found: FoundRepositories,
): Promise<void> {
  return askInBatches(forge, known, {
    size: maxItems,
    createQuery: (batch) => queryRepositories(batch.map(({ id }) => id)),
    read({ name }, index, reply) {
      const repository = readItem(reply, ['nodes', index], forgeRepository, notFound)
      if (repository.outcome === 'given') addRepository(found, repository.item)
      else found.skipped.push({ name, reason: repository.reason })
    },
    giveUp: ({ name }, reason) => found.skipped.push({ name, reason }),
    onProgress: (done) => forge.onProgress('asking for known repositories', done, known.length),
  })
}

function addRepository({ repositories, skipped }: FoundRepositories, repository: ForgeRepository): void {
  const { id, nameWithOwner: name, isPrivate } = repository
  const mapped = mapRepository(repository)
  if (isPrivate) skipped.push({ name, reason: 'private' })
  else if (mapped.outcome === 'unusable') skipped.push({ name, reason: mapped.reason })
  else repositories.set(id, { ...repository, record: mapped.record })
}
