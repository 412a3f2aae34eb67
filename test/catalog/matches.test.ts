/**
 * The matches of filters: computed once for each state of the data, in turns, and kept in memory
 * (decisions/0003-lists.md).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createFilter } from '../../api/catalog/canonical-filter.ts'
import { createList } from '../../api/catalog/list.ts'
import { createMatchCache, type MatchFinder } from '../../api/catalog/matches.ts'
import type { Sql } from '../../api/database/connect.ts'
import { ClientGoneError } from '../../api/errors.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { findUsers } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'

const options = { maxBytes: 2 ** 20, maxWaitMs: 300_000, maxQueued: 1_000 }
const page = { number: 1, size: 1 }

function find(finder: MatchFinder, location: string, caller: number, signal?: AbortSignal) {
  return finder.find('users', createFilter({ location: [location] }), { caller, signal })
}

/** Counts the unions of sets of users that are read while `work` runs. */
async function countUnions(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const statements = vi.spyOn(sql, 'unsafe')
  try {
    await work()
    return statements.mock.calls.filter(([text]) => text.startsWith('copy (select ')).length
  } finally {
    statements.mockRestore()
  }
}

describeOnOneDatabase('the matches of a filter', (kind) => {
  const service = useService(kind)

  test('are computed once, whatever page is read and whoever asks', async () => {
    const { sql } = service
    const cache = createMatchCache(options)
    const list = createList(sql, cache.createFinder(sql), 'users')
    const filter = createFilter({ location: ['germany'], dependency_names: ['react'] })
    const read = (number: number) => list({ filter, page: { number, size: 1 } }, { caller: number })
    const total = findUsers({ location: ['germany'], names: ['react'] }).length
    const concurrent = await countUnions(sql, async () => {
      const pages = await Promise.all([1, 2, 3, 4, 5].map(read))
      expect(pages).toEqual(pages.map(() => expect.objectContaining({ total, count: 1 })))
    })
    expect(concurrent).toBe(1)
    expect(await countUnions(sql, () => read(total))).toBe(0)
    const same = createFilter({ location: ['Germany', 'GERMANY'], dependency_names: ['REACT', 'react'] })
    expect(await countUnions(sql, () => list({ filter: same, page }, { caller: 9 }))).toBe(0)
  })

  test('are computed again after a load, which makes nobody wait for it', async () => {
    const { sql } = service
    const list = createList(sql, createMatchCache(options).createFinder(sql), 'users')
    const filter = createFilter({ location: ['berlin'] })
    const { total } = await list({ filter, page }, { caller: 1 })
    await loadRecords(sql, { users: [createUser(7_000_001, { location: 'Berlin' })] })
    const unions = await countUnions(sql, async () => {
      expect(await list({ filter, page }, { caller: 1 })).toMatchObject({ total: total + 1 })
    })
    expect(unions).toBe(1)
    expect(await countUnions(sql, () => list({ filter, page }, { caller: 1 }))).toBe(0)
  })

  test.each([undefined, 'followers' as const])(
    'are read in one snapshot if each attempt finds a newer state of the data, sorted by %s',
    async (sort) => {
      const { sql } = service
      const filter = createFilter({ location: ['lisbon'] })
      const total = findUsers({ location: ['lisbon'] }).length
      let attempts = 0
      const outdated: MatchFinder = {
        async find() {
          attempts++
          return 'outdated'
        },
        extend: (_list, _filter, _matches, _requester, read) => read(),
        forget() {},
      }
      const found = await createList(sql, outdated, 'users')({ filter, sort, page }, { caller: 1 })
      expect([found, attempts]).toEqual([expect.objectContaining({ total, count: 1, offset: 0 }), 3])
    },
  )

  test('take no more memory than they may, and are exact without any', async () => {
    const { sql } = service
    const finder = createMatchCache({ ...options, maxBytes: 1 }).createFinder(sql)
    const list = createList(sql, finder, 'users')
    for (const location of ['paris', 'london', 'paris']) {
      const unions = await countUnions(sql, async () => {
        const total = findUsers({ location: [location] }).length
        const filter = createFilter({ location: [location] })
        expect(await list({ filter, page }, { caller: 1 })).toMatchObject({ total })
      })
      expect(unions).toBe(1)
    }
  })

  test('aren’t computed for clients that have left', async () => {
    const { sql } = service
    const finder = createMatchCache(options).createFinder(sql)
    const client = new AbortController()
    const unions = await countUnions(sql, async () => {
      const others = ['others 1', 'others 2'].map((location) => find(finder, location, 1))
      const left = [find(finder, 'has left', 1, client.signal)]
      client.abort()
      left.push(find(finder, 'has left', 1, client.signal))
      const results = await Promise.allSettled(left)
      expect(results.map((result) => 'reason' in result && result.reason)).toEqual([
        expect.any(ClientGoneError),
        expect.any(ClientGoneError),
      ])
      await Promise.all(others)
    })
    expect(unions).toBe(2)
  })

  test('are computed in turns: a key with many filters delays its own only', async () => {
    // With a single connection to read: of two, one may do all while the other stands still.
    const narrow = await startTestService(kind, { databasePoolSize: 2 })
    const finder = createMatchCache(options).createFinder(narrow.sql)
    const order: string[] = []
    const ask = async (caller: number, number: number) => {
      await find(finder, `${caller} ${number}`, caller)
      order.push(`${caller}: ${number}`)
    }
    const many = Array.from({ length: 40 }, (_, number) => ask(1, number))
    await Promise.all([...many, ask(2, 0)])
    expect(order).toHaveLength(41)
    expect(order.indexOf('2: 0')).toBeLessThan(20)
    await narrow.close()
  })

  test('are refused first to the key with the most waiting', async () => {
    const finder = createMatchCache({ ...options, maxQueued: 6 }).createFinder(service.sql)
    const ask = (caller: number, number: number) =>
      find(finder, `${caller} asks ${number}`, caller).then(
        () => 'found',
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'over_capacity' })
          return 'refused'
        },
      )
    // One of each key runs. Six wait: of the key with the most, the newest give way to others.
    const asked = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3].map((caller, number) => ask(caller, number))
    expect(await Promise.all(asked)).toEqual([
      ...['found', 'found', 'found', 'found', 'found', 'found', 'refused', 'refused', 'refused'],
      ...['found', 'found', 'found'],
    ])
    expect(await ask(1, 100)).toBe('found')
  })

  if (kind === 'embedded') return

  test('of one key delay no request of another, however many filters it asks for', async () => {
    const operator = await openSameDatabase(service)
    const [greedy, other] = await Promise.all([service.createKey(), service.createKey()])
    let served = 0
    const quotes: Promise<number>[] = []
    await operator.sql.begin(async (tx) => {
      await tx`lock table locations in access exclusive mode` // so that no location is found
      for (let number = 0; number < 100; number++) {
        const path = `/users?location=far+${number}`
        const quote = service.request(path, { method: 'HEAD', key: greedy.secret })
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
  })

  test('count against their key, also for HEAD: a key with too many waiting is refused every request', async () => {
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
      await expect.poll(() => refused).toBe(quotes.length - 1_001)
      // What costs nothing to read is refused too, and at once: nothing is read for it, and nothing settled.
      expect(await ask('/users/ngoldberg', greedy.secret, 'HEAD')).toBe(503)
      expect(await ask('/users/ngoldberg', other.secret)).toBe(200)
    })
    expect((await Promise.all(quotes)).filter((status) => status === 200)).toHaveLength(1_001)
    expect(await ask('/users/ngoldberg', greedy.secret, 'HEAD')).toBe(200)
    await operator.close()
  })
})

describeOnOneDatabase('lists while loads go on', (kind) => {
  test('are served, each from one state of the data', async () => {
    const service = await startTestService(kind)
    const { secret } = await service.createKey({ credits: 1_000_000 })
    const known = findUsers({ location: ['berlin'] }).length
    let loads = 0
    let isOver = false
    async function load() {
      // Each load adds a user in Berlin, whose number says how many there are.
      for (; !isOver; loads++) {
        await loadRecords(service.sql, {
          users: [createUser(8_000_000 + loads, { location: 'Berlin' })],
        })
      }
    }
    const loading = load()
    try {
      for (let request = 0; request < 40; request++) {
        const { headers, status } = await service.request('/users?location=berlin&per_page=1', {
          key: secret,
        })
        const version = Number(headers.get('X-Dataset-Version'))
        expect([status, Number(headers.get('X-Total-Count'))]).toEqual([200, known + version - 1])
      }
    } finally {
      isOver = true
      await loading
      await service.close()
    }
    expect(loads).toBeGreaterThan(0)
  })
})
