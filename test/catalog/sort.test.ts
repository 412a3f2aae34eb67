/**
 * The rules of sorted lists (decisions/0003-lists.md). Lists of random data are compared with an independent
 * computation in random-filters.test.ts.
 */
import { beforeAll, expect, test } from 'vitest'
import { createFilter } from '../../api/catalog/canonical-filter.ts'
import { createList } from '../../api/catalog/list.ts'
import { createMatchCache } from '../../api/catalog/matches.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

const day = 86_400
/** So many that values aren't read from the rows of all. */
const count = 1_300
const numbers = Array.from({ length: count }, (_, index) => index + 1)

/** What the items are sorted by, from their number: many have the same value, some have none. */
const values = {
  followers: (number: number) => (number % 3 === 0 ? (number * number) % 97 : number % 5 === 0 ? number : 0),
  stars: (number: number) => (number % 4 === 0 ? null : number % 3 === 0 ? (number * number) % 89 : 0),
  pushed: (number: number) =>
    number % 6 === 0 ? null : ((number * number) % 41) * day - 5 * day + ((number * 7) % 11),
}
type Sort = keyof typeof values

/** What a repository declares, from its number. All with `vite` have been pushed, after 1970. */
function listPackages(number: number): string[] {
  if (number % 10 === 0) return ['react']
  return (values.pushed(number) ?? 0) > 20 * day ? ['vite'] : []
}

/** The numbers of items in the order of a list, for all that `isMatch` says. */
function sortNumbers(sort: Sort, isMatch: (number: number) => boolean): number[] {
  const rank = (number: number) => values[sort](number) ?? Number.NEGATIVE_INFINITY
  const byRank = (a: number, b: number) => (rank(a) === rank(b) ? a - b : rank(a) < rank(b) ? 1 : -1)
  return numbers.filter(isMatch).sort(byRank)
}

const all = () => true
const lists: [path: string, sort: Sort, isMatch: (number: number) => boolean][] = [
  ['/users?', 'followers', all],
  ['/users?country=DE&', 'followers', (number) => number % 10 > 0],
  ['/users?country=AT&', 'followers', (number) => number % 10 === 0],
  ['/users?country=XK&', 'followers', () => false],
  ['/repos?exclude=dependencies&', 'stars', all],
  ['/repos?dependency_names=react&', 'stars', (number) => number % 10 === 0],
  ['/repos?', 'pushed', all],
  ['/repos?without_dependency_names=react&', 'pushed', (number) => number % 10 > 0],
  ['/repos?dependency_names=react&', 'pushed', (number) => number % 10 === 0],
  ['/repos?dependency_names=vite&', 'pushed', (number) => listPackages(number).includes('vite')],
]

describeOnEachDatabase('a sorted list', (kind) => {
  const service = useService(kind, { key: {}, data: 'empty' })
  beforeAll(() =>
    loadRecords(service.sql, {
      users: numbers.map((number) =>
        createUser(number, {
          followers: values.followers(number),
          location: number % 10 === 0 ? 'Wien' : 'Berlin',
        }),
      ),
      repos: numbers.map((number) =>
        createRepository(number, `user-${number}`, listPackages(number), {
          stargazers_count: values.stars(number),
          pushed_at: values.pushed(number),
        }),
      ),
    }),
  )

  test('takes its part of the memory of matches, also for pages that are read later', async () => {
    const { sql } = service
    const requester = { caller: 1 }
    /** Whether other matches are still in memory once pages of the list were read. */
    async function keepsOthers(maxBytes: number, pages: readonly number[]): Promise<boolean> {
      const finder = createMatchCache({ maxBytes, maxWaitMs: 60_000, maxQueued: 10 }).createFinder(sql)
      const list = createList(sql, finder, 'repositoriesAlone')
      const filter = createFilter({ min_stars: 1 })
      const find = () => finder.find('repositories', filter, requester)
      const others = await find()
      for (const number of pages) {
        await list({ filter: createFilter({}), sort: 'pushed', page: { number, size: 100 } }, requester)
      }
      return (await find()) === others
    }
    const allPages = Array.from({ length: 13 }, (_, index) => index + 1)
    expect(await keepsOthers(15_000, [1])).toBe(true)
    expect(await keepsOthers(15_000, allPages)).toBe(false)
    expect(await keepsOthers(30_000, allPages)).toBe(true)
  })

  const read = async (path: string) => {
    const response = readListResponse(await service.request(path, { key: service.key }))
    return { ...response, ids: response.data.map(({ forge_rest_id: id }) => id) }
  }

  test.each(lists)(
    'has each item once, in order, to its last page: %ssort=%s',
    async (path, sort, isMatch) => {
      const expected = sortNumbers(sort, isMatch)
      const size = expected.length > 500 ? 100 : 30
      const last = Math.max(1, Math.ceil(expected.length / size))
      const seen: unknown[] = []
      let next: string | undefined = `${path}sort=${sort}&per_page=${size}`
      for (let page = 1; next !== undefined; page++) {
        const { ids, total, cost, links } = await read(next)
        expect([total, cost]).toEqual([expected.length, ids.length])
        expect(links.get('last')?.search).toBe(
          `${path.slice(path.indexOf('?'))}sort=${sort}&page=${last}&per_page=${size}`,
        )
        seen.push(...ids)
        const target = links.get('next')
        const number = expected[page * size - 1] ?? 0
        if (target) expect(target.searchParams.get('after')).toBe(`${values[sort](number) ?? ''}.${number}`)
        next = target && target.pathname + target.search
      }
      expect(seen).toEqual(expected)
    },
  )

  test.each(lists)('has any page by its number: %ssort=%s', async (path, sort, isMatch) => {
    const expected = sortNumbers(sort, isMatch)
    for (const [size, page] of [
      [7, 1],
      [7, 60],
      [13, 100],
      [100, 12],
      [30, Math.max(1, Math.ceil(expected.length / 30))],
      [30, 1_000],
    ] as const) {
      const { ids, pagination } = await read(`${path}sort=${sort}&per_page=${size}&page=${page}`)
      expect([size, page, ids]).toEqual([size, page, expected.slice((page - 1) * size, page * size)])
      expect(pagination.has_more).toBe(page * size < expected.length)
    }
  })

  test.each(lists)(
    'begins after any place, whether or not an item is there: %ssort=%s',
    async (path, sort, isMatch) => {
      const expected = sortNumbers(sort, isMatch)
      const distinct = [...new Set(numbers.map((number) => values[sort](number)))]
      const steps = Math.ceil(distinct.length / 7)
      for (const value of [
        2 ** 53 - 1,
        0,
        null,
        33 * day + 1,
        ...distinct.filter((_, index) => index % steps === 0),
      ]) {
        for (const id of [1, 555]) {
          const isBehind = (number: number) => {
            const own = values[sort](number) ?? Number.NEGATIVE_INFINITY
            const limit = value ?? Number.NEGATIVE_INFINITY
            return own < limit || (own === limit && number > id)
          }
          const rest = expected.filter(isBehind)
          const { ids, links } = await read(
            `${path}sort=${sort}&per_page=5&page=2&after=${value ?? ''}.${id}`,
          )
          expect([value, id, ids]).toEqual([value, id, rest.slice(0, 5)])
          expect(links.has('next')).toBe(rest.length > 5)
        }
      }
    },
  )

  test('costs what it would without `sort`, has a quote, and an entity tag of its own', async () => {
    const ask = (path: string, method: string, headers = {}) =>
      service.request(path, { key: service.key, method, headers })
    const path = '/repos?dependency_names=react&per_page=20'
    const quotes = await Promise.all(
      ['', '&sort=stars', '&sort=pushed'].map((sort) => ask(path + sort, 'HEAD')),
    )
    expect(quotes.map(({ headers }) => headers.get('X-Credits-Cost'))).toEqual(['20', '20', '20'])
    expect(quotes.map(({ headers }) => headers.get('X-Total-Count'))).toEqual(['130', '130', '130'])
    expect(new Set(quotes.map(({ headers }) => headers.get('ETag'))).size).toBe(3)
    const tag = quotes[1]?.headers.get('ETag') ?? ''
    expect((await ask(`${path}&sort=stars`, 'GET', { 'If-None-Match': tag })).status).toBe(304)
    expect((await ask(`${path}&sort=pushed`, 'GET', { 'If-None-Match': tag })).status).toBe(200)
  })

  test.each([
    ['/users?sort=stars', 'Invalid sort: must be followers'],
    ['/users?sort=FOLLOWERS', 'Invalid sort: must be followers'],
    ['/repos?sort=followers', 'Invalid sort: must be stars or pushed'],
    ['/repos?sort=', 'Invalid sort: is empty; leave the parameter out'],
    ['/repos?sort=stars&sort=stars', 'Invalid sort: given more than once'],
    ['/users?logins=user-1&sort=followers', 'Invalid logins: must be the only filter'],
    ['/repos?forge_rest_ids=1&sort=stars', 'Invalid forge_rest_ids: must be the only filter'],
    [
      '/users?changed_since=0&sort=followers',
      'Invalid sort: not allowed with changed_since; leave one of them out',
    ],
    [
      '/users?after=1500.123',
      'Invalid after: must be an integer from 1 to 2147483647, digits only, no leading zeros',
    ],
    ...[
      '123',
      '.',
      '1.',
      '1.0',
      '.0',
      '01.2',
      '-0.2',
      '1.02',
      '1.2.3',
      '1e3.2',
      ' 1.2',
      '1.2147483648',
      '',
    ].map((after) => [
      `/users?sort=followers&after=${after}`,
      'Invalid after: must be VALUE.ID with sort, such as 1500.123, or .123 without a value',
    ]),
    [
      '/users?sort=followers&after=9007199254740992.1',
      'Invalid after: must be VALUE.ID with sort, such as 1500.123, or .123 without a value',
    ],
  ])('is refused, free: %s', async (path, error) => {
    const { status, headers, json } = await service.request(path, { key: service.key })
    expect([status, json()]).toEqual([400, { error }])
    expect([headers.get('X-Error-Code'), headers.get('X-Credits-Cost')]).toEqual(['invalid_parameter', '0'])
  })

  test('ignores an empty parameter beside a batch look-up', async () => {
    expect((await read('/users?logins=user-2,user-1&sort=')).ids).toEqual([1, 2])
  })

  test('continues after an item that was removed, and follows what loads change', async () => {
    const [first, second, third, fourth, fifth] = sortNumbers('followers', all)
    const page = await read('/users?sort=followers&per_page=2')
    expect(page.ids).toEqual([first, second])
    await removeRows(service.sql, { users: [second ?? 0] })
    await loadRecords(service.sql, { users: [createUser(fourth ?? 0, { followers: 0 })] })
    const next = page.links.get('next')
    const following = await read(`${next?.pathname}${next?.search}`)
    expect(following.ids).toEqual([third, fifth])
    expect(following.total).toBe(count - 1)
    expect((await read('/users?sort=followers&per_page=1')).ids).toEqual([first])
  })
})
