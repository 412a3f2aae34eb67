/**
 * A key's own ledger: `GET /api-key/usage` and its sums, `GET /api-key/usage/days` (openapi.yml).
 *
 * @module
 */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantCredits } from '../api/ledger/keys.ts'
import { pruneLedger } from '../api/ledger/prune.ts'
import { findBusyRepository } from './support/catalog.ts'
import { type ListResponse, readListAnswer } from './support/list-answer.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const integer = v.pipe(v.number(), v.integer())
const entrySchema = v.strictObject({
  entry: integer,
  timestamp: integer,
  kind: v.picklist(['grant', 'charge', 'balance']),
  request_id: v.nullable(v.string()),
  method: v.nullable(v.string()),
  path: v.nullable(v.string()),
  items: v.nullable(integer),
  cost: integer,
  granted: integer,
  balance: integer,
})
const sumSchema = v.strictObject({
  day: v.string(),
  endpoint: v.string(),
  requests: integer,
  items: integer,
  cost: integer,
})
type Entry = v.InferOutput<typeof entrySchema>

/** What `after` of the sums is not. */
const sumsThatAreNone = ['2030-12-31', '/users', '2030-02-30/users', '2030-1-1/users', '2030-12-31users', '7']

const usage = '/api-key/usage'
const days = '/api-key/usage/days'

const readEntries = ({ data }: ListResponse) => v.parse(v.array(entrySchema), data)
const readSums = ({ data }: ListResponse) => v.parse(v.array(sumSchema), data)

/** The date (UTC) of a time in seconds. */
const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

/** The sums of entries, as `/api-key/usage/days` lists them; each with the endpoint that its path belongs to. */
function sumUp(entries: readonly Entry[], endpointOf: (path: string) => string) {
  const sums = new Map<string, v.InferOutput<typeof sumSchema>>()
  for (const { kind, timestamp, path, items, cost } of entries) {
    if (kind !== 'charge') continue
    const [day, endpoint] = [dateOf(timestamp), endpointOf(path ?? '')]
    const sum = sums.get(`${day} ${endpoint}`) ?? { day, endpoint, requests: 0, items: 0, cost: 0 }
    sum.requests++
    sum.items += items ?? 0
    sum.cost += cost
    sums.set(`${day} ${endpoint}`, sum)
  }
  return [...sums.values()].sort((a, b) =>
    a.day === b.day ? (a.endpoint < b.endpoint ? -1 : 1) : a.day < b.day ? 1 : -1,
  )
}

describeOnEachDatabase('usage', (kind) => {
  let service: TestService
  let repository: string
  beforeAll(async () => {
    service = await startTestService(kind)
    repository = await findBusyRepository(service.sql)
  })
  afterAll(() => service.close())

  const ask = async (secret: string, path: string) =>
    readListAnswer(await service.request(path, { key: secret }))

  /** Reads a whole list by its links. */
  async function walk(secret: string, path: string): Promise<ListResponse[]> {
    const pages = [await ask(secret, path)]
    for (;;) {
      const next = pages.at(-1)?.links.get('next')
      if (next === undefined) return pages
      pages.push(await ask(secret, `${next.pathname}${next.search}`))
    }
  }

  /**
   * Writes a ledger as settling would have: a grant, then so many charges, the first a second after `start` (ISO 8601)
   * and each `step` seconds after the one before.
   */
  async function writeLedger(id: number, { start, step, charges }: LedgerOptions): Promise<void> {
    await service.sql.begin(async (tx) => {
      await tx`delete from ledger where api_key_id = ${id}`
      await tx`delete from ledger_days where api_key_id = ${id}`
      await tx`
        insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
        values (${id}, 1, ${start}, 'grant', 1000000, 0, 1000000, '')`
      const half = Math.floor(charges / 2)
      for (const [from, to] of [
        [1, half],
        [half + 1, charges],
      ] as const) {
        await tx`select sum_up_days(${id})` // of what is there: the sums by day lack the second half
        await tx`
          insert into ledger
          select ${id}, n + 1, ${start}::timestamptz + make_interval(secs => 1 + (n - 1) * ${step}), 'charge', 0, n % 5 + 1,
            1000000 - sum, n % 5 + 1, gen_random_uuid(),
            case n % 3 when 0 then '/users' when 1 then '/repos' else '/users/ngoldberg' end,
            case n % 3 when 0 then '/users' when 1 then '/repos' else '/users/{login}' end
          from (
            select n, sum(n % 5 + 1) over (order by n) as sum from generate_series(1, ${charges}::integer) n
          ) charges
          where n between ${from}::integer and ${to}::integer`
      }
    })
  }
  interface LedgerOptions {
    start: string
    step: number
    charges: number
  }
  const endpointOf = (path: string) => (path === '/users/ngoldberg' ? '/users/{login}' : path)

  test('lists exactly what was done, newest first', async () => {
    const { secret, id } = await service.createKey({ credits: 500 })
    const expected: object[] = [
      {
        kind: 'grant',
        request_id: null,
        method: null,
        path: null,
        items: null,
        cost: 0,
        granted: 500,
        balance: 500,
      },
    ]
    let balance = 500
    const before = Math.floor(Date.now() / 1000)
    for (const [path, items, cost = items] of [
      ['/users?per_page=3', 3],
      ['/users/ngoldberg', 1],
      ['/users/NGoldberg?unknown=1', 1],
      ['/users/nobody-has-this-login', 0, 1],
      ['/repos?per_page=7&page=2', 7],
      [repository, 1],
      [`${repository}/commits?per_page=4`, 4],
      [`${repository}/dependencies?per_page=2`, 2],
    ] as const) {
      const answer = await service.request(path, { key: secret })
      balance -= cost
      expected.unshift({
        kind: 'charge',
        request_id: answer.headers.get('X-Request-Id'),
        method: 'GET',
        path: path.replace(/\?.*/, ''),
        items,
        cost,
        granted: 0,
        balance,
      })
    }
    for (const granted of [100, -250, 0]) {
      await grantCredits(service.sql, id, granted)
      balance += granted
      expected.unshift({
        kind: 'grant',
        request_id: null,
        method: null,
        path: null,
        items: null,
        cost: 0,
        granted,
        balance,
      })
    }
    const after = Math.ceil(Date.now() / 1000)
    const page = await ask(secret, usage)
    expect(page.total).toBe(expected.length)
    const entries = readEntries(page)
    expect(entries.map(({ entry: _entry, timestamp: _timestamp, ...rest }) => rest)).toEqual(expected)
    expect(entries.map(({ entry }) => entry)).toEqual(expected.map((_, index) => expected.length - index))
    for (const { timestamp } of entries) {
      expect(timestamp).toBeGreaterThanOrEqual(before - 1) // the database's clock
      expect(timestamp).toBeLessThanOrEqual(after + 1)
    }
  })

  test('has no entry for what is free: errors, quotes, 304, empty pages, repetitions, refusals', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    const { headers } = await service.request('/users/ngoldberg', {
      key: secret,
      headers: { 'Idempotency-Key': 'a' },
    })
    for (const [path, options] of [
      ['/users/ngoldberg', { headers: { 'Idempotency-Key': 'a' } }],
      ['/users?per_page=1', { headers: { 'Idempotency-Key': 'a' } }],
      ['/users/ngoldberg', { headers: { 'If-None-Match': headers.get('ETag') ?? '' } }],
      ['/users/ngoldberg', { headers: { 'Max-Credits': '0' } }],
      ['/users/ngoldberg', { method: 'HEAD' }],
      ['/users?page=999', {}],
      ['/users?page=0', {}],
      ['/users', {}],
      ['/repos/ngoldberg/no-such-repository', {}],
      ['/api-key/credits', {}],
      [usage, {}],
      [days, {}],
    ] as const)
      await service.request(path, { key: secret, ...options })
    const entries = readEntries(await ask(secret, usage))
    expect(entries.map(({ entry, cost, balance }) => [entry, cost, balance])).toEqual([
      [2, 1, 9],
      [1, 0, 10],
    ])
  })

  test('is exact at once: each answer’s own entry is there when it is asked for', async () => {
    const { secret } = await service.createKey({ credits: 100 })
    for (let round = 0; round < 20; round++) {
      const answer = await service.request('/users/ngoldberg', { key: secret })
      const [newest] = readEntries(await ask(secret, `${usage}?per_page=1`))
      expect(newest?.request_id).toBe(answer.headers.get('X-Request-Id'))
    }
  })

  test('after requests at once has an entry for each, and the balances go down by the costs', async () => {
    const { secret } = await service.createKey({ credits: 1_000 })
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        service.request(`/users?per_page=${(index % 4) + 1}`, { key: secret }),
      ),
    )
    const entries = (await walk(secret, `${usage}?per_page=100`)).flatMap(readEntries)
    const charges = entries.filter(({ kind }) => kind === 'charge')
    const told = new Map(
      answers.map(({ headers }) => [
        headers.get('X-Request-Id'),
        [Number(headers.get('X-Credits-Cost')), Number(headers.get('X-Credits-Remaining'))],
      ]),
    )
    expect(charges).toHaveLength(150)
    for (const { request_id, cost, balance } of charges) expect([cost, balance]).toEqual(told.get(request_id))
    for (const [index, { cost, granted, balance, timestamp }] of entries.entries()) {
      const older = entries[index + 1]
      expect((older?.balance ?? 0) + granted - cost).toBe(balance)
      expect(timestamp).toBeGreaterThanOrEqual(older?.timestamp ?? 0)
    }
    const sums = readSums(await ask(secret, days))
    expect(sums).toEqual(sumUp(entries, endpointOf))
  })

  test('by day is exact whenever a thousand entries more were summed up', async () => {
    const { secret, id } = await service.createKey()
    await writeLedger(id, { start: '2026-03-01T00:00:00Z', step: 1, charges: 990 })
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 5 }, () => service.request('/users/ngoldberg', { key: secret })))
      const entries = (await walk(secret, `${usage}?per_page=100`)).flatMap(readEntries)
      expect(readSums(await ask(secret, days))).toEqual(sumUp(entries, endpointOf))
    }
    const [row] = await service.sql`select summed_position(${id}) as folded`
    expect(row?.folded).toBeGreaterThanOrEqual(1_000)
  })

  test('is free, needs no credits and no scope, and says so', async () => {
    const { secret, id } = await service.createKey({ credits: 0, scopes: [] })
    for (const path of [usage, `${usage}?per_page=100`, days, `${usage}?page=0`, `${days}?day=never`]) {
      const { status, headers } = await service.request(path, { key: secret })
      expect([path, status]).toEqual([path, /page=0|never/.test(path) ? 400 : 200])
      expect([headers.get('X-Credits-Cost'), headers.get('X-Credits-Remaining')]).toEqual(['0', '0'])
      if (status === 200) expect(headers.get('Cache-Control')).toBe('no-store')
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('counts against the rate limit', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 3, seconds: 3600 } })
    const statuses: number[] = []
    for (const path of [usage, days, `${usage}?page=0`, usage, days]) {
      statuses.push((await service.request(path, { key: secret })).status)
    }
    expect(statuses).toEqual([200, 200, 400, 429, 429])
  })

  test('needs a key, and a good one', async () => {
    for (const path of [usage, days]) {
      expect((await service.request(path)).status).toBe(401)
      expect((await service.request(path, { key: '00000000-0000-4000-8000-000000000000' })).status).toBe(401)
    }
  })

  test('HEAD has the headers of GET, and no body', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(id, { start: '2030-05-01T00:00:00Z', step: 1, charges: 40 })
    for (const path of [`${usage}?per_page=7&page=2`, `${days}?day=2030-05-01&per_page=1`]) {
      const head = await service.request(path, { method: 'HEAD', key: secret })
      const answer = await service.request(path, { key: secret })
      expect([path, head.status, head.text]).toEqual([path, 200, ''])
      for (const name of ['Link', 'X-Total-Count', 'Content-Type', 'Cache-Control', 'X-Credits-Cost']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, answer.headers.get(name)])
      }
    }
  })

  test('has never an entry of another key, of a user’s or an operator’s', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        service.createKey({ credits: 1_000 + index, ...(index === 4 && { role: 'admin' }) }),
      ),
    )
    const requests = keys.map(() => new Set<string | null>())
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const place = index % 5
        const answer = await service.request('/users?per_page=2', { key: keys[place]?.secret })
        if (place !== 4) requests[place]?.add(answer.headers.get('X-Request-Id'))
      }),
    )
    for (const [place, { secret }] of keys.entries()) {
      const entries = (await walk(secret, `${usage}?per_page=30`)).flatMap(readEntries)
      const charges = entries.filter(({ kind }) => kind === 'charge')
      expect(new Set(charges.map(({ request_id }) => request_id))).toEqual(requests[place])
      expect(entries.at(-1)).toMatchObject({ kind: 'grant', granted: 1_000 + place })
      expect(readSums(await ask(secret, days))).toEqual(sumUp(entries, endpointOf))
    }
  })

  describe('pages', () => {
    test.each([1, 7, 100])('of %i neither skip nor repeat an entry, and the total is exact', async (size) => {
      const { secret, id } = await service.createKey({ credits: 100 })
      const charges = size === 1 ? 40 : 250
      await writeLedger(id, { start: '2030-05-01T23:00:00Z', step: 60, charges })
      const total = charges + 1
      const pages = await walk(secret, `${usage}?per_page=${size}`)
      expect(pages).toHaveLength(Math.ceil(total / size))
      for (const page of pages) expect(page.total).toBe(total)
      const entries = pages.flatMap(readEntries)
      expect(entries.map(({ entry }) => entry)).toEqual(
        Array.from({ length: total }, (_, index) => total - index),
      )
      const last = pages[0]?.links.get('last')
      expect(last?.searchParams.get('page')).toBe(String(pages.length))
      const past = await ask(secret, `${usage}?per_page=${size}&page=${pages.length + 1}`)
      expect([past.data, past.total]).toEqual([[], total])
    })

    test('of the sums neither skip nor repeat one', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await writeLedger(id, { start: '2030-05-01T00:00:00Z', step: 40_000, charges: 60 })
      const entries = (await walk(secret, `${usage}?per_page=100`)).flatMap(readEntries)
      const expected = sumUp(entries, endpointOf)
      expect(expected.length).toBeGreaterThan(28)
      for (const size of [1, 7, 100]) {
        const pages = await walk(secret, `${days}?per_page=${size}`)
        expect(pages.flatMap(readSums)).toEqual(expected)
        for (const page of pages) expect(page.total).toBe(expected.length)
      }
    })

    test.each([1, 3, 100])(
      'of %i by next meet every entry once while new ones come, and after=10 begins with entry 9',
      async (size) => {
        const { secret, id } = await service.createKey({ credits: 100 })
        await writeLedger(id, { start: '2020-05-01T00:00:00Z', step: 60, charges: 13 })
        for (const [query, newest] of [
          ['', 14],
          ['&after=10', 9],
          ['&after=10&page=3', 9],
          ['&day=2020-05-01&after=9007199254740991', 14],
        ] as const) {
          const met: number[] = []
          let next: string | undefined = `${usage}?per_page=${size}${query}`
          for (let step = 0; next !== undefined && step < 50; step++) {
            const page = await ask(secret, next)
            const entries = readEntries(page)
            met.push(...entries.map(({ entry }) => entry).filter((entry) => entry <= newest))
            const target = page.links.get('next')
            next = target && `${target.pathname}${target.search}`
            expect([page.pagination.has_more, page.pagination.next_page > 0]).toEqual([!!next, !!next])
            if (step < 5) await service.request('/users?per_page=2', { key: secret })
          }
          expect([query, met]).toEqual([query, Array.from({ length: newest }, (_, index) => newest - index)])
        }
      },
    )

    test('behind an entry that is folded, or behind the first, are empty and the last', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await writeLedger(id, { start: '2020-05-01T00:00:00Z', step: 60, charges: 30 })
      await pruneLedger(service.sql, new Date('2020-05-01T00:20:00Z'))
      const { data } = await ask(secret, usage)
      const oldest = Number(data.at(-1)?.entry)
      expect(oldest).toBeGreaterThan(15)
      for (const after of [1, 10, oldest]) {
        const page = await ask(secret, `${usage}?after=${after}&per_page=5`)
        expect([after, page.data, page.total, page.pagination.has_more]).toEqual([
          after,
          [],
          data.length,
          false,
        ])
      }
      const rest = await ask(secret, `${usage}?after=${oldest + 1}&per_page=5`)
      expect(rest.data).toEqual(data.slice(-1))
    })

    test('of the sums by next meet each once while new ones come before and between', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await writeLedger(id, { start: '2020-05-01T00:00:00Z', step: 40_000, charges: 12 })
      const there = readSums(await ask(secret, days))
      const met: string[] = []
      let next: string | undefined = `${days}?per_page=2`
      // The first of them makes a day of its own, and the others come to that.
      const coming = ['/users/ngoldberg', '/users?per_page=1', '/repos?per_page=1', repository]
      for (const path of coming.slice(0, 2)) await service.request(path, { key: secret })
      for (let step = 0; next !== undefined && step < 50; step++) {
        const page = await ask(secret, next)
        met.push(...readSums(page).map(({ day, endpoint }) => `${day} ${endpoint}`))
        const path = coming[step + 2]
        if (path !== undefined) await service.request(path, { key: secret })
        const target = page.links.get('next')
        next = target && `${target.pathname}${target.search}`
      }
      expect(new Set(met).size).toBe(met.length)
      expect(met.slice(-there.length)).toEqual(there.map(({ day, endpoint }) => `${day} ${endpoint}`))
    })

    test('keep to the rules of every list', async () => {
      const { secret } = await service.createKey()
      for (const path of [usage, days]) {
        const wrong = path === usage ? ['0', '01', '1.5', 'x', '9007199254740992', '-1'] : sumsThatAreNone
        for (const query of [
          ...['page=0', 'page=x', 'per_page=0', 'per_page=101', 'page=1&page=2', 'page='],
          ...['', ...wrong, '1&after=1'].map((after) => `after=${after}`),
        ]) {
          expect([path, query, (await service.request(`${path}?${query}`, { key: secret })).status]).toEqual([
            path,
            query,
            400,
          ])
        }
        for (const page of [Math.floor(Number.MAX_SAFE_INTEGER / 100), 1_000_000_000_000]) {
          expect((await ask(secret, `${path}?per_page=100&page=${page}`)).data).toEqual([])
        }
      }
    })
  })

  describe('day', () => {
    let key: { secret: string; id: number }
    let all: Entry[]
    beforeAll(async () => {
      key = await service.createKey({ credits: 100 })
      // Across three midnights, one of which has entries at the very second before and after.
      await writeLedger(key.id, { start: '2030-12-30T23:59:58Z', step: 601, charges: 300 })
      all = (await walk(key.secret, `${usage}?per_page=100`)).flatMap(readEntries)
    })

    test('picks the entries of one day (UTC), and the days together are all of them', async () => {
      const found: Entry[] = []
      for (const day of ['2031-01-02', '2031-01-01', '2030-12-31', '2030-12-30']) {
        const pages = await walk(key.secret, `${usage}?per_page=7&day=${day}`)
        const entries = pages.flatMap(readEntries)
        expect(entries.length).toBeGreaterThan(1)
        expect(entries).toEqual(all.filter(({ timestamp }) => dateOf(timestamp) === day))
        for (const page of pages) expect(page.total).toBe(entries.length)
        found.push(...entries)
      }
      expect(found).toEqual(all)
    })

    test('is kept by the links, and what the list does not know is not', async () => {
      const { links } = await ask(key.secret, `${usage}?day=2030-12-31&per_page=7&page=2&location=berlin`)
      expect([...links.keys()].sort()).toEqual(['first', 'last', 'next', 'prev'])
      for (const link of links.values()) {
        expect(link.pathname).toBe(usage)
        expect(link.searchParams.get('day')).toBe('2030-12-31')
        expect(link.searchParams.has('location')).toBe(false)
      }
      const sums = await ask(key.secret, `${days}?day=2030-12-31&per_page=1`)
      expect(sums.links.get('next')?.search).toBe(
        '?day=2030-12-31&page=2&per_page=1&after=2030-12-31%2Frepos',
      )
    })

    test('picks the sums of one day, which equal its entries', async () => {
      const sums = readSums(await ask(key.secret, days))
      expect(sums).toEqual(sumUp(all, endpointOf))
      for (const day of ['2031-01-02', '2031-01-01', '2030-12-31', '2030-12-30']) {
        const page = await ask(key.secret, `${days}?day=${day}`)
        expect(readSums(page)).toEqual(sums.filter((sum) => sum.day === day))
        expect(page.total).toBe(page.data.length)
      }
    })

    test('without entries is an empty list', async () => {
      for (const path of [usage, days]) {
        for (const day of ['2030-12-29', '2031-01-03', '0001-01-01', '9999-12-31', '2028-02-29']) {
          const page = await ask(key.secret, `${path}?day=${day}`)
          expect([path, day, page.data, page.total]).toEqual([path, day, [], 0])
        }
      }
    })

    test('that is empty is no filter', async () => {
      expect((await ask(key.secret, `${usage}?day=`)).total).toBe(all.length)
    })

    test('that does not exist is 400, and so are two', async () => {
      for (const path of [usage, days]) {
        for (const day of [
          '2030-13-01',
          '2030-00-10',
          '2030-02-30',
          '2029-02-29',
          '2030-1-1',
          '20301231',
          '2030-12-31T00:00:00Z',
          '31.12.2030',
          'today',
          'infinity',
          'now',
          '0000-01-01',
          '-001-01-01',
          '10000-01-01',
          '+02030-12-31',
          "2030-12-31'--",
          '２０３０-12-31',
          '1924905600',
        ]) {
          const answer = await service.request(`${path}?day=${encodeURIComponent(day)}`, { key: key.secret })
          expect([path, day, answer.status, answer.json()]).toEqual([
            path,
            day,
            400,
            { error: 'Invalid day: must be a date such as 2030-12-31 (UTC)' },
          ])
        }
        const twice = await service.request(`${path}?day=2030-12-31&day=2030-12-30`, { key: key.secret })
        expect([twice.status, twice.json()]).toEqual([400, { error: 'Invalid day: given more than once' }])
      }
    })

    test('goes on after a midnight: an entry of today joins those of another day', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await writeLedger(id, { start: '2020-02-28T23:00:00Z', step: 600, charges: 20 })
      const answer = await service.request('/users?per_page=3', { key: secret })
      await grantCredits(service.sql, id, 5)
      const entries = readEntries(await ask(secret, `${usage}?per_page=100`))
      const [, newest] = entries
      expect(newest).toMatchObject({ request_id: answer.headers.get('X-Request-Id'), items: 3, entry: 22 })
      const today = dateOf(newest?.timestamp ?? 0)
      expect(readEntries(await ask(secret, `${usage}?day=${today}`))).toEqual(
        entries.filter(({ timestamp }) => dateOf(timestamp) === today),
      )
      expect((await ask(secret, `${usage}?day=2020-02-29`)).total).toBe(14)
      expect(readSums(await ask(secret, days))).toEqual(sumUp(entries, endpointOf))
    })
  })

  test('below a base path names the paths and endpoints of the contract, and links to itself', async () => {
    const mounted = await startTestService(kind, { baseUrl: 'https://api.example.com/public-api' })
    try {
      const { secret } = await mounted.createKey({ credits: 100 })
      await mounted.request('/users/ngoldberg', { key: secret })
      const page = readListAnswer(await mounted.request(`${usage}?per_page=1`, { key: secret }))
      expect(readEntries(page)).toMatchObject([{ path: '/users/ngoldberg', method: 'GET' }])
      expect(page.links.get('next')?.href).toBe(
        'https://api.example.com/public-api/api-key/usage?page=2&per_page=1&after=2',
      )
      const sums = readSums(readListAnswer(await mounted.request(days, { key: secret })))
      expect(sums).toMatchObject([{ endpoint: '/users/{login}', requests: 1, items: 1, cost: 1 }])
    } finally {
      await mounted.close()
    }
  })
})
