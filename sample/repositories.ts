import { createDependencies } from './dependencies.ts'
import { createRandom, type Random } from './random.ts'
import { forgeOrigin, makeGraphqlId, type SampleRepository, type SampleUser, takenAt } from './records.ts'
import { languages } from './vocabulary/packages.ts'
import { descriptions, kinds, licenses, oddRepositoryNames, topics } from './vocabulary/projects.ts'

const repositoryCount = 400
const forkCount = 28
const day = 86_400

/** The repository with more commits than several of the largest pages hold. */
export const longHistoryName = 'monolith'
/** The repository with more dependencies than the largest page holds, in manifests of several ecosystems. */
export const manyDependenciesName = 'platform'
/** The repository without commits and dependencies, and with null wherever the contract allows it. */
const bareName = 'placeholder'

/** The repositories, and of each fork the URL of the repository that it is one of, by the fork's own URL. */
export interface SampleRepositories {
  repositories: SampleRepository[]
  parents: ReadonlyMap<string, string>
}

/**
 * Creates the repositories, each owned by one of the users; ids and URLs are unique, the order is not that of the ids.
 */
export function createRepositories(users: readonly SampleUser[]): SampleRepositories {
  const random = createRandom('repositories')
  const owners = random.shuffle(users.filter(({ type }) => type !== 'Bot'))
  const ids = random.shuffle(createIds())
  const organization = users.find(({ type }) => type === 'Organization')
  if (!organization) throw new Error('the sample has no organization')

  const names = new Set<string>()
  const claim = (owner: SampleUser, name: string) => {
    const fullName = `${owner.login}/${name}`
    if (names.has(fullName.toLowerCase())) return false
    names.add(fullName.toLowerCase())
    return true
  }

  const repositories: SampleRepository[] = []
  const parents = new Map<string, string>()
  const add = (owner: SampleUser, name: string, parent?: SampleRepository) => {
    if (!claim(owner, name)) return
    const id = ids[repositories.length] ?? 0
    const repository = createRepository(
      createRandom(`repository ${owner.login}/${name}`),
      id,
      owner,
      name,
      parent,
    )
    repositories.push(repository)
    if (parent) parents.set(repository.url, parent.url)
  }

  add(organization, longHistoryName)
  add(organization, manyDependenciesName)
  add(organization, bareName)
  for (const name of oddRepositoryNames) add(random.pickSkewed(owners), name)
  while (repositories.length < repositoryCount - forkCount) {
    const topic = random.pick(topics)
    add(random.pickSkewed(owners), random.chance(0.25) ? topic : `${topic}-${random.pick(kinds)}`)
  }
  const originals = repositories.filter(({ pushed_at }) => pushed_at !== null)
  while (repositories.length < repositoryCount) {
    const parent = random.pick(originals)
    add(random.pick(owners), parent.name, parent)
  }
  return { repositories: random.shuffle(repositories), parents }
}

function createRepository(
  random: Random,
  id: number,
  owner: SampleUser,
  name: string,
  parent: SampleRepository | undefined,
): SampleRepository {
  const url = `${forgeOrigin}/${owner.login}/${name}`
  const isBare = name === bareName
  const isNotable = !parent && (name === longHistoryName || name === manyDependenciesName)
  const language = isNotable ? 'TypeScript' : isBare ? null : (parent?.language ?? pickLanguage(random))
  const ownerSince = Date.parse(owner.created_at) / 1000
  // A fork is made while its parent lives.
  const createdAt = parent
    ? random.integer(parent.created_at ?? 0, parent.pushed_at ?? takenAt)
    : isNotable
      ? ownerSince + day
      : random.integer(ownerSince, takenAt - 20 * day)
  // Nobody has pushed to about one in twelve.
  const pushedAt = isBare || (!isNotable && random.chance(0.08)) ? null : random.integer(createdAt, takenAt)
  const stars = Math.floor(random.skewedFraction(7) * 40_000)
  const maybe = <Value>(value: Value, probabilityOfNull = 0): Value | null =>
    isBare || random.chance(probabilityOfNull) ? null : value
  return {
    forge_rest_id: id,
    forge_graphql_id: makeGraphqlId('R', id),
    url,
    name,
    full_name: `${owner.login}/${name}`,
    private: maybe(false),
    owner_login: owner.login,
    owner_avatar_url: isBare ? null : owner.avatar_url,
    description: maybe(parent ? parent.description : describe(random, name, language), 0.15),
    homepage: maybe(`https://${toHostLabel(name)}.example/`, 0.75),
    fork: maybe(parent !== undefined),
    forks_count: maybe(Math.floor(stars * random.fraction() * 0.4)),
    archived: maybe(random.chance(0.07)),
    disabled: maybe(random.chance(0.01)),
    license: maybe(parent ? parent.license : random.pickSkewed(licenses)),
    language,
    stargazers_count: maybe(stars),
    watchers_count: maybe(stars),
    open_issues_count: maybe(Math.floor(random.skewedFraction(2) * 120)),
    has_issues: maybe(!random.chance(0.1), 0.02),
    has_discussions: maybe(random.chance(0.2), 0.02),
    has_projects: maybe(!random.chance(0.3), 0.02),
    created_at: maybe(createdAt),
    updated_at: maybe(random.integer(pushedAt ?? createdAt, takenAt)),
    pushed_at: pushedAt,
    visibility: maybe('public'),
    size: maybe(random.integer(4, 60_000)),
    default_branch: maybe(random.pickSkewed(['main', 'main', 'main', 'master', 'develop', 'trunk'])),
    dependencies: isBare
      ? []
      : createDependencies(createRandom(`dependencies ${url}`), {
          url,
          language,
          from: createdAt,
          until: pushedAt ?? createdAt,
          many: isNotable && name === manyDependenciesName,
        }),
  }
}

function pickLanguage(random: Random): string | null {
  let mark = random.fraction() * languages.reduce((sum, { share }) => sum + share, 0)
  for (const { name, share } of languages) {
    mark -= share
    if (mark < 0) return name
  }
  return null
}

function describe(random: Random, name: string, language: string | null): string {
  const [topic = name, kind = language ?? 'project'] = name.split('-')
  return random.pick(descriptions).replace('{topic}', topic).replace('{kind}', kind)
}

function toHostLabel(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Ascending ids with gaps; the last are beyond 2^31 - 1 and below 2^32. */
function createIds(): number[] {
  const random = createRandom('repository ids')
  const ids: number[] = []
  for (let id = 0; ids.length < repositoryCount; ) {
    id += random.integer(1, 12_000_000)
    ids.push(id)
  }
  return ids
}
