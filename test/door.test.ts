/**
 * The door: more requests than an instance can hold are refused before anything else is done for them.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveService, startLiveService } from './support/live-service.ts'
import { describeOnServer } from './support/server.ts'
import { startTestService, type TestService } from './support/service.ts'

/** Requests that an instance takes in at a time, as the page on scaling says. */
const most = 4_000
const more = 50

describeOnServer.for(['node', 'deno'] as const)('a process on %s', (runtime) => {
  let service: TestService
  let live: LiveService
  beforeAll(async () => {
    service = await startTestService('postgresql')
    live = await startLiveService(runtime, {
      ...service.location,
      databasePoolSize: 4,
      baseUrl: undefined,
    })
  })
  afterAll(async () => {
    await live.stop()
    await service.close()
  })

  test('refuses at once what it can not hold, answers the rest, and charges for what was answered', async () => {
    const { secret: key, id } = await service.createKey()
    const statuses: number[] = []
    const refusals = new Set<string>()
    const requestIds = new Set<string | null>()
    let requests: Promise<unknown>[] = []
    await service.sql.begin(async (tx) => {
      await tx`lock table api_keys` // whose key it is, nobody can find out
      requests = Array.from({ length: most + more }, async () => {
        const { status, headers, text } = await live.request('/users/ngoldberg', { key })
        statuses.push(status)
        if (status !== 503) return
        refusals.add(
          ['Content-Type', 'Retry-After', 'X-Error-Code'].map((name) => headers.get(name)).join(' ') + text,
        )
        requestIds.add(headers.get('X-Request-Id'))
      })
      await expect.poll(() => statuses.length).toBe(more)
    })
    expect(statuses).toEqual(Array.from({ length: more }, () => 503))
    expect([...refusals]).toEqual([
      'application/json 5 over_capacity{"error":"Over capacity; retry in 5 seconds"}',
    ])
    expect(requestIds.size).toBe(more)
    await Promise.all(requests)
    const served = statuses.filter((status) => status === 200).length
    expect(served).toBeGreaterThan(0)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
    expect((await service.readLedger(id)).charged).toBe(served)

    const { secret: admin } = await service.createKey({ role: 'admin' })
    const metrics = (await live.request('/metrics', { key: admin })).text
    expect(metrics).toContain(`devdata_errors_total{code="over_capacity"} ${statuses.length - served}`)
  })
})
