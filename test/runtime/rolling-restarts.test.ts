/**
 * Instances that are replaced one by one. The tests wait most of the time, so they run beside each other.
 *
 * @module-tag later
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { migrationLock } from '../../api/database/migrate.ts'
import { startBalancer } from '../support/balancer.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { runtimes, startInstanceProcess } from '../support/process.ts'
import { describeOnServer } from '../support/server.ts'
import { startTestService, useService } from '../support/service.ts'

/** Enough for a balancer that stands still for some seconds to hear of it in time. */
const shutdownDelaySeconds = 6
const clientCount = 12

describeOnServer('a rolling restart', { concurrent: true }, () => {
  const service = useService('postgresql')

  test.for(runtimes)(
    'of two instances behind a load balancer loses no request, on %s',
    async (runtime, { expect }) => {
      const { secret, id } = await service.createKey()
      await using balancer = await startBalancer()
      await using stack = new AsyncDisposableStack()
      const start = async () => {
        const settings = { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) }
        const instance = await startInstanceProcess(service.location.databaseUrl, settings, { runtime })
        return stack.use(instance)
      }
      const instances = [await start(), await start()]
      for (const { url } of instances) balancer.add(url)
      await balancer.allWell()

      let isOver = false
      const responses = new Map<number, number>()
      const clients = Array.from({ length: clientCount }, async () => {
        for (; !isOver; await sleep(10)) {
          const response = await fetch(`${balancer.url}/repos?per_page=1`, {
            headers: { Authorization: `Bearer ${secret}` },
          })
          await response.arrayBuffer()
          const { status } = response
          responses.set(status, (responses.get(status) ?? 0) + 1)
        }
      })
      try {
        for (const old of instances) {
          expect(await old.stop()).toBe(0)
          balancer.remove(old.url)
          balancer.add((await start()).url)
          await balancer.allWell()
        }
      } finally {
        isOver = true
        await Promise.all(clients)
      }
      expect(balancer.failures).toEqual([])
      expect([...responses.keys()]).toEqual([200])
      expect((await service.readLedger(id)).charged).toBe(responses.get(200))
      console.log(
        `a rolling restart of two instances on ${runtime}: ${responses.get(200)} requests, none lost`,
      )
    },
  )

  test('lets an instance wait for the migration of another one for longer than a statement may take', async ({
    expect,
  }) => {
    const empty = await startTestService('postgresql', { data: 'empty' })
    await empty.sql`drop schema public cascade`
    await empty.sql`create schema public`
    const { starting } = await empty.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock})`
      const starting = startInstanceProcess(empty.location.databaseUrl, {
        DATABASE_STATEMENT_TIMEOUT_SECONDS: '6',
      })
      starting.catch(() => {})
      await expect.poll(() => countLockWaits(tx)).toBe(1)
      await sleep(12_000) // it would be given up after 11
      return { starting }
    })
    await using instance = await starting
    expect(instance.readLog()).not.toContain('waiting for the database')
    await instance.stop()
    await empty.close()
  })
})
