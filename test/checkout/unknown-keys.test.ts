/** Requests with keys that nobody has: what they may take from clients that pay (decisions/0002-keys.md). */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { restoreKey, revokeKey } from '../../api/ledger/keys.ts'
import { describeOnOneDatabase, type TestResponse, useService } from '../support/service.ts'

/** Look-ups that find nothing in half a second, and those that may wait. */
const places = 64
const queued = 2_000

describeOnOneDatabase('requests with unknown keys', (kind) => {
  const service = useService(kind)

  const look = (key: string) => service.request('/users/ngoldberg', { key })

  /** Time stands still while it works, unless it is advanced: no place becomes free, and no wait ends. */
  async function stopTime(work: () => Promise<void>): Promise<void> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // The database driver connects with a timer of 0 ms.
    const connecting = setInterval(() => vi.advanceTimersByTime(0), 5)
    try {
      await work()
    } finally {
      clearInterval(connecting)
      vi.advanceTimersByTime(500)
      vi.useRealTimers()
    }
  }

  /** Sends requests with different keys at a time. Returns the responses that have come so far. */
  function sendAnonymous(count: number): { responses: TestResponse[]; ended: Promise<unknown> } {
    const responses: TestResponse[] = []
    const requests = Array.from({ length: count }, async () => {
      responses.push(await look(randomUUID()))
    })
    return { responses, ended: Promise.all(requests) }
  }

  /** `expect.poll` would advance the time. */
  async function waitForResponses(responses: readonly TestResponse[], count: number): Promise<void> {
    while (responses.length < count) await nextTurn()
  }

  test('find nothing 64 times in half a second at most, and don’t keep known keys waiting', async ({
    expect,
  }) => {
    const { secret } = await service.createKey()
    expect((await look(secret)).status).toBe(200)
    await stopTime(async () => {
      const { responses, ended } = sendAnonymous(places + 36)
      await waitForResponses(responses, places)
      expect(responses.length).toBe(places)
      for (let request = 0; request < 20; request++) expect((await look(secret)).status).toBe(200)
      expect(responses.length).toBe(places)
      vi.advanceTimersByTime(500)
      await ended
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]))
    })
  })

  test('get 503 if too many wait, or if they wait for too long, and then new keys work', async ({
    expect,
  }) => {
    await stopTime(async () => {
      const { responses, ended } = sendAnonymous(places + queued + 10)
      await waitForResponses(responses, places + 10)
      expect(responses.length).toBe(places + 10)
      vi.advanceTimersByTime(2_000)
      await ended
      const refused = responses.filter(({ status }) => status === 503)
      expect(responses.length - refused.length).toBeLessThanOrEqual(2 * places)
      for (const { headers } of refused) {
        expect(headers.get('X-Error-Code')).toBe('over_capacity')
        expect(headers.get('Retry-After')).toMatch(/^\d+$/)
      }
    })
    expect((await look((await service.createKey()).secret)).status).toBe(200)
  })

  test('don’t limit new keys: all requests are served that come with one at a time', async () => {
    const { secret } = await service.createKey()
    await stopTime(async () => {
      const responses = await Promise.all(Array.from({ length: 1_000 }, () => look(secret)))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    })
  })

  test('are never remembered: a key that is restored, or new, works with the next request', async () => {
    const { secret, id } = await service.createKey()
    expect((await look(secret)).status).toBe(200)
    for (let turn = 0; turn < 3; turn++) {
      await revokeKey(service.sql, id)
      for (let request = 0; request < 5; request++) expect((await look(secret)).status).toBe(401)
      await restoreKey(service.sql, id)
      expect((await look(secret)).status).toBe(200)
    }
  })
})
