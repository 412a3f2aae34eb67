/**
 * Settings of a database, a role or a pooler's session. Statements depend on none of those that change how PostgreSQL
 * writes values: all tests on a server run under unusual ones, and those on the embedded database under the usual ones.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reset } from '@logtape/logtape'
import { expect, test } from 'vitest'
import { selectTime } from '../../api/database/connect.ts'
import { beginLong } from '../../api/database/long-transaction.ts'
import { rebuildSets, verifySets } from '../../api/dataset/set-verification.ts'
import { createKeyCheck } from '../../api/ledger/api-key.ts'
import { revokeKey } from '../../api/ledger/keys.ts'
import { countPrunable, pruneLedger } from '../../api/ledger/prune.ts'
import { isSettlingError } from '../../api/ledger/settlement.ts'
import { readUsage } from '../../api/ledger/usage.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { redactLaterEntries } from '../../api/people/forget.ts'
import { exportPerson } from '../../api/people/person-export.ts'
import { readKnownRepositories, readKnownUsers } from '../../api/sources/github/known.ts'
import { exportNdjson } from '../../api/sources/ndjson/export.ts'
import { locationOf, runCommand } from '../support/command-line.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { load } from '../support/ndjson.ts'
import { unusualSettings } from '../support/postgres-cluster.ts'
import { recordLog } from '../support/recorded-log.ts'
import { createUser } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import { describeOnEachDatabase, type TestService, useService } from '../support/service.ts'

describeOnEachDatabase('a statement', (kind) => {
  const service = useService(kind, { data: 'empty' })

  test.each([
    ['a time', 'now()', 'times are not read'],
    ['a day', 'current_date', 'times are not read'],
    ['bytes', "decode('00ff', 'hex')", 'bytes are not read'],
    ['a float', '0.1::float8', 'floats are not read'],
    ['an array', 'array[1]', 'arrays are not read'],
  ])('fails if it selects %s as the server writes it, on any server', async (_, value, message) => {
    await expect(service.sql`select ${service.sql.unsafe(value)} as value`).rejects.toThrow(message)
  })

  test('selects a time as JSON has it, and takes one', async () => {
    const { sql } = service
    const time = new Date('2027-03-02T23:30:00.123Z')
    const [row] = await sql<{ time: string; none: null }[]>`
      select ${selectTime(sql, sql`${time}::timestamptz`)} as time, ${selectTime(sql, sql`null::timestamptz`)} as none`
    expect(row).toEqual({ time: time.toJSON(), none: null })
  })

  test('that settles requests, and fails because of that, is known by its error', async () => {
    const fail = (statement: string) => service.sql.unsafe(statement).catch((error: unknown) => error)
    expect(isSettlingError(await fail(`select settle('[{"key_id": "none"}]', true)`))).toBe(true)
    expect(isSettlingError(await fail('select sum_up_days(1 / 0)'))).toBe(false)
  })

  test('of a long transaction has no time limit, whatever the session has', async () => {
    const { sql } = service
    const names = sql.typed.texts([...limits, 'transaction_timeout']) // the last from PostgreSQL 17 on
    // In a session of the pool, or in the one session of the embedded database.
    await sql`select set_config(name, '1h', false) from unnest(${names}) as name where current_setting(name, true) is not null`
    const found = await beginLong(
      sql,
      (tx) => tx<{ name: string; value: string | null }[]>`
        select name, current_setting(name, true) as value from unnest(${names}) as name order by name`,
    )
    const byName = new Map(found.map(({ name, value }) => [name, value]))
    for (const name of limits) expect([name, byName.get(name)]).toEqual([name, '0'])
    expect([null, '0']).toContain(byName.get('transaction_timeout'))
  })
})

/** Of each version. */
const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** Changes a setting for the later sessions of a service's database. */
async function setForDatabase({ sql, location }: TestService, name: string, value: string): Promise<void> {
  const database = new URL(location.databaseUrl ?? '').pathname.slice(1)
  await sql.unsafe(`alter database ${database} set ${name} = ${value}`)
}

describeOnServer('a database with settings of its own', () => {
  const service = useService('postgresql', { each: true })

  test('has unusual ones in these tests', async () => {
    // Asked without the time limit and the isolation level of a session that is ours.
    const database = await openSameDatabase(service, { databasePreparedStatements: 'off' })
    const found = await database.sql<{ name: string; value: string }[]>`
      select name, current_setting(name) as value from unnest(${database.sql.typed.texts(Object.keys(unusualSettings))}) as name`
    await database.close()
    expect(Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual(unusualSettings)
  })

  // A pooler's session has the limits of the role, as this one has those of the database.
  test('ends no command with its limits', async () => {
    const { secret, id } = await service.createKey()
    await service.request('/users/ngoldberg', { key: secret })
    for (const name of limits) await setForDatabase(service, name, "'1s'")
    await setForDatabase(service, 'default_transaction_isolation', "'read committed'")
    const folder = await mkdtemp(join(tmpdir(), 'devdata-limits-'))
    const database = await openSameDatabase(service, {
      databasePreparedStatements: 'off',
      databasePoolSize: 40,
    })
    const { sql } = database
    const later = new Date(Date.now() + 60_000)
    try {
      const commands = await service.sql.begin(async (tx) => {
        await tx`lock table ledger, users, repositories, commits in access exclusive mode`
        const running = Promise.allSettled([
          verifyLedger(sql),
          countPrunable(sql, later),
          pruneLedger(sql, later),
          readUsage(sql, { key: id }, () => {}),
          verifySets(sql, 'all'),
          rebuildSets(sql),
          exportNdjson(sql, folder),
          exportPerson(sql, [identifyLogin('ngoldberg')]),
          redactLaterEntries(sql, ['nobody']),
          load({ sql }, { users: [createUser(1)] }),
          readKnownRepositories(sql, 'https://github.com'),
          readKnownUsers(sql),
        ])
        await expect.poll(() => countLockWaits(tx)).toBeGreaterThanOrEqual(10)
        await tx`select pg_sleep(1.5)` // longer than the limits
        return { running } // in an object: it must not be awaited before the locks are gone
      })
      const results = await commands.running
      expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toEqual([])
    } finally {
      await database.close()
      await rm(folder, { recursive: true })
    }
  })

  test('is refused behind a pooler, or without a session of its own, if its isolation level is not that of charges', async () => {
    const { environment, directory } = locationOf(service)
    const list = (settings: Record<string, string>) =>
      runCommand(['keys', 'list'], { environment: { ...environment, ...settings }, directory })
    const withoutSession = { DATABASE_PREPARED_STATEMENTS: 'off' }
    expect(await list({})).toMatchObject({ code: 0 })
    expect(await list(withoutSession)).toMatchObject({
      code: 1,
      stderr:
        'The default_transaction_isolation of the role or the database is "serializable", and charges need "read committed"; ' +
        "run: alter role … set default_transaction_isolation = 'read committed'\n",
    })
    await setForDatabase(service, 'default_transaction_isolation', "'read committed'")
    expect(await list(withoutSession)).toMatchObject({ code: 0 })
  })

  test('can’t let charges be lost in a crash: its sessions wait for the disk, or it is refused', async () => {
    await setForDatabase(service, 'default_transaction_isolation', "'read committed'")
    const read = async (settings: Record<string, string> = {}) => {
      const database = await openSameDatabase(service, settings)
      try {
        await database.detectPooler()
        const [row] = await database.sql<{ value: string }[]>`
          select current_setting('synchronous_commit') as value`
        return row?.value
      } finally {
        await database.close()
      }
    }
    expect(await read()).toBe('on')
    await setForDatabase(service, 'synchronous_commit', 'remote_write')
    expect(await read()).toBe('remote_write')
    await setForDatabase(service, 'synchronous_commit', 'off')
    expect(await read()).toBe('on')
    await expect(read({ databasePreparedStatements: 'off' })).rejects.toThrow(
      'The synchronous_commit of the role or the database is "off", and charges need "on"; ' +
        "run: alter role … set synchronous_commit = 'on'",
    )
  })

  test('is not healthy if its keys are not found, and doctor says so', async () => {
    const { secret, id } = await service.createKey()
    // Functions of this schema stand in for those of PostgreSQL.
    await service.sql`
      create function public.encode(bytea, text) returns text language sql as $$ select 'other' $$`
    await setForDatabase(service, 'search_path', 'public, pg_catalog')
    const database = await openSameDatabase(service)
    const messages: unknown[] = []
    await recordLog('error', ({ properties }) => messages.push(properties))
    try {
      const { request } = createInstance(database)
      expect((await request('/users', { key: secret })).status).toBe(401)
      const health = await request('/health')
      expect([health.status, health.json()]).toEqual([
        503,
        { error: 'Database unavailable; retry in 5 seconds' },
      ])
      expect(JSON.stringify(messages)).toContain('a usable key is not found by its secret')
      const { code, stdout } = await runCommand(['doctor', '--no-ledger'], {
        ...locationOf(service),
        environment: { ...locationOf(service).environment, PORT: '2' },
      })
      expect(code).toBe(1)
      expect(stdout).toMatch(/^wrong +keys +a usable key is not found by its secret/m)
      await revokeKey(service.sql, id)
      expect(await createKeyCheck(database.sql)()).toBe(true) // there is nothing to find
    } finally {
      await reset()
      await database.close()
    }
  })

  test('that accepts no writes is found by doctor', async () => {
    await setForDatabase(service, 'default_transaction_read_only', 'on')
    const { code, stdout } = await runCommand(['doctor'], locationOf(service))
    expect(code).toBe(1)
    expect(stdout).toMatch(/^wrong +database +it accepts no writes: /m)
  })
})
