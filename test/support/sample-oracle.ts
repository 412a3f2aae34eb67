/**
 * What lists must return of the sample data, computed from `sample/*.ndjson` by plain loops straight from
 * decisions/0003-lists.md. It shares no code with the service, so that the two can be held against each other.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { type AttributeFilter, isLikeRepository, isLikeUser } from './attribute-oracle.ts'
import { fold, foldPlace } from './fold.ts'
import { findLastCommits, findUses } from './uses.ts'

/** An item of `GET /repos`. */
export interface ListedRepository extends SampleRepository {
  internal_id: number
}

/** What is filtered by. Parts that are missing or empty do not filter. */
export interface OracleFilter extends AttributeFilter {
  /** Of users: any of these. */
  location?: string | readonly string[]
  names?: readonly string[]
  /** Whether any of the names is enough. */
  match?: 'any' | 'all' | undefined
  without?: readonly string[]
  files?: readonly string[]
  status?: 'active' | 'removed'
  /** Of repositories. */
  owner?: string
}

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
export const sampleCommits: readonly SampleCommit[] = readLines('commits')

const lastCommits = findLastCommits({ users: sampleUsers, commits: sampleCommits })
const uses = findUses({ users: sampleUsers, repositories: sampleRepositories, commits: sampleCommits })

/** The users that a filter matches, in the order in which they are listed. */
export function findUsers(filter: OracleFilter): SampleUser[] {
  const places = listPlaces(filter)
  const found: SampleUser[] = []
  for (const user of sampleUsers) {
    if (places.length > 0 && !places.some((place) => foldPlace(user.location ?? '').includes(place))) continue
    if (!hasDependencies(uses.get(user) ?? [], filter)) continue
    if (!isLikeUser(user, lastCommits.get(user), filter)) continue
    found.push(user)
  }
  return found
}

/** The places of a filter, folded. */
export function listPlaces({ location = [] }: OracleFilter): string[] {
  return [location]
    .flat()
    .map((place) => foldPlace(place.trim()))
    .filter((place) => place !== '')
}

/** The repositories that a filter matches, in the order in which they are listed. They have no location. */
export function findRepositories(filter: Omit<OracleFilter, 'location'>): ListedRepository[] {
  const { owner } = filter
  return sampleRepositories.filter(
    (repository) =>
      (owner === undefined || fold(repository.owner_login) === fold(owner)) &&
      hasDependencies(repository.dependencies, filter) &&
      isLikeRepository(repository, filter),
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
 * Whether there is one of the dependencies that are asked for, or each, and none of those that must not be. Only those in one of
 * the files and with the status count.
 */
function hasDependencies(
  dependencies: readonly SampleDependency[],
  { names = [], match, without = [], files = [], status: wanted }: OracleFilter,
): boolean {
  const counted = dependencies.filter(
    ({ dependency, status }) =>
      (wanted === undefined || status === wanted) &&
      (files.length === 0 || files.includes(dependency.dependency_file)),
  )
  const has = (name: string) =>
    counted.some(({ dependency }) => fold(dependency.dependency_name) === fold(name))
  if (without.some(has)) return false
  if (names.length > 0) return match === 'all' ? names.every(has) : names.some(has)
  return files.length === 0 || without.length > 0 || counted.length > 0
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
