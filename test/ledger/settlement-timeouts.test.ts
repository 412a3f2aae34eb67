/**
 * A settlement that takes too long is 503, and is never charged later (decisions/0001-billing.md). An instance that is
 * frozen doesn't block keys (decisions/0006-database.md).
 */
import { expect, test } from 'vitest'
import { openDatabase } from '../../api/database/database.ts'
import { testPool } from '../support/databases.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import { type TestService, useService } from '../support/service.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

// The two wait most of the time, so they run beside each other.
describeOnServer('a settlement that takes too long', { concurrent: true }, () => {
  const service = useService('postgresql')

  test('is 503, and is not charged later, even through a pooler, where sessions have no timeout', async ({
    expect,
  }) => {
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

describeOnServer('an instance that stops reading', { concurrent: true }, () => {
  test('keeps no rows locked for longer than its server waits for it', async ({ expect }) => {
    const server = getServerUrl()
    let isFrozen = false
    await using proxy = await startTcpProxy(server, ({ client, database, cut }) => {
      client.pipe(database)
      database.on('data', (chunk) => {
        if (isFrozen) database.pause()
        else client.write(chunk)
      })
      database.on('close', cut)
    })
    const openAt = (databaseUrl: string) => openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    const [frozen, other] = await Promise.all([openAt(proxy.urlOf(server)), openAt(server)])
    await other.sql`create table frozen_keys as select 1 as id`
    await frozen.sql`select 1`
    isFrozen = true
    const reading = frozen.sql`
      with locked as materialized (select id from frozen_keys for update)
      select repeat('x', 1000000) from generate_series(1, 100), locked`.catch(() => 'failed')
    const lock = () => other.sql`select from frozen_keys for update skip locked`
    await expect.poll(lock).toHaveLength(0)
    await expect.poll(lock, { interval: 500 }).toHaveLength(1)
    proxy.cutAll()
    expect(await reading).toBe('failed')
    await other.sql`drop table frozen_keys`
    await Promise.all([frozen.close(), other.close()])
  })
})

/** Statements that settle a group at this moment. */
async function countSettlements({ sql }: TestService): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%settle(%' and pid <> pg_backend_pid()`
  return row?.count
}
