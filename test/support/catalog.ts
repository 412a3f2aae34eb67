/** Reads everything that a service lists, as a client does, and computes what filters must find. */
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { readListResponse } from './list-response.ts'
import type { TestService } from './service.ts'
import { findUses } from './uses.ts'

/** What can be loaded, by what identifies it. */
export interface Records {
  users: Map<number, SampleUser>
  repos: Map<number, SampleRepository>
  /** By repository URL and hash. */
  commits: Map<string, SampleCommit>
}

/** An item of a list. */
export type Item = Record<string, unknown>

/** Reads a whole list. */
async function readList(service: TestService, key: string, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const separator = path.includes('?') ? '&' : '?'
    const response = readListResponse(
      await service.request(`${path}${separator}per_page=100&page=${page}`, { key }),
    )
    items.push(...response.data)
    if (!response.pagination.has_more) {
      if (response.total !== items.length)
        throw new Error(`${path}: ${response.total} announced, ${items.length} listed`)
      return items
    }
  }
}

/** Query parameters; each value of an array is a parameter. */
export type ListQuery = Readonly<Record<string, string | readonly string[]>>

/** Writes the query of a URL. */
export function writeQuery(query: ListQuery): string {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  ).toString()
}

/** Reads the first 100 items of a list, with a key of its own. */
export async function readFirstItems(service: TestService, path: string, query: ListQuery) {
  const { secret } = await service.createKey()
  const search = writeQuery({ ...query, per_page: '100' })
  const { data, total } = readListResponse(await service.request(`${path}?${search}`, { key: secret }))
  if (data.length !== Math.min(total, 100)) throw new Error(`${path}: ${data.length} items of ${total}`)
  return { data, total }
}

/** Everything that a service lists, without `internal_id`: users, repositories, and each repository's commits. */
export async function readCatalog(service: TestService, key: string) {
  const users = await readList(service, key, '/users')
  const repos = (await readList(service, key, '/repos')).map(({ internal_id: _ours, ...repo }) => repo)
  const commits: Item[] = []
  for (const { full_name } of repos)
    commits.push(...(await readList(service, key, `/repos/${full_name}/commits`)))
  return { users, repos, commits }
}

/** Which users and repositories use each dependency, as the filters find them. */
export async function readFilters(service: TestService, key: string, dependencies: readonly string[]) {
  const found: Record<string, { users: unknown[]; repos: unknown[] }> = {}
  for (const name of dependencies) {
    const query = `dependency_names=${encodeURIComponent(name)}`
    found[name] = {
      users: (await readList(service, key, `/users?${query}`)).map(({ login }) => login),
      repos: (await readList(service, key, `/repos?${query}`)).map(({ full_name }) => full_name),
    }
  }
  return found
}

/** What `readFilters` must find, by plain loops from decisions/0003-lists.md. */
export function expectFilters({ users, repos, commits }: Records, dependencies: readonly string[]) {
  const uses = findUses({
    users: [...users.values()],
    repositories: [...repos.values()],
    commits: [...commits.values()],
  })
  const found: Record<string, { users: unknown[]; repos: unknown[] }> = {}
  for (const name of dependencies) {
    const isNamed = ({ dependency }: SampleDependency) => dependency.dependency_name === name
    found[name] = {
      users: [...uses].filter(([, used]) => used.some(isNamed)).map(([{ login }]) => login),
      repos: [...repos.values()]
        .filter((repo) => repo.dependencies.some(isNamed))
        .map(({ full_name }) => full_name),
    }
  }
  return found
}
