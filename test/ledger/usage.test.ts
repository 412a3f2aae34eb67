import { expect, test } from 'vitest'
import { grantCredits } from '../../api/ledger/keys.ts'
import { readListResponse } from '../support/list-response.ts'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'
import {
  daysPath,
  readEntries,
  readPage,
  readPages,
  readSums,
  sumUp,
  usagePath,
  writeLedger,
} from '../support/usage.ts'

describeOnOneDatabase('the usage of a key', (kind) => {
  const service = useService(kind)

  const ask = (secret: string, path: string) => readPage(service, secret, path)

  test('lists exactly what was charged and granted, newest first', async () => {
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
        reference: null,
        balance: 500,
      },
    ]
    let balance = 500
    const before = Math.floor(Date.now() / 1000)
    for (const [path, items, cost = items] of [
      ['/users?per_page=3', 3],
      ['/users/ngoldberg', 1],
      ['/users/NGoldberg', 1],
      ['/users/nobody-has-this-login', 0, 1],
      ['/repos?per_page=7&page=2', 7],
      [busyRepository, 1],
      [`${busyRepository}/commits?per_page=4`, 4],
      [`${busyRepository}/dependencies?per_page=2`, 2],
    ] as const) {
      const response = await service.request(path, { key: secret })
      balance -= cost
      expected.unshift({
        kind: 'charge',
        request_id: response.headers.get('X-Request-Id'),
        method: 'GET',
        // A name that nobody has is not recorded.
        path: path === '/users/nobody-has-this-login' ? '/users/{login}' : path.replace(/\?.*/, ''),
        items,
        cost,
        granted: 0,
        reference: null,
        balance,
      })
    }
    for (const [granted, reference] of [
      [100, null],
      [-250, 'a refund'],
      [0, null],
      [30, 'top-up 2026-01'],
    ] as const) {
      await grantCredits(service.sql, id, granted, reference)
      balance += granted
      expected.unshift({
        kind: 'grant',
        request_id: null,
        method: null,
        path: null,
        items: null,
        cost: 0,
        granted,
        reference,
        balance,
      })
    }
    const after = Math.ceil(Date.now() / 1000)
    const page = await ask(secret, usagePath)
    expect(page.total).toBe(expected.length)
    const entries = readEntries(page)
    expect(entries.map(({ entry: _entry, timestamp: _timestamp, ...rest }) => rest)).toEqual(expected)
    expect(entries.map(({ entry }) => entry)).toEqual(expected.map((_, index) => expected.length - index))
    for (const { timestamp } of entries) {
      expect(timestamp).toBeGreaterThanOrEqual(before - 1) // the database's clock
      expect(timestamp).toBeLessThanOrEqual(after + 1)
    }
  })

  test('has the endpoint in place of a name that nobody has, however the request is charged', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    const path = '/users/nobody-has-this-login'
    for (const headers of [{ 'If-None-Match': '"a"' }, { 'Idempotency-Key': 'b' }]) {
      await service.request(path, { key: secret, headers })
    }
    await service.request('/users/ngoldberg', { key: secret, headers: { 'If-None-Match': '"a"' } })
    const entries = readEntries(await ask(secret, usagePath))
    expect(entries.map((entry) => entry.path)).toEqual([
      '/users/ngoldberg',
      '/users/{login}',
      '/users/{login}',
      null,
    ])
  })

  test('has no entry for free responses: errors, HEAD, 304, empty pages, repetitions, refusals', async () => {
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
      [usagePath, {}],
      [daysPath, {}],
    ] as const)
      await service.request(path, { key: secret, ...options })
    const entries = readEntries(await ask(secret, usagePath))
    expect(entries.map(({ entry, cost, balance }) => [entry, cost, balance])).toEqual([
      [2, 1, 9],
      [1, 0, 10],
    ])
  })

  test('has a response’s entry from the response on', async () => {
    const { secret } = await service.createKey({ credits: 100 })
    for (let round = 0; round < 20; round++) {
      const response = await service.request('/users/ngoldberg', { key: secret })
      const [newest] = readEntries(await ask(secret, `${usagePath}?per_page=1`))
      expect(newest?.request_id).toBe(response.headers.get('X-Request-Id'))
    }
  })

  test('has an entry for each of many concurrent requests, with balances that decrease by the costs', async () => {
    const { secret } = await service.createKey({ credits: 1_000 })
    const responses = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        service.request(`/users?per_page=${(index % 4) + 1}`, { key: secret }),
      ),
    )
    const entries = (await readPages(service, secret, `${usagePath}?per_page=100`)).flatMap(readEntries)
    const charges = entries.filter(({ kind }) => kind === 'charge')
    const told = new Map(
      responses.map(({ headers }) => [
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
    const sums = readSums(await ask(secret, daysPath))
    expect(sums).toEqual(sumUp(entries))
  })

  test('is exact by day, also after a thousand more entries were summed up', async () => {
    const { secret, id } = await service.createKey()
    await writeLedger(service, id, { start: '2026-03-01T00:00:00Z', step: 1, charges: 990 })
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 5 }, () => service.request('/users/ngoldberg', { key: secret })))
      const entries = (await readPages(service, secret, `${usagePath}?per_page=100`)).flatMap(readEntries)
      expect(readSums(await ask(secret, daysPath))).toEqual(sumUp(entries))
    }
    const [row] = await service.sql`select summed_position(${id}) as folded`
    expect(row?.folded).toBeGreaterThanOrEqual(1_000)
  })

  test('is free, and needs neither credits nor a scope', async () => {
    const { secret, id } = await service.createKey({ credits: 0, scopes: [] })
    for (const path of [
      usagePath,
      `${usagePath}?per_page=100`,
      daysPath,
      `${usagePath}?page=0`,
      `${daysPath}?day=never`,
    ]) {
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
    for (const path of [usagePath, daysPath, `${usagePath}?page=0`, usagePath, daysPath]) {
      statuses.push((await service.request(path, { key: secret })).status)
    }
    expect(statuses).toEqual([200, 200, 400, 429, 429])
  })

  test('needs a valid key', async () => {
    for (const path of [usagePath, daysPath]) {
      expect((await service.request(path)).status).toBe(401)
      expect((await service.request(path, { key: '00000000-0000-4000-8000-000000000000' })).status).toBe(401)
    }
  })

  test('has the headers of GET, and no body, for HEAD', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(service, id, { start: '2030-05-01T00:00:00Z', step: 1, charges: 40 })
    for (const path of [`${usagePath}?per_page=7&page=2`, `${daysPath}?day=2030-05-01&per_page=1`]) {
      const head = await service.request(path, { method: 'HEAD', key: secret })
      const response = await service.request(path, { key: secret })
      expect([path, head.status, head.text]).toEqual([path, 200, ''])
      for (const name of ['Link', 'X-Total-Count', 'Content-Type', 'Cache-Control', 'X-Credits-Cost']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, response.headers.get(name)])
      }
    }
  })

  test('never has an entry of another key, whatever its role', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        service.createKey({ credits: 1_000 + index, ...(index === 4 && { role: 'admin' }) }),
      ),
    )
    const requests = keys.map(() => new Set<string | null>())
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const place = index % 5
        const response = await service.request('/users?per_page=2', { key: keys[place]?.secret })
        if (place !== 4) requests[place]?.add(response.headers.get('X-Request-Id'))
      }),
    )
    for (const [place, { secret }] of keys.entries()) {
      const entries = (await readPages(service, secret, `${usagePath}?per_page=30`)).flatMap(readEntries)
      const charges = entries.filter(({ kind }) => kind === 'charge')
      expect(new Set(charges.map(({ request_id }) => request_id))).toEqual(requests[place])
      expect(entries.at(-1)).toMatchObject({ kind: 'grant', granted: 1_000 + place })
      expect(readSums(await ask(secret, daysPath))).toEqual(sumUp(entries))
    }
  })

  test('has paths without the base path in its entries, and with it in its links', async () => {
    const mounted = await startTestService(kind, { baseUrl: 'https://api.example.com/public-api' })
    try {
      const { secret } = await mounted.createKey({ credits: 100 })
      await mounted.request('/users/ngoldberg', { key: secret })
      const page = readListResponse(await mounted.request(`${usagePath}?per_page=1`, { key: secret }))
      expect(readEntries(page)).toMatchObject([{ path: '/users/ngoldberg', method: 'GET' }])
      expect(page.links.get('next')?.href).toBe(
        'https://api.example.com/public-api/api-key/usage?page=2&per_page=1&after=2',
      )
      const sums = readSums(readListResponse(await mounted.request(daysPath, { key: secret })))
      expect(sums).toMatchObject([{ endpoint: '/users/{login}', requests: 1, items: 1, cost: 1 }])
    } finally {
      await mounted.close()
    }
  })
})
