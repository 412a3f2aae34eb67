/** Rate limits of keys (decisions/0002-keys.md). */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { rotateKey, setRateLimit } from '../../api/ledger/keys.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { describeOnEachDatabase, type TestResponse, useService } from '../support/service.ts'
import { countStatuses } from '../support/settlements.ts'

const hour = 3600

function readState({ headers }: TestResponse) {
  const [, remaining, reset] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? []
  return { remaining: Number(remaining), reset: Number(reset) }
}

describeOnEachDatabase('a rate limit', (kind) => {
  const service = useService(kind)

  test('lets exactly its number of 100 concurrent requests pass', async () => {
    for (const requests of [1, 37, 99]) {
      const { secret } = await service.createKey({ rateLimit: { requests, seconds: hour } })
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => service.request('/api-key/credits', { key: secret })),
      )
      expect(countStatuses(responses)).toEqual({ 200: requests, 429: 100 - requests })
      // Each place in the window was given to one request.
      const places = responses
        .filter(({ status }) => status === 200)
        .map((response) => readState(response).remaining)
      expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: requests }, (_, place) => place))
    }
  })

  test('counts each key’s requests separately', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, () => service.createKey({ rateLimit: { requests: 3, seconds: hour } })),
    )
    await Promise.all(
      keys.map(async ({ secret }) => {
        const responses = await Promise.all(
          Array.from({ length: 10 }, () => service.request('/api-key/credits', { key: secret })),
        )
        expect(countStatuses(responses)).toEqual({ 200: 3, 429: 7 })
      }),
    )
  })

  const testOnServer = kind === 'postgresql' ? test : () => {} // the embedded database has one instance
  testOnServer('counts the requests of two instances together', async () => {
    const database = await openSameDatabase(service)
    try {
      const other = createInstance(database)
      const { secret } = await service.createKey({ rateLimit: { requests: 37, seconds: hour } })
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          (index % 2 === 0 ? service : other).request('/users/ngoldberg', { key: secret }),
        ),
      )
      expect(countStatuses(responses)).toEqual({ 200: 37, 429: 63 })
    } finally {
      await database.close()
    }
  })

  test('is in headers, which say what will happen next', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 5, seconds: hour } })
    for (const remaining of [4, 3, 2, 1, 0, 0]) {
      const before = Date.now() / 1000
      const response = await service.request('/users?per_page=1', { key: secret })
      const after = Date.now() / 1000
      const { headers } = response
      const { reset } = readState(response)
      expect(headers.get('RateLimit-Policy')).toBe('"default";q=5;w=3600')
      expect(headers.get('RateLimit')).toBe(`"default";r=${remaining};t=${reset}`)
      expect(headers.get('X-RateLimit-Limit')).toBe('5')
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(remaining))
      expect(reset).toBeGreaterThan(0)
      expect(reset).toBeLessThanOrEqual(hour)
      // The same moment, in Unix seconds.
      const resetAt = Number(headers.get('X-RateLimit-Reset'))
      expect(resetAt - reset).toBeGreaterThanOrEqual(Math.floor(before))
      expect(resetAt - reset).toBeLessThanOrEqual(Math.ceil(after))
    }
    const refused = await service.request('/users?per_page=1', { key: secret })
    expect(refused.status).toBe(429)
  })

  test('makes a request beyond it 429 with the seconds to wait, for free', async () => {
    const { secret, id } = await service.createKey({ credits: 10, rateLimit: { requests: 1, seconds: hour } })
    expect((await service.request('/users?per_page=2', { key: secret })).status).toBe(200)
    for (const path of [
      '/users?per_page=2',
      '/users/ngoldberg',
      '/users/nobody-has-this-login',
      '/repos?page=0',
    ]) {
      const response = await service.request(path, { key: secret })
      const seconds = readState(response).reset
      expect([path, response.status, response.json()]).toEqual([
        path,
        429,
        { error: `Rate limit exceeded; retry in ${seconds} seconds` },
      ])
      expect(response.headers.get('Retry-After')).toBe(String(seconds))
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
      expect(response.headers.get('X-Credits-Remaining')).toBe('8')
    }
    const head = await service.request('/users', { method: 'HEAD', key: secret })
    expect([head.status, head.text, head.headers.has('Retry-After')]).toEqual([429, '', true])
    expect(await service.readLedger(id)).toEqual({ balance: 8, granted: 10, charged: 2 })
  })

  test('ends after the seconds of Retry-After', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 2, seconds: 1 } })
    const ask = () => service.request('/api-key/credits', { key: secret })
    for (let round = 0; round < 2; round++) {
      let refused: TestResponse | undefined
      while (refused === undefined) {
        const responses = await Promise.all(Array.from({ length: 10 }, ask))
        refused = responses.find(({ status }) => status === 429)
      }
      expect(refused.json()).toEqual({ error: 'Rate limit exceeded; retry in 1 second' })
      expect(refused.headers.get('Retry-After')).toBe('1')
      await sleep(1001)
      const response = await ask()
      expect([response.status, readState(response)]).toEqual([200, { remaining: 1, reset: 1 }])
    }
  })

  test('counts HEAD, free endpoints, errors and 304', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 7, seconds: hour } })
    const { headers } = await service.request('/users/ngoldberg', { key: secret })
    const tag = headers.get('ETag') ?? ''
    for (const [path, method, status, remaining] of [
      ['/users', 'HEAD', 200, 5],
      ['/api-key/credits', 'GET', 200, 4],
      ['/users?page=0', 'GET', 400, 3],
      ['/users/nobody-has-this-login', 'GET', 404, 2],
      ['/users/ngoldberg', 'GET', 304, 1],
      ['/users/a/b', 'GET', 404, 0],
    ] as const) {
      const response = await service.request(path, { method, key: secret, headers: { 'If-None-Match': tag } })
      expect([path, response.status, response.headers.get('X-RateLimit-Remaining')]).toEqual([
        path,
        status,
        String(remaining),
      ])
    }
    expect((await service.request('/api-key/credits', { key: secret })).status).toBe(429)
  })

  test('counts the operators’ endpoints for admin keys', async () => {
    const { secret } = await service.createKey({ role: 'admin', rateLimit: { requests: 2, seconds: hour } })
    const responses: TestResponse[] = []
    for (const path of ['/metrics', '/admin/keys', '/metrics', '/users']) {
      responses.push(await service.request(path, { key: secret }))
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429])
  })

  test('does not count what the key may not do, and is in its headers', async () => {
    const { secret } = await service.createKey({
      scopes: ['users:read'],
      rateLimit: { requests: 3, seconds: hour },
    })
    const ask = async (path: string, method = 'GET') => {
      const response = await service.request(path, { method, key: secret })
      const { headers } = response
      const { remaining, reset } = readState(response)
      expect(headers.get('RateLimit-Policy')).toBe('"default";q=3;w=3600')
      expect(headers.get('X-RateLimit-Limit')).toBe('3')
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(remaining))
      expect(Number(headers.get('X-RateLimit-Reset'))).toBeGreaterThan(Date.now() / 1000)
      expect(headers.get('X-Credits-Cost')).toBe('0')
      return [response.status, remaining, reset <= hour && reset > hour - 60]
    }
    // No window has begun yet: a whole one is to come.
    expect(await ask('/repos')).toEqual([403, 3, true])
    for (const remaining of [2, 1, 0]) {
      expect(await ask('/api-key/credits')).toEqual([200, remaining, true])
      for (const path of ['/repos', '/repos/a/b', '/metrics', '/admin/keys']) {
        expect([path, ...(await ask(path))]).toEqual([path, 403, remaining, true])
        expect([path, ...(await ask(path, 'HEAD'))]).toEqual([path, 403, remaining, true])
      }
    }
    expect(await ask('/api-key/credits')).toEqual([429, 0, true])
    expect(await ask('/repos')).toEqual([403, 0, true])
  })

  test('has a new window if the clock was set back before its window', async () => {
    const { secret, id } = await service.createKey({ rateLimit: { requests: 2, seconds: 60 } })
    const ask = () => createInstance(service).request('/users/ngoldberg', { key: secret })
    await ask()
    for (const requests of [1, 2]) {
      await service.sql`
        update rate_limit_windows set started_at = now() + interval '1 day', requests = ${requests}
        where api_key_id = ${id}`
      const responses = [await ask(), await ask(), await ask()]
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
      for (const response of responses) expect(readState(response).reset).toBeLessThanOrEqual(60)
      expect(responses.map((response) => readState(response).remaining)).toEqual([1, 0, 0])
      expect(Number(responses[2]?.headers.get('Retry-After'))).toBeLessThanOrEqual(60)
    }
    expect(await service.sql`select requests from rate_limit_windows where api_key_id = ${id}`).toEqual([
      { requests: 2 },
    ])
  })

  test('does not count public endpoints, which have no such headers', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 1, seconds: hour } })
    for (const path of ['/health', '/version', '/openapi.yml', '/health']) {
      const response = await service.request(path, { key: secret })
      expect([path, response.status, response.headers.has('RateLimit')]).toEqual([path, 200, false])
    }
    expect((await service.request('/api-key/credits', { key: secret })).status).toBe(200)
  })

  test('is shared by both secrets of a rotated key', async () => {
    const old = await service.createKey({ rateLimit: { requests: 2, seconds: hour } })
    const { secret } = await rotateKey(service.sql, old.id, hour)
    const responses: TestResponse[] = []
    for (const key of [old.secret, secret, old.secret, secret]) {
      responses.push(await service.request('/api-key/credits', { key }))
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429])
  })

  describe('of none', () => {
    const names = [
      'RateLimit',
      'RateLimit-Policy',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ]

    test('lets every request pass, without headers of a limit', async () => {
      const { secret } = await service.createKey({ rateLimit: null })
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => service.request('/users/ngoldberg', { key: secret })),
      )
      expect(countStatuses(responses)).toEqual({ 200: 100 })
      expect(names.filter((name) => responses.some(({ headers }) => headers.has(name)))).toEqual([])
    })

    test('lifts a limit, and a new limit begins a new window', async () => {
      const { secret, id } = await service.createKey({ rateLimit: { requests: 1, seconds: hour } })
      const ask = async () => (await service.request('/api-key/credits', { key: secret })).status
      expect([await ask(), await ask()]).toEqual([200, 429])
      expect(await setRateLimit(service.sql, id, null)).toMatchObject({ rate_limit: null })
      await sleep(1001) // an instance may say 429 on its own for a second
      expect([await ask(), await ask()]).toEqual([200, 200])
      expect(await setRateLimit(service.sql, id, { requests: 2, seconds: 60 })).toMatchObject({
        rate_limit: '2/60',
      })
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
    })
  })

  testOnServer('is in headers that also hold on another instance', async () => {
    const database = await openSameDatabase(service)
    try {
      const other = createInstance(database)
      const { secret } = await service.createKey({ rateLimit: { requests: 6, seconds: hour } })
      for (const [index, remaining] of [5, 4, 3, 2, 1, 0, 0, 0].entries()) {
        const response = await (index % 2 === 0 ? service : other).request('/users/ngoldberg', {
          key: secret,
        })
        expect([response.status, readState(response).remaining]).toEqual([index < 6 ? 200 : 429, remaining])
        expect(response.headers.get('X-RateLimit-Remaining')).toBe(String(remaining))
      }
    } finally {
      await database.close()
    }
  })

  testOnServer('is whole for keys that two instances see first concurrently', async () => {
    const database = await openSameDatabase(service)
    try {
      const other = createInstance(database)
      for (let round = 0; round < 20; round++) {
        const { secret } = await service.createKey({ rateLimit: { requests: 5, seconds: hour } })
        const responses = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            (index % 2 === 0 ? service : other).request('/users/ngoldberg', { key: secret }),
          ),
        )
        expect(countStatuses(responses)).toEqual({ 200: 5, 429: 7 })
      }
    } finally {
      await database.close()
    }
  })

  testOnServer('refuses a client beyond it for a second without a query', async () => {
    const database = await openSameDatabase(service)
    const { request } = createInstance(database)
    const { secret, id } = await service.createKey({ rateLimit: { requests: 1, seconds: hour } })
    const ask = () => request('/users/ngoldberg', { key: secret })
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
      await database.close() // from now on a query would be 503
      for (const milliseconds of [0, 0, 500, 499]) {
        vi.advanceTimersByTime(milliseconds)
        const response = await ask()
        expect([response.status, readState(response).remaining]).toEqual([429, 0])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
        expect(Number(response.headers.get('Retry-After'))).toBeLessThanOrEqual(hour)
      }
      vi.advanceTimersByTime(1)
      expect((await ask()).status).toBe(503)
    } finally {
      vi.useRealTimers()
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 1 })
  })
})
