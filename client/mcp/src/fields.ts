/** What assistants get of an item: by default what questions are mostly about, in few tokens. */
import type { Commit, ListedRepository, Repository, RepositoryDependency, User } from '../../src/client.ts'
import { shrink } from './result-size.ts'

/** Which fields an item has in a result. */
export type Fields = 'compact' | 'all'

/** An item in a result. Fields that are empty in the API are absent. */
export type ResultItem = Record<string, unknown>

/** The fields of compact users. */
export const userFields = ['login', 'name', 'company', 'location', 'bio', 'followers'] as const
/** The fields of compact repositories. */
export const repositoryFields = [
  'full_name',
  'description',
  'url',
  'language',
  'license',
  'stargazers_count',
  'archived',
  'pushed_at',
] as const
/** The fields of compact commits. */
const commitFields = ['commit_hash', 'author_email', 'author_date', 'message'] as const

/** Characters of a text. */
const maxLength = { compact: 200, all: 5_000 } as const
/** Dependencies of a repository. */
const maxDependencies = 300

/** Describes a user. */
export function describeUser(user: User, fields: Fields): ResultItem {
  // Most are people; others would be taken for one.
  const type = user.type === 'User' ? undefined : user.type
  const compact = { ...pick(user, userFields), type }
  return shrink((share) => tidy(fields === 'all' ? user : compact, maxLength[fields] * share))
}

/** Describes a repository. */
export function describeRepository(repository: Repository | ListedRepository, fields: Fields): ResultItem {
  const { dependencies, ...others } = repository as ListedRepository
  if (fields === 'compact')
    return shrink((share) => tidy(pick(others, repositoryFields), maxLength.compact * share))
  return shrink((share) => ({
    ...tidy(others, maxLength.all * share),
    ...(dependencies && describeDependencies(dependencies, Math.floor(maxDependencies * share))),
  }))
}

function describeDependencies(dependencies: readonly RepositoryDependency[], count: number) {
  const omitted = dependencies.length - count
  return {
    // Each has the repository's URL.
    dependencies: dependencies
      .slice(0, count)
      .map(({ url: _, ...dependency }) => tidy(dependency, maxLength.all)),
    ...(omitted > 0 && { dependencies_omitted: omitted }),
  }
}

/** Describes a commit. A compact one has the first line of its message. */
export function describeCommit(commit: Commit, fields: Fields): ResultItem {
  const [firstLine] = commit.message.split('\n', 1)
  return shrink((share) =>
    tidy(
      fields === 'all' ? commit : { ...pick(commit, commitFields), message: firstLine },
      maxLength[fields] * share,
    ),
  )
}

function pick<Item extends object>(item: Item, names: readonly (keyof Item)[]): object {
  return Object.fromEntries(names.map((name) => [name, item[name]]))
}

/** Leaves out what is empty, writes times in ISO 8601, and cuts long texts. */
function tidy(item: object, length: number): ResultItem {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => {
      if (value === null || value === undefined || value === '') return []
      if (typeof value === 'object') return [[name, tidy(value, length)]]
      if (typeof value === 'string') return [[name, cut(value, Math.max(1, Math.floor(length)))]]
      return [[name, typeof value === 'number' && /_(at|date)$/.test(name) ? writeTime(value) : value]]
    }),
  )
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text
}

function writeTime(seconds: number): string | number {
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString().replace('.000', '')
}
