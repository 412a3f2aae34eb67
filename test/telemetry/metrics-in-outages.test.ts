/**
 * `/metrics` while the database is unavailable, when operators need it most (decisions/0007-operations.md).
 *
 * @module-tag later
 */
import { describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { type Role, scopes } from '../../api/ledger/api-key.ts'
import { createKey, revokeKey } from '../../api/ledger/keys.ts'
import { testPool } from '../support/databases.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { createInstance } from '../support/instance.ts'
import { getFrom, waitForSuccess } from '../support/live-service.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { startInstanceProcess } from '../support/process.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

describe.skipIf(!hasPostgres)('while the database is unavailable, /metrics', () => {
  const cluster = useStarted(startPostgresCluster)

  /** Creates a database with the schema, and a key for each role. */
  async function prepare(...roles: Role[]) {
    const databaseUrl = await cluster.createDatabase()
    const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    await migrate(database.sql)
    const keys: { secret: string; id: number }[] = []
    for (const role of roles) {
      const created = await createKey(database.sql, {
        ...{
          role,
          scopes,
          credits: role === 'user' ? 1_000 : 0,
          rateLimit: null,
          expiresAt: null,
          name: null,
        },
      })
      keys.push({ secret: created.secret, id: created.key.id })
    }
    await database.close()
    return { databaseUrl, keys }
  }

  test('is for admin keys that this instance has accepted, and has all but what the database knows', async () => {
    const { databaseUrl, keys } = await prepare('admin', 'admin', 'user')
    const [known, other, user] = keys.map(({ secret }) => secret)
    await using instance = await startInstanceProcess(databaseUrl)
    const metrics = (key: string | undefined, { url } = instance) => getFrom(`${url}/metrics`, key)
    const before = await metrics(known)
    expect([before.status, before.headers.get('X-Credits-Cost')]).toEqual([200, '0'])
    expect(before.body).toMatch(/^devdata_healthy 1$/m)
    expect(before.body).toMatch(/^devdata_dataset_version 0$/m)
    expect((await getFrom(`${instance.url}/users`, user)).status).toBe(200)

    await cluster.stop('immediate')
    for (const key of [user, user, other, crypto.randomUUID()]) {
      const response = await metrics(key)
      expect([response.status, response.headers.get('X-Error-Code')]).toEqual([503, 'database_unavailable'])
    }
    const during = await metrics(known)
    expect([during.status, during.headers.get('X-Credits-Cost')]).toEqual([200, null])
    expect(during.body).toMatch(/^devdata_healthy 0$/m)
    expect(during.body).toMatch(/^devdata_errors_total\{code="database_unavailable"\} 4$/m)
    const listSamples = (text: string) => [...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name)
    const rest = new Set(listSamples(during.body))
    const missing = new Set(listSamples(before.body).filter((name) => !rest.has(name)))
    expect([...missing].sort()).toEqual([
      'devdata_dataset_updated_timestamp_seconds',
      'devdata_dataset_version',
    ])
    expect((await getFrom(`${instance.url}/metrics?x=1`, known)).status).toBe(400)
    expect((await getFrom(`${instance.url}/admin/keys`, known)).status).toBe(503)

    // An instance that starts now has accepted no key, and says that it is starting.
    await using starting = await startInstanceProcess(databaseUrl, {}, { until: 'listening' })
    for (const path of ['/metrics', '/users', '/health']) {
      const response = await getFrom(`${starting.url}${path}`, known)
      expect([path, response.status, response.headers.get('X-Error-Code')]).toEqual([
        path,
        503,
        'starting_up',
      ])
      expect(JSON.parse(response.body)).toEqual({ error: 'Starting up; retry in 5 seconds' })
    }
    await cluster.start()
    await waitForSuccess(`${starting.url}/health`)
    expect((await metrics(known, starting)).body).toMatch(
      /^devdata_errors_total\{code="database_unavailable"\} 0$/m,
    )
  })

  test('refuses a revoked key as soon as the database decides, and forgets it', async () => {
    const { databaseUrl, keys } = await prepare('admin')
    const [key = { secret: '', id: 0 }] = keys
    await using instance = await startInstanceProcess(databaseUrl)
    const readStatus = async () => (await getFrom(`${instance.url}/metrics`, key.secret)).status
    expect(await readStatus()).toBe(200)
    await cluster.stop('immediate')
    expect(await readStatus()).toBe(200)
    await cluster.start()
    const operator = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    await revokeKey(operator.sql, key.id)
    await operator.close()
    await waitForSuccess(`${instance.url}/health`)
    expect(await readStatus()).toBe(401)
    await cluster.stop('immediate')
    expect(await readStatus()).toBe(503)
    await cluster.start()
  })

  test('responds while all places of the queue wait for a silent database', async () => {
    const { databaseUrl, keys } = await prepare('admin', 'user')
    const [admin, user] = keys.map(({ secret }) => secret)
    await using proxy = await startFaultyProxy(cluster.url, 'settle(')
    await using instance = await startInstanceProcess(proxy.urlOf(databaseUrl), { RESPONSE_CACHE_MB: '0' })
    const { url } = instance
    await waitForSuccess(`${url}/users`, user)
    await waitForSuccess(`${url}/metrics`, admin)
    proxy.silence()
    const requests = Array.from({ length: 200 }, (_, page) => getFrom(`${url}/users?page=${page + 1}`, user))
    const waiting = Promise.allSettled(requests)
    await expect
      .poll(async () => (await getFrom(`${url}/metrics`, admin)).body, { timeout: 30_000 })
      .toMatch(/^devdata_healthy 0$[\s\S]*^devdata_queue_requests\{state="running"\} 128$/m)
    expect(JSON.parse((await getFrom(`${url}/version`)).body)).toMatchObject({ dataset: null })
    proxy.restore()
    await waiting
  })

  test('refuses a key that it accepted more than 24 hours ago', async () => {
    const { databaseUrl, keys } = await prepare('admin')
    const key = keys[0]?.secret
    const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    const instance = createInstance(database)
    const readStatus = async () => (await instance.request('/metrics', { key })).status
    try {
      expect(await readStatus()).toBe(200)
      await cluster.stop('immediate')
      const now = performance.now.bind(performance)
      const hours = (count: number) => count * 60 * 60_000
      vi.spyOn(performance, 'now').mockImplementation(() => now() + hours(23.9))
      expect(await readStatus()).toBe(200) // which doesn't extend the time
      vi.spyOn(performance, 'now').mockImplementation(() => now() + hours(24.1))
      expect(await readStatus()).toBe(503)
    } finally {
      vi.restoreAllMocks()
      await database.close()
      await cluster.start()
    }
  })
})

describeOnEachDatabase('/metrics', (kind) => {
  const service = useService(kind)

  test('does not wait for the end of a load that holds what the ledger needs', async () => {
    const { secret: key } = await service.createKey({ role: 'admin' })
    expect((await service.request('/metrics', { key })).status).toBe(200)
    await service.sql.begin(async (tx) => {
      await tx`lock table api_keys, dataset in access exclusive mode`
      const response = await service.request('/metrics', { key })
      expect(response.status).toBe(200)
      // On a server, no key can be looked up. The embedded database is busy.
      expect(response.text).toContain(`\ndevdata_healthy ${kind === 'embedded' ? 1 : 0}\n`)
      expect(response.text).not.toMatch(/^devdata_dataset_version /m)
    })
    expect((await service.request('/metrics', { key })).text).toMatch(/^devdata_dataset_version 1$/m)
  })
})
