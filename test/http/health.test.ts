/** What `/health` says of the database. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listMigrations } from '../../api/database/migrate.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

const notMigrated = { error: 'Database not migrated; retry in 5 seconds' }

describeOnEachDatabase('/health', (kind) => {
  const service = useService(kind, { data: 'empty' })

  /** Requests it until the response is this one: on a slow machine, the database may not respond in time for one. */
  async function expectHealth(status: number, body: unknown): Promise<void> {
    await expect
      .poll(async () => {
        const response = await service.request('/health')
        return [response.status, response.json(), response.headers.get('Retry-After')]
      })
      .toEqual([status, body, status === 503 ? '5' : null])
  }

  const expectOk = () => expectHealth(200, { status: 'ok', database: kind })

  /** Does something while the database lacks its newest migration. */
  async function withoutMigration(act: () => Promise<void>): Promise<void> {
    const newest = service.sql`(select max(number) from migrations)`
    const [row] = await service.sql`delete from migrations where number = ${newest}
      returning number, name, checksum, compatible_since`
    try {
      await act()
    } finally {
      await service.sql`insert into migrations ${service.sql(row ?? {})}`
    }
  }

  test('is 503 while the database lacks a migration, and 200 again once it is there', async () => {
    await withoutMigration(async () => {
      await expectHealth(503, notMigrated)
    })
    await expectOk()
  })

  test('and all that needs what is missing are 503 alike; a defect that looks like it is a 500', async () => {
    const { secret } = await service.createKey()
    const ask = (path: string) => service.request(path, { key: secret })
    await service.sql`alter table users rename to moved_away`
    try {
      await withoutMigration(async () => {
        const lacking = await ask('/users')
        expect([lacking.status, lacking.json()]).toEqual([503, notMigrated])
      })
      expect((await ask('/users')).status).toBe(500)
    } finally {
      await service.sql`alter table moved_away rename to users`
    }
    expect((await ask('/users')).status).toBe(200)
  })

  // The embedded database has a single session.
  test.skipIf(kind === 'embedded')(
    'and /version take few connections, however many requests come',
    async () => {
      let responses: Promise<unknown> | undefined
      await service.sql.begin(async (tx) => {
        await tx`lock table migrations, dataset in access exclusive mode`
        responses = Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            service.request(index % 2 === 0 ? '/health' : '/version'),
          ),
        )
        await expect.poll(() => countLockWaits(tx)).toBeGreaterThan(1) // one at least for each path
        await sleep(200)
        expect(await countLockWaits(tx)).toBeLessThanOrEqual(6)
      })
      await responses
    },
  )

  test('is 200 while a load is applied, though the embedded database has one session', async () => {
    await service.sql.begin(async (tx) => {
      await tx`update dataset set version = version + 1`
      await expectOk()
    })
  })

  test('is 200 on the schema of a newer version, if this one can run on it, since instances are replaced one by one', async () => {
    const migrate = (compatibleSince: number) => service.sql`
      insert into migrations (number, name, checksum, compatible_since)
      values (9999, '9999_future.sql', '', ${compatibleSince})
      on conflict (number) do update set compatible_since = excluded.compatible_since`
    const newest = listMigrations().length
    await migrate(newest)
    expect((await service.request('/health')).status).toBe(200)
    await migrate(newest + 1)
    expect((await service.request('/health')).status).toBe(503)
    await service.sql`delete from migrations where number = 9999`
    expect((await service.request('/health')).status).toBe(200)
  })
})
