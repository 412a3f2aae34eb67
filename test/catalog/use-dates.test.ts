/** Filters by the time of a use, and the history of a dependency (decisions/0003-lists.md). */
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { findRepository, removeRepository } from '../../api/dataset/repository-removal.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import type { SampleDependency } from '../../sample/records.ts'
import { readFirstItems } from '../support/catalog.ts'
import { createRandomForge } from '../support/random-forge.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
} from '../support/records.ts'
import { sampleCommits, sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, type TestService, useService } from '../support/service.ts'
import {
  type DatedUse,
  dateOwnUse,
  findDatedUses,
  findFirstUse,
  findLastUse,
  type Loaded,
} from '../support/uses.ts'

type Use = [
  name: string,
  status: SampleDependency['status'],
  first: number | null,
  last: number | null,
  file?: string,
]

function declare(number: number, owner: string, uses: readonly Use[]) {
  const repository = createRepository(number, owner, [])
  const dependencies = uses.map(([name, status, first_use_date, last_use_date, file]) => ({
    ...createDependency(repository.url, name, file),
    ...{ status, first_use_date, last_use_date },
  }))
  return { ...repository, dependencies }
}

const address = (number: number) => `${number}@example.org`
const users = Array.from({ length: 6 }, (_, index) =>
  createUser(index + 1, { login: `u${index + 1}`, email: address(index + 1) }),
)
const repos = [
  declare(1, 'u1', [
    ['zod', 'active', 100, null],
    ['zod', 'removed', 50, 300, 'other.json'],
    ['ajv', 'removed', 10, 99],
  ]),
  declare(2, 'u2', [
    ['zod', 'removed', 200, 400],
    ['zod', 'removed', 210, null, 'other.json'],
  ]),
  declare(3, 'u3', [
    ['zod', 'removed', null, 500],
    ['ajv', 'active', 1_000, null],
    ['Pip_Name', 'active', 5, null, 'setup.py'],
  ]),
  declare(4, 'nobody', [['zod', 'removed', 90, 600]]),
]
const urlOf = (number: number) => repos[number - 1]?.url ?? ''
const commits = [
  createCommit(1, urlOf(4), address(4), 150),
  createCommit(2, urlOf(4), address(4), 700),
  createCommit(3, urlOf(4), address(5), null), // at some time, so not before 90
  createCommit(4, urlOf(4), address(1), 120), // also through repository 1, since 50
  createCommit(5, urlOf(3), address(6), 700), // too late for zod, and before ajv
  createCommit(6, urlOf(3), address(6), 1_005),
]

describeOnEachDatabase('by the time of a use, a list', (kind) => {
  const service = useService(kind, { data: 'empty' })
  beforeAll(async () => {
    await loadRecords(service.sql, { users, repos, commits })
  })

  const find = async (query: string) => {
    const [path = '', search] = query.split('?')
    const { data } = await readFirstItems(service, path, Object.fromEntries(new URLSearchParams(search)))
    return data.map(({ forge_rest_id: id }) => id)
  }

  test.each<[query: string, ids: number[]]>([
    ['/repos?dependency_names=zod&first_use_since=50', [1, 2, 4]],
    ['/repos?dependency_names=zod&first_use_since=51', [2, 4]],
    ['/repos?dependency_names=zod&first_use_since=90&first_use_until=200', [4]],
    ['/repos?dependency_names=zod&first_use_until=201', [1, 2, 4]],
    ['/repos?dependency_names=zod&first_use_since=100&dependency_files=package.json', [1, 2]],
    ['/repos?dependency_names=ZOD&last_use_since=1', [3, 4]],
    ['/repos?dependency_names=zod&last_use_since=300&dependency_files=other.json', [1]],
    ['/repos?dependency_names=zod&last_use_since=500&last_use_until=600', [3]],
    ['/repos?dependency_names=zod&last_use_until=601&first_use_since=1', [4]],
    ['/repos?dependency_names=zod&first_use_since=1&dependency_status=removed', [1, 2, 4]],
    ['/repos?dependency_names=zod&first_use_since=1&dependency_status=active', [1]],
    ['/repos?dependency_names=zod,ajv&first_use_since=1000', [3]],
    ['/repos?dependency_names=zod,ajv&first_use_since=10&dependency_match=all', [1]],
    ['/repos?dependency_names=zod,ajv&first_use_until=50&first_use_since=1', [1]],
    ['/repos?dependency_files=package.json&first_use_since=1000', [3]],
    ['/repos?dependency_files=package.json,other.json&first_use_until=11', [1]],
    ['/repos?dependency_names=pip-name&first_use_since=5', [3]],
    ['/repos?dependency_names=pip-name&first_use_since=6', []],
    ['/repos?dependency_names=zod&first_use_since=1&without_dependency_names=ajv', [2, 4]],
    ['/repos?dependency_files=package.json&first_use_since=1&without_dependency_names=ajv', [2, 4]],
    ['/repos?dependency_names=zod&first_use_since=1&owner=u1', [1]],
    ['/repos?dependency_names=nothing&first_use_since=1', []],
    ['/repos?dependency_names=zod&first_use_since=1970-01-02', []],
    ['/repos?dependency_names=zod&first_use_until=1970-01-02&sort=stars', [1, 2, 4]],
    ['/users?dependency_names=zod&first_use_since=1', [1, 2, 4]],
    ['/users?dependency_names=zod&first_use_since=51', [2, 4]],
    ['/users?dependency_names=zod&first_use_since=150&first_use_until=151', [4]],
    ['/users?dependency_names=zod&last_use_since=1', [3, 4, 5]],
    ['/users?dependency_names=zod&last_use_since=501', [4, 5]],
    ['/users?dependency_names=zod&dependency_status=removed&last_use_since=600', [4, 5]],
    ['/users?dependency_names=ajv&first_use_since=1000', [3, 6]],
    ['/users?dependency_names=ajv&first_use_since=1001', []],
  ])('%s has %j', async (query, ids) => {
    expect(await find(query)).toEqual(ids)
  })

  test('is exact after later loads and removals', async () => {
    const started = (since: number) => find(`/users?dependency_names=zod&first_use_since=${since}`)
    const earlier = createCommit(7, urlOf(4), address(4), 91)
    await loadRecords(service.sql, { commits: [earlier] })
    expect(await started(92)).toEqual([2])
    expect(await find('/users?dependency_names=zod&first_use_since=91&first_use_until=92')).toEqual([4])
    await loadRecords(service.sql, { repos: [declare(4, 'nobody', [['zod', 'active', 95, null]])] })
    expect(await find('/users?dependency_names=zod&first_use_since=95&first_use_until=96')).toEqual([4])
    expect(await find('/users?dependency_names=zod&last_use_since=1')).toEqual([3])
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
    const found = await findRepository(service.sql, { forgeRestId: 4 })
    if (found === undefined) throw new Error('the repository is missing')
    await removeRepository(service.sql, found)
    expect(await started(1)).toEqual([1, 2])
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
  })
})

const numbers = v.strictObject({ started: v.number(), stopped: v.number(), active: v.number() })
const historySchema = v.strictObject({
  data: v.array(v.strictObject({ month: v.string(), repositories: numbers, users: numbers })),
  unknown: v.strictObject({ repositories: v.number(), users: v.number() }),
  meta: v.looseObject({}),
})

async function readHistory(service: TestService, search: Record<string, string>) {
  const { secret: key } = await service.createKey({ credits: 0 })
  const response = await service.request(`/dependencies/history?${new URLSearchParams(search)}`, { key })
  expect(response.status).toBe(200)
  expect(response.headers.get('X-Credits-Cost')).toBe('0')
  return v.parse(historySchema, response.json())
}

/** The month of a moment, such as `2026-03`. */
const monthOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 7)

/** What the history must be, from the records alone. */
function computeHistory({ users, repositories, commits }: Loaded, name: string, file?: string) {
  const isWanted = ({ dependency: { dependency } }: DatedUse) =>
    dependency.dependency_name.toLowerCase() === name &&
    (file === undefined || dependency.dependency_file === file)
  const items = {
    repositories: repositories.map(({ dependencies }) => dependencies.map(dateOwnUse).filter(isWanted)),
    users: Array.from(findDatedUses({ users, repositories, commits }).values(), (uses) =>
      uses.filter(isWanted),
    ),
  }
  const dates = (list: keyof typeof items) =>
    items[list]
      .filter((uses) => uses.length > 0)
      .map((uses) => ({
        first: findFirstUse(uses),
        last: findLastUse(uses),
        isActive: uses.some(({ dependency }) => dependency.status === 'active'),
      }))
  const all = { repositories: dates('repositories'), users: dates('users') }
  const months = new Set(
    Object.values(all).flatMap((list) =>
      list.flatMap(({ first, last }) => [first, last].filter((date) => date !== null).map(monthOf)),
    ),
  )
  const count = (list: typeof all.users, month: string) => ({
    started: list.filter(({ first }) => first !== null && monthOf(first) === month).length,
    stopped: list.filter(({ last }) => last !== null && monthOf(last) === month).length,
    active: list.filter(
      ({ first, last }) =>
        first !== null && monthOf(first) <= month && !(last !== null && monthOf(last) <= month),
    ).length,
  })
  const countUnknown = (list: typeof all.users) =>
    list.filter(({ first, last, isActive }) => first === null || (last === null && !isActive)).length
  return {
    months: [...months].sort(),
    of: (month: string) => ({
      ...{ month, repositories: count(all.repositories, month), users: count(all.users, month) },
    }),
    unknown: { repositories: countUnknown(all.repositories), users: countUnknown(all.users) },
  }
}

describeOnEachDatabase('the history of a dependency', (kind) => {
  const service = useService(kind, { data: 'sample' })
  const sample = { users: sampleUsers, repositories: sampleRepositories, commits: sampleCommits }

  test.each<[name: string, file?: string]>([['react'], ['react', 'package.json'], ['requests'], ['zod']])(
    'has what the records say: of %s in %s',
    async (name, file) => {
      const search = { dependency_name: name, ...(file !== undefined && { dependency_file: file }) }
      const { data, unknown } = await readHistory(service, search)
      const expected = computeHistory(sample, name, file)
      expect(data[0]?.month).toBe(expected.months[0])
      expect(data.at(-1)?.month).toBe(new Date().toISOString().slice(0, 7))
      expect(data).toEqual(data.map(({ month }) => expected.of(month)))
      expect(unknown).toEqual(expected.unknown)
      const months = new Set(data.map(({ month }) => month))
      expect(expected.months.filter((month) => !months.has(month))).toEqual([])
    },
  )

  test('has the totals of the filters', async () => {
    const { data } = await readHistory(service, { dependency_name: 'react' })
    const { secret: key } = await service.createKey()
    const total = async (path: string, times: Record<string, string>) => {
      const query = new URLSearchParams({ dependency_names: 'react', ...times })
      const { headers } = await service.request(`${path}?${query}`, { key, method: 'HEAD' })
      return Number(headers.get('X-Total-Count'))
    }
    for (const [place, item] of data.entries()) {
      const next = data[place + 1]
      if (place % 7 !== 0 || next === undefined) continue
      const [since, until] = [`${item.month}-01`, `${next.month}-01`]
      for (const [path, list] of [
        ['/users', 'users'],
        ['/repos', 'repositories'],
      ] as const) {
        const started = await total(path, { first_use_until: until })
        const stopped = await total(path, { first_use_until: until, last_use_until: until })
        expect([item.month, item[list]]).toEqual([
          item.month,
          {
            started: await total(path, { first_use_since: since, first_use_until: until }),
            stopped: await total(path, { last_use_since: since, last_use_until: until }),
            active: started - stopped,
          },
        ])
      }
    }
  })

  test('has the months that since and until leave', async () => {
    const list = async (times: Record<string, string>) =>
      (await readHistory(service, { dependency_name: 'react', ...times })).data.map(({ month }) => month)
    expect(await list({ since: '2024-02-01', until: '2024-04-01' })).toEqual(['2024-02', '2024-03'])
    expect(await list({ since: '2024-02-29', until: '2024-04-02' })).toEqual([
      '2024-02',
      '2024-03',
      '2024-04',
    ])
    expect(await list({ since: '2024-04-01', until: '2024-04-01' })).toEqual([])
    const all = await readHistory(service, { dependency_name: 'react' })
    const some = await readHistory(service, { dependency_name: 'react', since: '2024-02-01' })
    expect(some.data).toEqual(all.data.filter(({ month }) => month >= '2024-02'))
    expect(some.unknown).toEqual(all.unknown)
  })

  test.each([
    [
      'dependency_name=libstdc++',
      'dependency_name: entry 1 ends in +, which is a space in URLs; write a plus sign as %2B',
    ],
    [
      'dependency_name=a&dependency_file=b+',
      'dependency_file: entry 1 ends in +, which is a space in URLs; write a plus sign as %2B',
    ],
    ['dependency_name=a&dependency_name=b', 'dependency_name: given more than once'],
    ['dependency_name=a&dependency_file=b&dependency_file=b', 'dependency_file: given more than once'],
  ])('refuses what it can’t mean, free: %s', async (query, error) => {
    const { secret: key } = await service.createKey({ credits: 1 })
    const response = await service.request(`/dependencies/history?${query}`, { key })
    expect([response.status, response.json(), response.headers.get('X-Credits-Cost')]).toEqual([
      400,
      { error: `Invalid ${error}` },
      '0',
    ])
  })

  test('of a name that nothing uses has no months', async () => {
    const none = { data: [], unknown: { repositories: 0, users: 0 } }
    expect(await readHistory(service, { dependency_name: 'nothing-is-called-so' })).toMatchObject(none)
    expect(await readHistory(service, { dependency_name: 'react', dependency_file: 'go.mod' })).toMatchObject(
      none,
    )
  })
})

describeOnEachDatabase('the history of any dependency', (kind) => {
  const service = useService(kind, { data: 'empty' })

  test('has what the records say, of made-up forges, and at most 600 months', async () => {
    const forge = createRandomForge('history')
    const grown = forge.grow({ users: 60, repositories: 60, commits: 240 })
    /** Days become years. */
    const stretch = (date: number | null) => (date === null ? null : date * 20 * 86_400)
    const repos = forge.repositories.map((repository) => ({
      ...repository,
      dependencies: repository.dependencies.map((use) => ({
        ...use,
        first_use_date: stretch(use.first_use_date),
        last_use_date: stretch(use.last_use_date),
      })),
    }))
    const commits = forge.commits.map((commit) => ({ ...commit, author_date: stretch(commit.author_date) }))
    await loadRecords(service.sql, { users: grown.users ?? [], repos, commits })
    for (const name of ['react', 'django', 'lodash', '100%']) {
      const { data, unknown } = await readHistory(service, { dependency_name: name })
      const expected = computeHistory({ users: forge.users, repositories: repos, commits }, name)
      expect(data.length).toBeLessThanOrEqual(600)
      expect(data).toEqual(data.map(({ month }) => expected.of(month)))
      expect([name, unknown]).toEqual([name, expected.unknown])
    }
  })
})
