/** What was added or changed after a version of the dataset (decisions/0003-lists.md). */
import { beforeAll, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('changed_since', (kind) => {
  const service = useService(kind, { key: {}, data: 'empty' })
  beforeAll(async () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index + 1)
    const users = numbers.map((number) => createUser(number))
    const repos = numbers.map((number) => createRepository(number, `user-${number}`, ['react']))
    await loadRecords(service.sql, { users, repos })
    await loadRecords(service.sql, {
      users: [7, 2, 11].map((number) => createUser(number, { followers: 1 })),
      repos: [9, 3].map((number) => createRepository(number, `user-${number}`, ['react', 'zod'])),
    })
    // User 4 uses another dependency now, and repository 4 is the only one whose own data changed.
    await loadRecords(service.sql, { repos: [createRepository(4, 'user-4', ['hono'])] })
  })

  const read = async (path: string) => readListResponse(await service.request(path, { key: service.key }))
  const readIds = async (path: string) => (await read(path)).data.map(({ forge_rest_id: id }) => id)

  test('lists additions and changes after a version, in the order of the list', async () => {
    expect(await readIds('/users?changed_since=0')).toHaveLength(11)
    expect(await readIds('/users?changed_since=1')).toEqual([2, 7, 11])
    expect(await readIds('/repos?changed_since=1')).toEqual([3, 4, 9])
    expect(await readIds('/repos?changed_since=2')).toEqual([4])
    expect(await readIds('/repos?changed_since=3')).toEqual([])
  })

  test('doesn’t count the dependencies that a user uses', async () => {
    expect(await readIds('/users?dependency_names=hono')).toEqual([4])
    expect(await readIds('/users?changed_since=2')).toEqual([])
  })

  test('has pages with exact totals, and links that keep it', async () => {
    const first = await read('/users?changed_since=1&per_page=2')
    expect([first.total, first.cost, first.pagination.has_more]).toEqual([3, 2, true])
    for (const [, url] of first.links) expect(url.searchParams.get('changed_since')).toBe('1')
    const next = first.links.get('next')
    const second = await read(`${next?.pathname}${next?.search}`)
    expect(second.data.map(({ forge_rest_id: id }) => id)).toEqual([11])
    expect([second.total, second.cost, second.pagination.has_more]).toEqual([3, 1, false])
  })

  test('has a free quote', async () => {
    const { headers } = await service.request('/repos?changed_since=1', { key: service.key, method: 'HEAD' })
    expect([headers.get('X-Credits-Cost'), headers.get('X-Total-Count')]).toEqual(['3', '3'])
  })

  test('beside other filters lists what matches now and is new, also what only gained something', async () => {
    // User 4 gained hono. Users 7, 2 and 11 were changed or added, and user 3 and 9 gained zod.
    for (const [path, ids] of [
      ['/users?dependency_names=hono&changed_since=2', [4]],
      ['/users?dependency_names=hono&changed_since=3', []],
      ['/users?dependency_names=zod&changed_since=1', [3, 9]],
      ['/users?dependency_names=react&changed_since=1', [2, 3, 7, 9]],
      ['/users?min_followers=1&changed_since=0', [2, 7, 11]],
      ['/users?min_followers=1&changed_since=2', []],
      ['/repos?dependency_names=react&changed_since=1', [3, 9]],
      ['/repos?owner=user-4&changed_since=2', [4]],
    ] as const) {
      expect([path, await readIds(path)]).toEqual([path, ids])
    }
  })

  test('beside without_dependency_names lists who lost the dependency, too', async () => {
    // User 4 uses hono in place of react.
    expect(await readIds('/users?without_dependency_names=react&changed_since=2')).toEqual([4])
    expect(await readIds('/users?without_dependency_names=hono&changed_since=1')).toEqual([2, 3, 7, 9, 11])
  })

  test('beside other filters has exact totals, links, prices and tags', async () => {
    const first = await read('/users?dependency_names=react&changed_since=1&per_page=3')
    expect([first.total, first.cost, first.pagination.has_more]).toEqual([4, 3, true])
    const next = first.links.get('next')
    expect(next?.searchParams.get('dependency_names')).toBe('react')
    const second = await read(`${next?.pathname}${next?.search}`)
    expect(second.data.map(({ forge_rest_id: id }) => id)).toEqual([9])
    const path = '/users?dependency_names=react&changed_since=1'
    const { headers } = await service.request(path, { key: service.key, method: 'HEAD' })
    expect([headers.get('X-Credits-Cost'), headers.get('X-Total-Count')]).toEqual(['4', '4'])
    const tag = headers.get('ETag') ?? ''
    const again = await service.request(path, { key: service.key, headers: { 'If-None-Match': tag } })
    expect([again.status, again.headers.get('X-Credits-Cost')]).toEqual([304, '0'])
  })

  test('is refused, free and with quota headers, if it is a later version than the dataset’s', async () => {
    const limited = await service.createKey({ rateLimit: { requests: 10, seconds: 3600 } })
    for (const [index, method] of ['GET', 'HEAD', 'GET'].entries()) {
      const { status, headers } = await service.request('/users?changed_since=4', {
        key: limited.secret,
        method,
      })
      expect([status, headers.get('X-Error-Code')]).toEqual([400, 'invalid_parameter'])
      expect([headers.get('X-Credits-Cost'), headers.get('X-Credits-Remaining')]).toEqual(['0', '1000000'])
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(9 - index))
    }
    expect(await service.readLedger(limited.id)).toMatchObject({ charged: 0 })
  })

  test('is 410, free and with quota headers, once older changes were forgotten', async () => {
    expect(await readIds('/users?changed_since=0')).toHaveLength(11)
    const version = await removeRows(service.sql, { users: [11] }, { settings: { changesKeptDays: 0 } })
    const poor = await service.createKey({ credits: 0 })
    for (const [path, method] of [
      ['/users?changed_since=0', 'GET'],
      ['/users?changed_since=0', 'HEAD'],
      [`/repos?changed_since=${version - 1}&page=7&per_page=1`, 'GET'],
    ] as const) {
      const { status, headers, text } = await service.request(path, { key: poor.secret, method })
      expect([path, status, headers.get('X-Error-Code')]).toEqual([path, 410, 'changes_expired'])
      expect([headers.get('X-Credits-Cost'), headers.get('X-Credits-Remaining')]).toEqual(['0', '0'])
      if (method === 'GET') expect(text).toContain('fetch all users and repositories again')
    }
    expect(await readIds(`/users?changed_since=${version}`)).toEqual([])
  })
})
