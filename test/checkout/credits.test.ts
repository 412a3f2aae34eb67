/**
 * The cost of responses (decisions/0001-billing.md).
 *
 * @module-tag over-the-wire
 */
import { Hono } from 'hono'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { createMatchCache } from '../../api/catalog/matches.ts'
import { createReplicaRouting } from '../../api/catalog/replica-routing.ts'
import { createGuard } from '../../api/checkout/guard.ts'
import { createMeter } from '../../api/checkout/meter.ts'
import { createResponseCache } from '../../api/checkout/response-cache.ts'
import { createFairQueue } from '../../api/concurrency/fair-queue.ts'
import { createReplicas } from '../../api/database/replica-checks.ts'
import { notFound } from '../../api/errors.ts'
import { beginRequest } from '../../api/http/middleware.ts'
import type { HonoEnvironment } from '../../api/http/request-context.ts'
import { revokeKey, setRateLimit } from '../../api/ledger/keys.ts'
import { createLedger } from '../../api/ledger/ledger.ts'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, type TestResponse, testInside, useService } from '../support/service.ts'

const listSchema = v.object({ data: v.array(v.unknown()) })

/** How many items a list response holds. */
function countItems(response: TestResponse): number {
  return v.parse(listSchema, response.json()).data.length
}

function readCredits({ headers }: TestResponse) {
  return { cost: headers.get('X-Credits-Cost'), remaining: headers.get('X-Credits-Remaining') }
}

describeOnEachDatabase('a key’s credits', (kind) => {
  const service = useService(kind)

  /** All metered endpoints: path, and whether it is a list. */
  const endpoints = (): [path: string, isList: boolean][] => [
    ['/users?location=berlin&per_page=3', true],
    ['/users/ngoldberg', false],
    ['/repos?per_page=7&page=2', true],
    [busyRepository, false],
    [`${busyRepository}/commits`, true],
    [`${busyRepository}/dependencies?per_page=2`, true],
    [`${busyRepository}/dependencies/blame?per_page=2`, true],
  ]

  testInside('are not charged for a response that was read apart and can’t be made', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const ledger = createLedger(service.ledgerSql)
    const replicas = createReplicas([])
    const matchCache = createMatchCache({ maxBytes: 1, maxWaitMs: 1, maxQueued: 1 })
    const meter = createMeter(ledger, {
      basePath: '',
      publicUrl: (c) => new URL(c.req.url),
      responseCache: createResponseCache({ maxBytes: 0 }),
      replicas,
      routing: createReplicaRouting({ sql: service.sql, replicas }, matchCache),
    })
    const unrenderable = meter.metered(() => ({
      read: async () => ({
        cost: 3,
        tag: 'W/"x"',
        headers: {},
        version: undefined,
        get data(): Uint8Array<ArrayBuffer> {
          throw new RangeError('Array buffer allocation failed')
        },
      }),
      createError: () => ({ cost: 0, error: notFound('Not found') }),
    }))
    const guard = createGuard({
      ledger,
      meter,
      queue: createFairQueue({ maxConcurrent: 1, maxQueued: 1, maxWaitMs: 60_000 }),
      connectReads: async () => {},
      lifecycle: { phase: 'serving' },
    })
    const app = new Hono<HonoEnvironment>()
      .use(beginRequest({ compressResponses: true }), guard.anyKey)
      .get('/unrenderable', unrenderable)
    app.onError((error, c) => c.text(error.message, 500))
    const response = await app.request('/unrenderable', { headers: { Authorization: `Bearer ${secret}` } })
    expect([response.status, await response.text()]).toEqual([500, 'Array buffer allocation failed'])
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
  })

  test('are charged one per item of a list, and one for a single item, with a row in the ledger for each charge', async () => {
    for (const [path, isList] of endpoints()) {
      const { secret, id } = await service.createKey({ credits: 500 })
      const response = await service.request(path, { key: secret })
      const cost = isList ? countItems(response) : 1
      expect([path, response.status]).toEqual([path, 200])
      expect(cost).toBeGreaterThan(0)
      expect(readCredits(response)).toEqual({ cost: String(cost), remaining: String(500 - cost) })
      expect(await service.readLedger(id)).toEqual({ balance: 500 - cost, granted: 500, charged: cost })
      const rows = await service.sql`
        select kind, granted, cost, balance, items, request_id, path from ledger where api_key_id = ${id} order by position`
      expect(rows).toEqual([
        { kind: 'grant', granted: 500, cost: 0, balance: 500, items: null, request_id: null, path: null },
        {
          kind: 'charge',
          granted: 0,
          cost,
          balance: 500 - cost,
          items: cost,
          request_id: response.headers.get('X-Request-Id'),
          path: path.replace(/\?.*/, ''),
        },
      ])
    }
  })

  test('are needed to learn anything of the data, its size included', async () => {
    const { secret: poor } = await service.createKey({ credits: 1 })
    const { secret: rich } = await service.createKey()
    const { secret: limited } = await service.createKey({ rateLimit: { requests: 1, seconds: 3600 } })
    const { secret: revoked, id } = await service.createKey()
    for (const key of [limited, revoked]) await service.request('/users?per_page=2', { key })
    await revokeKey(service.sql, id)
    for (const [status, key, headers] of [
      [403, poor, {}],
      [403, rich, { 'Max-Credits': '1' }],
      [429, limited, {}],
      [401, revoked, {}],
    ] as const) {
      const response = await service.request('/users?per_page=2', { key, headers })
      const told = ['Link', 'X-Total-Count', 'ETag'].filter((name) => response.headers.has(name))
      expect([response.status, told]).toEqual([status, []])
    }
  })

  test('are charged for 30 items of a page by default, and for 100 at most', async () => {
    const { secret } = await service.createKey()
    for (const [path, cost] of [
      ['/users', 30],
      ['/users?per_page=1', 1],
      ['/users?per_page=100', 100],
      ['/repos', 30],
      ['/repos?per_page=100', 100],
    ] as const) {
      const response = await service.request(path, { key: secret })
      expect([path, countItems(response), readCredits(response).cost]).toEqual([path, cost, String(cost)])
    }
  })

  test('are charged for the items of a short last page, and not for a page past the end', async () => {
    for (const [path, perPage] of [
      ['/users', 70],
      ['/repos', 90],
      [`${busyRepository}/commits`, 29],
      [`${busyRepository}/dependencies`, 4],
      ['/users?location=berlin', 5],
    ] as const) {
      const { secret, id } = await service.createKey({ credits: 500 })
      const pathOf = (page: number) =>
        `${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}&page=${page}`
      const quote = await service.request(pathOf(1), { method: 'HEAD', key: secret })
      const total = Number(quote.headers.get('X-Total-Count'))
      const last = Math.ceil(total / perPage)
      const items = total - (last - 1) * perPage
      const response = await service.request(pathOf(last), { key: secret })
      expect([path, countItems(response)]).toEqual([path, items])
      expect(readCredits(response)).toEqual({ cost: String(items), remaining: String(500 - items) })
      const past = await service.request(pathOf(last + 1), { key: secret })
      expect([past.status, countItems(past)]).toEqual([200, 0])
      expect(readCredits(past)).toEqual({ cost: '0', remaining: String(500 - items) })
      expect(await service.readLedger(id)).toMatchObject({ charged: items })
    }
  })

  test('are not needed for a page past the end', async () => {
    const { secret } = await service.createKey({ credits: 0 })
    for (const path of ['/users?page=999', '/repos?page=999', '/users?location=nowhere-at-all']) {
      const response = await service.request(path, { key: secret })
      expect([path, response.status, readCredits(response)]).toEqual([
        path,
        200,
        { cost: '0', remaining: '0' },
      ])
    }
  })

  test('are not charged for errors, an unknown login aside', async () => {
    const { secret, id } = await service.createKey({ credits: 10, scopes: ['users:read', 'repos:read'] })
    const missing = '/repos/ngoldberg/no-such-repository'
    for (const [path, status] of [
      ['/users?page=0', 400],
      ['/users?per_page=101', 400],
      ['/users/%zz', 400],
      ['/users/', 400],
      ['/users/a/b', 404],
      ['/repos?per_page=x', 400],
      ['/repos/', 400],
      ['/repos/ngoldberg', 400],
      [missing, 404],
      [`${missing}/commits`, 404],
      [`${missing}/dependencies`, 404],
      [`${missing}/nothing`, 404],
      ['/users', 403],
    ] as const) {
      const response = await service.request(path, { key: secret })
      expect([path, response.status]).toEqual([path, status])
      expect([path, readCredits(response)]).toEqual([path, { cost: '0', remaining: '10' }])
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })

    const unknown = await service.request('/users/nobody-has-this-login', { key: secret })
    expect([unknown.status, readCredits(unknown)]).toEqual([404, { cost: '1', remaining: '9' }])
  })

  test('are not charged for what the key may not do, or not yet', async () => {
    const narrow = await service.createKey({ credits: 10, scopes: ['repos:read'] })
    const forbidden = await service.request('/users', { key: narrow.secret })
    expect([forbidden.status, readCredits(forbidden)]).toEqual([403, { cost: '0', remaining: '10' }])
    await setRateLimit(service.sql, narrow.id, { requests: 1, seconds: 3600 })
    await service.request('/repos?per_page=1', { key: narrow.secret })
    const throttled = await service.request('/repos', { key: narrow.secret })
    expect([throttled.status, readCredits(throttled)]).toEqual([429, { cost: '0', remaining: '9' }])
    expect(await service.readLedger(narrow.id)).toMatchObject({ charged: 1 })
  })

  describe('that are fewer than the cost', () => {
    test('are refused with 403, the exact cost and the exact balance, and without an item', async () => {
      for (const [path, need, have] of [
        ['/users', 30, 12],
        ['/users?per_page=13', 13, 12],
        ['/users?per_page=100', 100, 99],
        ['/repos?per_page=2', 2, 1],
        ['/repos?per_page=90&page=5', 40, 39],
        ['/users/ngoldberg', 1, 0],
        ['/users/nobody-has-this-login', 1, 0],
        [busyRepository, 1, 0],
        [`${busyRepository}/commits?per_page=5`, 5, 4],
        [`${busyRepository}/dependencies?per_page=3`, 3, 0],
        [`${busyRepository}/dependencies/blame?per_page=3`, 3, 0],
      ] as const) {
        const { secret, id } = await service.createKey({ credits: have })
        const response = await service.request(path, { key: secret })
        expect([path, response.status, response.json()]).toEqual([
          path,
          403,
          { error: `insufficient credits: need ${need}, have ${have}` },
        ])
        expect(readCredits(response)).toEqual({ cost: '0', remaining: String(have) })
        expect(await service.readLedger(id)).toEqual({ balance: have, granted: have, charged: 0 })
      }
    })

    test('pay for what they suffice for, to the last one', async () => {
      const { secret, id } = await service.createKey({ credits: 12 })
      expect((await service.request('/users', { key: secret })).status).toBe(403)
      const response = await service.request('/users?per_page=12', { key: secret })
      expect([response.status, countItems(response)]).toEqual([200, 12])
      expect(readCredits(response)).toEqual({ cost: '12', remaining: '0' })
      expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 12, charged: 12 })
    })
  })

  describe('are not charged for HEAD, which', () => {
    test('has status, headers and cost of GET, without its body', async () => {
      for (const [path] of endpoints()) {
        const { secret, id } = await service.createKey({ credits: 500 })
        const quote = await service.request(path, { method: 'HEAD', key: secret })
        expect(await service.readLedger(id)).toEqual({ balance: 500, granted: 500, charged: 0 })
        const response = await service.request(path, { key: secret })
        expect([path, quote.status, quote.text]).toEqual([path, response.status, ''])
        for (const name of [
          'Link',
          'X-Total-Count',
          'ETag',
          'Content-Type',
          'Cache-Control',
          'X-Credits-Cost',
        ]) {
          expect([path, name, quote.headers.get(name)]).toEqual([path, name, response.headers.get(name)])
        }
        expect(quote.headers.get('X-Credits-Remaining')).toBe('500')
      }
    })

    test('quotes what the key can’t pay', async () => {
      const { secret } = await service.createKey({ credits: 2 })
      const quote = await service.request('/users?per_page=100', { method: 'HEAD', key: secret })
      expect([quote.status, readCredits(quote)]).toEqual([200, { cost: '100', remaining: '2' }])
    })

    test('quotes no price to a key without credits: 403, with the price, and nothing of the list', async () => {
      const { secret, id } = await service.createKey({ credits: 0 })
      const rich = await service.createKey()
      for (const [path, cost] of [
        ['/users?per_page=41', 41],
        ['/users/ngoldberg', 1],
        ['/users/nobody-has-this-login', 1],
        ['/repos?per_page=9', 9],
        [busyRepository, 1],
        [`${busyRepository}/commits?per_page=3`, 3],
        [`${busyRepository}/dependencies?per_page=1`, 1],
      ] as const) {
        const ask = () => service.request(path, { method: 'HEAD', key: secret })
        const first = await ask()
        // From the response cache, too.
        for (let time = 0; time < 2; time++) await service.request(path, { key: rich.secret })
        for (const quote of [first, await ask()]) {
          expect([path, quote.status, quote.headers.get('X-Error-Code')]).toEqual([
            path,
            403,
            'insufficient_credits',
          ])
          expect(readCredits(quote)).toEqual({ cost: String(cost), remaining: '0' })
          const told = ['Link', 'X-Total-Count', 'ETag', 'X-Dataset-Version']
          expect(told.filter((name) => quote.headers.has(name))).toEqual([])
        }
      }
      expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 0, charged: 0 })
    })

    test('quotes what is free to a key without credits, and everything to an admin key', async () => {
      const { secret } = await service.createKey({ credits: 0 })
      const { headers } = await service.request('/users', { key: (await service.createKey()).secret })
      for (const [path, status, options] of [
        ['/users?page=999', 200, {}],
        ['/repos?owner=nobody-has-this-login', 200, {}],
        ['/users', 304, { 'If-None-Match': headers.get('ETag') ?? '' }],
        ['/users?page=0', 400, {}],
        ['/repos/ngoldberg/no-such-repository', 404, {}],
      ] as const) {
        const quote = await service.request(path, { method: 'HEAD', key: secret, headers: options })
        expect([path, quote.status, readCredits(quote)]).toEqual([
          path,
          status,
          { cost: '0', remaining: '0' },
        ])
      }
      const admin = await service.createKey({ role: 'admin', credits: 0 })
      expect((await service.request('/users', { method: 'HEAD', key: admin.secret })).status).toBe(200)
    })

    test('quotes short and empty pages, unknown users and errors', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const [path, status, cost] of [
        ['/users?per_page=70&page=5', 200, '20'],
        ['/users?page=999', 200, '0'],
        ['/users/nobody-has-this-login', 404, '1'],
        ['/users/a%20b', 400, '0'],
        ['/users?page=0', 400, '0'],
        ['/repos/ngoldberg/no-such-repository', 404, '0'],
      ] as const) {
        const quote = await service.request(path, { method: 'HEAD', key: secret })
        expect([path, quote.status, quote.text]).toEqual([path, status, ''])
        expect([path, readCredits(quote)]).toEqual([path, { cost, remaining: '10' }])
      }
      expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    })
  })

  test('are not charged for 304, nor needed', async () => {
    const reader = await service.createKey()
    const poor = await service.createKey({ credits: 0 })
    for (const [path] of endpoints()) {
      const response = await service.request(path, { key: reader.secret })
      const headers = { 'If-None-Match': response.headers.get('ETag') ?? '' }
      const again = await service.request(path, { key: poor.secret, headers })
      expect([path, again.status, again.text]).toEqual([path, 304, ''])
      expect(readCredits(again)).toEqual({ cost: '0', remaining: '0' })
    }
    expect(await service.readLedger(poor.id)).toEqual({ balance: 0, granted: 0, charged: 0 })
  })

  test('are not charged to admin keys', async () => {
    const { secret, id } = await service.createKey({ role: 'admin', credits: 5 })
    for (const [path] of [...endpoints(), ['/users?per_page=100']] as const) {
      for (const method of ['GET', 'HEAD']) {
        const response = await service.request(path, { method, key: secret })
        expect([path, method, response.status]).toEqual([path, method, 200])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
      }
    }
    const unknown = await service.request('/users/nobody-has-this-login', { key: secret })
    expect([unknown.status, unknown.headers.get('X-Credits-Cost')]).toEqual([404, '0'])
    expect(await service.readLedger(id)).toEqual({ balance: 5, granted: 5, charged: 0 })
  })

  describe('are reported by GET /api-key/credits,', () => {
    test('which returns the key, its exact balance and its role, for free', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      const ask = async () => (await service.request('/api-key/credits', { key: secret })).json()
      expect(await ask()).toEqual({ api_key: secret, remaining_credits: 100, role: 'user' })
      await service.request('/users?per_page=7', { key: secret })
      expect(await ask()).toEqual({ api_key: secret, remaining_credits: 93, role: 'user' })
      expect(await ask()).toEqual({ api_key: secret, remaining_credits: 93, role: 'user' })
      expect(await service.readLedger(id)).toEqual({ balance: 93, granted: 100, charged: 7 })
      const response = await service.request('/api-key/credits', { key: secret })
      expect(response.headers.get('Cache-Control')).toBe('no-store')
    })

    test('also to a key without credits, and to an admin key', async () => {
      const poor = await service.createKey({ credits: 0 })
      const admin = await service.createKey({ role: 'admin', credits: 0 })
      for (const [secret, role] of [
        [poor.secret, 'user'],
        [admin.secret, 'admin'],
      ] as const) {
        const response = await service.request('/api-key/credits', { key: secret })
        expect([response.status, response.json()]).toEqual([
          200,
          { api_key: secret, remaining_credits: 0, role },
        ])
      }
    })
  })

  test('are debited before the response is sent, or nothing is sent', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await service.sql`alter table ledger add constraint no_charges check (kind <> 'charge') not valid`
    try {
      const response = await service.request('/users?per_page=3', { key: secret })
      expect([response.status, response.json()]).toEqual([500, { error: 'Internal server error' }])
      expect(readCredits(response)).toEqual({ cost: null, remaining: null })
    } finally {
      await service.sql`alter table ledger drop constraint no_charges`
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
  })
})
