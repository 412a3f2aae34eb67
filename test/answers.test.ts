import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../api/ledger/api-key.ts'
import { type ChargeRequest, settleGroup } from '../api/ledger/settle.ts'
import type { MeteredResponse } from '../api/metering/checkout.ts'
import { createResponseCache } from '../api/metering/response-cache.ts'
import { createInstance } from './support/instance.ts'
import { readListAnswer } from './support/list-answer.ts'
import { loadRecords } from './support/records.ts'
import { sampleUsers } from './support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const [model] = sampleUsers.filter(({ location }) => location === 'Berlin')
if (model === undefined) throw new Error('nobody of the sample lives in Berlin')

describeOnEachDatabase('an answer that was given before', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  test('is given again without reading the data, and charged again', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const path = '/users?per_page=5&page=2'
    const first = await service.request(path, { key: secret })
    await service.request(path, { key: secret }) // what is asked for again is remembered
    const again = await service.request(path, { key: secret })
    expect(readListAnswer(again).data).toEqual(readListAnswer(first).data)
    for (const name of ['ETag', 'Link', 'X-Total-Count', 'X-Credits-Cost']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(again.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
    expect(again.json()).toMatchObject({ meta: { request_id: again.headers.get('X-Request-Id') } })
    expect(await service.readLedger(id)).toEqual({ balance: 85, granted: 100, charged: 15 })
  })

  test('is another one with the first request after a load, on each instance, and costs what it has now', async () => {
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
          const answer = await instance.request(path, { key: secret })
          expect(readListAnswer(answer).data).toEqual(expected)
          expect(answer.headers.get('X-Credits-Cost')).toBe(String(expected.length))
          expect(answer.headers.get('X-RateLimit-Remaining')).toBe(remaining)
        }
        const single = await instance.request(`/users/${model.login}`, { key: secret })
        expect(single.json()).toEqual(moved)
        expect((await service.readLedger(id)).charged).toBe(3 * expected.length + 1)
      }
    }
  })

  test('is refused like any other when the key can not pay for it', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    const path = '/users?per_page=5&page=3'
    for (const _ of [1, 2]) expect((await service.request(path, { key: secret })).status).toBe(200)
    const refused = await service.request(path, { key: secret })
    expect(refused.status).toBe(403)
    expect(refused.json()).toEqual({ error: 'insufficient credits: need 5, have 0' })
  })

  test('settles nothing that was read at another version, and all else of the same group', async () => {
    const [dataset] = await service.sql<{ version: number }[]>`select version from dataset`
    const now = dataset?.version ?? 0
    const { id, secret } = await service.createKey({ credits: 100 })
    const createRequest = (version: number | null): ChargeRequest => ({
      keyId: id,
      secretHash: hashSecret(secret),
      isCounted: true,
      version,
      purchase: {
        cost: 10,
        maxCredits: null,
        items: 10,
        requestId: crypto.randomUUID(),
        path: '/users',
        endpoint: '/users',
        idempotency: null,
      },
      lookUp: null,
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

describe('remembered answers', () => {
  const createResponse = (length: number, version?: number): MeteredResponse => ({
    cost: 1,
    tag: '',
    headers: {},
    body: 'x'.repeat(length),
    version,
    render: () => '',
  })
  /** A store of a dataset of version 1, in which these addresses were asked for. */
  function createStore({ maxBytes = 16_000, asked = ['/a'] } = {}) {
    const store = createResponseCache({ maxBytes })
    store.noteVersion(1)
    for (const url of asked) expect(store.remember(url, createResponse(10, 1))).toBe(false)
    return store
  }

  test('are those that are asked for a second time: a walk drives nothing out', () => {
    const store = createStore()
    expect(store.recall('/a')).toBeUndefined()
    expect(store.remember('/a', createResponse(6_000, 1))).toBe(true)
    for (let page = 1; page <= 100; page++) store.remember(`/b?page=${page}`, createResponse(6_000, 1))
    expect(store.recall('/a')).toBeDefined()
  })

  test('are forgotten, those asked for longest ago first, where the next would pass the bound', () => {
    const store = createStore({ asked: ['/a', '/b', '/c', '/d'] })
    store.remember('/a', createResponse(1_000, 1))
    store.remember('/b', createResponse(1_000, 1))
    expect(store.recall('/a')).toBeDefined()
    expect(store.remember('/c', createResponse(5_000, 1))).toBe(true)
    expect(['/a', '/b', '/c'].map((url) => store.recall(url) !== undefined)).toEqual([true, false, true])
    expect(store.remember('/d', createResponse(9_000, 1))).toBe(false)
    expect(['/a', '/c', '/d'].map((url) => store.recall(url) !== undefined)).toEqual([true, true, false])
  })

  test('are those of the newest version that is known', () => {
    const store = createStore()
    store.remember('/a', createResponse(10, 1))
    store.noteVersion(2)
    expect(store.recall('/a')).toBeUndefined()
    store.remember('/a', createResponse(10, 1))
    expect(store.recall('/a')).toBeUndefined()
    store.remember('/a', createResponse(10, 2))
    expect(store.recall('/a')).toBeDefined()
  })

  test('are none where the bound is 0, or an answer has no version', () => {
    const none = createResponseCache({ maxBytes: 0 })
    none.noteVersion(1)
    for (const _ of [1, 2]) expect(none.remember('/a', createResponse(10, 1))).toBe(false)
    expect(none.recall('/a')).toBeUndefined()
    const store = createStore()
    expect(store.remember('/a', createResponse(10))).toBe(false)
    expect(store.recall('/a')).toBeUndefined()
  })
})
