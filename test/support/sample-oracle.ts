/**
 * What lists must return of any records, and of the sample data, computed by plain loops straight from
 * decisions/0003-lists.md. It shares no code with the service, so that the two can be held against each other.
 */
import { readFileSync } from 'node:fs'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { type AttributeFilter, isLikeRepository, isLikeUser, readMoment } from './attribute-oracle.ts'
import { fold, foldCompany, foldPlace } from './fold.ts'
import {
  type DatedUse,
  dateOwnUse,
  findContributions,
  findDatedUses,
  findFirstUse,
  findLastCommits,
  findLastUse,
  type Loaded,
} from './uses.ts'

/** An item of `GET /repos`. */
export interface ListedRepository extends SampleRepository {
  internal_id: number
}

/** When uses began or ended, as a request has it: Unix seconds or a date. */
export interface UseFilter {
  first_use_since?: string
  first_use_until?: string
  last_use_since?: string
  last_use_until?: string
}

/** What is filtered by. Parts that are missing or empty do not filter. */
export interface OracleFilter extends AttributeFilter, UseFilter {
  /** Of users: any of these. */
  location?: string | readonly string[]
  company?: string | readonly string[]
  names?: readonly string[]
  /** Whether any of the names is enough. */
  match?: 'any' | 'all' | undefined
  without?: readonly string[]
  files?: readonly string[]
  status?: 'active' | 'removed'
  /** Of repositories. */
  owner?: string
  contributor?: readonly string[]
  /** Of users. */
  contributed_to?: readonly string[]
}

/** An item of `…/dependencies/blame`. */
interface BlamedDependency extends Pick<SampleDependency, 'dependency'> {
  added: BlamedCommit | null
  removed: BlamedCommit | null
}

interface BlamedCommit {
  commit_hash: string
  date: number | null
  author_email: string
}

/** What lists must return of some records, which are in the order of their import. */
export interface Oracle {
  /** As they are listed. */
  repositories: readonly ListedRepository[]
  /** The users that a filter matches, in the order in which they are listed. */
  findUsers(filter: OracleFilter): SampleUser[]
  /** The repositories that a filter matches, in the order in which they are listed. They have no location and no company. */
  findRepositories(filter: Omit<OracleFilter, 'location' | 'company'>): ListedRepository[]
  /** The commits of a repository, in the order in which they are listed. */
  commitsOf(fullName: string): SampleCommit[]
  /** The dependencies of a repository, in the order in which they are listed. */
  dependenciesOf(fullName: string): SampleDependency[]
  /** The same dependencies with the commits that added and removed them. */
  blameOf(fullName: string): BlamedDependency[]
  /** A repository. Throws when there is none of that name. */
  repositoryOf(fullName: string): ListedRepository
  /** The folded names of the dependencies that each user and each repository uses. */
  usedNames: ReadonlyMap<object, ReadonlySet<string>>
  /** The names that counts may have. */
  commonNames: { users: CommonNames; repositories: CommonNames }
}

/** Folded names of dependencies that at least three items use. */
interface CommonNames {
  all: ReadonlySet<string>
  /** Those that are among the 200 most used names, wherever the others are that are used as much as the last of these. */
  surely: ReadonlySet<string>
}

/**
 * Each item is given with what it uses. A name ranks by its uses in one ecosystem, where an item that uses it in two
 * files, or with two statuses, counts twice.
 */
function findCommonNames(items: readonly (readonly FoldedDependency[])[]): CommonNames {
  const uses = new Map<string, number>()
  const users = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const toKey = (name: string, file: string) => JSON.stringify([ecosystemOf(file), name])
  const mostUses = new Map<string, number>()
  for (const used of items) {
    const rows = new Map(used.map((each) => [JSON.stringify([each.name, each.file, each.status]), each]))
    for (const { name, file } of rows.values()) add(uses, toKey(name, file))
    for (const name of new Set(used.map((each) => each.name))) add(users, name)
  }
  for (const [key, count] of uses) {
    const [, name = ''] = JSON.parse(key)
    mostUses.set(name, Math.max(count, mostUses.get(name) ?? 0))
  }
  const all = [...users].flatMap(([name, count]) => (count >= 3 ? [name] : []))
  const next = [...uses.values()].sort((a, b) => b - a)[200] ?? 0
  return { all: new Set(all), surely: new Set(all.filter((name) => (mostUses.get(name) ?? 0) > next)) }
}

/** The ecosystems that spell names in their own way. */
function ecosystemOf(file: string): string {
  if (file === 'Cargo.toml') return 'Cargo'
  return /^(pyproject\.toml|setup\.(py|cfg)|Pipfile|.*\.(txt|in))$/.test(file) ? 'Python' : 'any other'
}

/** Computes what lists must return of these records. */
export function createOracle(loaded: Loaded): Oracle {
  const lastCommits = findLastCommits(loaded)
  const uses = findDatedUses(loaded)
  const contributions = findContributions(loaded)
  const users = loaded.users.map((user) => ({
    user,
    place: foldPlace(user.location ?? ''),
    company: foldCompany(user.company ?? ''),
    used: (uses.get(user) ?? []).map(foldDependency),
  }))
  const listed = loaded.repositories.map((repository, index) => ({
    repository: {
      internal_id: index + 1,
      ...repository,
      dependencies: sortDependencies(repository.dependencies).map(
        ({ added_commit_hash: _added, removed_commit_hash: _removed, ...use }) => use,
      ),
    },
    declared: repository.dependencies.map((each) => foldDependency(dateOwnUse(each))),
  }))
  const repositories = listed.map(({ repository }) => repository)

  function repositoryOf(fullName: string): ListedRepository {
    const repository = repositories.find(({ full_name }) => full_name === fullName)
    if (repository === undefined) throw new Error(`there is no repository ${fullName}`)
    return repository
  }
  const namesOf = (used: readonly FoldedDependency[]) => new Set(used.map(({ name }) => name))
  return {
    repositories,
    usedNames: new Map<object, Set<string>>([
      ...users.map(({ user, used }): [object, Set<string>] => [user, namesOf(used)]),
      ...listed.map(({ repository, declared }): [object, Set<string>] => [repository, namesOf(declared)]),
    ]),
    commonNames: {
      users: findCommonNames(users.map(({ used }) => used)),
      repositories: findCommonNames(listed.map(({ declared }) => declared)),
    },
    findUsers(filter) {
      const places = [filter.location ?? []]
        .flat()
        .map((place) => foldPlace(place.trim()))
        .filter((place) => place !== '')
      const companies = [filter.company ?? []].flat().map(foldCompany)
      const hasDependencies = readDependencyFilter(filter)
      const contributors = filter.contributed_to?.map(
        (name) => findNamed(loaded.repositories, 'full_name', name)?.url,
      )
      return users
        .filter(({ place }) => places.length === 0 || places.some((wanted) => place.includes(wanted)))
        .filter(
          ({ company }) => companies.length === 0 || companies.some((wanted) => company.includes(wanted)),
        )
        .filter(({ used }) => hasDependencies(used))
        .filter(
          ({ user }) =>
            contributors?.some((url) => url !== undefined && contributions.get(user)?.has(url)) ?? true,
        )
        .filter(({ user }) => isLikeUser(user, lastCommits.get(user), filter))
        .map(({ user }) => user)
    },
    findRepositories(filter) {
      const { owner, contributor } = filter
      const authors = contributor?.map((login) => findNamed(loaded.users, 'login', login))
      const hasDependencies = readDependencyFilter(filter)
      return listed
        .filter(({ repository }) => owner === undefined || fold(repository.owner_login) === fold(owner))
        .filter(
          ({ repository: { url } }) =>
            authors?.some((user) => user && contributions.get(user)?.has(url)) ?? true,
        )
        .filter(({ declared }) => hasDependencies(declared))
        .filter(({ repository }) => isLikeRepository(repository, filter))
        .map(({ repository }) => repository)
    },
    commitsOf(fullName) {
      const { url } = repositoryOf(fullName)
      return loaded.commits.filter((commit) => commit.repo_url === url).sort(compareCommits)
    },
    dependenciesOf: (fullName) => repositoryOf(fullName).dependencies,
    blameOf(fullName) {
      const { url } = repositoryOf(fullName)
      const commits = loaded.commits.filter(({ repo_url }) => repo_url === url)
      const find = (hash: string | null | undefined) => {
        const commit = commits.find(({ commit_hash }) => commit_hash === hash)
        if (commit === undefined) return null
        const { commit_hash, committer_date: date, author_email } = commit
        return { commit_hash, date, author_email }
      }
      const loadedAs = loaded.repositories.find(({ full_name }) => full_name === fullName)
      return sortDependencies(loadedAs?.dependencies ?? []).map((use) => ({
        dependency: use.dependency,
        added: find(use.added_commit_hash),
        removed: use.status === 'active' ? null : find(use.removed_commit_hash),
      }))
    },
    repositoryOf,
  }
}

/** The item that has a name, of several the one that was added last. */
function findNamed<Field extends string, Item extends Record<Field, string>>(
  items: readonly Item[],
  field: Field,
  name: string,
): Item | undefined {
  return items.findLast((item) => fold(item[field]) === fold(name))
}

/** All users of the sample data. */
export const sampleUsers: readonly SampleUser[] = readLines('users')
/** All commits of the sample data. */
export const sampleCommits: readonly SampleCommit[] = readLines('commits')

/** What lists must return of the sample data. */
export const sampleOracle = createOracle({
  users: sampleUsers,
  repositories: readLines<SampleRepository>('repos'),
  commits: sampleCommits,
})
export const {
  repositories: sampleRepositories,
  findUsers,
  findRepositories,
  commitsOf,
  dependenciesOf,
  blameOf,
  repositoryOf,
} = sampleOracle

const commitsByUrl = Map.groupBy(sampleCommits, ({ repo_url }) => repo_url)
/** The name of a repository with more than 30 commits and more than 5 dependencies. */
const busyName =
  sampleRepositories.find(
    ({ url, dependencies }) => (commitsByUrl.get(url)?.length ?? 0) > 30 && dependencies.length > 5,
  )?.full_name ?? ''
/** Its path. */
export const busyRepository = `/repos/${busyName}`

/** Fills a path template with a user and a repository of the sample data. */
export function fillPath(path: string): string {
  const [owner = '', name = ''] = busyName.split('/')
  return path
    .replace('{login}', 'ngoldberg')
    .replace('{owner}', owner)
    .replace('{name}', name)
    .replace('{page}', 'quickstart')
    .replace('{id}', '1')
}

/** What a filter asks of a dependency. */
interface FoldedDependency {
  name: string
  file: string
  status: string | null
  use: DatedUse
}

function foldDependency(use: DatedUse): FoldedDependency {
  const { dependency, status } = use.dependency
  return { name: fold(dependency.dependency_name), file: dependency.dependency_file, status, use }
}

/** Whether the uses of one name are of the time that is asked for. Unknown dates are of none. */
function areOfTime(
  uses: readonly DatedUse[],
  { first_use_since, first_use_until, last_use_since, last_use_until }: UseFilter,
): boolean {
  const isWithin = (date: number | null, since: string | undefined, until: string | undefined) =>
    (since === undefined || (date !== null && date >= readMoment(since))) &&
    (until === undefined || (date !== null && date < readMoment(until)))
  return (
    isWithin(findFirstUse(uses), first_use_since, first_use_until) &&
    isWithin(findLastUse(uses), last_use_since, last_use_until)
  )
}

/**
 * Whether there is one of the dependencies that are asked for, or each, and none of those that must not be. Only those
 * in one of the files and with the status count.
 */
function readDependencyFilter({
  names = [],
  match,
  without = [],
  files = [],
  status,
  ...times
}: OracleFilter) {
  const [wanted, unwanted] = [names.map(fold), without.map(fold)]
  const { first_use_since, first_use_until, last_use_since, last_use_until } = times
  const isTimed = [first_use_since, first_use_until, last_use_since, last_use_until].some(Boolean)
  return (dependencies: readonly FoldedDependency[]): boolean => {
    if (isTimed) {
      const inFiles = dependencies.filter(({ file }) => files.length === 0 || files.includes(file))
      const isWanted = (ofName: readonly FoldedDependency[]) =>
        ofName.length > 0 &&
        (status === undefined || ofName.some((each) => each.status === status)) &&
        areOfTime(
          ofName.map(({ use }) => use),
          times,
        )
      const hasAtTime = (name: string) => isWanted(inFiles.filter((each) => each.name === name))
      const hasUnwanted = inFiles.some(
        (each) => unwanted.includes(each.name) && (status === undefined || each.status === status),
      )
      if (hasUnwanted) return false
      if (wanted.length > 0) return match === 'all' ? wanted.every(hasAtTime) : wanted.some(hasAtTime)
      // A file's names are those of its ecosystem.
      const byName = Map.groupBy(inFiles, ({ name, file }) => JSON.stringify([ecosystemOf(file), name]))
      return [...byName.values()].some(isWanted)
    }
    const counted = dependencies.filter(
      (each) =>
        (status === undefined || each.status === status) && (files.length === 0 || files.includes(each.file)),
    )
    const has = (name: string) => counted.some((each) => each.name === name)
    if (unwanted.some(has)) return false
    if (wanted.length > 0) return match === 'all' ? wanted.every(has) : wanted.some(has)
    return files.length === 0 || unwanted.length > 0 || counted.length > 0
  }
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
