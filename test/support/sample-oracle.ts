/**
 * What lists must return of the sample data, computed from `sample/*.ndjson` by plain loops straight from
 * decisions/0003-lists.md. It shares no code with the service, so that the two can be held against each other.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'

/** An element of `GET /repos`. */
export interface ListedRepository extends SampleRepository {
  internal_id: number
}

/** What is filtered by. Parts that are missing or empty do not filter. */
export interface OracleFilter {
  /** Of users: any of these. */
  location?: string | readonly string[]
  names?: readonly string[]
  files?: readonly string[]
  status?: 'active' | 'removed'
  /** Of repositories. */
  owner?: string
}

/** Letters whose other case is not one letter, or not the one that comes back: with what they are the same as. */
const oddLetters = new Map([
  ['ß', 'ss'],
  ['ẞ', 'ss'],
  ['ς', 'σ'],
  ['İ', 'i'],
  ['ı', 'i'],
])

/** All users, in the order of their import. */
export const sampleUsers: readonly SampleUser[] = readLines('users')
/** All repositories as they are listed, in the order of their import. */
export const sampleRepositories: readonly ListedRepository[] = readLines<SampleRepository>('repos').map(
  (repository, index) => ({
    internal_id: index + 1,
    ...repository,
    dependencies: sortDependencies(repository.dependencies),
  }),
)
/** All commits, in the order of the file. */
const sampleCommits: readonly SampleCommit[] = readLines('commits')

const repositoriesByUrl = new Map(sampleRepositories.map((repository) => [repository.url, repository]))
const userRepositories = findUserRepositories()

/** The users that a filter matches, in the order in which they are listed. */
export function findUsers(filter: OracleFilter): SampleUser[] {
  const places = listPlaces(filter)
  const found: SampleUser[] = []
  for (const user of sampleUsers) {
    if (places.length > 0 && !places.some((place) => fold(user.location ?? '').includes(place))) continue
    if (asksForDependencies(filter)) {
      let uses = false
      for (const repository of userRepositories.get(user) ?? []) {
        if (usesDependency(repository, filter)) uses = true
      }
      if (!uses) continue
    }
    found.push(user)
  }
  return found
}

/** The places of a filter, folded. */
export function listPlaces({ location = [] }: OracleFilter): string[] {
  return [location]
    .flat()
    .map((place) => fold(place.trim()))
    .filter((place) => place !== '')
}

/** The repositories that a filter matches, in the order in which they are listed. They have no location. */
export function findRepositories(filter: Omit<OracleFilter, 'location'>): ListedRepository[] {
  const { owner } = filter
  return sampleRepositories.filter(
    (repository) =>
      (owner === undefined || fold(repository.owner_login) === fold(owner)) &&
      (!asksForDependencies(filter) || usesDependency(repository, filter)),
  )
}

/** The commits of a repository, in the order in which they are listed. */
export function commitsOf(fullName: string): SampleCommit[] {
  const { url } = repositoryOf(fullName)
  return sampleCommits.filter((commit) => commit.repo_url === url).sort(compareCommits)
}

/** The dependencies of a repository, in the order in which they are listed. */
export function dependenciesOf(fullName: string): SampleDependency[] {
  return repositoryOf(fullName).dependencies
}

/** A repository of the sample. Throws when there is none of that name. */
export function repositoryOf(fullName: string): ListedRepository {
  const repository = sampleRepositories.find(({ full_name }) => full_name === fullName)
  if (repository === undefined) throw new Error(`the sample has no repository ${fullName}`)
  return repository
}

/**
 * Folds case letter by letter, composed and decomposed letters being the same. It knows the letters of the sample,
 * not all that there are.
 */
export function fold(text: string): string {
  let folded = ''
  for (const letter of text.normalize('NFC')) folded += oddLetters.get(letter) ?? letter.toLowerCase()
  return folded.replaceAll('i\u0307', 'i') // İ, where something else has put it in lower case before
}

function asksForDependencies({ names = [], files = [] }: OracleFilter): boolean {
  return names.length + files.length > 0
}

/** Whether one and the same dependency of the repository has one of the names, one of the files, and the status. */
function usesDependency(
  { dependencies }: SampleRepository,
  { names = [], files = [], status: wanted }: OracleFilter,
): boolean {
  const folded = names.map(fold)
  for (const { dependency, status } of dependencies) {
    if (wanted !== undefined && status !== wanted) continue
    if (names.length > 0 && !folded.includes(fold(dependency.dependency_name))) continue
    if (files.length > 0 && !files.includes(dependency.dependency_file)) continue
    return true
  }
  return false
}

/** The repositories that each user owns or has authored a commit in. */
function findUserRepositories(): Map<SampleUser, Set<SampleRepository>> {
  const work = new Map<SampleUser, Set<SampleRepository>>()
  for (const user of sampleUsers) {
    const repositories = new Set<SampleRepository>()
    for (const repository of sampleRepositories) {
      if (fold(repository.owner_login) === fold(user.login)) repositories.add(repository)
    }
    work.set(user, repositories)
  }
  for (const commit of sampleCommits) {
    const repository = repositoriesByUrl.get(commit.repo_url)
    const author = findAuthor(commit.author_email)
    if (repository !== undefined && author !== undefined) work.get(author)?.add(repository)
  }
  return work
}

/** The user with that address, or the one whose id a no-reply address begins with. */
function findAuthor(address: string): SampleUser | undefined {
  for (const user of sampleUsers) {
    if (user.email !== null && user.email.toLowerCase() === address.toLowerCase()) return user
    if (address.startsWith(`${user.forge_rest_id}+`) && address.includes('@users.noreply.')) return user
  }
  return undefined
}

/** Newest committer date first, those without a date last, then by hash. */
function compareCommits(a: SampleCommit, b: SampleCommit): number {
  if (a.committer_date !== b.committer_date) {
    if (a.committer_date === null) return 1
    if (b.committer_date === null) return -1
    return b.committer_date - a.committer_date
  }
  return a.commit_hash < b.commit_hash ? -1 : 1
}

/** By name, then file, byte by byte. */
function sortDependencies(dependencies: readonly SampleDependency[]): SampleDependency[] {
  return dependencies.toSorted(({ dependency: a }, { dependency: b }) => {
    const byName = Buffer.compare(Buffer.from(a.dependency_name), Buffer.from(b.dependency_name))
    return byName || Buffer.compare(Buffer.from(a.dependency_file), Buffer.from(b.dependency_file))
  })
}

function readLines<Line>(name: string): Line[] {
  return readFileSync(new URL(`../../sample/${name}.ndjson`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}
