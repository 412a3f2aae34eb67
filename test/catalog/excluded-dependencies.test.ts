/** `exclude=dependencies`: repositories without their dependencies (decisions/0003-lists.md). */
import { expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { findRepositories, type ListedRepository, sampleRepositories } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const leaveOut = ({ dependencies: _excluded, ...others }: ListedRepository) => others

describeOnOneDatabase('exclude=dependencies', (kind) => {
  const service = useService(kind, { key: {} })

  const ask = async (query: string) =>
    readListResponse(await service.request(`/repos?${query}`, { key: service.key }))

  test('gives the same items, total and price without that member, with any filter', async () => {
    for (const [query, expected] of [
      ['per_page=100', sampleRepositories],
      ['per_page=100&page=4', sampleRepositories.slice(300)],
      ['per_page=100&after=350', sampleRepositories.slice(350)],
      ['per_page=100&dependency_names=react', findRepositories({ names: ['react'] })],
      [
        'per_page=100&dependency_names=react&dependency_status=removed',
        findRepositories({ names: ['react'], status: 'removed' }),
      ],
      ['per_page=100&owner=rhaddad', findRepositories({ owner: 'rhaddad' })],
      ['per_page=100&changed_since=0', sampleRepositories],
      ['owner=nobody', []],
    ] as const) {
      const full = await ask(query)
      const { data, total, cost } = await ask(`${query}&exclude=dependencies`)
      expect([query, data]).toEqual([query, expected.slice(0, 100).map(leaveOut)])
      expect(full.data).toEqual(expected.slice(0, 100))
      expect([query, total, cost]).toEqual([query, full.total, full.cost])
    }
  })

  test('has an entity tag of its own, also from the response cache', async () => {
    const tags = new Set<string | null>()
    for (const query of ['dependency_names=zod', 'dependency_names=zod&exclude=dependencies']) {
      const [first, ...others] = await Promise.all(
        Array.from({ length: 4 }, () => service.request(`/repos?${query}`, { key: service.key })),
      )
      const tag = first?.headers.get('ETag') ?? ''
      for (const other of others) expect(other.headers.get('ETag')).toBe(tag)
      tags.add(tag)
      const again = await service.request(`/repos?${query}`, {
        key: service.key,
        headers: { 'If-None-Match': tag },
      })
      expect(again.status).toBe(304)
    }
    expect(tags.size).toBe(2)
  })

  test('is ignored beside a batch look-up if it is empty', async () => {
    const { data, cost } = await ask('full_names=yarrow-collective/monolith')
    expect(data).toHaveLength(1)
    expect(await ask('full_names=yarrow-collective/monolith&exclude=')).toMatchObject({ data, cost })
  })

  test('takes no other value, and is not for users or the dependencies of one repository', async () => {
    const rule = 'Invalid exclude: must be dependencies'
    for (const [path, error] of [
      ['/repos?exclude=', 'Invalid exclude: is empty; leave the parameter out'],
      ['/repos?exclude=Dependencies', rule],
      ['/repos?exclude=dependencies,license', rule],
      ['/repos?exclude=license', rule],
      ['/repos?exclude=dependencies&exclude=dependencies', 'Invalid exclude: given more than once'],
    ] as const) {
      const response = await service.request(path, { key: service.key })
      expect([path, response.status, response.json()]).toEqual([path, 400, { error }])
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
    }
    for (const path of ['/users', '/repos/yarrow-collective/monolith/dependencies']) {
      expect((await service.request(`${path}?exclude=dependencies`, { key: service.key })).status).toBe(400)
    }
  })
})
