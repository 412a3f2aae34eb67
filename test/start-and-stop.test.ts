/**
 * How an instance comes and goes: it waits for a database that is away, comes back by itself, and leaves without breaking
 * off anything.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SqlOrTransaction } from '../api/database/connect.ts'
import { openDatabase } from '../api/database/database.ts'
import { migrate, migrationLock } from '../api/database/migrate.ts'
import { scopes } from '../api/ledger/api-key.ts'
import { createKey } from '../api/ledger/keys.ts'
import { buildDocs } from '../docs-site/build.ts'
import { startBalancer } from './support/balancer.ts'
import { assertMatchesContract } from './support/contract.ts'
import { testPool } from './support/databases.ts'
import { fillDisk, fullDevice } from './support/faults.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { createInstance } from './support/instance.ts'
import { findPostgresBinaries, postgresMissing } from './support/postgres-binaries.ts'
import { type PostgresCluster, startPostgresCluster } from './support/postgres-cluster.ts'
import { type RuntimeName, runtimes, startInstanceProcess } from './support/process.ts'
import { loadRecords } from './support/records.ts'
import { sampleUsers } from './support/sample-oracle.ts'
import { describeOnServer } from './support/server.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const unavailable = { error: 'Database unavailable; retry in 5 seconds' }
const notMigrated = { error: 'Database not migrated; retry in 5 seconds' }

/** What an instance answers, held to the contract. */
async function get(url: string, key?: string) {
  const response = await fetch(url, { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } })
  const body = await response.text()
  const { status, headers } = response
  assertMatchesContract({ method: 'GET', url: new URL(url).pathname, status, headers, body })
  return { status, headers, body }
}

/** Asks until an answer is 200. */
async function waitForSuccess(url: string, key?: string): Promise<void> {
  for (;;) {
    const { status } = await get(url, key)
    if (status === 200) return
    expect(status).toBe(503)
    await sleep(20)
  }
}

describeOnEachDatabase('/health', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
  })
  afterAll(() => service.close())

  test('is 503 while the database lacks a migration, and 200 again once it is there', async () => {
    const newest = service.sql`(select max(number) from migrations)`
    const [row] = await service.sql`delete from migrations where number = ${newest} returning *`
    const answer = await service.request('/health')
    expect([answer.status, answer.json()]).toEqual([503, notMigrated])
    expect(answer.headers.get('Retry-After')).toBe('5')
    await service.sql`insert into migrations ${service.sql(row ?? {})}`
    expect((await service.request('/health')).status).toBe(200)
  })

  test('and so is what needs what is missing; a defect that looks like it is none of it', async () => {
    const { secret } = await service.createKey()
    await service.sql`alter table users rename to moved_away`
    const newest = service.sql`(select max(number) from migrations)`
    const [row] = await service.sql`delete from migrations where number = ${newest} returning *`
    const ask = (path: string) => service.request(path, { key: secret })
    const lacking = await ask('/users')
    expect([lacking.status, lacking.json()]).toEqual([503, notMigrated])
    await service.sql`insert into migrations ${service.sql(row ?? {})}`
    expect((await ask('/users')).status).toBe(500)
    await service.sql`alter table moved_away rename to users`
    expect((await ask('/users')).status).toBe(200)
  })

  // The embedded database has a single session.
  test.skipIf(kind === 'embedded')('and /version take few connections, however many ask', async () => {
    let answers: Promise<unknown> | undefined
    await service.sql.begin(async (tx) => {
      await tx`lock table migrations, dataset in access exclusive mode`
      answers = Promise.all(
        Array.from({ length: 200 }, (_, index) => service.request(index % 2 === 0 ? '/health' : '/version')),
      )
      await expect.poll(() => countWaiting(tx)).toBeGreaterThan(1) // one at least for each path
      await sleep(200)
      expect(await countWaiting(tx)).toBeLessThanOrEqual(6)
    })
    await answers
  })

  test('is 200 while a load is applied, though the embedded database has one session', async () => {
    await service.sql.begin(async (tx) => {
      await tx`update dataset set version = version + 1`
      expect((await service.request('/health')).status).toBe(200)
    })
  })

  test('is 200 on a database that a newer version has migrated further, since instances are replaced one by one', async () => {
    await service.sql`insert into migrations (number, name, checksum) values (9999, '9999_future.sql', '')`
    expect((await service.request('/health')).status).toBe(200)
    await service.sql`delete from migrations where number = 9999`
  })
})

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

describe.skipIf(!hasPostgres)('a database that comes and goes', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    cluster = await startPostgresCluster()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  async function createUserKey(databaseUrl: string): Promise<string> {
    const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    try {
      await migrate(database.sql)
      const { secret } = await createKey(database.sql, {
        role: 'user',
        scopes,
        credits: 1_000,
        rateLimit: null,
        expiresAt: null,
        name: null,
      })
      return secret
    } finally {
      await database.close()
    }
  }

  test('is waited for at the start: meanwhile answers are 503, but for what needs no database', async () => {
    const databaseUrl = await cluster.createDatabase()
    await cluster.stop()
    await using instance = await startInstanceProcess(databaseUrl, {}, { until: 'listening' })
    const { url } = instance
    expect(instance.readLog()).toContain('waiting for the database: connect ECONNREFUSED')
    for (const path of ['/health', '/users', '/repos/a/b', '/api-key/credits', '/admin/keys']) {
      const answer = await get(`${url}${path}`, crypto.randomUUID())
      expect([path, answer.status, JSON.parse(answer.body)]).toEqual([path, 503, unavailable])
      expect(answer.headers.get('Retry-After')).toBe('5')
    }
    for (const path of ['/docs', '/openapi.yml', '/api-docs', '/version']) {
      expect([path, (await get(`${url}${path}`)).status]).toEqual([path, 200])
    }

    await cluster.start()
    await waitForSuccess(`${url}/health`)
    const key = await createUserKey(databaseUrl) // the instance has made the schema
    expect((await get(`${url}/users`, key)).status).toBe(200)
    expect(await instance.stop()).toBe(0)
  })

  test('does not keep an instance from stopping while it waits', async () => {
    await using instance = await startInstanceProcess(
      'postgres://127.0.0.1:1/none',
      {},
      { until: 'listening' },
    )
    expect(await instance.stop()).toBe(0)
  })

  test('is 503 while it is away, and served from again without a restart', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    await using instance = await startInstanceProcess(databaseUrl)
    const { url } = instance
    expect((await get(`${url}/users`, key)).status).toBe(200)
    await cluster.stop('immediate')
    for (const path of ['/health', '/users', '/api-key/credits']) {
      const answer = await get(`${url}${path}`, key)
      expect([path, answer.status, JSON.parse(answer.body)]).toEqual([path, 503, unavailable])
      expect(answer.headers.get('Retry-After')).toBe('5')
    }
    await cluster.start()
    const back = performance.now()
    await waitForSuccess(`${url}/users`, key)
    await waitForSuccess(`${url}/health`)
    console.log(`back ${Math.round(performance.now() - back)} ms after the database`)
  })

  test('is 503 too when it is there and says nothing, and served from when it speaks again', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    await using proxy = await startFaultyProxy(cluster.url, 'settle(')
    await using instance = await startInstanceProcess(proxy.urlOf(databaseUrl), {
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '1',
    })
    const { url } = instance
    await waitForSuccess(`${url}/users`, key) // a second is not much for a statement on a busy machine
    proxy.silence()
    const answers = await Promise.all(
      ['/health', '/users', '/users/a', '/users?location=a', '/api-key/credits'].map((path) =>
        get(`${url}${path}`, key),
      ),
    )
    expect(answers.map(({ status, body }) => [status, JSON.parse(body)])).toEqual(
      answers.map(() => [503, unavailable]),
    )
    proxy.restore()
    const back = performance.now()
    await waitForSuccess(`${url}/users`, key)
    await waitForSuccess(`${url}/health`)
    console.log(`back ${Math.round(performance.now() - back)} ms after a silence`)
  })

  test('is 503 at /health while it takes no writes, though no request has found out', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    const operator = postgres(cluster.url, { max: 1, onnotice: () => {} })
    const setReadOnly = async (value: 'on' | 'off') => {
      await operator`alter system set default_transaction_read_only = ${operator(value)}`
      await operator`select pg_reload_conf()`
    }
    await using instance = await startInstanceProcess(databaseUrl)
    const health = async () => (await get(`${instance.url}/health`)).status
    await setReadOnly('on')
    await expect.poll(health).toBe(503)
    // An instance starts on it all the same: there is nothing to migrate.
    await using other = await startInstanceProcess(databaseUrl)
    expect((await get(`${other.url}/health`)).status).toBe(503)
    expect((await get(`${other.url}/users`, key)).status).toBe(503)
    await setReadOnly('off')
    await expect.poll(health).toBe(200)
    expect((await get(`${instance.url}/users`, key)).status).toBe(200)
    await operator.end()
  })

  test.skipIf(fullDevice === undefined)(
    'is 503 at /health once a charge found the disk full, until one succeeds, or some time without one',
    async () => {
      const databaseUrl = await cluster.createDatabase()
      await createUserKey(databaseUrl)
      const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
      const { sql } = database
      const instance = createInstance(database)
      const limited = await createKey(sql, {
        ...{ role: 'user', scopes, credits: 1_000, expiresAt: null, name: null },
        rateLimit: { requests: 1_000, seconds: 60 },
      })
      await loadRecords(sql, { users: sampleUsers.slice(0, 3) })
      const pay = async () => (await instance.request('/users', { key: limited.secret })).status
      const health = async () => (await instance.request('/health')).status
      const fill = () => fillDisk({ cluster, ask: (run) => run(sql) }, 'rate_limit_windows')
      const free = () => sql`truncate rate_limit_windows`
      try {
        expect([await health(), await pay()]).toEqual([200, 200])
        await fill()
        expect([await pay(), await health(), await health()]).toEqual([503, 503, 503])
        await free()
        expect([await health(), await pay(), await health()]).toEqual([503, 200, 200])
        await fill()
        expect([await pay(), await health()]).toEqual([503, 503])
        await free()
        const now = performance.now.bind(performance)
        vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
        expect(await health()).toBe(200) // or no load balancer would ever send it a request again
      } finally {
        vi.restoreAllMocks()
        await instance.close()
        await database.close()
      }
    },
  )

  test('may be under migration by another starter for longer than a statement may take', async () => {
    const databaseUrl = await cluster.createDatabase()
    const { sql, close } = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    const starting = sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock})`
      const starting = startInstanceProcess(databaseUrl, { DATABASE_STATEMENT_TIMEOUT_SECONDS: '6' })
      starting.catch(() => {})
      await expect.poll(() => countWaiting(tx)).toBe(1)
      await sleep(12_000) // it would be given up after 11
      return { starting }
    })
    await using instance = await (await starting).starting
    expect(instance.readLog()).not.toContain('waiting for the database')
    await close()
  })

  test('is refused at the start with the reason when waiting would not help', async () => {
    const databaseUrl = new URL(cluster.url)
    databaseUrl.password = 'wrong'
    await expect(startInstanceProcess(databaseUrl.href)).rejects.toThrow(
      'DATABASE_URL: the database refuses: password authentication failed',
    )
    await expect(startInstanceProcess(cluster.url.replace(/\w+$/, 'nowhere'))).rejects.toThrow(
      'DATABASE_URL: the database refuses: database "nowhere" does not exist',
    )
  })
})

describeOnServer('SIGTERM', () => {
  let service: TestService
  let key: { secret: string; id: number }
  beforeAll(async () => {
    service = await startTestService('postgresql')
    key = await service.createKey()
  })
  afterAll(() => service.close())

  function start(settings: Record<string, string>, runtime: RuntimeName = 'node') {
    return startInstanceProcess(service.location.databaseUrl, settings, { runtime })
  }

  /** Keeps readers of users waiting until it is released. */
  async function holdUsers() {
    const sql = postgres(service.location.databaseUrl ?? '', { max: 1, onnotice: () => {} })
    await sql`begin`.simple()
    await sql`lock table users in access exclusive mode`
    return async () => {
      await sql`commit`.simple()
      await sql.end()
    }
  }

  /** Resolves when a statement waits for a lock. */
  async function waitForWaiting(): Promise<void> {
    for (;;) {
      const [row] = await service.sql`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      if (row?.count > 0) return
      await sleep(20)
    }
  }

  test.each(runtimes)(
    'says so at /health, takes requests for SHUTDOWN_DELAY_SECONDS, lets go of connections, and ends with 0, on %s',
    async (runtime) => {
      await using instance = await start({ SHUTDOWN_DELAY_SECONDS: '8' }, runtime) // enough for a test that stands still
      const { url } = instance
      const release = await holdUsers()
      const underWay = get(`${url}/users?per_page=3`, key.secret)
      await waitForWaiting()
      const ended = instance.stop()
      let health = await get(`${url}/health`)
      while (health.status === 200) health = await get(`${url}/health`)
      expect([health.status, JSON.parse(health.body)]).toEqual([
        503,
        { error: 'Shutting down; retry in 5 seconds' },
      ])
      const late = await get(`${url}/repos?per_page=1`, key.secret)
      expect([late.status, late.headers.get('Connection')]).toEqual([200, 'close'])
      await release()
      const answer = await underWay
      expect([answer.status, answer.headers.get('Connection')]).toEqual([200, 'close'])
      expect(await ended).toBe(0)
    },
  )

  test.each(runtimes)('answers what is under way when no more requests are taken, on %s', async (runtime) => {
    await using instance = await start({ SHUTDOWN_DELAY_SECONDS: '0' }, runtime)
    const { url } = instance
    const release = await holdUsers()
    const underWay = get(`${url}/users?per_page=3`, key.secret)
    await waitForWaiting()
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
  })

  test.each(runtimes)(
    'loses no request in a rolling restart behind a load balancer, on %s',
    async (runtime) => {
      await using balancer = await startBalancer()
      await using stack = new AsyncDisposableStack()
      const settings = { SHUTDOWN_DELAY_SECONDS: '6' } // a balancer that stands still for some seconds hears of it in time
      let instances = [stack.use(await start(settings, runtime)), stack.use(await start(settings, runtime))]
      for (const { url } of instances) balancer.add(url)
      await balancer.allWell()

      const before = await service.readLedger(key.id)
      let isOver = false
      const answers = new Map<number, number>()
      const clients = Array.from({ length: 24 }, async () => {
        while (!isOver) {
          const answer = await fetch(`${balancer.url}/repos?per_page=1`, {
            headers: { Authorization: `Bearer ${key.secret}` },
          })
          await answer.arrayBuffer()
          const { status } = answer
          answers.set(status, (answers.get(status) ?? 0) + 1)
        }
      })
      try {
        for (const old of instances) {
          expect(await old.stop()).toBe(0)
          balancer.remove(old.url)
          const fresh = stack.use(await start(settings, runtime))
          instances = [...instances, fresh]
          balancer.add(fresh.url)
          await balancer.allWell()
        }
      } finally {
        isOver = true
        await Promise.all(clients)
      }
      expect(balancer.failures).toEqual([])
      expect([...answers.keys()]).toEqual([200])
      const after = await service.readLedger(key.id)
      expect(after.charged - before.charged).toBe(answers.get(200))
      console.log(`a rolling restart of two instances on ${runtime}: ${answers.get(200)} requests, none lost`)
    },
  )
})

/** Locks on tables of the database that are waited for, as they are now, even in a transaction. */
async function countWaiting(sql: SqlOrTransaction): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_locks join pg_database d on d.oid = database
    where datname = current_database() and not granted`
  return row?.count
}
