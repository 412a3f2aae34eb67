import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFilter } from '../api/catalog/filter.ts'
import { createListingStore } from '../api/catalog/listing.ts'
import { readListAnswer } from './support/list-answer.ts'
import { loadRecords } from './support/records.ts'
import { sampleUsers } from './support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

describeOnEachDatabase('a load', (kind) => {
  test.runIf(kind === 'postgresql')(
    'makes the lists anew that are in use, so that nobody has to wait for them after it',
    async () => {
      const service = await startTestService(kind)
      try {
        const { secret } = await service.createKey()
        const paths = [
          '/users?location=berlin',
          '/repos?dependency_names=react',
          '/users?dependency_files=go.mod',
        ]
        for (const path of paths) await service.request(path, { key: secret })
        const [model] = sampleUsers
        if (model === undefined) throw new Error('the sample has no users')
        const newcomer = { ...model, forge_rest_id: 7, login: 'newcomer', location: 'Berlin' }
        await loadRecords(service.sql, { users: [newcomer] })
        const made = await service.sql<{ list: string; total: number }[]>`
          select list, total from listings where version = (select version from dataset) order by id desc`
        expect(made).toHaveLength(3)
        for (const [index, path] of paths.entries()) {
          const { total } = readListAnswer(await service.request(path, { key: secret }))
          expect(made[index]?.total).toBe(total)
        }
        expect(
          await service.sql`select from listings where version = (select version from dataset)`,
        ).toHaveLength(3)
      } finally {
        await service.close()
      }
    },
  )
})

describeOnEachDatabase('filters that nobody has asked for yet', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  const megabyte = 2 ** 20
  /** How fast this machine is, is not what the tests are about. */
  const patience = 300_000 // milliseconds

  test('wait by turns: a key that asks for ever new ones delays itself', async () => {
    const store = createListingStore(service.sql, { maxBytes: 16 * megabyte, longestWait: patience })
    const order: string[] = []
    const build = async (caller: number, number: number) => {
      await store.build('users', createFilter({ location: `${caller} ${number}` }), caller)
      order.push(`${caller}: ${number}`)
    }
    const many = Array.from({ length: 40 }, (_, number) => build(1, number))
    await Promise.all([...many, build(2, 0)])
    expect(order).toHaveLength(41)
    expect(order.indexOf('2: 0')).toBeLessThan(8)
  })

  test('are computed once, however many ask at once', async () => {
    const stores = [1, 2].map(() =>
      createListingStore(service.sql, { maxBytes: 16 * megabyte, longestWait: patience }),
    )
    const filter = createFilter({ location: 'a', dependencyNames: ['react', 'typescript'] })
    const [before] = await service.sql<{ id: number }[]>`select coalesce(max(id), 0) as id from listings`
    await Promise.all(
      Array.from({ length: 10 }, (_, caller) => stores[caller % 2]?.build('users', filter, caller)),
    )
    const made = await service.sql`select total from listings where id > ${before?.id ?? 0}`
    expect(made).toHaveLength(1)
  })

  test('leave no more than the bound, and a sixteenth of it, in the database', async () => {
    const maxBytes = megabyte / 4
    const store = createListingStore(service.sql, { maxBytes, longestWait: patience })
    for (let number = 0; number < 100; number++) {
      await store.build('users', createFilter({ location: `nowhere ${number}` }), 1)
    }
    const [kept] = await service.sql<{ bytes: number }[]>`select count(*) * 4096 as bytes from listings`
    expect(kept?.bytes).toBeLessThanOrEqual(maxBytes * (1 + 1 / 16))
    expect(kept?.bytes).toBeGreaterThan(maxBytes / 2)
  })
})
