/**
 * Who uses what, computed from the records alone by plain loops straight from decisions/0004-data.md. It shares no code
 * with the service, so that the two can be held against each other.
 */
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { fold } from './fold.ts'

/** Everything that was loaded. */
export interface Loaded {
  users: readonly SampleUser[]
  repositories: readonly SampleRepository[]
  commits: readonly SampleCommit[]
}

/** A dependency that a user uses through a repository, and when that began. */
export interface DatedUse {
  dependency: SampleDependency
  /** Unix seconds. Null: unknown. */
  begin: number | null
  /** It began then or later, whatever is known. */
  notBefore: number
}

/** The dependencies that each user uses: one for each repository through which they do. */
export function findUses(loaded: Loaded): Map<SampleUser, SampleDependency[]> {
  return new Map(
    Array.from(findDatedUses(loaded), ([user, uses]) => [user, uses.map(({ dependency }) => dependency)]),
  )
}

/** What a repository declares, with the dates of a use that needs nothing else. */
export function dateOwnUse(dependency: SampleDependency): DatedUse {
  return { dependency, begin: dependency.first_use_date, notBefore: Number.NEGATIVE_INFINITY }
}

/** What each user uses, and since when. */
export function findDatedUses({ users, repositories, commits }: Loaded): Map<SampleUser, DatedUse[]> {
  const repositoriesByOwner = Map.groupBy(repositories, ({ owner_login }) => fold(owner_login))
  const commitsByAuthor = groupByAuthor(commits)
  const repositoriesByUrl = new Map(repositories.map((repository) => [repository.url, repository]))
  return new Map(
    users.map((user) => {
      const owned = repositoriesByOwner.get(fold(user.login)) ?? []
      const uses = owned.flatMap(({ dependencies }) => dependencies.map(dateOwnUse))
      if (isBot(user)) return [user, uses]
      const own = [...listNames(user)].flatMap((name) => commitsByAuthor.get(name) ?? [])
      for (const [url, ofRepository] of Map.groupBy(own, ({ repo_url }) => repo_url)) {
        const dates = ofRepository.map(({ author_date }) => author_date)
        const { dependencies = [] } = repositoriesByUrl.get(url) ?? {}
        const during = dependencies.filter((dependency) => isDeclaredDuring(dependency, dates))
        uses.push(...during.map((dependency) => dateUse(dependency, dates)))
      }
      return [user, uses]
    }),
  )
}

/** The use of an author with commits of these dates: from their first commit on, if the dependency was there before. */
function dateUse(dependency: SampleDependency, dates: readonly (number | null)[]): DatedUse {
  const declared = dependency.first_use_date
  const committed = dates.includes(null) ? null : Math.min(...dates.map(Number))
  const known = [declared, committed].filter((date) => date !== null)
  return {
    dependency,
    begin: known.length === 2 ? Math.max(...known) : null,
    notBefore: Math.max(...known),
  }
}

/** When several uses began: the earliest beginning. Null: unknown, because one that is unknown may be the earliest. */
export function findFirstUse(uses: readonly DatedUse[]): number | null {
  const earliest = Math.min(...uses.map(({ begin }) => begin ?? Number.POSITIVE_INFINITY))
  return uses.some(({ begin, notBefore }) => begin === null && notBefore < earliest) ? null : earliest
}

/** When the last of several uses ended. Null: unknown, or it has not ended. */
export function findLastUse(uses: readonly DatedUse[]): number | null {
  const ends = uses.map(({ dependency }) =>
    dependency.status === 'active' ? null : dependency.last_use_date,
  )
  return ends.includes(null) ? null : Math.max(...ends.map(Number))
}

/** When each user last authored a commit, as far as dates are known: in Unix seconds. */
export function findLastCommits({
  users,
  commits,
}: Pick<Loaded, 'users' | 'commits'>): Map<SampleUser, number> {
  const commitsByAuthor = groupByAuthor(commits)
  const lastCommits = new Map<SampleUser, number>()
  for (const user of users) {
    const own = [...listNames(user)].flatMap((name) => commitsByAuthor.get(name) ?? [])
    for (const { author_date: date } of own) {
      if (date !== null && date > (lastCommits.get(user) ?? Number.NEGATIVE_INFINITY))
        lastCommits.set(user, date)
    }
  }
  return lastCommits
}

/** The URLs of the repositories that each user has authored or co-authored a commit of. */
export function findContributions({
  users,
  commits,
}: Pick<Loaded, 'users' | 'commits'>): Map<SampleUser, Set<string>> {
  const commitsByAuthor = groupByAuthor(commits)
  return new Map(
    users.map((user) => {
      const own = [...listNames(user)].flatMap((name) => commitsByAuthor.get(name) ?? [])
      return [user, new Set(own.map(({ repo_url }) => repo_url))]
    }),
  )
}

/** The commits of each author, and of each co-author: whom a line `Co-authored-by: … <address>` of the message names. */
function groupByAuthor(commits: readonly SampleCommit[]): Map<string, SampleCommit[]> {
  const byAuthor = new Map<string, SampleCommit[]>()
  for (const commit of commits) {
    const trailers = commit.message.split('\n').filter((line) => fold(line).startsWith('co-authored-by'))
    const coauthors = trailers.flatMap((line) => /<(.+)>/.exec(line)?.[1] ?? [])
    for (const name of new Set([commit.author_email, ...coauthors].map(nameAuthor))) {
      byAuthor.set(name, [...(byAuthor.get(name) ?? []), commit])
    }
  }
  return byAuthor
}

/** A row for each dependency, file and status that somebody uses, as `readTables` reads them. */
export function listUses(
  loaded: Loaded,
): [name: string, file: string, status: string | null, user: number][] {
  const rows = [...findUses(loaded)].flatMap(([{ forge_rest_id: user }, uses]) =>
    uses.flatMap(({ status, dependency: { dependency_name: name, dependency_file: file } }) =>
      ['', name].map((each): [string, string, string | null, number] => [each, file, status, user]),
    ),
  )
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

/**
 * The dates of these rows: when the use began, doubled, and odd if it is only known that it began then or later, and when it ended. Null:
 * unknown, or not ended.
 */
export function listUseDates(
  loaded: Loaded,
): [
  name: string,
  file: string,
  status: string | null,
  user: number,
  began: number | null,
  ended: number | null,
][] {
  return [...findDatedUses(loaded)].flatMap(([{ forge_rest_id: user }, uses]) => {
    const keyOf = ({ dependency: { status, dependency } }: DatedUse): [string, string, string | null] => [
      dependency.dependency_name,
      dependency.dependency_file,
      status,
    ]
    const byRow = Map.groupBy(uses, (use) => JSON.stringify(keyOf(use)))
    const ofFiles = new Set(uses.map((use) => JSON.stringify(keyOf(use).with(0, ''))))
    const toRow = (key: string): [string, string, string | null] => JSON.parse(key)
    return [
      ...Array.from(ofFiles, (key): ReturnType<typeof listUseDates>[number] => [
        ...toRow(key),
        user,
        null,
        null,
      ]),
      ...Array.from(byRow, ([key, own]): ReturnType<typeof listUseDates>[number] => {
        const began = Math.min(
          ...own.map(({ begin, notBefore }) => (begin === null ? 2 * notBefore + 1 : 2 * begin)),
        )
        return [...toRow(key), user, Number.isFinite(began) ? began : null, findLastUse(own)]
      }),
    ]
  })
}

/** Rows in an order of their own, as text, so that two lists can be compared. */
export function sortRows(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

/** The user whom a commit's address names: by id or login if the forge hides the address, otherwise by address. */
export function nameAuthor(address: string): string {
  const [account = '', host = ''] = fold(address).split('@')
  if (!host.startsWith('users.noreply.')) return `address ${fold(address)}`
  const [id, login] = account.split('+')
  return login === undefined ? nameLogin(account) : `id ${id}`
}

/** The name that a login is. */
export function nameLogin(login: string): string {
  return `login ${fold(login)}`
}

/** All that names a user. */
export function listNames({ forge_rest_id, login, email }: SampleUser): Set<string> {
  const names = new Set([`id ${forge_rest_id}`, nameLogin(login)])
  if (email !== null) names.add(nameAuthor(email))
  return names
}

export function isBot({ type, login }: SampleUser): boolean {
  return type.toLowerCase() === 'bot' || login.toLowerCase().endsWith('[bot]')
}

/** Whether a dependency was declared at some time from the first of the dates to the last. Unknown dates exclude nothing. */
function isDeclaredDuring(
  { status, first_use_date, last_use_date }: SampleDependency,
  dates: readonly (number | null)[],
): boolean {
  const known = dates.filter((date) => date !== null)
  if (known.length < dates.length) return true
  const first = known.reduce((one, other) => Math.min(one, other))
  const last = known.reduce((one, other) => Math.max(one, other))
  const isOver = status !== 'active' && last_use_date !== null && last_use_date < first
  const hasBegun = first_use_date === null || first_use_date <= last
  return hasBegun && !isOver
}
