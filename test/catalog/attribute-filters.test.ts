/**
 * The rules of filters by attributes, and of all filters together (decisions/0003-lists.md). What they find is compared
 * with an independent computation in random-filters.test.ts.
 */
import { beforeAll, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const day = 86_400

describeOnOneDatabase('a filter by attributes', (kind) => {
  const service = useService(kind, { key: { credits: 1_000 }, data: 'empty' })
  beforeAll(async () => {
    await loadRecords(service.sql, {
      users: [
        createUser(1, { email: 'one@example.org', name: '', followers: 10, location: 'Berlin' }),
        createUser(2, {
          email: 'two@example.org',
          name: 'Two',
          type: 'Organization',
          followers: 11,
          location: 'Wien',
        }),
        createUser(3, {
          email: 'three@MÜNCHEN.example',
          login: 'three[bot]',
          type: 'User',
          location: 'München',
        }),
        createUser(4, { type: 'Bot', location: 'Remote' }),
      ],
      repos: [
        createRepository(1, 'user-1', ['react', 'vite'], {
          language: 'C++',
          fork: null,
          pushed_at: 10 * day,
        }),
        createRepository(2, 'user-1', ['react'], { license: 'MIT', forks_count: 1, pushed_at: 10 * day - 1 }),
        createRepository(3, 'user-1', [], {
          license: `${'x'.repeat(256)}`,
          forks_count: 30,
          pushed_at: 11 * day - 1,
        }),
      ],
      commits: [
        createCommit(1, 'https://forge.example/r/1', 'one@example.org', 5 * day),
        { ...createCommit(2, 'https://forge.example/r/1', 'one@example.org', 9 * day), author_date: null },
        createCommit(3, 'https://forge.example/r/1', 'two@example.org', 6 * day + 7),
      ],
    })
  })

  const find = async (path: string) => {
    const response = readListResponse(await service.request(path, { key: service.key }))
    return response.data.map(({ forge_rest_id: id }) => id)
  }

  test.for<[path: string, ids: number[]]>([
    ['/users?country=DE', [1, 3]],
    ['/users?country=at,de', [1, 2, 3]],
    ['/users?country=AT&country=XK', [2]],
    ['/users?country=DE&type=User', [1]],
    ['/users?type=user', [1]],
    ['/users?type=bot', [3, 4]],
    ['/users?type=Bot,organization', [2, 3, 4]],
    ['/users?type=Bot&type=organization', [2, 3, 4]],
    ['/users?type%5B%5D=Bot', [3, 4]],
    ['/users?type=Use', []],
    ['/users?has=email', [1, 2, 3]],
    ['/users?has=name,email', [2]],
    ['/users?email_domain=Example.ORG', [1, 2]],
    ['/users?email_domain=org,ample.org', []],
    ['/users?email_domain=m%C3%BCnchen.EXAMPLE', [3]],
    ['/users?email_domain=example.com,XN--mnchen-3ya.example', [3]],
    ['/users?contributed_to=User-1/repo-1,nobody/nothing', [1, 2]],
    ['/users?contributed_to=user-1/repo-2&contributed_to=user-1/repo-3', []],
    ['/users?contributed_to=user-1/repo-1&email_domain=example.org&type=user', [1]],
    ['/repos?contributor=user-1', [1]],
    ['/repos?contributor=nobody,USER-2', [1]],
    ['/repos?contributor=user-2&owner=user-2', []],
    ['/repos?contributor=three%5Bbot%5D,nobody', []],
    ['/users?min_followers=10', [1, 2]],
    ['/users?min_followers=11', [2]],
    ['/users?min_followers=9007199254740991', []],
    [`/users?active_since=${5 * day}`, [1, 2]],
    [`/users?active_since=${5 * day + 1}`, [2]],
    ['/users?active_since=1970-01-07', [2]],
    [`/users?active_since=${6 * day + 7}`, [2]],
    [`/users?active_since=${6 * day + 8}`, []],
    ['/repos?language=c%2B%2B', [1]],
    ['/repos?language=c%2B%2B%20,d', [1]],
    ['/repos?language=+c%2B%2B&license=+,mit,+isc&fork=False', []],
    ['/users?location=berlin+', [1]],
    ['/repos?license=mit,isc', [2]],
    ['/repos?min_stars=1', []],
    ['/repos?min_forks=1', [2, 3]],
    ['/repos?min_forks=2', [3]],
    ['/repos?min_forks=1&license=mit', [2]],
    ['/repos?fork=false', [2, 3]],
    ['/repos?fork=true', []],
    ['/repos?fork=False', [2, 3]],
    ['/repos?archived=True', []],
    ['/repos?archived=false', []],
    [`/repos?pushed_since=${10 * day}`, [1, 3]],
    [`/repos?pushed_since=${10 * day - 1}`, [1, 2, 3]],
    ['/repos?pushed_since=1970-01-11', [1, 3]],
    [`/repos?pushed_since=${10 * day + 1}`, [3]],
    ['/repos?dependency_names=react,vite&dependency_match=all', [1]],
    ['/repos?dependency_names=react,vite&dependency_match=any', [1, 2]],
    ['/repos?without_dependency_names=vite', [2, 3]],
    ['/repos?without_dependency_names=react&dependency_files=go.mod', [1, 2, 3]],
    ['/repos?without_dependency_names=react&dependency_status=removed', [1, 2, 3]],
    ['/repos?dependency_names=react&without_dependency_names=vite&owner=user-1', [2]],
  ])('finds what it says: %s', async ([path, ids]) => {
    expect(await find(path)).toEqual(ids)
  })

  test('follows what loads change', async () => {
    await loadRecords(service.sql, {
      users: [createUser(5, { email: 'five@example.org', followers: 7, company: 'A' })],
      commits: [createCommit(4, 'https://forge.example/r/1', 'five@example.org', 20 * day)],
    })
    expect(await find('/users?has=company&min_followers=7&active_since=1970-01-21')).toEqual([5])
    await loadRecords(service.sql, { users: [createUser(5, { email: null, followers: 6 })] })
    const [{ unused } = { unused: 0 }] = await service.sql<{ unused: number }[]>`
      select count(*)::integer as unused from attributes where items_count = 0`
    expect(unused).toBe(0) // nobody has 7 followers, a company, or commits of that day
    expect(await find('/users?has=company')).toEqual([])
    expect(await find('/users?min_followers=7')).toEqual([1, 2])
    expect(await find('/users?active_since=1970-01-21')).toEqual([]) // the commit is nobody's now
    const later = createCommit(9, 'https://forge.example/r/1', 'two@example.org', 30 * day)
    await loadRecords(service.sql, { commits: [later] }) // it changes nothing but when its author was active
    expect(await find('/users?active_since=1970-01-31')).toEqual([2])
    await loadRecords(service.sql, { commits: [{ ...later, author_date: 29 * day }] })
    expect(await find('/users?active_since=1970-01-31')).toEqual([])
    expect(await find(`/users?active_since=${29 * day}`)).toEqual([2])
  })

  const number = 'must be an integer from 1 to 9007199254740991, digits only, no leading zeros'
  const time = 'must be Unix seconds up to 253402300799, or a date such as 2026-01-31'
  const field = 'must be one of email, name, company, location, bio'
  const list = (count: number) => Array.from({ length: count }, (_, index) => index).join()
  test.for<[path: string, error: string]>([
    ...[
      'country',
      'type',
      'has',
      'min_followers',
      'active_since',
      'first_use_since',
      'last_use_until',
      'without_dependency_names',
      'dependency_match',
    ].flatMap((name) =>
      ['', '+'].map((value): [string, string] => [
        `/users?${name}=${value}`,
        `Invalid ${name}: is empty; leave the parameter out`,
      ]),
    ),
    ...['language', 'license', 'min_stars', 'min_forks', 'fork', 'archived', 'pushed_since'].map(
      (name): [string, string] => [`/repos?${name}=`, `Invalid ${name}: is empty; leave the parameter out`],
    ),
    ...['min_followers', 'active_since', 'dependency_match'].map((name): [string, string] => [
      `/users?${name}=1&${name}=1`,
      `Invalid ${name}: given more than once`,
    ]),
    ...['email_domain', 'contributed_to'].map((name): [string, string] => [
      `/users?${name}=,`,
      `Invalid ${name}: is empty; leave the parameter out`,
    ]),
    [`/repos?contributor=${list(21)}`, 'Invalid contributor: at most 20 entries'],
    ['/users?type=,', 'Invalid type: is empty; leave the parameter out'],
    [`/users?type=${list(51)}`, 'Invalid type: at most 50 entries'],
    [`/users?type=a,${'x'.repeat(256)}`, 'Invalid type: entry 2 is longer than 255 characters'],
    ...['XX', 'Allemagne', 'constructor', 'ß', 'ﬁ', 'ıe'].map((name): [string, string] => [
      `/users?country=DE,${name}`,
      'Invalid country: entry 2 must be a country code of two letters (ISO 3166-1), such as DE',
    ]),
    ...Object.entries({
      UK: 'GB',
      el: 'GR',
      DEU: 'DE',
      gbr: 'GB',
      Germany: 'DE',
      'South Korea': 'KR',
      KOSOVO: 'XK',
    }).map(([name, code]): [string, string] => [
      `/users?country=DE,${name}`,
      `Invalid country: entry 2 must be a country code of two letters (ISO 3166-1); did you mean ${code}?`,
    ]),
    ['/users?has=email,Name', `Invalid has: entry 2 ${field}`],
    ['/users?has=login', `Invalid has: entry 1 ${field}`],
    ['/users?min_followers=0', `Invalid min_followers: ${number}`],
    ['/users?min_followers=1e3', `Invalid min_followers: ${number}`],
    ['/users?active_since=-1', `Invalid active_since: ${time}`],
    ['/users?active_since=2026-02-29', `Invalid active_since: ${time}`],
    ['/users?active_since=2026-13-01', `Invalid active_since: ${time}`],
    ['/users?active_since=2026-01-31T00:00:00Z', `Invalid active_since: ${time}`],
    ...['first_use_since', 'first_use_until', 'last_use_since', 'last_use_until'].flatMap((name) =>
      ['users', 'repos'].flatMap((list): [string, string][] => [
        [`/${list}?dependency_names=a&${name}=2026-02-29`, `Invalid ${name}: ${time}`],
        [`/${list}?dependency_names=a&${name}=1&${name}=1`, `Invalid ${name}: given more than once`],
        [`/${list}?${name}=1`, `Invalid ${name}: requires dependency_names or dependency_files`],
        [
          `/${list}?${name}=1&without_dependency_names=a`,
          `Invalid ${name}: requires dependency_names or dependency_files`,
        ],
      ]),
    ),
    ['/users?active_since=253402300800', `Invalid active_since: ${time}`],
    ...['TRUE', '1', 'yes', 'true+'].map((value): [string, string] => [
      `/repos?fork=${value}`,
      'Invalid fork: must be true or false',
    ]),
    ...[
      ['/repos?language=', 'C++', 1],
      ['/repos?language=', 'C%2B%2B,C+,D', 2],
      ['/repos?language=', 'C%2B%2B%2cC+%20', 2],
      ['/repos?language[]=D&language%5B1%5D=', 'C++', 2],
      ['/repos?license=', 'Artistic,GPL+', 2],
      ['/repos?dependency_names=', 'g++', 1],
      ['/users?without_dependency_names=', 'react,g++', 2],
      ['/repos?dependency_files=', 'x+', 1],
      ['/users?country=', 'DE+', 1],
      ['/users?logins=', 'ada+', 1],
      ['/dependencies?contains=a&dependency_files=', 'x+', 1],
      ['/dependencies?contains=', 'c++', 1],
      ['/dependencies?prefix=', 'c+', 1],
    ].map(([start, value, entry]): [string, string] => [
      `${start}${value}`,
      `Invalid ${/(\w+)(?:%5B1%5D)?=$/.exec(String(start))?.[1]}: entry ${entry} ends in +, which is a space in URLs; write a plus sign as %2B`,
    ]),
    ['/repos?archived=null', 'Invalid archived: must be true or false'],
    ['/users?dependency_match=all', 'Invalid dependency_match: requires dependency_names'],
    [
      '/users?dependency_match=all&without_dependency_names=react',
      'Invalid dependency_match: requires dependency_names',
    ],
    ['/users?dependency_match=none&dependency_names=a', 'Invalid dependency_match: must be any or all'],
    ['/users?type=User&logins=user-1', 'Invalid logins: must be the only filter'],
    [
      `/repos?language=${list(50)}&license=${list(50)}&dependency_names=${list(50)}&dependency_files=${list(50)}&without_dependency_names=a`,
      'Too many filter entries: at most 200 in all lists together; send fewer',
    ],
  ])('refuses what it can’t mean, for free: %s', async ([path, error]) => {
    const before = await service.readLedger(service.keyId)
    const response = await service.request(path, { key: service.key })
    expect([response.status, response.headers.get('X-Error-Code'), response.json()]).toEqual([
      400,
      'invalid_parameter',
      { error },
    ])
    expect(await service.readLedger(service.keyId)).toEqual(before)
  })

  test('may have 200 entries', async () => {
    const lists = ['language', 'license', 'dependency_names', 'dependency_files']
    expect(await find(`/repos?${lists.map((name) => `${name}=${list(50)}`).join('&')}`)).toEqual([])
  })

  test('that ends in a space has links that can be followed', async () => {
    const path = '/repos?dependency_names=react%20,zod%20%20&owner=user-1&per_page=1'
    const { links, data } = readListResponse(await service.request(path, { key: service.key }))
    const { pathname, search } = links.get('next') ?? expect.unreachable()
    expect(search).toContain('dependency_names=react%2Czod&')
    const next = readListResponse(await service.request(pathname + search, { key: service.key }))
    expect([data, next.data].flat().map(({ forge_rest_id: id }) => id)).toEqual([1, 2])
  })

  test('stays in the links of a list', async () => {
    const filter = 'type=User%2COrganization&has=email&min_followers=1&active_since=1970-01-02'
    const { links } = readListResponse(
      await service.request(`/users?${filter}&per_page=1`, { key: service.key }),
    )
    expect(links.get('next')?.search).toContain(filter)
    expect(links.get('last')?.searchParams.get('page')).toBe('2')
  })
})
