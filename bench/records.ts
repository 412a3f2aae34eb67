/**
 * Synthetic users, repositories and commits of any number, in the import format. Each is made from the seed and its
 * number alone, so that any of them can be made again.
 */
import { createRandom, type Random } from '../sample/random.ts'
import {
  forgeOrigin,
  makeGraphqlId,
  type SampleCommit,
  type SampleRepository,
  type SampleUser,
  takenAt,
} from '../sample/records.ts'
import { summaries } from '../sample/vocabulary/commits.ts'
import { bios, companies, familyNames, givenNames } from '../sample/vocabulary/people.ts'
import { descriptions, kinds, licenses, topics } from '../sample/vocabulary/projects.ts'

/** What is made: users 1 to `users`, as many repositories, about three commits for each. */
export interface Forge {
  seed: string
  users: number
}

/** The repository with more commits than any other. */
export const busyRepository = 1
/** The repository with more dependencies than any other: all of the most used ones. */
export const largeRepository = 2
const dependenciesOfLarge = 500
/** Dependencies of a repository at most, from none on: twelve on average. */
const mostDependencies = 24

/** Countries, those with the most users first. */
const countries = [
  ...['United States', 'India', 'China', 'Brazil', 'Germany', 'United Kingdom', 'France', 'Japan', 'Canada'],
  ...['Russia', 'Poland', 'Nigeria', 'Spain', 'Indonesia', 'The Netherlands', 'Vietnam', 'Türkiye', 'Mexico'],
  ...['Argentina', 'Ukraine', 'South Korea', 'Italy', 'Kenya', 'Sweden', 'Pakistan', 'Bangladesh', 'Egypt'],
  ...['Switzerland', 'Portugal', 'Colombia', 'Australia', 'Norway', 'Denmark', 'Finland', 'Chile', 'Iceland'],
]
/** Manifests, those that declare the most first. Those of one line declare the same names. */
const manifests = [
  ['package.json'],
  ['package.json'],
  ['requirements.txt', 'pyproject.toml'],
  ['go.mod'],
  ['Cargo.toml'],
  ['pom.xml', 'build.gradle'],
  ['Gemfile'],
  ['composer.json'],
]

/** How many commits the busy repository has. */
function countBusyCommits({ users }: Forge): number {
  return Math.max(200, Math.round(users / 100))
}

/** The name of a dependency, by rank from 1: the first is declared by nearly half of the repositories. */
export function nameDependency(rank: number): string {
  return `${topics[rank % topics.length]}-${kinds[(rank * 7) % kinds.length]}-${rank}`
}

function manifestsOf(rank: number): readonly string[] {
  const place = rank <= 3 ? 0 : (rank * 2_654_435_761) % 2 ** 32
  return manifests[Math.floor((place / 2 ** 32) ** 1.5 * manifests.length)] ?? []
}

/** The login of a user. Generators of load and pgbench make it from the number, too. */
export function nameUser(number: number | '{n}'): string {
  return `user${number}`
}

interface Account {
  restId: number
  login: string
  name: string
  email: string | null
}

function createAccount({ seed }: Forge, number: number): Account {
  const random = createRandom(`${seed} account ${number}`)
  const given = random.pick(givenNames)
  const family = random.pick(familyNames)
  const login = nameUser(number)
  return {
    restId: number * 11 + random.integer(0, 10),
    login,
    name: `${given} ${family}`,
    email: random.chance(0.7)
      ? `${login}@${random.pick(['example.com', 'example.org', 'mail.example'])}`
      : null,
  }
}

/** Where users live: a fifth says nothing, a third a place of their own, the others one of some thousand cities. */
function createPlace(random: Random, { users }: Forge, number: number): string | null {
  const draw = random.fraction()
  if (draw < 0.2) return null
  const country = random.pickSkewed(countries)
  if (draw < 0.535) return `${random.pick(familyNames)}by ${number.toString(36)}, ${country}`
  const cities = Math.min(3_000, Math.ceil(users / 100))
  const city = Math.floor(random.skewedFraction(3) * cities)
  const name = `${familyNames[city % familyNames.length]}${['ton', 'ville', 'burg', 'stad'][city % 4]}`
  return `${name} ${city}, ${countries[city % countries.length]}`
}

/**
 * What users write as their company: a quarter one of their own, a quarter a text such as `Freelance`, the others one
 * of some thousand companies, half of them with an `@`.
 */
function createCompany(random: Random, { users }: Forge, number: number): string {
  const draw = random.fraction()
  const ofOwn = `${familyNames[number % familyNames.length]} ${number.toString(36)} Ltd`
  if (draw < 0.25) return ofOwn
  const text = companies[Math.floor(draw * 1_000) % companies.length] ?? ''
  if (draw < 0.5) return text === '@' ? ofOwn : text
  const count = Math.min(3_000, Math.ceil(users / 100))
  const company = Math.floor((2 * draw - 1) ** 3 * count)
  const name = `${topics[company % topics.length]}-${company}`
  return company % 2 === 0 ? `@${name}` : name
}

/** A user. */
export function createUser(forge: Forge, number: number): SampleUser {
  const { restId, login, name, email } = createAccount(forge, number)
  const random = createRandom(`${forge.seed} user ${number}`)
  return {
    forge_rest_id: restId,
    forge_graphql_id: makeGraphqlId('U', restId),
    login,
    name,
    email,
    avatar_url: `https://avatars.forge.example/u/${restId}?v=4`,
    company: random.chance(0.4) ? createCompany(random, forge, number) : null,
    location: createPlace(random, forge, number),
    bio: random.chance(0.45) ? null : random.pickSkewed(bios),
    followers: Math.floor(random.skewedFraction(8) * 30_000),
    following: Math.floor(random.skewedFraction(6) * 900),
    type: random.chance(0.06) ? 'Organization' : 'User',
    created_at: formatTime(1_200_000_000 + Math.floor((number / forge.users) * 500_000_000)),
    updated_at: formatTime(takenAt - random.integer(0, 40_000_000)),
  }
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** More than half of the repositories are one for each user, the others are those of a few users with many. */
function findOwner(forge: Forge, number: number): Account {
  const random = createRandom(`${forge.seed} owner ${number}`)
  return createAccount(forge, random.chance(0.55) ? number : pickUser(random, forge))
}

function pickUser(random: Random, { users }: Forge): number {
  return 1 + Math.floor(random.skewedFraction(3) * users)
}

interface Place {
  owner: Account
  name: string
  url: string
}

function findPlace(forge: Forge, number: number): Place {
  const owner = findOwner(forge, number)
  const name = `${topics[number % topics.length]}-${kinds[number % kinds.length]}-${number.toString(36)}`
  return { owner, name, url: `${forgeOrigin}/${owner.login}/${name}` }
}

/** The `owner/name` of a repository. */
export function nameRepository(forge: Forge, number: number): string {
  const { owner, name } = findPlace(forge, number)
  return `${owner.login}/${name}`
}

/** A repository with its dependencies. */
export function createRepository(forge: Forge, number: number): SampleRepository {
  const { owner, name, url } = findPlace(forge, number)
  const random = createRandom(`${forge.seed} repository ${number}`)
  const restId = number * 13 + 5
  const createdAt = 1_300_000_000 + Math.floor((number / forge.users) * 400_000_000)
  const pushedAt = random.integer(createdAt, takenAt)
  const stars = Math.floor(random.skewedFraction(10) * 100_000)
  return {
    forge_rest_id: restId,
    forge_graphql_id: makeGraphqlId('R', restId),
    url,
    name,
    full_name: `${owner.login}/${name}`,
    private: false,
    owner_login: owner.login,
    owner_avatar_url: `https://avatars.forge.example/u/${owner.restId}?v=4`,
    description: random.chance(0.2) ? null : random.pick(descriptions),
    homepage: random.chance(0.8) ? null : `https://${name}.example`,
    fork: random.chance(0.2),
    forks_count: Math.floor(stars / 9),
    archived: random.chance(0.05),
    disabled: false,
    license: random.pickSkewed(licenses),
    language: random.pick(['TypeScript', 'Python', 'Go', 'Rust', 'Java', 'Ruby', 'PHP', null]),
    stargazers_count: stars,
    watchers_count: stars,
    open_issues_count: Math.floor(random.skewedFraction(6) * 500),
    has_issues: true,
    has_discussions: random.chance(0.1),
    has_projects: true,
    created_at: createdAt,
    updated_at: pushedAt,
    pushed_at: pushedAt,
    visibility: 'public',
    size: Math.floor(random.skewedFraction(5) * 900_000),
    default_branch: 'main',
    dependencies: createDependencies(random, forge, number, { url, createdAt, pushedAt }),
  }
}

function createDependencies(
  random: Random,
  forge: Forge,
  number: number,
  { url, createdAt, pushedAt }: { url: string; createdAt: number; pushedAt: number },
): SampleRepository['dependencies'] {
  return pickRanks(random, forge, number).map((rank) => {
    const firstUse = random.integer(createdAt, pushedAt)
    const isRemoved = random.chance(0.15)
    const lastUse = isRemoved ? random.integer(firstUse, pushedAt) : null
    return {
      url,
      first_use_date: firstUse,
      last_use_date: lastUse,
      updated_at: lastUse ?? firstUse,
      status: isRemoved ? 'removed' : 'active',
      dependency: {
        dependency_name: nameDependency(rank),
        dependency_file: random.pickSkewed(manifestsOf(rank)),
      },
    }
  })
}

/** Different ranks, each about as likely as 1 / rank. */
function pickRanks(random: Random, { users }: Forge, number: number): number[] {
  if (number === largeRepository) return Array.from({ length: dependenciesOfLarge }, (_, index) => index + 1)
  const names = Math.max(2_000, users / 5)
  const count = random.integer(0, mostDependencies)
  const ranks = new Set<number>()
  while (ranks.size < count) ranks.add(Math.floor(names ** random.fraction()))
  return [...ranks]
}

/** The commits of a repository: two of three have some, three on average; most are its owner's. */
export function* createCommits(forge: Forge, number: number): Generator<SampleCommit> {
  const random = createRandom(`${forge.seed} commits ${number}`)
  const { owner, url } = findPlace(forge, number)
  const count =
    number === busyRepository ? countBusyCommits(forge) : Math.floor(random.skewedFraction(3) * 14)
  for (let index = 0; index < count; index++) {
    const author = random.chance(0.7) ? owner : createAccount(forge, pickUser(random, forge))
    const email = author.email ?? `${author.restId}+${author.login}@users.noreply.forge.example`
    const date = takenAt - random.integer(0, 200_000_000)
    yield {
      commit_hash: createHash(random),
      author_email: email,
      author_date: date,
      committer_email: random.chance(0.8) ? email : 'noreply@forge.example',
      committer_date: date,
      message: random.pick(summaries),
      repo_url: url,
    }
  }
}

function createHash(random: Random): string {
  const word = () => random.integer(0, 0xffff_ffff).toString(16).padStart(8, '0')
  return word() + word() + word() + word() + word()
}
