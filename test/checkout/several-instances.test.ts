/** Instances on one database, each a process of its own: what one of them knows all of them keep to. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listMigrations } from '../../api/database/migrate.ts'
import { revokeKey } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { type InstanceProcess, startInstanceProcess } from '../support/process.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

describeOnServer('instances on one database', { timeout: 300_000 }, () => {
  const service = useService('postgresql', { data: 'empty' })
  let instances: InstanceProcess[]
  beforeAll(async () => {
    await service.sql`drop schema public cascade`
    await service.sql`create schema public`
    instances = await Promise.all(
      [1, 2, 3, 4].map(() =>
        startInstanceProcess(service.location.databaseUrl ?? '', { DATABASE_POOL_SIZE: '5' }),
      ),
    )
    await loadSampleData(service.sql)
  })
  afterAll(async () => {
    for (const instance of instances ?? []) await instance[Symbol.asyncDispose]()
  })

  /** Sends `times` concurrent requests to the first `places` instances in turn, and counts the responses by status. */
  async function ask(path: string, key: string, { times, places }: { times: number; places: number }) {
    const statuses = await Promise.all(
      Array.from({ length: times }, async (_, turn) => {
        const url = `${instances[turn % places]?.url}${path}`
        const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
        await response.arrayBuffer()
        return response.status
      }),
    )
    return Object.fromEntries(
      [...new Set(statuses)].sort().map((s) => [s, statuses.filter((t) => t === s).length]),
    )
  }

  test('create the schema once if four start concurrently on an empty database', async () => {
    const applied = await service.sql`select number, name, checksum from migrations order by number`
    expect(listMigrations()).toMatchObject([...applied])
    for (const { url } of instances) expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test.each([2, 4])(
    'let a key spend its balance and not a credit more through %i of them',
    async (places) => {
      const { secret, id } = await service.createKey({ credits: 100 })
      expect(await ask('/users?per_page=3', secret, { times: 100, places })).toEqual({ 200: 33, 403: 67 })
      expect(await service.readLedger(id)).toEqual({ balance: 1, granted: 100, charged: 99 })
      expect((await verifyLedger(service.sql)).problems).toEqual([])
    },
  )

  test.each([2, 4])(
    'let a key send as many requests as its rate limit says through %i of them',
    async (places) => {
      const { secret } = await service.createKey({ rateLimit: { requests: 37, seconds: 3600 } })
      expect(await ask('/repos/UmaBakker/parser-kit', secret, { times: 100, places })).toEqual({
        200: 37,
        429: 63,
      })
    },
  )

  test('refuse a revoked key from the next request on, each of four', async () => {
    const { secret, id } = await service.createKey()
    expect(await ask('/users/ngoldberg', secret, { times: 8, places: 4 })).toEqual({ 200: 8 })
    await revokeKey(service.sql, id)
    expect(await ask('/users/ngoldberg', secret, { times: 4, places: 4 })).toEqual({ 401: 4 })
  })
})
