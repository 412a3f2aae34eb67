/** `Idempotency-Key`: how long a key is stored, and as what (decisions/0001-billing.md). */
import { expect, test } from 'vitest'
import { digestIdempotency, sweepIdempotencyKeys } from '../../api/ledger/idempotency-keys.ts'
import { readPrice, useTwoInstances } from '../support/idempotency.ts'
import { createInstance } from '../support/instance.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase } from '../support/service.ts'

describeOnOneDatabase('an idempotency key', (kind) => {
  const { service, other, ask } = useTwoInstances(kind)

  /** Makes everything older that a key paid. */
  const age = (id: number, interval: string) =>
    service.sql`
      update idempotency_keys set created_at = created_at - ${interval}::interval where api_key_id = ${id}`

  let users = 0
  /** Gives the dataset a new version. */
  const changeDataset = () => loadRecords(service.sql, { users: [createUser(++users)] })

  test('is charged again after 24 hours, and free for the next 24', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const price = async () => readPrice(await ask(secret, '/users/ngoldberg', 'text'))
    await price()
    await age(id, '23 hours 30 minutes')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await age(id, '30 minutes')
    expect(await price()).toMatchObject({ cost: 1, isReplayed: false })
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
  })

  test('can be sent with another request after 24 hours', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await ask(secret, '/users/ngoldberg', 'text')
    await age(id, '24 hours')
    expect(readPrice(await ask(secret, '/users?per_page=2', 'text'))).toMatchObject({
      status: 200,
      cost: 2,
    })
    expect((await ask(secret, '/users/ngoldberg', 'text')).status).toBe(422)
  })

  test('expires 24 hours after the charge, however often it is sent', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    for (const cost of [1, 0, 0, 1]) {
      expect(readPrice(await ask(secret, '/users/ngoldberg', 'text'))).toMatchObject({ cost })
      await age(id, '9 hours')
    }
  })

  test('is charged once if many requests arrive concurrently after 24 hours', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await ask(secret, '/users/ngoldberg', 'text')
    await age(id, '25 hours')
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(secret, '/users/ngoldberg', 'text', { through: index % 2 === 0 ? service : other }),
      ),
    )
    expect(responses.filter(({ headers }) => headers.get('X-Credits-Cost') === '1')).toHaveLength(1)
    expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
  })

  test('is charged again an hour after the charge once the data has changed, and then free for 24', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const price = async () => readPrice(await ask(secret, '/users/ngoldberg', 'text'))
    await price()
    await changeDataset()
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await age(id, '59 minutes')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await age(id, '1 minute')
    expect(await price()).toMatchObject({ cost: 1, isReplayed: false })
    await age(id, '23 hours 30 minutes')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
  })

  test('is charged again as soon as the data changes if the charge is more than an hour old', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const price = async () => readPrice(await ask(secret, '/users/ngoldberg', 'text', { through: other }))
    await price()
    await age(id, '61 minutes')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await changeDataset()
    expect(await price()).toMatchObject({ cost: 1, isReplayed: false })
  })

  test('is not a subscription: of many loads, one an hour costs nothing', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const costs: number[] = []
    for (let hour = 0; hour < 4; hour++) {
      for (const minutes of [20, 40]) {
        costs.push(readPrice(await ask(secret, '/users/ngoldberg', 'text')).cost)
        await changeDataset()
        await age(id, `${minutes} minutes`)
      }
    }
    expect(costs).toEqual([1, 0, 1, 0, 1, 0, 1, 0])
  })

  test('can be sent with another request as soon as what was paid no longer counts', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const status = async () => (await ask(secret, '/users?per_page=2', 'text')).status
    await ask(secret, '/users/ngoldberg', 'text')
    await age(id, '59 minutes')
    expect(await status()).toBe(422)
    await changeDataset()
    expect(await status()).toBe(422)
    await age(id, '1 minute')
    expect(await status()).toBe(200)
    expect((await ask(secret, '/users/ngoldberg', 'text')).status).toBe(422)
  })

  test('counts for as long before its time as after it if the clock is set back', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const price = async () => readPrice(await ask(secret, '/users/ngoldberg', 'text'))
    await price()
    await age(id, '-23 hours')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await age(id, '-1 hour -1 minute')
    expect(await price()).toMatchObject({ cost: 1, isReplayed: false })
    await changeDataset()
    await age(id, '-59 minutes')
    expect(await price()).toMatchObject({ cost: 0, isReplayed: true })
    await age(id, '-2 minutes')
    expect(await price()).toMatchObject({ cost: 1, isReplayed: false })
  })

  /** Stores `count` values of a key, paid `versions` versions of the dataset ago. */
  const store = (id: number, count: number, age: string, versions = 0) =>
    service.sql`
      insert into idempotency_keys
      select ${id}, gen_random_uuid(), gen_random_uuid(), now() - ${age}::interval, version - ${versions}::bigint, 1
      from dataset, generate_series(1, ${count}::integer)`
  const countKept = async (id: number) => {
    const [row] = await service.sql<{ old: number; young: number }[]>`
      select count(*) filter (where created_at < now() - interval '24 hours')::integer as old,
        count(*) filter (where created_at > now() - interval '24 hours')::integer as young
      from idempotency_keys where api_key_id = ${id}`
    return row
  }

  test('is stored as a digest, which reveals neither its text nor the request', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await ask(secret, '/users/ngoldberg', 'a-secret-text')
    const rows = await service.sql`
      select idempotency_keys::text as columns from idempotency_keys where api_key_id = ${id}`
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toMatch(/a-secret-text|ngoldberg/)
  })

  test('is deleted by a sweep once it has expired, at most 10,000 in each', async () => {
    const { id } = await service.createKey()
    await store(id, 25_000, '24 hours 1 second')
    await store(id, 100, '23 hours 50 minutes')
    for (const old of [15_000, 5_000, 0, 0]) {
      await sweepIdempotencyKeys(service.sql)
      expect(await countKept(id)).toEqual({ old, young: 100 })
    }
  })

  test('is deleted by a sweep an hour after the charge once the data has changed', async () => {
    const { id } = await service.createKey()
    const [before] = await service.sql<{ version: number }[]>`select version from dataset`
    await store(id, 12_000, '61 minutes', 1)
    await store(id, 100, '59 minutes', 1)
    await store(id, 100, '50 minutes')
    const countOutdated = async () => {
      const rows = await service.sql`
        select count(*)::integer as all, count(*) filter (where paid_version < ${before?.version ?? 0})::integer as outdated
        from idempotency_keys where api_key_id = ${id}`
      return rows[0]
    }
    await sweepIdempotencyKeys(service.sql)
    expect(await countOutdated()).toEqual({ all: 2_200, outdated: 2_100 })
    await sweepIdempotencyKeys(service.sql)
    expect(await countOutdated()).toEqual({ all: 200, outdated: 100 })
    await age(id, '1 minute')
    await sweepIdempotencyKeys(service.sql)
    expect(await countOutdated()).toEqual({ all: 100, outdated: 0 })
    await changeDataset()
    await age(id, '10 minutes')
    await sweepIdempotencyKeys(service.sql)
    expect(await countOutdated()).toEqual({ all: 0, outdated: 0 })
  })

  test('is deleted before younger ones', async () => {
    const { id } = await service.createKey()
    await store(id, 9_000, '30 hours')
    await store(id, 2_000, '25 hours')
    await store(id, 3_000, '40 hours')
    await sweepIdempotencyKeys(service.sql)
    const rows = await service.sql`
      select floor(extract(epoch from now() - created_at) / 3600)::integer as hours, count(*)::integer as count
      from idempotency_keys where api_key_id = ${id} group by 1 order by 1`
    expect(rows).toEqual([
      { hours: 25, count: 2_000 },
      { hours: 30, count: 2_000 },
    ])
    await sweepIdempotencyKeys(service.sql)
  })

  test('is deleted by one of two concurrent sweeps', async () => {
    const { id } = await service.createKey()
    await store(id, 15_000, '25 hours')
    await Promise.all([sweepIdempotencyKeys(service.sql), sweepIdempotencyKeys(service.sql)])
    expect((await countKept(id))?.old).toBeLessThanOrEqual(5_000)
    await sweepIdempotencyKeys(service.sql)
    expect(await countKept(id)).toEqual({ old: 0, young: 0 })
  })

  test('is deleted by the service itself, beside requests', async () => {
    const { secret, id } = await service.createKey()
    const { id: sleeper } = await service.createKey()
    await store(sleeper, 5_000, '25 hours')
    const instance = createInstance(service)
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          ask(secret, '/users/ngoldberg', `${round}-${index}`, { through: instance }),
        ),
      )
    }
    await expect.poll(() => countKept(sleeper)).toEqual({ old: 0, young: 0 })
    expect(await countKept(id)).toEqual({ old: 0, young: 1_000 })
    expect(await service.readLedger(id)).toMatchObject({ charged: 1_000 })
  })
})

test('an idempotency key and its request have digests in the form of UUIDs', () => {
  const digests = ['a', 'b'].flatMap((text) => [
    digestIdempotency(text, '/users').key,
    digestIdempotency('a', `/${text}`).request,
  ])
  for (const digest of digests) expect(digest).toMatch(/^[\da-f]{32}$/)
  expect(new Set(digests).size).toBe(4)
  expect(digestIdempotency('a', '/users')).toEqual(digestIdempotency('a', '/users'))
})
