/** A service that is told to stop leaves without breaking off anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { getFrom } from '../support/live-service.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type RuntimeName, runtimes, startInstanceProcess } from '../support/process.ts'
import { describeOnServer } from '../support/server.ts'
import { startTestService, type TestService } from '../support/service.ts'

describeOnServer('a service that SIGTERM reaches', { concurrent: true }, () => {
  const services: TestService[] = []
  afterAll(async () => {
    for (const service of services) await service.close()
  })

  /** An instance on a database of its own, and a request for users that is under way until it is released. */
  async function startBusy(runtime: RuntimeName, shutdownDelaySeconds: number) {
    const service = await startTestService('postgresql')
    services.push(service)
    const { databaseUrl = '' } = service.location
    const { secret } = await service.createKey()
    const settings = { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) }
    const instance = await startInstanceProcess(databaseUrl, settings, { runtime })
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    await sql`begin`.simple()
    await sql`lock table users in access exclusive mode`
    const underWay = getFrom(`${instance.url}/users?per_page=3`, secret)
    while ((await countLockWaits(service.sql)) === 0) await sleep(20)
    return {
      instance,
      key: secret,
      underWay,
      async release() {
        await sql`commit`.simple()
        await sql.end()
      },
    }
  }

  test.each(runtimes)(
    'says so at /health, takes requests for SHUTDOWN_DELAY_SECONDS, lets go of connections, and ends with 0, on %s',
    async (runtime) => {
      const { instance, key, underWay, release } = await startBusy(runtime, 8) // enough for a test that stands still
      await using _ended = instance
      const { url } = instance
      const ended = instance.stop()
      let health = await getFrom(`${url}/health`)
      while (health.status === 200) health = await getFrom(`${url}/health`)
      expect([health.status, JSON.parse(health.body)]).toEqual([
        503,
        { error: 'Shutting down; retry in 5 seconds' },
      ])
      const late = await getFrom(`${url}/repos?per_page=1`, key)
      expect([late.status, late.headers.get('Connection')]).toEqual([200, 'close'])
      await release()
      const response = await underWay
      expect([response.status, response.headers.get('Connection')]).toEqual([200, 'close'])
      expect(await ended).toBe(0)
    },
  )

  test.each(runtimes)(
    'responds to what is under way when it takes no more requests, on %s',
    async (runtime) => {
      const { instance, underWay, release } = await startBusy(runtime, 0)
      await using _ended = instance
      const { url } = instance
      const ended = instance.stop()
      const refused = async () => {
        try {
          await fetch(`${url}/health`)
        } catch {
          return
        }
        await sleep(20)
        await refused()
      }
      await refused()
      await release()
      expect((await underWay).status).toBe(200)
      expect(await ended).toBe(0)
    },
  )
})
