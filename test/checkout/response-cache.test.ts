import { describe, expect, test } from 'vitest'
import type { MeteredResponse } from '../../api/checkout/metered-response.ts'
import { createResponseCache } from '../../api/checkout/response-cache.ts'
import { hashSecret } from '../../api/ledger/api-key.ts'
import { type SettleRequest, settleGroup } from '../../api/ledger/settlement.ts'
import { createInstance } from '../support/instance.ts'
import { readListResponse } from '../support/list-response.ts'
import { loadRecords } from '../support/records.ts'
import { sampleUsers } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

const [model] = sampleUsers.filter(({ location }) => location === 'Berlin')
if (model === undefined) throw new Error('nobody of the sample lives in Berlin')

describeOnEachDatabase('a cached response', (kind) => {
  const service = useService(kind)

  test('is sent again without reading the data, and charged again', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const path = '/users?per_page=5&page=2'
    const request = async () => {
      const response = await service.request(path, { key: secret })
      return { ...readListResponse(response), headers: response.headers, body: response.json() }
    }
    const first = await request()
    await request() // a response is cached when its URL is requested for the second time
    await service.sql`update users set document = replace(document, '"followers":', '"followers":1')`
    try {
      const again = await request()
      expect(again.data).toEqual(first.data)
      for (const name of ['ETag', 'Link', 'X-Total-Count', 'X-Credits-Cost']) {
        expect(again.headers.get(name)).toBe(first.headers.get(name))
      }
      expect(again.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
      expect(again.body).toMatchObject({ meta: { request_id: again.headers.get('X-Request-Id') } })
      expect(await service.readLedger(id)).toEqual({ balance: 85, granted: 100, charged: 15 })
    } finally {
      await service.sql`update users set document = replace(document, '"followers":1', '"followers":')`
    }
  })

  test('is not sent after a load, from the first request on, on each instance', async () => {
    const instances = [createInstance(service), createInstance(service)]
    const path = '/users?location=Berlin-on-the-move&per_page=100'
    for (const [round, location] of ['Berlin-on-the-move', 'elsewhere', 'Berlin-on-the-move'].entries()) {
      const moved = { ...model, location, followers: round }
      await loadRecords(service.sql, { users: [moved] })
      for (const instance of instances) {
        const { secret, id } = await service.createKey({
          credits: 10,
          rateLimit: { requests: 10, seconds: 3600 },
        })
        const expected = location === 'elsewhere' ? [] : [moved]
        for (const remaining of ['9', '8', '7']) {
          const response = await instance.request(path, { key: secret })
          expect(readListResponse(response).data).toEqual(expected)
          expect(response.headers.get('X-Credits-Cost')).toBe(String(expected.length))
          expect(response.headers.get('X-RateLimit-Remaining')).toBe(remaining)
        }
        const single = await instance.request(`/users/${model.login}`, { key: secret })
        expect(single.json()).toEqual(moved)
        expect((await service.readLedger(id)).charged).toBe(3 * expected.length + 1)
      }
    }
  })

  test('is refused like any other if the key can’t pay for it', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    const path = '/users?per_page=5&page=3'
    for (const _ of [1, 2]) expect((await service.request(path, { key: secret })).status).toBe(200)
    const refused = await service.request(path, { key: secret })
    expect(refused.status).toBe(403)
    expect(refused.json()).toEqual({ error: 'insufficient credits: need 5, have 0' })
  })

  test('is not charged if it has another version, and the rest of its group is', async () => {
    const [dataset] = await service.sql<{ version: number }[]>`select version from dataset`
    const now = dataset?.version ?? 0
    const { id, secret } = await service.createKey({ credits: 100 })
    const createRequest = (version: number | null): SettleRequest => ({
      keyId: id,
      secretHash: hashSecret(secret),
      isCounted: true,
      version,
      charge: {
        price: 10,
        maxCredits: null,
        items: 10,
        requestId: crypto.randomUUID(),
        path: '/users',
        endpoint: '/users',
        idempotency: null,
      },
    })
    const settle = (...versions: (number | null)[]) =>
      settleGroup(service.ledgerSql, versions.map(createRequest), { waitForLocks: false })
    const stale = { outcome: 'stale', version: now }
    const settled = (balance: number) => ({ outcome: 'settled', charged: 10, balance, version: now })
    expect(await settle(now - 1)).toEqual([stale])
    expect(await settle(null, now - 1, null)).toMatchObject([settled(90), stale, settled(80)])
    expect(await settle(now, now - 1, null)).toMatchObject([settled(70), stale, settled(60)])
    expect(await settle(now, null)).toMatchObject([settled(50), settled(40)])
  })
})

describe('the response cache', () => {
  const createResponse = (length: number, version?: number): MeteredResponse => ({
    cost: 1,
    tag: '',
    headers: {},
    data: new Uint8Array(length),
    version,
  })
  /** A cache of a dataset of version 1, in which these URLs were requested once. */
  function createCache({ maxBytes = 16_000, requested = ['/a'] } = {}) {
    const cache = createResponseCache({ maxBytes })
    cache.noteVersion(1)
    for (const url of requested) cache.offer(url, createResponse(10, 1))
    const has = async (url: string) => (await cache.use(url, async () => true)) === true
    return { ...cache, has }
  }

  test('stores responses whose URL was requested twice: an iteration evicts nothing', async () => {
    const cache = createCache()
    expect(await cache.has('/a')).toBe(false)
    cache.offer('/a', createResponse(6_000, 1))
    for (let page = 1; page <= 100; page++) cache.offer(`/b?page=${page}`, createResponse(6_000, 1))
    expect(await cache.has('/a')).toBe(true)
  })

  test('evicts the least recently used responses where the next one would exceed the bound', async () => {
    const cache = createCache({ requested: ['/a', '/b', '/c', '/d'] })
    cache.offer('/a', createResponse(1_000, 1))
    cache.offer('/b', createResponse(1_000, 1))
    expect(await cache.has('/a')).toBe(true)
    cache.offer('/c', createResponse(7_000, 1))
    expect(await Promise.all(['/a', '/b', '/c'].map(cache.has))).toEqual([true, false, true])
    cache.offer('/d', createResponse(12_000, 1))
    expect(await Promise.all(['/a', '/c', '/d'].map(cache.has))).toEqual([true, true, false])
  })

  test('stores only responses of the newest known version', async () => {
    const cache = createCache()
    cache.offer('/a', createResponse(10, 1))
    cache.noteVersion(2)
    expect(await cache.has('/a')).toBe(false)
    cache.offer('/a', createResponse(10, 1))
    expect(await cache.has('/a')).toBe(false)
    cache.offer('/a', createResponse(10, 2))
    expect(await cache.has('/a')).toBe(true)
  })

  test('stores nothing if its bound is 0, or a response has no version', async () => {
    const off = createCache({ maxBytes: 0 })
    off.offer('/a', createResponse(10, 1))
    expect(await off.has('/a')).toBe(false)
    const cache = createCache()
    cache.offer('/a', createResponse(10))
    expect(await cache.has('/a')).toBe(false)
  })

  test('copies the bytes of a response from a larger buffer', async () => {
    const cache = createCache()
    const data = new Uint8Array(64_000).subarray(100, 200)
    cache.offer('/a', { ...createResponse(0, 1), data })
    const [cached, bytes] = (await cache.use('/a', async ({ data }) => [data, data.buffer.byteLength])) ?? []
    expect([cached, bytes]).toEqual([data, 100])
  })

  test('frees the page of an evicted list once nobody uses it', async () => {
    const cache = createCache()
    cache.offer('/a', { ...createResponse(6_000, 1), pagination: '{}' })
    const { promise, resolve: end } = Promise.withResolvers<void>()
    let data = new Uint8Array()
    const uses = [promise, Promise.resolve()].map((ended) =>
      cache.use('/a', (response) => {
        data = response.data
        return ended
      }),
    )
    await uses[1]
    expect(data.length).toBe(6_000) // it isn't evicted
    cache.noteVersion(2)
    expect(await cache.has('/a')).toBe(false)
    expect(data.length).toBe(6_000) // somebody uses it
    end()
    await uses[0]
    expect(data.length).toBe(0)
  })
})
