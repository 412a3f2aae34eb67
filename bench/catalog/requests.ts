/** The requests that the catalog is measured with: every list, every kind of filter. */
import { secretOf } from '../fill.ts'
import type { Target } from '../load.ts'
import type { Program } from '../programs.ts'
import {
  busyRepository,
  createUser,
  type Forge,
  largeRepository,
  nameDependency,
  nameRepository,
} from '../records.ts'
import { keyCount } from '../stage.ts'

/** A list, with a filter or none. */
export interface ListRequest {
  /** For people. */
  name: string
  path: string
  /** Each value of an array is a parameter. */
  query: Record<string, string | readonly string[]>
}

/** A list, and how much is in it. */
export interface CountedList extends ListRequest {
  total: number
}

export const pageSize = 30
const names = (...ranks: number[]) => ranks.map(nameDependency).join()
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** What half of all users match. */
export function createBroadest(): ListRequest {
  return { name: '/users, one dependency', path: '/users', query: { dependency_names: names(1) } }
}

/** Every list with every kind of filter. */
export function createLists(forge: Forge): ListRequest[] {
  const broad = 'united states'
  // Some five hundred use it, however many there are: growth is to be that of the data, not of the response.
  const rare = Math.max(1, Math.round(forge.users / 1_000))
  const both: Record<string, ListRequest['query']> = {
    'no filter': {},
    'one dependency': { dependency_names: names(1) },
    'a rare dependency': { dependency_names: names(rare) },
    'three dependencies': { dependency_names: names(2, 3, 4) },
    'fifty dependencies': { dependency_names: names(...upTo(50)) },
    files: { dependency_files: 'go.mod,Cargo.toml' },
    'dependency and file': { dependency_names: names(1, 2), dependency_files: 'package.json' },
    'one dependency, active': { dependency_names: names(1), dependency_status: 'active' },
    'one dependency, removed': { dependency_names: names(1), dependency_status: 'removed' },
  }
  const owner = nameRepository(forge, largeRepository).split('/')[0] ?? ''
  const repositories: Record<string, ListRequest['query']> = {
    ...both,
    'no filter, without dependencies': { exclude: 'dependencies' },
    'one dependency, without dependencies': { dependency_names: names(1), exclude: 'dependencies' },
    owner: { owner },
    'owner and dependency': { owner, dependency_names: names(1) },
  }
  const users: Record<string, ListRequest['query']> = {
    ...both,
    'location, broad': { location: broad },
    'location, narrow': { location: findNarrowPlace(forge) },
    'location, none found': { location: 'nowhere at all' },
    'three locations': { location: [broad, 'germany', 'india'] },
    'twenty locations': { location: upTo(20).map((number) => `${number} ${broad}`) },
    'three locations, dependency, active': {
      location: [broad, 'germany', 'india'],
      dependency_names: names(1),
      dependency_status: 'active',
    },
    'location and dependency': { location: broad, dependency_names: names(1) },
    'location, three dependencies, file': {
      location: broad,
      dependency_names: names(1, 2, 3),
      dependency_files: 'package.json',
    },
  }
  return [
    ...Object.entries(users).map(([name, query]) => ({ name: `/users, ${name}`, path: '/users', query })),
    ...Object.entries(repositories).map(([name, query]) => ({
      name: `/repos, ${name}`,
      path: '/repos',
      query,
    })),
    {
      name: 'commits of a repository',
      path: `/repos/${nameRepository(forge, busyRepository)}/commits`,
      query: {},
    },
    {
      name: 'dependencies of a repository',
      path: `/repos/${nameRepository(forge, largeRepository)}/dependencies`,
      query: {},
    },
  ]
}

/** Part of where one user or few live. */
function findNarrowPlace(forge: Forge): string {
  for (let number = 100; ; number++) {
    const { location } = createUser(forge, number)
    if (location?.includes('by ')) return location.split(',')[0] ?? ''
  }
}

/** The path of a page; `{n}` stays as it is. */
export function addressOf({ path, query }: ListRequest, page: number | '{n}', size = pageSize): string {
  const filter = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  ).toString()
  return `${path}?${filter === '' ? '' : `${filter}&`}per_page=${size}&page=${page}`
}

/** Sends a request with the first key. Throws unless the status is 200. */
export async function ask({ port }: Program, path: string, method = 'GET'): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${secretOf(1)}` },
  })
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}`)
  return response
}

/** Asks how long lists are: each has been seen then. */
export async function countLists(program: Program, lists: readonly ListRequest[]): Promise<CountedList[]> {
  const counted: CountedList[] = []
  for (const list of lists) {
    const { headers } = await ask(program, addressOf(list, 1), 'HEAD')
    counted.push({ ...list, total: Number(headers.get('X-Total-Count')) })
  }
  return counted
}

/** The last page that is full, or else the only one. */
export function lastFullPage({ total }: CountedList, size = pageSize): number {
  return Math.max(1, Math.floor(total / size))
}

/** The first page of a list, one in the middle, and the last, which may not be full. */
export function pagesToCompare({ total }: CountedList, size = pageSize): number[] {
  const last = Math.max(1, Math.ceil(total / size))
  return [...new Set([1, Math.ceil(last / 2), last])]
}

/** Full pages of a list, by lot, with a key each. */
export function randomPages(list: CountedList, size = pageSize): Target[] {
  return everyKey(addressOf(list, '{n}', size), lastFullPage(list, size))
}

/** Pages of each list that are requested repeatedly. */
const workingSet = 50

/** Some pages of a list, from its whole length. */
export function createWorkingSet(list: CountedList, size = pageSize): Target[] {
  const last = lastFullPage(list, size)
  return Array.from({ length: workingSet }, (_, index) => ({
    key: secretOf(index + 1),
    path: addressOf(list, 1 + Math.floor((index * last) / workingSet), size),
  }))
}

/** One page. */
export function onePage(list: ListRequest, page: number): Target[] {
  return everyKey(addressOf(list, page), 1)
}

/** A request for each of the keys. */
function everyKey(path: string, most: number): Target[] {
  return Array.from({ length: keyCount }, (_, index) => ({ key: secretOf(index + 1), path, most }))
}
