/** The parameters of batch look-ups: what they refuse, and what they combine with (decisions/0003-lists.md). */
import { expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const idRule = 'must be an integer up to ±9007199254740991, digits only, no leading zeros'
const nameRule = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'
const fullNameRule = `must be OWNER/NAME, and each ${nameRule}`
const onlyWith = 'must be the only filter'

const count = (entries: number) => Array.from({ length: entries }, (_, index) => index + 1)
const logins = sampleUsers.slice(40, 140).map(({ login }) => login)

describeOnOneDatabase('a batch parameter', (kind) => {
  const service = useService(kind, { key: {} })

  const ask = async (path: string) => readListResponse(await service.request(path, { key: service.key }))
  const askLogins = async (path: string) => (await ask(path)).data.map(({ login }) => login)

  /** Expects this error, for free. */
  async function expectRefused(path = '', error = ''): Promise<void> {
    const before = await service.readLedger(service.keyId)
    for (const method of ['GET', 'HEAD']) {
      const response = await service.request(path, { key: service.key, method })
      expect([path, response.status]).toEqual([path, 400])
      expect(response.headers.get('X-Error-Code')).toBe('invalid_parameter')
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
      if (method === 'GET') expect(response.json()).toEqual({ error })
    }
    expect(await service.readLedger(service.keyId)).toEqual(before)
  }

  test.each([
    ['/users?logins=ada,b%20b', `Invalid logins: entry 2 ${nameRule}`],
    ['/users?logins=ada&logins=b,..', `Invalid logins: entry 3 ${nameRule}`],
    ['/users?logins=ada/grace', `Invalid logins: entry 1 ${nameRule}`],
    [`/users?logins=${'a'.repeat(101)}`, `Invalid logins: entry 1 ${nameRule}`],
    ['/users?logins=zo%C3%AB', `Invalid logins: entry 1 ${nameRule}`],
    ['/users?forge_rest_ids=1,2,x', `Invalid forge_rest_ids: entry 3 ${idRule}`],
    ...['01', '1e3', '1.5', '+1', '-0', '--1', '0x10', '9007199254740992', '-9007199254740992', '１'].map(
      (id) => [
        `/repos?forge_rest_ids=${encodeURIComponent(id)}`,
        `Invalid forge_rest_ids: entry 1 ${idRule}`,
      ],
    ),
    ['/repos?full_names=a/b,c', `Invalid full_names: entry 2 ${fullNameRule}`],
    ...['a/b/c', '/b', 'a/', 'a//b', '/', 'a/.', 'a%20b/c', 'https://forge.example/a/b'].map((name) => [
      `/repos?full_names=${name}`,
      `Invalid full_names: entry 1 ${fullNameRule}`,
    ]),
    // Blank entries don't count.
    ['/users?logins=,%20,ada,,b%20b', `Invalid logins: entry 2 ${nameRule}`],
    ['/users?logins=ada&location=berlin', `Invalid logins: ${onlyWith}`],
    ['/users?dependency_names=react&logins=ada', `Invalid logins: ${onlyWith}`],
    ['/users?logins=&dependency_files=go.mod', `Invalid logins: ${onlyWith}`],
    ['/users?logins=ada&changed_since=0', `Invalid logins: ${onlyWith}`],
    ['/users?logins=ada&dependency_status=active', `Invalid logins: ${onlyWith}`],
    ['/users?logins=ada&forge_rest_ids=1', `Invalid logins: ${onlyWith}`],
    ['/users?forge_rest_ids=&logins=', `Invalid logins: ${onlyWith}`],
    ['/users?forge_rest_ids=1&location=berlin', `Invalid forge_rest_ids: ${onlyWith}`],
    ['/repos?forge_rest_ids=1&full_names=a/b', `Invalid full_names: ${onlyWith}`],
    ['/repos?full_names=a/b&dependency_names=react', `Invalid full_names: ${onlyWith}`],
    ['/repos?full_names=a/b&owner=a', `Invalid full_names: ${onlyWith}`],
    ['/repos?forge_rest_ids=1&changed_since=0', `Invalid forge_rest_ids: ${onlyWith}`],
  ])('of %s is refused with 400, free', expectRefused)

  test('of more than 100 entries is refused with 400, free', async () => {
    await expectRefused(`/users?logins=${count(101)}`, 'Invalid logins: at most 100 entries')
    await expectRefused(
      `/users?logins=${count(60)}&logins=${count(41)}`,
      'Invalid logins: at most 100 entries',
    )
    await expectRefused(`/users?forge_rest_ids=${count(101)}`, 'Invalid forge_rest_ids: at most 100 entries')
    const names = count(101).map((number) => `a/${number}`)
    await expectRefused(`/repos?full_names=${names}`, 'Invalid full_names: at most 100 entries')
  })

  test('without entries finds nothing, free: a client that joins an empty list doesn’t pay for a page of everything', async () => {
    for (const path of [
      '/users?logins=',
      '/users?logins=,%20,',
      '/users?logins=&logins=',
      '/users?forge_rest_ids=',
      '/repos?full_names=',
      '/repos?forge_rest_ids=&per_page=5',
    ]) {
      const { data, total, cost, pagination } = await ask(path)
      expect([path, data, total, cost, pagination.has_more]).toEqual([path, [], 0, 0, false])
    }
  })

  test('adds up when it is repeated, and other filters that are empty don’t matter', async () => {
    const [first = '', second = '', third = ''] = logins
    const expected = [first, second, third]
    for (const query of [
      `logins=${third},${first}&logins=${second}`,
      `logins=${first}&logins=&logins=${second},${third}&location=&location=+&dependency_names=`,
    ]) {
      expect(await askLogins(`/users?${query}`)).toEqual(expected)
    }
    const [repository] = sampleRepositories
    for (const empty of ['owner', 'dependency_files', 'dependency_status', 'changed_since']) {
      const { data } = await ask(`/repos?full_names=${repository?.full_name}&${empty}=`)
      expect([empty, data]).toEqual([empty, [repository]])
    }
  })

  test('of 100 entries returns them all on one page, without links', async () => {
    const response = await service.request(`/users?logins=${logins.toReversed()}`, { key: service.key })
    const { data, cost, pagination } = readListResponse(response)
    expect(data).toEqual(sampleUsers.slice(40, 140))
    expect(cost).toBe(100)
    expect(pagination).toMatchObject({ per_page: 100, has_more: false })
    expect(response.headers.has('Link')).toBe(false)
    const tag = response.headers.get('ETag') ?? ''
    const others = await service.request(`/users?logins=${logins.slice(1)}`, { key: service.key })
    expect(others.headers.get('ETag')).not.toBe(tag)
    const again = await service.request(`/users?logins=${logins.toReversed()}`, {
      key: service.key,
      headers: { 'If-None-Match': tag },
    })
    expect(again.status).toBe(304)
  })

  test('returns repositories as the list does, also the largest 100', async () => {
    const largest = sampleRepositories
      .toSorted((a, b) => b.dependencies.length - a.dependencies.length)
      .slice(0, 100)
    const names = largest.map(({ full_name }) => full_name.toUpperCase())
    const { data } = await ask(`/repos?full_names=${names}`)
    expect(data).toEqual(largest.toSorted((a, b) => a.internal_id - b.internal_id))
    const ids = largest.map(({ forge_rest_id }) => forge_rest_id)
    expect((await ask(`/repos?forge_rest_ids=${ids}`)).data).toEqual(data)
  })

  test('with exclude=dependencies returns repositories without them', async () => {
    const [{ full_name, dependencies: _left, ...others }] = sampleRepositories.slice(7) as [
      (typeof sampleRepositories)[number],
    ]
    const { data, links } = await ask(`/repos?full_names=${full_name}&exclude=dependencies&page=1`)
    expect(data).toEqual([{ full_name, ...others }])
    expect(links.get('first')?.searchParams.get('exclude')).toBe('dependencies')
  })

  test('is paged by page or per_page, with its entries in every link', async () => {
    const path = `/users?logins=${logins.slice(0, 20)}&logins=${logins.slice(20, 70)}`
    const second = await ask(`${path}&page=2`)
    expect(second.data.map(({ login }) => login)).toEqual(logins.slice(30, 60))
    expect([second.total, second.cost, second.pagination.next_page]).toEqual([70, 30, 3])
    for (const [, url] of second.links) {
      expect(url.searchParams.getAll('logins')).toEqual([
        logins.slice(0, 20).join(),
        logins.slice(20, 70).join(),
      ])
    }
    const { pathname, search } = second.links.get('next') ?? expect.unreachable()
    expect(await askLogins(pathname + search)).toEqual(logins.slice(60, 70))
    expect(await askLogins(`${path}&per_page=7&page=10`)).toEqual(logins.slice(63, 70))
  })

  test('costs what is found, also where that is less than the balance', async () => {
    const poor = await service.createKey({ credits: 3 })
    const path = `/users?logins=${logins.slice(0, 3)},${count(97).map((number) => `nobody-${number}`)}`
    const response = readListResponse(await service.request(path, { key: poor.secret }))
    expect([response.cost, response.remaining]).toEqual([3, 0])
    const refused = await service.request(`/users?logins=${logins.slice(0, 2)}`, { key: poor.secret })
    expect([refused.status, refused.text]).toEqual([
      403,
      JSON.stringify({ error: 'insufficient credits: need 2, have 0' }),
    ])
  })
})
