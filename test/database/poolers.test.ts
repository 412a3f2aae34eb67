/**
 * The service through PgBouncer in transaction mode, where one statement and the next may have different sessions.
 *
 * @module-tag later
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reset } from '@logtape/logtape'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { revokeKey } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { formatJson } from '../../api/telemetry/log.ts'
import { testPool } from '../support/databases.ts'
import { createInstance, type Instance, openSameDatabase } from '../support/instance.ts'
import {
  findPgbouncer,
  type Pgbouncer,
  pgbouncerMissing,
  readPgbouncerVersion,
  startPgbouncer,
} from '../support/pgbouncer.ts'
import { startInstanceProcess } from '../support/process.ts'
import { recordLog } from '../support/recorded-log.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import { startTestService, type TestService } from '../support/service.ts'

const binary = findPgbouncer()
if (binary === undefined) {
  if (process.env.CI) throw new Error(`CI must not skip the tests on PgBouncer: ${pgbouncerMissing}`)
  console.warn(`skipped: ${pgbouncerMissing}`)
}

/** Charges through a pooler need this of the database or the role. */
async function allowCharges({ sql, location }: TestService): Promise<void> {
  const name = new URL(location.databaseUrl ?? '').pathname.slice(1)
  await sql`alter database ${sql(name)} set default_transaction_isolation = 'read committed'`
}

const describeOnPooler = binary === undefined ? describe.skip : describeOnServer
describeOnPooler('a service behind PgBouncer', { timeout: 300_000 }, () => {
  let pooler: Pgbouncer
  let service: TestService
  let databases: Database[]
  let instances: Instance[]
  beforeAll(async () => {
    console.log(`PgBouncer ${readPgbouncerVersion(binary ?? '')}`)
    pooler = await startPgbouncer(binary ?? '', getServerUrl())
    service = await startTestService('postgresql')
    await allowCharges(service)
    databases = [
      await openPooled(service.location.databaseUrl),
      await openPooled(service.location.databaseUrl),
    ]
    instances = databases.map((database) => createInstance(database))
    // Says why a response isn't as expected.
    await recordLog('warning', (record) => console.warn(formatJson(record)))
  })
  afterAll(async () => {
    await reset()
    await Promise.all(databases.map((database) => database.close()))
    await service.close()
    await pooler[Symbol.asyncDispose]()
  })

  /** Opens the database through the pooler, and adapts to it unless `adapts` is false. */
  async function openPooled(
    databaseUrl = '',
    { adapts = true, ...options }: Partial<DatabaseOptions> & { adapts?: boolean } = {},
  ): Promise<Database & AsyncDisposable> {
    const database = await openDatabase({
      ...testPool,
      ...options,
      databaseUrl: pooler.urlOf(databaseUrl),
      dataDirectory: '',
    })
    if (adapts) await database.detectPooler()
    return { ...database, [Symbol.asyncDispose]: () => database.close() }
  }

  /** The instance whose turn it is. */
  function choose(turn: number): Instance {
    const instance = instances[turn % instances.length]
    if (instance === undefined) throw new Error('there is no instance')
    return instance
  }

  test('has the same responses as without it, also for concurrent requests', async () => {
    const { secret } = await service.createKey({ role: 'admin' })
    const paths = [
      '/users?per_page=5',
      '/users?location=berlin&per_page=5',
      '/users?dependency_names=react,lodash&dependency_files=package.json&per_page=5',
      '/users/ngoldberg',
      '/users/nobody-there',
      '/repos?per_page=2',
      '/repos?dependency_names=react&per_page=2',
      '/repos/UmaBakker/parser-kit',
      '/repos/UmaBakker/parser-kit/commits?per_page=3',
      '/repos/UmaBakker/parser-kit/dependencies?per_page=3',
    ]
    const withoutMeta = (text: string) => text.replace(/"meta":\{[^}]*\}/, '')
    const direct = new Map<string, string>()
    for (const path of paths) {
      direct.set(path, withoutMeta((await service.request(path, { key: secret })).text))
    }
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => turn).flatMap((turn) =>
        paths.map(async (path) => {
          const response = await choose(turn).request(path, { key: secret })
          return [path, withoutMeta(response.text)] as const
        }),
      ),
    )
    for (const [path, text] of responses) expect([path, text]).toEqual([path, direct.get(path)])
  })

  test('loses no statement whose parameters it describes when an earlier one of its connection ends', async () => {
    await using database = await openPooled(service.location.databaseUrl, { databasePoolSize: 1 })
    const { sql } = database
    await sql`select 1` // connected
    const slow = sql`select pg_sleep(0.5)::text`.execute()
    await expect
      .poll(() => service.sql`select from pg_stat_activity where query like 'select pg_sleep%'`)
      .toHaveLength(1)
    const described = await service.sql.begin(async (tx) => {
      await tx`lock table users` // the server waits for it when it describes the statement
      const waiting = sql<{ number: number }[]>`select ${2}::integer as number from users limit 1`.execute()
      await slow
      return { waiting } // in an object: it must not be awaited before the lock is gone
    })
    expect(await described.waiting).toEqual([{ number: 2 }])
  })

  test('charges exactly what two instances deliver, within a key’s rate limit', async () => {
    const poor = await service.createKey({ credits: 100 })
    const limited = await service.createKey({ rateLimit: { requests: 25, seconds: 3600 } })
    const [paid, passed] = await Promise.all([
      Promise.all(
        Array.from({ length: 60 }, (_, turn) =>
          choose(turn).request('/users?per_page=3', { key: poor.secret }),
        ),
      ),
      Promise.all(
        Array.from({ length: 60 }, (_, turn) =>
          choose(turn).request('/repos?per_page=1', { key: limited.secret }),
        ),
      ),
    ])
    const count = (responses: readonly { status: number }[], wanted: number) =>
      responses.filter(({ status }) => status === wanted).length
    expect([count(paid, 200), count(paid, 403)]).toEqual([33, 27])
    expect(await service.readLedger(poor.id)).toEqual({ balance: 1, granted: 100, charged: 99 })
    expect([count(passed, 200), count(passed, 429)]).toEqual([25, 35])
    expect((await verifyLedger(service.sql)).problems).toEqual([])
  })

  test('refuses a revoked key from the next request on, on each instance', async () => {
    const { secret, id } = await service.createKey()
    for (const instance of instances)
      expect((await instance.request('/users', { key: secret })).status).toBe(200)
    await revokeKey(service.sql, id)
    for (const instance of instances)
      expect((await instance.request('/users', { key: secret })).status).toBe(401)
  })

  test('is healthy, and repeats requests with an idempotency key for free', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    for (const [turn, instance] of instances.entries()) {
      expect((await instance.request('/health')).status).toBe(200)
      const headers = { 'Idempotency-Key': 'once' }
      const response = await instance.request('/users?per_page=4', { key: secret, headers })
      expect([response.status, response.headers.get('X-Credits-Cost')]).toEqual([200, turn === 0 ? '4' : '0'])
    }
    expect(await service.readLedger(id)).toMatchObject({ balance: 6 })
  })

  test('migrates, loads and serves an empty database', async () => {
    const empty = await startTestService('postgresql', { data: 'empty' })
    await allowCharges(empty)
    await empty.sql`drop schema public cascade`
    await empty.sql`create schema public`
    await using instance = await startInstanceProcess(pooler.urlOf(empty.location.databaseUrl ?? ''), {
      SHUTDOWN_DELAY_SECONDS: '0',
    })
    const pooled = await openPooled(empty.location.databaseUrl)
    expect(await migrate(pooled.sql)).toEqual([])
    const users = await readFile(join(import.meta.dirname, '../../sample/users.ndjson'))
    const open = async function* () {
      yield users
    }
    await importNdjson(pooled.sql, {
      sources: [{ kind: 'users', name: 'users.ndjson', size: undefined, open }],
    })
    await pooled.close()
    const { secret } = await empty.createKey()
    const response = await fetch(`${instance.url}/users?per_page=1`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    expect([response.status, response.headers.get('X-Total-Count')]).toEqual([200, '300'])
    expect(await instance.stop()).toBe(0)
    await empty.close()
  })

  test('works with DATABASE_PREPARED_STATEMENTS=off if it does not detect it', async () => {
    await using database = await openPooled(service.location.databaseUrl, {
      databasePreparedStatements: 'off',
      adapts: false,
    })
    expect((await createInstance(database).request('/health')).status).toBe(200)
    await using wrong = await openPooled(service.location.databaseUrl, {
      databasePreparedStatements: 'on',
      adapts: false,
    })
    expect((await createInstance(wrong).request('/health')).status).toBe(503)
  })

  test('prepares no statements, unless the settings say otherwise', async () => {
    const countPrepared = async ({ sql }: Pick<Database, 'sql'>) => {
      await sql`select ${1}::integer as once`
      const [row] = await sql<{ count: number }[]>`
        select count(*) from pg_prepared_statements where statement = 'select $1::integer as once'`
      return row?.count
    }
    const direct = await openSameDatabase(service)
    await direct.detectPooler()
    const directOff = await openDatabase({
      ...testPool,
      databasePreparedStatements: 'off',
      databaseUrl: service.location.databaseUrl,
      dataDirectory: '',
    })
    await directOff.detectPooler()
    const pooled = await openPooled(service.location.databaseUrl)
    expect([
      await countPrepared(direct),
      await countPrepared(directOff),
      await countPrepared(pooled),
    ]).toEqual([1, 0, 0])
    const limits = [direct, directOff].map(({ sql }) => sql`show statement_timeout`)
    expect((await Promise.all(limits)).flat()).toEqual([
      { statement_timeout: '30s' },
      { statement_timeout: '0' },
    ])
    await Promise.all([direct, directOff, pooled].map((database) => database.close()))
  })

  test('ends its start in one line if the pooler refuses a setting of the URL', async () => {
    const url = `${pooler.urlOf(service.location.databaseUrl ?? '')}?search_path=public`
    await expect(startInstanceProcess(url)).rejects.toThrow(
      'ended with 1: DATABASE_URL: the database refused access: unsupported startup parameter: search_path\n',
    )
  })
})
