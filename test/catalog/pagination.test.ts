/** Iterations through the pages of every list (decisions/0003-lists.md). */
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { SampleUser } from '../../sample/records.ts'
import { describePage, parseLinkHeader, readListResponse } from '../support/list-response.ts'
import { loadRecords } from '../support/records.ts'
import {
  blameOf,
  commitsOf,
  dependenciesOf,
  findRepositories,
  findUsers,
  type OracleFilter,
  sampleRepositories,
  sampleUsers,
} from '../support/sample-oracle.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'

const baseUrl = 'https://api.example.com/public-api'
const pageSizes = [1, 7, 100]
/** Longer lists are not read in pages of one item. */
const maxItemsInSinglePages = 60
const maxPages = 12

interface List {
  path: string
  query?: Record<string, string>
  expected: readonly object[]
}

function listUsers(query: Record<string, string>, filter: OracleFilter): List {
  return { path: '/users', query, expected: findUsers(filter) }
}

function listRepositories(query: Record<string, string>, filter: OracleFilter): List {
  return { path: '/repos', query, expected: findRepositories(filter) }
}

const keySchema = v.union([
  v.object({ internal_id: v.number() }),
  v.object({ commit_hash: v.string() }),
  v.object({ dependency: v.object({ dependency_name: v.string(), dependency_file: v.string() }) }),
])

/** The cursor (`after`) of an item. */
function cursorOf({ path }: List, item: object): string {
  const users: readonly object[] = sampleUsers
  if (path === '/users') return String(users.indexOf(item) + 1)
  const key = v.parse(keySchema, item)
  if ('internal_id' in key) return String(key.internal_id)
  if ('commit_hash' in key) return key.commit_hash
  return JSON.stringify([key.dependency.dependency_name, key.dependency.dependency_file])
}

const locations = [
  'berlin',
  'São PAULO',
  'sao paulo',
  'ZÜRICH',
  'istanbul',
  'iğdır',
  '東京',
  'ΠΕΙΡΑΙΆΣ',
  'STRASSE',
  '%',
  '_',
  '\\',
  ', ',
  'a',
  '🌍',
  'Atlantis',
]
const manifests = ['package.json', 'pom.xml', 'pyproject.toml', 'requirements.txt', 'go.mod']

const lists: List[] = [
  { path: '/users', expected: sampleUsers },
  { path: '/repos', expected: sampleRepositories },
  { path: '/repos/yarrow-collective/monolith/commits', expected: commitsOf('yarrow-collective/monolith') },
  {
    path: '/repos/yarrow-collective/platform/dependencies',
    expected: dependenciesOf('yarrow-collective/platform'),
  },
  { path: '/repos/yarrow-collective/placeholder/commits', expected: [] },
  { path: '/repos/yarrow-collective/placeholder/dependencies', expected: [] },
  {
    path: '/repos/yarrow-collective/platform/dependencies/blame',
    expected: blameOf('yarrow-collective/platform'),
  },
  ...locations.map((location) => listUsers({ location }, { location })),
  listUsers({ location: 'berlin', dependency_names: 'react' }, { location: 'berlin', names: ['react'] }),
  listUsers(
    { location: 'a', dependency_files: 'go.mod,pom.xml' },
    { location: 'a', files: ['go.mod', 'pom.xml'] },
  ),
  listUsers(
    { location: 'o', dependency_names: 'redis,Django', dependency_files: 'pyproject.toml' },
    { location: 'o', names: ['redis', 'django'], files: ['pyproject.toml'] },
  ),
  ...[listUsers, listRepositories].flatMap((list) => [
    list({ dependency_names: 'TypeScript' }, { names: ['typescript'] }),
    list({ dependency_names: 'django,pyyaml' }, { names: ['django', 'pyyaml'] }),
    list({ dependency_names: '@types/node, react,,numpy' }, { names: ['@types/node', 'react', 'numpy'] }),
    list({ dependency_names: 'there-is-no-such-package' }, { names: ['there-is-no-such-package'] }),
    list({ dependency_files: 'Cargo.toml' }, { files: ['Cargo.toml'] }),
    list({ dependency_files: manifests.join() }, { files: manifests }),
    list(
      { dependency_names: 'redis,dotenv', dependency_files: 'package.json' },
      { names: ['redis', 'dotenv'], files: ['package.json'] },
    ),
  ]),
]

describe('the lists of these tests', () => {
  test('have all sizes: empty, one page, many pages', () => {
    const sizes = lists.map(({ expected }) => expected.length)
    expect(sizes.filter((size) => size === 0).length).toBeGreaterThan(2)
    expect(sizes.filter((size) => size > 0 && size < 7).length).toBeGreaterThan(5)
    expect(sizes.filter((size) => size > 100).length).toBeGreaterThan(5)
  })
})

describeOnOneDatabase('an iteration by rel="next"', (kind) => {
  const service = useService(kind, { baseUrl })

  /** Follows `next` from page 1 to the end, and checks what each page says about itself. */
  async function iterate({ path, query = {}, expected }: List, size: number): Promise<object[]> {
    const { secret, id } = await service.createKey({ credits: expected.length })
    const last = Math.max(1, Math.ceil(expected.length / size))
    const queryOf = (page: number) => ({ ...query, page: String(page), per_page: String(size) })
    const seen: object[] = []
    let next: string | undefined = `${path}?${new URLSearchParams(queryOf(1))}`
    for (let page = 1; next !== undefined; page++) {
      const response = readListResponse(await service.request(next, { key: secret }))
      seen.push(...response.data)
      const links = [...response.links].map(([relation, target]) => {
        expect(`${target.origin}${target.pathname}`).toBe(`${baseUrl}${path}`)
        const { after, ...query } = Object.fromEntries(target.searchParams)
        expect([relation, after !== undefined]).toEqual([relation, relation === 'next'])
        return [relation, query]
      })
      expect(Object.fromEntries(links)).toEqual({
        first: queryOf(1),
        ...(page > 1 && { prev: queryOf(page - 1) }),
        ...(page < last && { next: queryOf(page + 1) }),
        last: queryOf(last),
      })
      expect(response.pagination).toEqual(describePage(page, size, last))
      expect(response.total).toBe(expected.length)
      expect(response.cost).toBe(response.data.length)
      expect(response.remaining).toBe(expected.length - seen.length)
      next = response.links.get('next')?.href.slice(baseUrl.length)
    }
    expect(await service.readLedger(id)).toEqual({
      balance: 0,
      granted: expected.length,
      charged: expected.length,
    })
    return seen
  }

  test.for(lists.map((list) => [`${list.path}?${new URLSearchParams(list.query)}`, list] as const))(
    'from page 1 has each item of %s once, in order, for a credit each',
    async ([, list]) => {
      for (const size of pageSizes) {
        if (size === 1 && list.expected.length > maxItemsInSinglePages) continue
        expect(await iterate(list, size)).toEqual(list.expected)
      }
    },
  )

  test('from any page, or after any item, has each following item once, in order, for a credit each', async () => {
    const starts = fc
      .record({ list: fc.constantFrom(...lists), size: fc.integer({ min: 1, max: 100 }) })
      .chain(({ list, size }) => {
        const { length } = list.expected
        const largest = Math.floor(Number.MAX_SAFE_INTEGER / size)
        return fc.record({
          list: fc.constant(list),
          size: fc.constant(size),
          page: fc.option(
            fc.oneof(
              fc.integer({ min: 1, max: Math.ceil(length / size) + 2 }),
              fc.integer({ min: 1, max: largest }),
              fc.constant(largest),
            ),
            { nil: undefined },
          ),
          after: fc.option(fc.nat({ max: Math.max(0, length - 1) }), { nil: undefined }),
        })
      })
    await fc.assert(
      fc.asyncProperty(starts, async ({ list, size, page, after }) => {
        const { path, query = {}, expected } = list
        const item = after === undefined ? undefined : expected[after]
        const first = item === undefined ? ((page ?? 1) - 1) * size : expected.indexOf(item) + 1
        const following = expected.slice(first).slice(0, size * maxPages)
        const { secret, id } = await service.createKey({ credits: following.length })
        const seen: object[] = []
        let next: string | undefined = `${path}?${new URLSearchParams({
          ...query,
          ...(page !== undefined && { page: String(page) }),
          per_page: String(size),
          ...(item !== undefined && { after: cursorOf(list, item) }),
        })}`
        for (let count = 1; next !== undefined && count <= maxPages; count++) {
          const { data, links, pagination, cost, total } = readListResponse(
            await service.request(next, { key: secret }),
          )
          seen.push(...data)
          expect(cost).toBe(data.length)
          expect(total).toBe(expected.length)
          for (const relation of ['first', 'prev', 'last']) {
            expect(links.get(relation)?.searchParams.get('after') ?? null).toBeNull()
          }
          const target = links.get('next')
          const number = Number(target?.searchParams.get('page') ?? 0)
          expect([pagination.has_more, pagination.next_page]).toEqual([target !== undefined, number])
          expect(pagination.has_more).toBe(first + seen.length < expected.length)
          next = target?.href.slice(baseUrl.length)
        }
        expect(seen).toEqual(following)
        expect(await service.readLedger(id)).toMatchObject({ balance: 0, charged: following.length })
      }),
      { numRuns: 50 },
    )
  })

  test('has 30 items in a page by default', async () => {
    const { secret } = await service.createKey()
    for (const path of ['/users', '/repos', '/repos/yarrow-collective/monolith/commits']) {
      const { data, pagination, links } = readListResponse(await service.request(path, { key: secret }))
      expect(data).toHaveLength(30)
      expect(pagination).toMatchObject({ page: 1, per_page: 30 })
      expect(links.get('next')?.search).toMatch(/^\?page=2&per_page=30(&|$)/)
    }
  })

  test('repeats every value of each parameter in links, but not the page', async () => {
    const { secret } = await service.createKey()
    for (const [path, query] of [
      [
        '/users',
        'location=berlin&location=munich&location=berlin&dependency_names=react,zod&dependency_names=hono',
      ],
      ['/users', 'dependency_files=go.mod&dependency_files=package.json,pom.xml&dependency_status=removed'],
      ['/repos', 'exclude=dependencies&owner=rhaddad&dependency_names=react&dependency_names=react'],
      ['/repos', 'exclude=dependencies&changed_since=0'],
    ] as const) {
      const { data, links } = readListResponse(
        await service.request(`${path}?${query}&per_page=2&page=2`, { key: secret }),
      )
      expect([...links.keys()].sort()).toEqual(['first', 'last', 'next', 'prev'])
      for (const [relation, target] of links) {
        const others = [...target.searchParams].filter(
          ([name]) => !['page', 'per_page', 'after'].includes(name),
        )
        expect([relation, others]).toEqual([relation, [...new URLSearchParams(query)]])
        expect(target.searchParams.get('per_page')).toBe('2')
        expect(target.searchParams.has('after')).toBe(relation === 'next')
      }
      const previous = links.get('prev')
      const back = readListResponse(await service.request(`${path}${previous?.search}`, { key: secret }))
      const next = back.links.get('next')
      expect(readListResponse(await service.request(`${path}${next?.search}`, { key: secret })).data).toEqual(
        data,
      )
    }
  })

  test('repeats filters in links as they were sent, whatever characters they have', async () => {
    const { secret } = await service.createKey()
    for (const location of [
      ' Lisbon ',
      'a&page=9',
      'x=y#z',
      '<nowhere>',
      '"the cloud"',
      'Berlin & beyond + more',
      '%41',
      'Zu\u0308rich',
    ]) {
      const query = new URLSearchParams({
        location,
        dependency_names: ',Redis,,',
        dependency_files: ' go.mod ',
      })
      const response = await service.request(`/users?${query}`, { key: secret })
      for (const [, target] of parseLinkHeader(response.headers.get('Link') ?? '')) {
        expect(Object.fromEntries(target.searchParams)).toMatchObject({
          location,
          dependency_names: ',Redis,,',
          dependency_files: ' go.mod ',
        })
      }
    }
  })

  test('has each item once that stays in the list, whatever is added and removed meanwhile', async () => {
    const changing = await startTestService(kind, { baseUrl })
    try {
      const { secret } = await changing.createKey()
      const isThere = ({ location }: SampleUser) => /berlin/i.test(location ?? '')
      const there = sampleUsers.filter(isThere)
      // Every second one leaves, listed already or not; others are added before and after.
      const leaving = there.filter((_, index) => index % 2 === 0)
      const coming = sampleUsers.filter((user, index) => !isThere(user) && index % 4 === 0)
      const staying = there.filter((user) => !leaving.includes(user))
      const seen: unknown[] = []
      let next: string | undefined = '/users?location=berlin&per_page=4'
      for (let page = 1; next !== undefined; page++) {
        const response = readListResponse(await changing.request(next, { key: secret }))
        seen.push(...response.data.map(({ login }) => login))
        if (page === 2) {
          const users = [
            ...leaving.map((user) => ({ ...user, location: 'elsewhere' })),
            ...coming.map((user) => ({ ...user, location: 'Berlin' })),
          ]
          await loadRecords(changing.sql, { users })
        }
        next = response.links.get('next')?.href.slice(baseUrl.length)
      }
      expect(seen.filter((login) => staying.some((user) => user.login === login))).toEqual(
        staying.map(({ login }) => login),
      )
      expect(new Set(seen).size).toBe(seen.length)
      const [eighth] = seen.slice(7, 8)
      const place = sampleUsers.findIndex(({ login }) => login === eighth)
      const afterwards = sampleUsers.filter(
        (user, index) => index > place && (staying.includes(user) || coming.includes(user)),
      )
      expect(seen.slice(8)).toEqual(afterwards.map(({ login }) => login))
    } finally {
      await changing.close()
    }
  })

  test('has the items of a load in between at its end', async () => {
    const arriving = await startTestService(kind, { baseUrl })
    try {
      const { secret } = await arriving.createKey()
      const newcomers = [1, 2, 3].map((number): SampleUser => {
        const [model] = sampleUsers
        if (model === undefined) throw new Error('the sample has no users')
        return {
          ...model,
          forge_rest_id: number,
          forge_graphql_id: `U_${number}`,
          login: `newcomer-${number}`,
          location: 'Berlin',
        }
      })
      for (const [query, before] of [
        ['location=berlin&per_page=7', findUsers({ location: 'berlin' })],
        ['per_page=7', sampleUsers],
      ] as const) {
        const arrived = newcomers.slice(0, query.startsWith('location') ? 2 : 3)
        const seen: object[] = []
        let next: string | undefined = `/users?${query}`
        for (let page = 1; next !== undefined; page++) {
          const response = readListResponse(await arriving.request(next, { key: secret }))
          seen.push(...response.data)
          if (page === 2) await loadRecords(arriving.sql, { users: arrived })
          next = response.links.get('next')?.href.slice(baseUrl.length)
        }
        expect(seen).toEqual([...before, ...arrived])
      }
    } finally {
      await arriving.close()
    }
  })
})
