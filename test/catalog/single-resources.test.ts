/**
 * Single resources: read and charged with one statement, or read first for `If-None-Match`. Response and price are the
 * same.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, type TestResponse, useService } from '../support/service.ts'

/** Headers that differ between requests. */
const varying = ['x-request-id', 'ratelimit', 'x-ratelimit-reset', 'date']

function describeResponse({ status, headers, text }: TestResponse) {
  return { status, text, headers: [...headers].filter(([name]) => !varying.includes(name)) }
}

describeOnOneDatabase('a single resource', (kind) => {
  const service = useService(kind)

  const repository = `/repos/${sampleRepositories[0]?.full_name}`
  const user = `/users/${sampleUsers[0]?.login}`
  const paths = [
    user,
    user.toUpperCase().replace('/USERS', '/users'),
    '/users/nobody-has-this-login',
    '/users/',
    '/users/%ff',
    repository,
    '/repos/nobody/nothing',
    '/repos/nobody',
    '/repos//',
  ]

  test('has the same response and price whether it is read first or with the charge', async () => {
    const idempotencyKey = randomUUID()
    const conditions: Record<string, string>[] = [
      {},
      { 'Max-Credits': '1' },
      { 'Max-Credits': '0' },
      { 'Max-Credits': 'one' },
      { 'Idempotency-Key': idempotencyKey }, // of the first path, so that it is another request's with all others
    ]
    for (const credits of [20, 0]) {
      const keys = [await service.createKey({ credits }), await service.createKey({ credits })] as const
      for (const headers of conditions) {
        for (const path of [...paths, ...paths]) {
          const [maxConcurrent, readFirst] = await Promise.all([
            service.request(path, { key: keys[0].secret, headers }),
            service.request(path, {
              key: keys[1].secret,
              headers: { ...headers, 'If-None-Match': '"other"' },
            }),
          ])
          expect([path, headers, describeResponse(maxConcurrent)]).toEqual([
            path,
            headers,
            describeResponse(readFirst),
          ])
        }
      }
      const usage = await Promise.all(
        keys.map(async ({ secret }) => {
          const response = await service.request('/api-key/usage?per_page=100', { key: secret })
          const { data } = response.json() as { data: { timestamp: unknown; request_id: unknown }[] }
          return data.map(({ timestamp, request_id, ...entry }) => entry)
        }),
      )
      expect(usage[0]).toEqual(usage[1])
      if (credits > 0) expect(usage[0]?.length).toBeGreaterThan(10)
    }
  })

  test('is the requested one for each of many concurrent requests, beside pages of lists', async () => {
    const { secret, id } = await service.createKey({ credits: 10_000 })
    const users = sampleUsers.slice(0, 40)
    const repositories = sampleRepositories.slice(0, 40)
    const responses = await Promise.all(
      users.flatMap(({ login }, index) => [
        service.request(`/users/${login}`, { key: secret }),
        service.request(`/repos/${repositories[index]?.full_name}`, { key: secret }),
        service.request(`/users/nobody-${index}`, { key: secret }),
        service.request(`/repos/nobody/nothing-${index}`, { key: secret }),
        service.request(`/users?per_page=2&page=${index + 1}`, { key: secret }),
      ]),
    )
    for (const [index, { login }] of users.entries()) {
      const [one, repo, noUser, noRepo, page] = responses.slice(index * 5, index * 5 + 5)
      expect(one?.json()).toMatchObject({ login })
      expect(repo?.json()).toMatchObject({ full_name: repositories[index]?.full_name })
      expect([noUser?.status, noUser?.headers.get('X-Credits-Cost')]).toEqual([404, '1'])
      expect([noRepo?.status, noRepo?.headers.get('X-Credits-Cost')]).toEqual([404, '0'])
      expect([page?.status, page?.headers.get('X-Credits-Cost')]).toEqual([200, '2'])
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 40 * (1 + 1 + 1 + 0 + 2) })
  })
})
