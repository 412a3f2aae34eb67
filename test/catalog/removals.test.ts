/** What was removed, for those who keep a copy (decisions/0003-lists.md). */
import { beforeAll, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('the list of removals', (kind) => {
  const service = useService(kind, { key: { credits: 0 }, data: 'empty' })
  beforeAll(async () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index + 1)
    const users = numbers.map((number) => createUser(number))
    const repos = numbers.map((number) => createRepository(number, `user-${number}`, ['react']))
    await loadRecords(service.sql, { users, repos })
    await removeRows(service.sql, { users: [9, 3], repositories: [5] })
    await removeRows(service.sql, { users: [1, 2] })
    await loadRecords(service.sql, { users: [createUser(1)] })
  })

  const read = async (path: string) => readListResponse(await service.request(path, { key: service.key }))

  const removed = [
    { forge_rest_id: 3, kind: 'user', version: 2 },
    { forge_rest_id: 9, kind: 'user', version: 2 },
    { forge_rest_id: 5, kind: 'repository', version: 2 },
    { forge_rest_id: 2, kind: 'user', version: 3 },
  ]

  test('has what was removed after a version, in order, without what exists again', async () => {
    for (const since of [0, 1]) expect((await read(`/removals?since=${since}`)).data).toEqual(removed)
    expect((await read('/removals?since=2')).data).toEqual(removed.slice(3))
    for (const since of [3, 4]) expect((await read(`/removals?since=${since}`)).data).toEqual([])
  })

  test('has pages with exact totals, and links that keep since', async () => {
    const seen: unknown[] = []
    let next: string | undefined = '/removals?since=1&per_page=3'
    while (next !== undefined) {
      const { data, total, links } = await read(next)
      expect(total).toBe(4)
      for (const [, url] of links) expect(url.searchParams.get('since')).toBe('1')
      expect(links.get('last')?.searchParams.get('page')).toBe('2')
      seen.push(...data)
      const target: URL | undefined = links.get('next')
      next = target && target.pathname + target.search
    }
    expect(seen).toEqual(removed)
    expect((await read('/removals?since=1&per_page=3&page=2')).data).toEqual(removed.slice(3))
    expect((await read('/removals?since=1&page=9007199254740991&per_page=1')).data).toEqual([])
  })

  test('goes on after a removal that is no longer listed', async () => {
    const { links } = await read('/removals?since=1&per_page=2')
    const next = links.get('next')
    await loadRecords(service.sql, { users: [createUser(9)] })
    const { data, total, pagination } = await read(`${next?.pathname}${next?.search}`)
    expect([data, total, pagination.has_more]).toEqual([removed.slice(2), 3, false])
    await removeRows(service.sql, { users: [9] })
    const again = await read('/removals?since=1')
    expect(again.data.at(-1)).toEqual({ forge_rest_id: 9, kind: 'user', version: 6 })
  })

  test('is free, for GET and HEAD, even for a key without credits', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await service.request('/removals?since=1', {
        key: service.key,
        method,
      })
      expect([status, headers.get('X-Credits-Cost'), headers.get('X-Total-Count')]).toEqual([200, '0', '4'])
      expect(headers.get('X-Dataset-Version')).toBe('6')
      expect(text === '').toBe(method === 'HEAD')
    }
  })

  test('is for keys that may read users and repositories', async () => {
    for (const [scopes, status] of [
      [['users:read', 'repos:read'], 200],
      [['users:read'], 403],
      [['repos:read'], 403],
      [[], 403],
    ] as const) {
      const { secret } = await service.createKey({ scopes })
      const response = await service.request('/removals?since=1', { key: secret })
      expect([scopes, response.status]).toEqual([scopes, status])
      if (status === 403) expect(response.json()).toEqual({ error: 'Insufficient permissions' })
    }
    const admin = await service.createKey({ role: 'admin', scopes: [] })
    expect((await service.request('/removals?since=1', { key: admin.secret })).status).toBe(200)
    expect((await service.request('/removals?since=1')).status).toBe(401)
  })

  test('is refused without since, and for a version later than the dataset’s', async () => {
    for (const query of ['', '?since=', '?since=-1', '?since=x', '?since=7', '?since=1&since=2']) {
      const { status, headers } = await service.request(`/removals${query}`, { key: service.key })
      expect([query, status, headers.get('X-Error-Code')]).toEqual([query, 400, 'invalid_parameter'])
      expect(headers.get('X-Credits-Cost')).toBe('0')
    }
  })

  test('is 410 once older removals were forgotten', async () => {
    const version = await removeRows(service.sql, { users: [4] }, { settings: { changesKeptDays: 0 } })
    const { status, headers, text } = await service.request(`/removals?since=${version - 1}`, {
      key: service.key,
    })
    expect([status, headers.get('X-Error-Code')]).toEqual([410, 'changes_expired'])
    expect(headers.get('X-Credits-Cost')).toBe('0')
    expect(text).toContain('fetch all users and repositories again')
    expect((await read(`/removals?since=${version}`)).data).toEqual([])
  })
})
