/**
 * A settlement that takes too long is 503, and is never charged later (decisions/0001-billing.md).
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstance, openSameDatabase } from './support/instance.ts'
import { describeOnServer } from './support/server.ts'
import { startTestService, type TestService } from './support/service.ts'

describeOnServer('a settlement that takes too long', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('postgresql')
  })
  afterAll(() => service.close())

  test('is 503, and is not charged later, even through a pooler, where sessions have no timeout', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const database = await openSameDatabase(service, {
      databaseStatementTimeoutSeconds: 1, // it is given up after 6
      databasePreparedStatements: 'off',
    })
    const instance = createInstance(database)
    // A second is not much for a settlement on a busy machine.
    while ((await instance.request('/users/ngoldberg', { key: secret })).status !== 200);
    await service.sql`create function be_slow() returns trigger language plpgsql as $$
      begin perform pg_sleep(7); return new; end $$`
    await service.sql`create trigger be_slow before insert on ledger for each row execute function be_slow()`
    expect((await instance.request('/users/ngoldberg', { key: secret })).status).toBe(503)
    await expect.poll(() => countSettlements(service)).toBe(0)
    expect(await service.readLedger(id)).toMatchObject({ balance: 99, charged: 1 })
    await service.sql`drop function be_slow cascade`
    await database.close()
  })

  test.each([0, 5, 30])(
    'is canceled by the server after 10 seconds or less with DATABASE_STATEMENT_TIMEOUT_SECONDS=%i',
    async (databaseStatementTimeoutSeconds) => {
      const { sql, ledgerSql, close } = await openSameDatabase(service, { databaseStatementTimeoutSeconds })
      const limits = await Promise.all([sql, ledgerSql].map((pool) => pool`show statement_timeout`))
      const inWords = (seconds: number) => ({ statement_timeout: seconds === 0 ? '0' : `${seconds}s` })
      expect(limits.flat()).toEqual([
        inWords(databaseStatementTimeoutSeconds),
        inWords(Math.min(databaseStatementTimeoutSeconds || 10, 10)),
      ])
      await close()
    },
  )
})

/** Statements that settle a group at this moment. */
async function countSettlements({ sql }: TestService): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%settle(%' and pid <> pg_backend_pid()`
  return row?.count
}
