/**
 * Asks the forge for repositories: owners' repositories, single ones, and known ones again.
 *
 * @module
 */
import type { RepositoryRecord } from '../../dataset/records.ts'
import { ask, askInBatches, type Forge, inParallel, tryToAsk } from './ask.ts'
import type { ItemError, Reply } from './client.ts'
import { mapRepository } from './forge-records.ts'
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

/** Smaller pages take more queries, but a large one may take the forge too long. */
const minPageSize = 10

async function listOwned(forge: Forge, owner: string, found: FoundRepositories): Promise<void> {
  let first = maxItems
  for (let after: string | null = null; ; ) {
    const query = queryOwnedRepositories(owner, after, first)
    const reply: Reply<OwnedRepositories> | 'forge_failed' =
      first === minPageSize ? await ask(forge, query) : await tryToAsk(forge, query)
    if (reply === 'forge_failed') {
      first = Math.max(minPageSize, Math.floor(first / 3))
      continue
    }
    const { data, errors } = reply
    const page: NonNullable<OwnedRepositories['repositoryOwner']>['repositories'] | undefined =
      data.repositoryOwner?.repositories
    if (page == null) {
      found.skipped.push({ name: owner, reason: explain(errors[0], 'no account has this login') })
      return
    }
    for (const repository of page.nodes) addRepository(found, repository)
    for (const error of errors)
      found.skipped.push({ name: `a repository of ${owner}`, reason: explain(error) })
    forge.onProgress('listing repositories', found.repositories.size, undefined)
    if (!page.pageInfo.hasNextPage) return
    after = page.pageInfo.endCursor
  }
}

function findNamed(
  forge: Forge,
  names: readonly { owner: string; name: string }[],
  found: FoundRepositories,
): Promise<void> {
  return askInBatches<(typeof names)[number], NamedRepositories>(forge, names, {
    size: maxItems / 2,
    createQuery: queryNamedRepositories,
    read({ owner, name }, index, { data, errors }) {
      const repository = data[`r${index}`] ?? null
      if (repository === null) {
        const error = errors.find(({ path }) => path[0] === `r${index}`)
        found.skipped.push({ name: `${owner}/${name}`, reason: explain(error) })
      } else addRepository(found, repository)
    },
    giveUp: ({ owner, name }, reason) => found.skipped.push({ name: `${owner}/${name}`, reason }),
  })
}

function findKnown(
  forge: Forge,
  known: readonly { id: string; name: string }[],
  found: FoundRepositories,
): Promise<void> {
  return askInBatches<(typeof known)[number], Nodes<ForgeRepository>>(forge, known, {
    size: maxItems,
    createQuery: (batch) => queryRepositories(batch.map(({ id }) => id)),
    read({ name }, index, { data, errors }) {
      const node = data.nodes[index] ?? null
      if (node !== null && 'id' in node) addRepository(found, node as ForgeRepository)
      else found.skipped.push({ name, reason: explain(findError(errors, index)) })
    },
    giveUp: ({ name }, reason) => found.skipped.push({ name, reason }),
    onProgress: (done) => forge.onProgress('asking for known repositories', done, known.length),
  })
}

/** The error at an item of `nodes`. */
function findError(errors: readonly ItemError[], index: number): ItemError | undefined {
  return errors.find(({ path }) => path.includes(index))
}

function addRepository(
  { repositories, skipped }: FoundRepositories,
  repository: ForgeRepository | null,
): void {
  if (repository === null) return // there is an error for it
  const { id, nameWithOwner: name, isPrivate } = repository
  const mapped = mapRepository(repository)
  if (isPrivate) skipped.push({ name, reason: 'private' })
  else if (mapped.outcome === 'unusable') skipped.push({ name, reason: mapped.reason })
  else repositories.set(id, { ...repository, record: mapped.record })
}

function explain(
  error: ItemError | undefined,
  otherwise = 'not found: deleted, private, or renamed and replaced',
): string {
  return error?.type === 'FORBIDDEN' ? `GitHub refuses it: ${error.message}` : otherwise
}
