/**
 * HTTP rules that every response follows (decisions/0005-http.md).
 *
 * @module-tag over-the-wire
 */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { requestEachStatus } from '../support/each-response.ts'
import { createInstance } from '../support/instance.ts'
import { anyDatabase, testInside, useService } from '../support/service.ts'

const metaSchema = v.object({
  meta: v.object({ request_id: v.string(), timestamp: v.number(), execution_time: v.number() }),
})

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe('the service', () => {
  const service = useService(anyDatabase, { key: {} })

  describe('sends an X-Request-Id', () => {
    test('that is unique with every response', async () => {
      const responses = await requestEachStatus(service, service.key)
      const ids = responses.map(({ headers }) => headers.get('X-Request-Id') ?? '')
      for (const id of ids) expect(id).toMatch(uuid)
      expect(new Set(ids).size).toBe(ids.length)
    })

    test('that is meta.request_id of every list, beside a timestamp in seconds and whole milliseconds', async () => {
      const admin = await service.createKey({ role: 'admin' })
      for (const path of ['/users', '/repos?per_page=2', '/users?page=999', '/admin/keys']) {
        const before = Math.floor(Date.now() / 1000)
        const response = await service.request(path, { key: admin.secret })
        const { meta } = v.parse(metaSchema, response.json())
        expect(meta.request_id).toBe(response.headers.get('X-Request-Id'))
        expect(meta.timestamp).toBeGreaterThanOrEqual(before)
        expect(meta.timestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
        expect(Number.isInteger(meta.execution_time)).toBe(true)
        expect(meta.execution_time).toBeGreaterThanOrEqual(0)
      }
    })

    test('that a client can’t choose', async () => {
      const response = await service.request('/health', { headers: { 'X-Request-Id': 'mine' } })
      expect(response.headers.get('X-Request-Id')).toMatch(uuid)
    })
  })

  describe('refuses', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s on every path with 405 and Allow', async (method) => {
      for (const path of ['/users', '/users/ngoldberg', '/health', '/docs', '/', '/no-such-path']) {
        for (const options of [{ method }, { method, key: service.key }]) {
          const response = await service.request(path, options)
          expect([path, response.status, response.json()]).toEqual([
            path,
            405,
            { error: 'Method not allowed; use GET, HEAD or OPTIONS' },
          ])
          expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
        }
      }
    })

    test.each([
      '/no-such-path',
      '/user',
      '/users2',
      '/Users',
      '/health/',
      '/health/x',
      '/favicon.png',
      '/.env',
    ])('the unknown path %s with 404 and an error body', async (path) => {
      const response = await service.request(path, { key: service.key })
      expect([response.status, response.json()]).toEqual([404, { error: 'Not found' }])
      const head = await service.request(path, { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([404, ''])
    })

    test.each([
      '/users',
      '/users/ngoldberg',
      '/repos',
      '/repos/a/b/commits',
      '/api-key/credits',
      '/health',
      '/version',
      '/openapi.yml',
      '/openapi.json',
      '/docs',
      '/api-docs',
      '/',
      '/no-such-path',
    ])(
      'broken escapes and NUL in the URL of %s with 400, and a longer URL than its limit with 414',
      async (path) => {
        for (const query of ['?x=%', '?x=%zz', '?x=%ff', '?%c3%28=1']) {
          const response = await service.request(`${path}${query}`, { key: service.key })
          expect([query, response.status, response.json()]).toEqual([
            query,
            400,
            { error: 'Invalid URL: malformed percent-encoding' },
          ])
        }
        const nul = await service.request(`${path}?x=%00`, { key: service.key })
        expect([nul.status, nul.json()]).toEqual([400, { error: 'Invalid URL: NUL character' }])
        const needsKey = /^\/(users|repos|api-key)/.test(path)
        const longest = needsKey ? 32_768 : 8_192
        const url = `${path}?x=${'a'.repeat(longest)}`
        const long = await service.request(url, { key: service.key })
        expect([long.status, long.json()]).toEqual([
          414,
          { error: `URL too long: at most ${longest} characters` },
        ])
      },
    )

    test('no URL for its length if its batch look-up is within its limits', async () => {
      const names = Array.from({ length: 100 }, (_, index) =>
        encodeURIComponent(`${'o'.repeat(100)}/${String(index).padEnd(100, 'x')}`),
      )
      const response = await service.request(`/repos?full_names=${names.join('%2C')}`, { key: service.key })
      expect([response.status, response.headers.get('X-Total-Count')]).toEqual([200, '0'])
    })
  })

  test('sends secure headers with every response', async () => {
    for (const { status, headers } of await requestEachStatus(service, service.key)) {
      expect([status, headers.get('X-Content-Type-Options')]).toEqual([status, 'nosniff'])
      expect(headers.get('X-Frame-Options')).toBe('DENY')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.has('X-Powered-By')).toBe(false)
      expect(headers.has('Strict-Transport-Security')).toBe(false)
    }
  })

  // A pattern that doesn't fit in the regular expression makes the router search a tree for each request instead.
  testInside('finds routes with one regular expression', async () => {
    const { app } = createInstance(service)
    await app.request('/version')
    expect(app.router.name).toBe('SmartRouter + RegExpRouter')
  })
})
