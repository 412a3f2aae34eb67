/** Filters by the time of a use, and the history of a dependency (decisions/0003-lists.md). */
import { beforeAll, expect, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { findRepository, removeRepository } from '../../api/dataset/repository-removal.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { createRandom } from '../../sample/random.ts'
import type { SampleDependency } from '../../sample/records.ts'
import { readFirstItems } from '../support/catalog.ts'
import { isDrill, seed } from '../support/drill.ts'
import { createSource, toLines } from '../support/ndjson.ts'
import { createRandomForge } from '../support/random-forge.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
  type Records,
} from '../support/records.ts'
import { sampleCommits, sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import { expectHistory, expectTotals, readHistory } from '../support/use-history.ts'

/** Of changes, removals and returns. */
const rounds = isDrill ? 10 : 1

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

describeOnEachDatabase('the history of a dependency', (kind) => {
  const service = useService(kind, { data: 'sample' })
  const sample = { users: sampleUsers, repositories: sampleRepositories, commits: sampleCommits }

  test.each<[name: string, file?: string]>([['react'], ['react', 'package.json'], ['requests'], ['zod']])(
    'has what the records say: of %s in %s',
    async (name, file) => {
      await expectHistory(service, sample, name, file)
    },
  )

  test('has the totals of the filters', async () => {
    const { data } = await readHistory(service, { dependency_name: 'react' })
    const { secret: key } = await service.createKey()
    for (let place = 0; place < data.length - 1; place += 7) {
      await expectTotals(service, key, { query: { dependency_names: 'react' }, data, place })
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

  test('has what the records say of made-up forges, after loads, renames, removals and returns', async () => {
    console.info(`seed ${seed}`)
    const { secret: key } = await service.createKey()
    const random = createRandom(`${seed} history`)
    const forge = createRandomForge(`${seed} history`)
    const load = (records: Records) => loadRecords(service.sql, spread(records))
    const expectHistories = async () => {
      const { users = [], repos = [], commits = [] } = spread({ ...forge, repos: forge.repositories })
      const repositories = repos.map(({ dependencies, ...repository }) => ({
        ...repository,
        dependencies: (dependencies ?? []) as SampleDependency[],
      }))
      for (const name of ['react', 'django', 'package-30']) {
        for (const file of [undefined, 'package.json']) {
          const data = await expectHistory(service, { users, repositories, commits }, name, file)
          if (data.length < 2) continue
          const query = { dependency_names: name, ...(file !== undefined && { dependency_files: file }) }
          // Most months are after the last commit.
          const place = random.integer(0, Math.min(60, data.length - 2))
          await expectTotals(service, key, { query, data, place })
        }
      }
    }
    await load(forge.grow({ users: 60, repositories: 60, commits: 240 }))
    await expectHistories()
    for (let round = 0; round < rounds; round++) {
      await load(forge.change({ users: 15, repositories: 25, commits: 40 }))
      await load(forge.grow({ users: 3, repositories: 5, commits: 20 }))
      await expectHistories()
      forge.remove({ users: 6, repositories: 6, commits: 20 })
      await mirror(service.sql, spread({ ...forge, repos: forge.repositories }))
      await expectHistories()
      await load(forge.restore())
      await expectHistories()
    }
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
  })

  test('has at most 600 months, which end with the current one', async () => {
    await loadRecords(service.sql, { repos: [declare(1, 'nobody', [['long-ago', 'active', 1, null]])] })
    const { data } = await readHistory(service, { dependency_name: 'long-ago' })
    expect(data).toHaveLength(600)
    expect(data.at(-1)?.month).toBe(new Date().toISOString().slice(0, 7))
    expect(data.map(({ repositories }) => repositories)).toEqual(
      data.map(() => ({ started: 0, stopped: 0, active: 1 })),
    )
  })
})

/** The days of made-up forges, one for each of their seconds, lie twenty apart, from 2010 on. */
function spreadDate(date: number | null): number | null {
  return date === null ? null : 1_262_304_000 + date * 20 * 86_400
}

/** The same records over years, so that they have uses in many months. */
function spread({ users = [], repos = [], commits = [] }: Records): Records {
  return {
    users,
    repos: repos.map((repository) => ({
      ...repository,
      dependencies:
        repository.dependencies?.map((use) => {
          const { first_use_date, last_use_date } = use as SampleDependency
          return {
            ...use,
            first_use_date: spreadDate(first_use_date),
            last_use_date: spreadDate(last_use_date),
          }
        }) ?? null,
    })),
    commits: commits.map((commit) => ({ ...commit, author_date: spreadDate(commit.author_date) })),
  }
}

/** What isn't in the records is gone. */
async function mirror(sql: Sql, { users = [], repos = [], commits = [] }: Records): Promise<void> {
  const sources = [
    createSource('users', toLines(users)),
    createSource('repos', toLines(repos)),
    createSource('commits', toLines(commits)),
  ]
  await importNdjson(sql, { sources, onMirror: async () => {} })
}
