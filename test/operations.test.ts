/**
 * The operators' endpoints (`decisions.md`, Authentication).
 *
 * @module
 */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteKey, grantCredits, revokeKey, setRateLimit } from '../api/ledger/keys.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const keysSchema = v.object({
  data: v.array(v.looseObject({ id: v.number(), last_used_at: v.nullable(v.string()) })),
  pagination: v.looseObject({ has_more: v.boolean() }),
})

describeOnEachDatabase('operations', (kind) => {
  let service: TestService
  let admin: string
  beforeAll(async () => {
    service = await startTestService(kind)
    admin = (await service.createKey({ role: 'admin', name: 'operator' })).secret
  })
  afterAll(() => service.close())

  async function readKeys(query = '?per_page=100') {
    const answer = await service.request(`/admin/keys${query}`, { key: admin })
    expect(answer.status).toBe(200)
    return { ...v.parse(keysSchema, answer.json()), headers: answer.headers, text: answer.text }
  }

  /** What must show up in no answer to operators. */
  async function listSecrets(keys: readonly string[]): Promise<string[]> {
    const hashes = await service.sql<{ hex: string; base64: string }[]>`
      select encode(hash, 'hex') as hex, encode(hash, 'base64') as base64 from api_key_secrets`
    return [...keys, ...hashes.flatMap(({ hex, base64 }) => [hex, base64])]
  }

  describe('GET /admin/keys', () => {
    test('lists keys with their balances and last use, never a key or its hash', async () => {
      const { secret, id } = await service.createKey({
        credits: 100,
        name: 'a dashboard',
        scopes: ['users:read'],
        rateLimit: { requests: 9, seconds: 60 },
        expiresAt: new Date('2099-01-01T00:00:00Z'),
      })
      const unused = (await readKeys()).data.find((key) => key.id === id)
      expect(unused).toEqual({
        id,
        name: 'a dashboard',
        role: 'user',
        scopes: ['users:read'],
        remaining_credits: 100,
        rate_limit: '9/60',
        status: 'active',
        created_at: expect.stringMatching(/Z$/),
        expires_at: '2099-01-01T00:00:00.000Z',
        last_used_at: null,
      })
      await service.request('/users?per_page=7', { key: secret })
      await grantCredits(service.sql, id, 50)
      await setRateLimit(service.sql, id, null)
      await revokeKey(service.sql, id)
      const { data, text } = await readKeys()
      expect(data.find((key) => key.id === id)).toEqual({
        ...unused,
        remaining_credits: 143,
        rate_limit: null,
        status: 'revoked',
        last_used_at: expect.stringMatching(/Z$/),
      })
      const secrets = await listSecrets([secret, admin])
      expect(secrets.filter((each) => text.includes(each))).toEqual([])
    })

    test('says that a key has expired, and lists no deleted one', async () => {
      const expired = await service.createKey({ expiresAt: new Date(Date.now() - 1000) })
      const deleted = await service.createKey()
      await deleteKey(service.sql, deleted.id)
      const { data, headers } = await readKeys()
      expect(data.find(({ id }) => id === expired.id)).toMatchObject({ status: 'expired' })
      expect(data.find(({ id }) => id === deleted.id)).toBeUndefined()
      expect(headers.get('X-Total-Count')).toBe(String(data.length))
    })

    test('is a list like others: pages, Link, next to next, oldest first', async () => {
      for (let count = 0; count < 5; count++) await service.createKey()
      const { data } = await readKeys()
      const walked: number[] = []
      let next: string | undefined = '/admin/keys?per_page=2'
      while (next !== undefined) {
        const page = await readKeys(next.replace('/admin/keys', ''))
        walked.push(...page.data.map(({ id }) => id))
        expect(page.headers.get('X-Total-Count')).toBe(String(data.length))
        next = /<http:\/\/localhost([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1]
        expect(page.pagination.has_more).toBe(next !== undefined)
      }
      expect(walked).toEqual(data.map(({ id }) => id))
      expect(walked).toEqual([...walked].sort((a, b) => a - b))
      expect(new Set(walked).size).toBe(walked.length)
    })

    test('has the rules of pages', async () => {
      for (const [query, error] of [
        ['?page=0', 'Invalid page: must be an integer of at least 1'],
        ['?per_page=101', 'Invalid per_page: must be an integer from 1 to 100'],
      ]) {
        const answer = await service.request(`/admin/keys${query}`, { key: admin })
        expect([query, answer.status, answer.json()]).toEqual([query, 400, { error }])
      }
    })

    test('is kept by nobody', async () => {
      expect((await readKeys()).headers.get('Cache-Control')).toBe('no-store')
    })
  })

  describe('GET /metrics', () => {
    async function readMetrics() {
      const answer = await service.request('/metrics', { key: admin })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/)
      return answer.text
    }

    /** The value of a sample; 0 when there is none yet. */
    function findSample(text: string, sample: string): number {
      const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
      return Number(line?.slice(sample.length) ?? 0)
    }

    test('counts requests by method, route and status, and the credits charged', async () => {
      const { secret } = await service.createKey({ credits: 100 })
      const before = await readMetrics()
      await service.request('/users?per_page=7', { key: secret })
      await service.request('/users/ngoldberg', { key: secret })
      await service.request('/users/GraceAbara', { key: secret })
      await service.request('/users/nobody-has-this-login', { key: secret })
      await service.request('/users/ngoldberg', { method: 'HEAD', key: secret })
      await service.request('/users/ngoldberg')
      const after = await readMetrics()
      const sample = (method: string, route: string, status: number) =>
        `devdata_requests_total{method="${method}",route="${route}",status="${status}"}`
      for (const [name, count] of [
        [sample('GET', '/users', 200), 1],
        [sample('GET', '/users/{login}', 200), 2],
        [sample('GET', '/users/{login}', 404), 1],
        [sample('HEAD', '/users/{login}', 200), 1],
        [sample('GET', '/users/{login}', 401), 1],
        ['devdata_credits_charged_total', 10],
        ['devdata_request_seconds_count{route="/users/{login}"}', 5],
      ] as const) {
        expect([name, findSample(after, name) - findSample(before, name)]).toEqual([name, count])
      }
    })

    test('names nobody: no key, no hash, no login, no address, and no path that a client made up', async () => {
      const { secret } = await service.createKey()
      const paths = [
        `/users/${secret}`,
        '/users/ngoldberg@example.org',
        '/repos/ngoldberg/x',
        `/${secret}`,
        '/made-up-path',
      ]
      for (const path of paths) await service.request(path, { key: secret })
      const text = await readMetrics()
      const secrets = await listSecrets([secret, admin, 'ngoldberg', '@example', 'made-up-path'])
      expect(secrets.filter((each) => text.includes(each))).toEqual([])
    })
  })
})
