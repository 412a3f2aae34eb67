/**
 * An instance waits for a database that is unreachable, and serves from it again without a restart.
 *
 * @module-tag later
 */
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { testPool } from '../support/databases.ts'
import { fillDisk, fullDevice } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { createInstance } from '../support/instance.ts'
import { getFrom, waitForSuccess } from '../support/live-service.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { startInstanceProcess } from '../support/process.ts'
import { loadRecords } from '../support/records.ts'
import { sampleUsers } from '../support/sample-oracle.ts'

const unavailable = { error: 'Database unavailable; retry in 5 seconds' }
const startingUp = { error: 'Starting up; retry in 5 seconds' }

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

  test('is waited for at the start: until then responses are 503, but for what needs no database', async () => {
    const databaseUrl = await cluster.createDatabase()
    await cluster.stop()
    await using instance = await startInstanceProcess(databaseUrl, {}, { until: 'listening' })
    const { url } = instance
    expect(instance.readLog()).toContain('waiting for the database: connect ECONNREFUSED')
    for (const path of ['/health', '/users', '/repos/a/b', '/api-key/credits', '/admin/keys']) {
      const response = await getFrom(`${url}${path}`, crypto.randomUUID())
      expect([path, response.status, JSON.parse(response.body)]).toEqual([path, 503, startingUp])
      expect(response.headers.get('Retry-After')).toBe('5')
    }
    for (const path of ['/docs', '/openapi.yml', '/api-docs', '/version']) {
      expect([path, (await getFrom(`${url}${path}`)).status]).toEqual([path, 200])
    }

    await cluster.start()
    await waitForSuccess(`${url}/health`)
    const key = await createUserKey(databaseUrl) // the instance has made the schema
    expect((await getFrom(`${url}/users`, key)).status).toBe(200)
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

  test('makes responses 503 while it is unreachable, and serves again without a restart', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    await using instance = await startInstanceProcess(databaseUrl)
    const { url } = instance
    expect((await getFrom(`${url}/users`, key)).status).toBe(200)
    await cluster.stop('immediate')
    for (const path of ['/health', '/users', '/api-key/credits']) {
      const response = await getFrom(`${url}${path}`, key)
      expect([path, response.status, JSON.parse(response.body)]).toEqual([path, 503, unavailable])
      expect(response.headers.get('Retry-After')).toBe('5')
    }
    await cluster.start()
    const back = performance.now()
    await waitForSuccess(`${url}/users`, key)
    await waitForSuccess(`${url}/health`)
    console.log(`back ${Math.round(performance.now() - back)} ms after the database`)
  })

  test('makes responses 503 while it refuses the role, also its new sessions alone', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    const operator = postgres(cluster.url, { max: 1, onnotice: () => {} })
    await operator`create role service_role login superuser password 'before'`
    const own = new URL(databaseUrl)
    own.username = 'service_role'
    own.password = 'before'
    await using instance = await startInstanceProcess(own.href)
    const { url } = instance
    const statuses = async () => {
      const responses = await Promise.all(
        ['/users', '/health', '/version'].map((path) => getFrom(`${url}${path}`, key)),
      )
      return responses.map(({ status }) => status)
    }
    for (const [refuse, accept] of [
      ["alter role service_role password 'after'", "alter role service_role password 'before'"],
      ['alter role service_role nologin', 'alter role service_role login'],
    ] as const) {
      expect(await statuses()).toEqual([200, 200, 200])
      await operator.unsafe(refuse)
      await operator`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service_role'`
      await expect.poll(statuses).toEqual([503, 503, 200])
      await operator.unsafe(accept)
      await expect.poll(statuses).toEqual([200, 200, 200])
    }
    await operator.end()
  })

  test('makes responses 503 too while it is silent, and serves again when it speaks', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    await using proxy = await startFaultyProxy(cluster.url, 'settle(')
    await using instance = await startInstanceProcess(proxy.urlOf(databaseUrl), {
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '1',
    })
    const { url } = instance
    await waitForSuccess(`${url}/users`, key) // a second is not much for a statement on a busy machine
    proxy.silence()
    const responses = await Promise.all(
      ['/health', '/users', '/users/a', '/users?location=a', '/api-key/credits'].map((path) =>
        getFrom(`${url}${path}`, key),
      ),
    )
    expect(responses.map(({ status, body }) => [status, JSON.parse(body)])).toEqual(
      responses.map(() => [503, unavailable]),
    )
    proxy.restore()
    const back = performance.now()
    await waitForSuccess(`${url}/users`, key)
    await waitForSuccess(`${url}/health`)
    console.log(`back ${Math.round(performance.now() - back)} ms after a silence`)
  })

  test('makes /health 503 while it takes no writes, though no request has found out', async () => {
    const databaseUrl = await cluster.createDatabase()
    const key = await createUserKey(databaseUrl)
    const operator = postgres(cluster.url, { max: 1, onnotice: () => {} })
    const setReadOnly = async (value: 'on' | 'off') => {
      await operator`alter system set default_transaction_read_only = ${operator(value)}`
      await operator`select pg_reload_conf()`
    }
    await using instance = await startInstanceProcess(databaseUrl)
    const health = async () => (await getFrom(`${instance.url}/health`)).status
    await setReadOnly('on')
    await expect.poll(health).toBe(503)
    // An instance starts on it all the same: there is nothing to migrate.
    await using other = await startInstanceProcess(databaseUrl)
    expect((await getFrom(`${other.url}/health`)).status).toBe(503)
    expect((await getFrom(`${other.url}/users`, key)).status).toBe(503)
    await setReadOnly('off')
    await expect.poll(health).toBe(200)
    expect((await getFrom(`${instance.url}/users`, key)).status).toBe(200)
    await operator.end()
  })

  test.skipIf(fullDevice === undefined)(
    'makes /health 503 once a charge found the disk full, until one succeeds, or some time without one',
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
        await database.close()
      }
    },
  )

  test('ends a start with the reason when waiting would not help', async () => {
    const databaseUrl = new URL(cluster.url)
    databaseUrl.password = 'wrong'
    await expect(startInstanceProcess(databaseUrl.href)).rejects.toThrow(
      'DATABASE_URL: the database refused access: password authentication failed',
    )
    await expect(startInstanceProcess(cluster.url.replace(/\w+$/, 'nowhere'))).rejects.toThrow(
      'DATABASE_URL: the database refused access: database "nowhere" does not exist',
    )
  })
})
