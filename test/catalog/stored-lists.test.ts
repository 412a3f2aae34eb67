/**
 * Stored lists: computed once for each filter and version, within a bound of bytes (decisions/0003-lists.md).
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFilter, hashFilter } from '../../api/catalog/filter.ts'
import { createList } from '../../api/catalog/list.ts'
import { createStoredLists } from '../../api/catalog/stored-lists.ts'
import { ClientGoneError } from '../../api/errors.ts'
import { foldText } from '../../api/names/case-folding.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { readListResponse } from '../support/list-response.ts'
import { loadRecords } from '../support/records.ts'
import { sampleUsers } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from '../support/service.ts'

const userListOnPrimary = { kind: 'users', isReplica: false } as const

describeOnEachDatabase('a load', (kind) => {
  test('deletes the stored lists of older versions', async () => {
    const service = await startTestService(kind)
    try {
      const { secret } = await service.createKey()
      const [model] = sampleUsers
      if (model === undefined) throw new Error('the sample has no users')
      for (const followers of [1_000_001, 1_000_002, 1_000_003]) {
        await service.request(`/users?location=berlin+${followers}`, { key: secret })
        expect(await service.sql`select from stored_lists`).not.toHaveLength(0)
        await loadRecords(service.sql, { users: [{ ...model, followers }] })
        const old = await service.sql`
          select from stored_lists where version < (select version from dataset)`
        expect(old).toHaveLength(0)
      }
    } finally {
      await service.close()
    }
  })

  test.runIf(kind === 'postgresql')(
    'computes the stored lists in use again, so that no request waits for them afterwards',
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
          select list, total from stored_lists where version = (select version from dataset) order by used_at`
        expect(made).toHaveLength(3)
        for (const [index, path] of paths.entries()) {
          const { total } = readListResponse(await service.request(path, { key: secret }))
          expect(made[index]?.total).toBe(total)
        }
        expect(
          await service.sql`select from stored_lists where version = (select version from dataset)`,
        ).toHaveLength(3)
      } finally {
        await service.close()
      }
    },
  )
})

describeOnEachDatabase('new filters', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  const megabyte = 2 ** 20
  const options = { maxBytes: 16 * megabyte, maxWaitMs: 300_000, maxQueued: 1_000 }

  test('are computed in turns: a key with many delays its own only', async () => {
    // With a single connection to read: of two, one may do all while the other stands still.
    const narrow = await startTestService(kind, { databasePoolSize: 2 })
    const store = createStoredLists(narrow.sql, options)
    const order: string[] = []
    const build = async (caller: number, number: number) => {
      await store.build('users', createFilter({ locations: [`${caller} ${number}`] }), { caller })
      order.push(`${caller}: ${number}`)
    }
    const many = Array.from({ length: 40 }, (_, number) => build(1, number))
    await Promise.all([...many, build(2, 0)])
    expect(order).toHaveLength(41)
    expect(order.indexOf('2: 0')).toBeLessThan(20)
    await store.close()
    await narrow.close()
  })

  test.runIf(kind === 'postgresql')(
    'of one key delay no request of another, however many they are',
    async () => {
      const operator = await openSameDatabase(service)
      const [greedy, other] = await Promise.all([service.createKey(), service.createKey()])
      let served = 0
      const quotes: Promise<number>[] = []
      await operator.sql.begin(async (tx) => {
        await tx`lock table locations in access exclusive mode` // so that no location is found
        for (let number = 0; number < 100; number++) {
          const quote = service.request(`/users?location=far+${number}`, {
            method: 'HEAD',
            key: greedy.secret,
          })
          quotes.push(
            quote.then(({ status }) => {
              served++
              return status
            }),
          )
        }
        for (let waiting = 0; waiting === 0; await sleep(20)) {
          const [row] = await tx<{ waiting: number }[]>`
            select count(*) as waiting from pg_locks join pg_database d on d.oid = database
            where datname = current_database() and relation = 'locations'::regclass and not granted`
          waiting = row?.waiting ?? 0
        }
        const responses = await Promise.all(
          ['/users?per_page=1', '/users/ngoldberg', '/repos?per_page=1'].map((path) =>
            service.request(path, { key: other.secret }),
          ),
        )
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(served).toBe(0)
      })
      expect(new Set(await Promise.all(quotes))).toEqual(new Set([200]))
      await operator.close()
    },
  )

  test.runIf(kind === 'postgresql')(
    'count against their key, also for HEAD: a key with too many waiting is refused every request',
    async () => {
      const operator = await openSameDatabase(service)
      const instance = createInstance(service)
      const [greedy, other] = await Promise.all([service.createKey({ credits: 1 }), service.createKey()])
      const ask = (path: string, key: string, method = 'GET') =>
        instance.request(path, { key, method }).then(({ status }) => status)
      let refused = 0
      const quotes: Promise<number>[] = []
      await operator.sql.begin(async (tx) => {
        await tx`lock table locations in access exclusive mode` // so that no location is found
        for (let number = 0; refused === 0; number++) {
          const quote = ask(`/users?location=off+${number}`, greedy.secret, 'HEAD')
          quotes.push(quote)
          void quote.then((status) => {
            if (status === 503) refused++
          })
          if (number % 50 === 49) await sleep(20)
        }
        // All have arrived before any of them is read.
        await expect.poll(() => refused).toBe(quotes.length - 500)
        // What costs nothing to read is refused too, and at once: nothing is read for it, and nothing settled.
        expect(await ask('/users/ngoldberg', greedy.secret, 'HEAD')).toBe(503)
        expect(await ask('/users/ngoldberg', other.secret)).toBe(200)
      })
      expect((await Promise.all(quotes)).filter((status) => status === 200)).toHaveLength(500)
      expect(await ask('/users/ngoldberg', greedy.secret, 'HEAD')).toBe(200)
      await instance.close()
      await operator.close()
    },
  )

  test('are refused first for the key with the most waiting', async () => {
    const store = createStoredLists(service.sql, { ...options, maxQueued: 8 })
    const ask = (caller: number, number: number) =>
      store.build('users', createFilter({ locations: [`${caller} asks ${number}`] }), { caller }).then(
        () => 'made',
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'over_capacity' })
          return 'refused'
        },
      )
    const asked = [1, 1, 1, 1, 1, 2, 2, 2, 3, 1, 3].map((caller, number) => ask(caller, number))
    expect(await Promise.all(asked)).toEqual([
      ...['made', 'made', 'made', 'made', 'refused'],
      ...['made', 'made', 'refused', 'made', 'refused', 'refused'],
    ])
    expect(await ask(1, 100)).toBe('made')
  })

  test('are computed once for concurrent requests on several instances', async () => {
    const stores = [1, 2].map(() => createStoredLists(service.sql, options))
    const filter = createFilter({ locations: ['a'], dependencyNames: ['react', 'typescript'] })
    const [before] = await service.sql<{ id: number }[]>`select coalesce(max(id), 0) as id from stored_lists`
    await Promise.all(
      Array.from({ length: 10 }, (_, caller) => stores[caller % 2]?.build('users', filter, { caller })),
    )
    const made = await service.sql`select total from stored_lists where id > ${before?.id ?? 0}`
    expect(made).toHaveLength(1)
  })

  test('are computed once for all requests in the queue', async () => {
    const computed = vi.spyOn(service.sql, 'begin')
    const store = createStoredLists(service.sql, options)
    const ask = (location: string, callers: number) =>
      Array.from({ length: callers }, (_, caller) =>
        store.build('users', createFilter({ locations: [location] }), { caller }),
      )
    await Promise.all([...ask('one', 10), ...ask('two', 10), ...ask('three', 10)])
    expect(computed).toHaveBeenCalledTimes(3)
    computed.mockRestore()
    await store.close()
  })

  test('aren’t computed for clients that have left', async () => {
    const store = createStoredLists(service.sql, options)
    const client = new AbortController()
    const ask = (location: string, signal?: AbortSignal) =>
      store.build('users', createFilter({ locations: [location] }), { caller: 1, signal })
    const others = [ask('others 1'), ask('others 2')] // as many as are computed at a time
    const left = [ask('has left', client.signal)]
    client.abort()
    left.push(ask('has left', client.signal))
    const results = await Promise.allSettled(left)
    expect(results.map((result) => 'reason' in result && result.reason)).toEqual([
      expect.any(ClientGoneError),
      expect.any(ClientGoneError),
    ])
    await Promise.all(others)
    expect(await service.sql`select from stored_lists where filter::text ilike '%others%'`).toHaveLength(2)
    expect(await service.sql`select from stored_lists where filter::text ilike '%has left%'`).toHaveLength(0)
    await store.close()
  })

  test('are served even if they exceed the bound', async () => {
    const store = createStoredLists(service.sql, { ...options, maxBytes: 1_000 })
    const list = createList(service.sql, store, userListOnPrimary)
    for (const location of ['berlin', 'paris', 'london']) {
      const filter = createFilter({ locations: [location] })
      const page = await list({ filter, page: { number: 1, size: 1 } }, { caller: 1 })
      const total = sampleUsers.filter((user) =>
        foldText(user.location ?? '').includes(foldText(location)),
      ).length
      expect(page).toMatchObject({ total })
    }
    await store.close()
  })

  test('are 503 if each attempt finds a newer version of the data', async () => {
    const store = createStoredLists(service.sql, options)
    const list = createList(service.sql, { ...store, build: async () => {} }, userListOnPrimary)
    const filter = createFilter({ locations: ['too late'] })
    const page = { number: 1, size: 1 }
    await expect(list({ filter, page }, { caller: 1 })).rejects.toMatchObject({
      code: 'over_capacity',
    })
  })

  test('are deleted before lists in use, on another instance too', async () => {
    await service.sql`delete from stored_lists`
    const maxBytes = megabyte / 16 // sixteen small lists
    const [greedy, other] = [1, 2].map(() => createStoredLists(service.sql, { ...options, maxBytes }))
    if (greedy === undefined || other === undefined) throw new Error('there are two stores')
    const readUsed = createList(service.sql, other, userListOnPrimary)
    const ask = (read: typeof readUsed, location: string) =>
      read({ filter: createFilter({ locations: [location] }), page: { number: 1, size: 1 } }, { caller: 1 })
    const findUse = async (location: string) => {
      const hash = hashFilter('users', createFilter({ locations: [location] }))
      const [kept] = await service.sql<{ used: number }[]>`
        select extract(epoch from used_at)::double precision as used from stored_lists where filter_hash = ${hash}`
      return kept?.used
    }
    const countKept = async () => (await service.sql`select from stored_lists`).length
    const now = performance.now.bind(performance)
    try {
      await ask(readUsed, 'berlin')
      await ask(readUsed, 'paris')
      const readNew = createList(service.sql, greedy, userListOnPrimary)
      for (let minute = 1; minute <= 4; minute++) {
        // Each minute the other instance writes down what was read there: it stores no list, and removes none.
        vi.spyOn(performance, 'now').mockImplementation(() => now() + minute * 61_000)
        const used = await findUse('berlin')
        await ask(readUsed, 'berlin')
        await expect.poll(() => findUse('berlin')).toBeGreaterThan(used ?? Number.POSITIVE_INFINITY)
        for (let number = 0; number < 10; number++) await ask(readNew, `nowhere ${minute} ${number}`)
        await expect.poll(countKept).toBeLessThan(18)
      }
      expect(await findUse('paris')).toBeUndefined()
    } finally {
      vi.restoreAllMocks()
      await Promise.all([greedy.close(), other.close()])
    }
  })

  test('are computed even if no old list can be deleted, and the log says so', async () => {
    const messages: string[] = []
    const store = createStoredLists(service.sql, { ...options, report: (message) => messages.push(message) })
    await service.sql.unsafe(`
      insert into stored_lists (filter_hash, version, total, list, filter) values ('\\x00', 0, 0, 'users', '{}');
      create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger refuse before delete on stored_lists for each row execute function refuse();`)
    for (const location of ['kept', 'kept too']) {
      await store.build('users', createFilter({ locations: [location] }), { caller: 1 })
    }
    while (messages.length === 0) await sleep(20)
    await store.close()
    expect(messages).toEqual(['Old stored lists could not be deleted: not now'])
    await service.sql.unsafe('drop trigger refuse on stored_lists; drop function refuse;')
  })

  test('take at most the bound and a sixteenth of it in the database', async () => {
    const maxBytes = megabyte / 4
    const store = createStoredLists(service.sql, { ...options, maxBytes })
    const readBytes = async () => {
      const [kept] = await service.sql<{ bytes: number }[]>`select count(*) * 4096 as bytes from stored_lists`
      return kept?.bytes ?? 0
    }
    for (let number = 0; number < 100; number++) {
      await store.build('users', createFilter({ locations: [`nowhere ${number}`] }), { caller: 1 })
    }
    while ((await readBytes()) > maxBytes * (1 + 1 / 16)) await sleep(20) // it is cleared in the background
    await store.close()
    expect(await readBytes()).toBeGreaterThan(maxBytes / 2)
  })
})
