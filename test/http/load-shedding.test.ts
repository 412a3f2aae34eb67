/** Load shedding: requests that an instance has no room for get 503, and cost nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderError } from '../../api/http/error-handler.ts'
import { createLoadShedder } from '../../api/http/load-shedding.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { type LiveService, startLiveService } from '../support/live-service.ts'
import { describeOnServer } from '../support/server.ts'
import { describeOnEachDatabase, type TestResponse, useService } from '../support/service.ts'

/** The limits of an instance, as the page on scaling says. */
const maxInProgress = 4_000
const maxInProgressOfSender = 3_000
const maxRunning = 128
const maxQueued = 2_000
/** Requests beyond a limit. */
const surplus = 50

describe('the check in front of an app', () => {
  /** A load shedder whose requests never end. */
  function createBusy() {
    const shedder = createLoadShedder({
      fetch: () => new Promise(() => {}),
      refuse: (_, error) => renderError(error, {}, () => {}),
      findSender: (authorization) =>
        authorization === undefined
          ? undefined
          : { id: authorization.length, isAdmin: authorization === 'admin', isQueueFull: false },
      probePaths: ['/base/health', '/base/metrics'],
    })
    return (target: string, authorization?: string) => {
      const outcome = shedder.shedLoad({ method: 'GET', target, authorization })
      if (outcome !== 'accepted') return outcome.status
      const headers = authorization === undefined ? {} : { Authorization: authorization }
      void shedder.fetch(new Request(new URL(target, 'http://h'), { headers }))
      return 'accepted'
    }
  }
  const repeat = (count: number, act: () => unknown) => new Set(Array.from({ length: count }, act))

  test('has 20 further places for /health and /metrics, and 100 for admin keys', () => {
    const begin = createBusy()
    for (const key of ['k', 'ke']) {
      expect(repeat(maxInProgress / 2, () => begin('/base/users', key))).toEqual(new Set(['accepted']))
    }
    for (const other of ['/base/users', '/health', '/base/users/health', '/base/health/', 'http://h/']) {
      expect([other, begin(other)]).toEqual([other, 503])
    }
    expect(repeat(18, () => begin('/base/health'))).toEqual(new Set(['accepted']))
    for (const probe of ['/base/metrics', 'http://h/base/health']) {
      expect([probe, begin(probe)]).toEqual([probe, 'accepted'])
    }
    expect(begin('/base/health')).toBe(503)
    expect(repeat(100, () => begin('/base/metrics', 'admin'))).toEqual(new Set(['accepted']))
    expect(begin('/base/metrics', 'admin')).toBe(503)
  })

  test('keeps a quarter of the places from each key, and from all without one that is known', () => {
    for (const own of ['key', undefined]) {
      const begin = createBusy()
      expect(repeat(maxInProgressOfSender, () => begin('/base/users', own))).toEqual(new Set(['accepted']))
      expect(begin('/base/users', own)).toBe(503)
      const rest = maxInProgress - maxInProgressOfSender
      expect(repeat(rest, () => begin('/base/users', 'others'))).toEqual(new Set(['accepted']))
      expect(begin('/base/users', 'others')).toBe(503)
    }
  })
})

test('a request keeps the place of its sender, also if its key becomes known', async () => {
  let id: number | undefined
  const { promise: end, resolve } = Promise.withResolvers<Response>()
  const shedder = createLoadShedder({
    fetch: () => end,
    refuse: (_, error) => renderError(error, {}, () => {}),
    findSender: () => (id === undefined ? undefined : { id, isAdmin: false, isQueueFull: false }),
    probePaths: [],
  })
  const send = () => shedder.fetch(new Request('http://h/users', { headers: { Authorization: 'key' } }))
  const check = () => shedder.shedLoad({ method: 'GET', target: '/users', authorization: 'key' })
  const requests = Array.from({ length: maxInProgressOfSender }, send)
  expect(check()).not.toBe('accepted')
  id = 7
  expect(check()).toBe('accepted')
  resolve(new Response())
  await Promise.all(requests)
  expect(shedder.countInProgress()).toBe(0)
  id = undefined
  expect(check()).toBe('accepted')
})

test('requests of unknown senders start one in each turn of the event loop, and others start before them', async () => {
  const started: string[] = []
  const known = new Set(['known'])
  const shedder = createLoadShedder({
    async fetch({ url }) {
      started.push(new URL(url).pathname)
      return new Response()
    },
    refuse: (_, error) => renderError(error, {}, () => {}),
    findSender: (authorization = '') =>
      known.has(authorization) ? { id: 1, isAdmin: false, isQueueFull: false } : undefined,
    probePaths: ['/health'],
  })
  const send = (path: string, headers = {}) => shedder.fetch(new Request(`http://h${path}`, { headers }))
  const pages = Array.from({ length: 20 }, (_, index) => send(`/docs/${index}`, { Authorization: 'other' }))
  const others = [send('/users', { Authorization: 'known' }), send('/health')]
  await Promise.all(others)
  expect(started).toEqual(['/users', '/health'])
  let turns = 0
  const timer = () => {
    turns++
    if (started.length < 22) setImmediate(timer)
  }
  setImmediate(timer)
  await Promise.all(pages)
  expect(started.slice(2)).toEqual(Array.from({ length: 20 }, (_, index) => `/docs/${index}`))
  expect(turns).toBeGreaterThanOrEqual(19)

  const burst = Array.from({ length: 20 }, () => send('/users', { Authorization: 'new' }))
  await nextTurn()
  expect(started.length).toBe(23)
  known.add('new') // its key was found
  await nextTurn()
  await nextTurn()
  expect(started.length).toBe(42)
  await Promise.all(burst)
})

describeOnServer('an instance', () => {
  // Statements and requests wait for the test's lock, however long it takes.
  const service = useService('postgresql', { databaseStatementTimeoutSeconds: 0 })
  let instance: Instance
  beforeAll(async () => {
    instance = createInstance(service, { datasetTimeoutMs: 600_000 })
  })

  test('refuses requests beyond those in progress, with and without a key, for free, and serves the others', async () => {
    const { secret: key, id } = await service.createKey()
    const look = () => instance.request('/users/ngoldberg', { key })
    expect((await look()).status).toBe(200)
    const { secret: admin } = await service.createKey({ role: 'admin' })
    expect((await instance.request('/metrics', { key: admin })).status).toBe(200)
    const statuses: number[] = []
    const refusals: TestResponse[] = []
    let requests: Promise<unknown>[] = []
    await service.sql.begin(async (tx) => {
      await tx`lock table dataset in access exclusive mode` // which /version reads
      const send = (length: number, sender: { key?: string }) =>
        Array.from({ length }, async () => {
          const response = await instance.request('/version', sender)
          statuses.push(response.status)
          if (response.status === 503) refusals.push(response)
        })
      requests = [
        ...send(maxInProgressOfSender + surplus, {}),
        ...send(maxInProgress - maxInProgressOfSender + surplus, { key }),
      ]
      await expect.poll(() => statuses.length).toBe(2 * surplus)
      refusals.push(await look())
      expect((await instance.request('/health')).status).toBe(200)
      const { status, text } = await instance.request('/metrics', { key: admin })
      expect(status).toBe(200)
      expect(text).toMatch(new RegExp(`^devdata_requests_in_progress ${maxInProgress + 1}$`, 'm'))
    })
    await Promise.all(requests)
    expect(statuses.filter((status) => status === 200)).toHaveLength(maxInProgress)
    expect(refusals.map(({ status, headers, text }) => [status, headers.get('Retry-After'), text])).toEqual(
      refusals.map(() => [503, '5', '{"error":"Over capacity; retry in 5 seconds"}']),
    )
    expect(new Set(refusals.map(({ headers }) => headers.get('X-Request-Id'))).size).toBe(2 * surplus + 1)
    expect((await look()).status).toBe(200)
    expect((await service.readLedger(id)).charged).toBe(2)

    const metrics = (await instance.request('/metrics', { key: admin })).text
    expect(metrics).toContain(`devdata_errors_total{code="over_capacity"} ${2 * surplus + 1}`)
  })
})

describeOnServer.for(['node', 'deno'] as const)('a process on %s', (runtime) => {
  const service = useService('postgresql')
  let live: LiveService
  beforeAll(async () => {
    live = await startLiveService(runtime, {
      ...service.location,
      databasePoolSize: 4,
      databaseStatementTimeoutSeconds: 0, // statements wait for a test's locks, however long it takes
      baseUrl: undefined,
    })
  })
  afterAll(async () => {
    await live.stop()
  })

  test('refuses a key’s requests beyond the queue, and ends waits after 2 seconds', async () => {
    const [busy, other] = [await service.createKey(), await service.createKey()]
    const send = async (key: string, path = '/users?per_page=1') => (await live.request(path, { key })).status
    for (const { secret } of [busy, other]) expect(await send(secret, '/users/ngoldberg')).toBe(200)
    const statuses: number[] = []
    const count = (status: number) => statuses.filter((each) => each === status).length
    const requests: Promise<unknown>[] = []
    await service.sql.begin(async (tx) => {
      await tx`lock table users in access exclusive mode` // running requests wait for it
      for (let sent = 0; sent < maxRunning + maxQueued + surplus; sent++) {
        requests.push(send(busy.secret).then((status) => statuses.push(status)))
        // Connections are accepted in their order. More than a socket's backlog has room for would be reset later.
        if (sent % 50 === 0)
          await live.request('/openapi.yml', { method: 'HEAD', headers: { Connection: 'close' } })
      }
      await expect.poll(() => count(503)).toBeGreaterThanOrEqual(surplus)
      const last = send(other.secret)
      await expect.poll(() => count(503)).toBe(surplus + maxQueued)
      expect(await last).toBe(503) // it has waited for 2 seconds
    })
    await Promise.all(requests)
    expect(count(200)).toBe(maxRunning)
    expect((await service.readLedger(busy.id)).charged).toBe(1 + maxRunning)
    expect(await send(other.secret)).toBe(200)
  })
})

describeOnEachDatabase('an instance', (kind) => {
  const service = useService(kind)

  test('refuses requests beyond its queue with 503, for free, and serves the others', async () => {
    const { secret: key, id } = await service.createKey({ credits: 10_000 })
    await service.request('/api-key/credits', { key }) // from now on it's cached: all requests arrive at the queue together
    const responses = await Promise.all(
      Array.from({ length: 2_500 }, () => service.request('/users?per_page=1', { key })),
    )
    const served = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status === 503)
    expect(served.length + refused.length).toBe(2_500)
    expect(served.length).toBeGreaterThanOrEqual(128)
    expect(refused.length).toBeGreaterThanOrEqual(2_500 - 2_128) // 128 run, 2,000 may wait
    for (const response of refused) {
      expect(response.json()).toEqual({ error: 'Over capacity; retry in 5 seconds' })
      expect(response.headers.get('Retry-After')).toBe('5')
    }
    expect((await service.readLedger(id)).charged).toBe(served.length)
    expect((await service.request('/users?per_page=1', { key })).status).toBe(200)
  })
})
