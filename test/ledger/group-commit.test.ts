import { afterEach, expect, test } from 'vitest'
import { createGroupCommit } from '../../api/ledger/group-commit.ts'
import { deleteKey, revokeKey, setRateLimit } from '../../api/ledger/keys.ts'
import { describeOnEachDatabase, startTestService, useService } from '../support/service.ts'
import { countStatuses, createSettleRequest, expectBalanced, repeat } from '../support/settlements.ts'

describeOnEachDatabase('requests that are settled together', (kind) => {
  // Two connections for settlements: no group runs beside a late one, which it might overtake on a slow machine.
  const service = useService(kind, { databasePoolSize: 4 })
  afterEach(() => expectBalanced(service))

  const lookUp = (secret: string, headers: Record<string, string> = {}) =>
    service.request('/users/ngoldberg', { key: secret, headers })

  test('succeed if one of them has a revoked or deleted key, which alone is 401', async () => {
    const good = await service.createKey()
    for (const end of [revokeKey, deleteKey]) {
      for (const rateLimit of [null, { requests: 5, seconds: 60 }]) {
        const ended = await service.createKey()
        await lookUp(ended.secret) // now cached
        await setRateLimit(service.sql, ended.id, rateLimit)
        await end(service.sql, ended.id)
        const responses = await Promise.all(
          repeat(
            40,
            async (index) => [index % 2, await lookUp(index % 2 === 0 ? good.secret : ended.secret)] as const,
          ),
        )
        const statusesOf = (place: number) =>
          countStatuses(responses.filter(([half]) => half === place).map(([, response]) => response))
        expect([rateLimit, statusesOf(0), statusesOf(1)]).toEqual([rateLimit, { 200: 20 }, { 401: 20 }])
      }
    }
  })

  test('get each their own response if the key of one has no row any more', async () => {
    const { sql } = service
    const good = await service.createKey({ credits: 1_000 })
    const gone = await service.createKey()
    await lookUp(gone.secret) // the instance knows it from now on; then the database is that of an older backup
    await sql`delete from api_key_secrets where api_key_id = ${gone.id}`
    await sql`delete from ledger where api_key_id = ${gone.id}`
    await sql`delete from api_keys where id = ${gone.id}`
    const { settle } = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const settlements = await Promise.all([
      ...repeat(3, () => settle(createSettleRequest(gone, 1))),
      ...repeat(3, () => settle(createSettleRequest(good, 2))),
      settle(createSettleRequest(gone, 1)),
    ])
    expect(settlements).toMatchObject([
      ...repeat(3, () => ({ outcome: 'unusable', charged: 0 })),
      ...repeat(3, (index) => ({ outcome: 'settled', charged: 2, balance: 998 - index * 2 })),
      { outcome: 'unusable', charged: 0 },
    ])
    expect((await lookUp(gone.secret)).status).toBe(401)
  })

  test('leave no dead rows of keys, however many they are', async () => {
    const { sql } = service
    const plain = await service.createKey()
    const limited = await service.createKey({ rateLimit: { requests: 1_000, seconds: 3600 } })
    await Promise.all([lookUp(plain.secret), lookUp(limited.secret)])
    await sql`update api_keys set last_used_at = now() + interval '1 hour' where id in (${plain.id}, ${limited.id})`
    const readPlaces = () =>
      sql`select id, ctid::text from api_keys where id in (${plain.id}, ${limited.id}) order by id`
    const before = await readPlaces()
    for (let round = 0; round < 3; round++) {
      const responses = repeat(20, (index) => lookUp((index % 2 === 0 ? plain : limited).secret))
      expect(countStatuses(await Promise.all(responses))).toEqual({ 200: 20 })
    }
    expect(await readPlaces()).toEqual(before)
    expect(await sql`select from ledger_days where api_key_id = ${plain.id}`).toHaveLength(0)
    expect(await sql`select requests from rate_limit_windows where api_key_id = ${limited.id}`).toEqual([
      { requests: 31 },
    ])
  })

  test('succeed if one of them has an expired key whose limit was never used', async () => {
    const [good, expired] = [await service.createKey(), await service.createKey()]
    await lookUp(expired.secret)
    await setRateLimit(service.sql, expired.id, { requests: 5, seconds: 60 })
    await service.sql`update api_keys set expires_at = now() where id = ${expired.id}`
    const responses = await Promise.all([good, expired, good, expired].map(({ secret }) => lookUp(secret)))
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 200, 401])
  })

  test('succeed whatever one of their clients sends', async () => {
    const good = await service.createKey()
    const odd = await service.createKey()
    const strange: [path: string, headers?: Record<string, string>, method?: string][] = [
      ['/users/%00'],
      ['/users/a%00b?per_page=1'],
      ['/users?location=%00'],
      ['/users?location=%ED%A0%80'],
      ['/users?location=\ud800'],
      ['/users/\udfff'],
      ['/repos/a/\ud800\ud800'],
      ['/users?location=\uffff%EF%BF%BF'],
      ['/users?location=%5Cu0000&per_page=1'],
      ['/users/%5Cu0000'],
      [`/users/${'a'.repeat(100)}`],
      [`/users/${'%61'.repeat(100)}`],
      [`/users/${'a'.repeat(100_000)}`],
      [`/users?per_page=1&x=${'y'.repeat(200_000)}`],
      [`/users?per_page=1&x=${'y'.repeat(300_000)}`],
      ['/users?per_page=1&x=%00'],
      ["/users/o'reilly"],
      ['/users/%22%7D%5D'],
      ['/users/ngoldberg', { 'Idempotency-Key': 'x'.repeat(255) }],
      ['/users/ngoldberg', { 'Idempotency-Key': 'x'.repeat(1_000_000) }],
      ['/users/ngoldberg', { 'Idempotency-Key': '\\u0000' }],
      ['/users/ngoldberg', { 'Idempotency-Key': '"}],\'--' }],
      ['/users/ngoldberg', { 'Max-Credits': '9007199254740991' }],
      ['/users/ngoldberg', { 'Max-Credits': '9'.repeat(100) }],
      ['/users/ngoldberg', { 'If-None-Match': '"'.repeat(100_000) }],
      ['/users?page=90071992547409&per_page=100'],
      ['/users?page=9007199254740991&per_page=1'],
      ['/users?per_page=1', { 'Idempotency-Key': 'head' }, 'HEAD'],
      [`/repos/${'%2e'.repeat(50)}/a/commits`],
      ['/api-key/usage?day=%00'],
      ['/api-key/usage?page=9007199254740991&per_page=1'],
      ['/api-key/usage/days?page=9007199254740991&per_page=1'],
    ]
    for (let round = 0; round < 3; round++) {
      const [ordinary, responses] = await Promise.all([
        Promise.all(repeat(100, () => lookUp(good.secret))),
        Promise.all(
          strange.map(([path, headers = {}, method = 'GET']) =>
            service.request(path, { method, key: odd.secret, headers }),
          ),
        ),
      ])
      expect(countStatuses(ordinary)).toEqual({ 200: 100 })
      const failed = responses.flatMap(({ status }, index) =>
        status >= 500 ? [[status, strange[index]?.[0].slice(0, 60)]] : [],
      )
      expect(failed).toEqual([])
    }
    expect(await service.readLedger(good.id)).toMatchObject({ charged: 300 })
  })

  test('get each their own response: to pay for, too expensive, over the limit, or unauthorized', async () => {
    const rich = await service.createKey({ credits: 1_000 })
    const poor = await service.createKey({ credits: 7 })
    const limited = await service.createKey({ credits: 1_000, rateLimit: { requests: 5, seconds: 3600 } })
    const revoked = await service.createKey()
    const admin = await service.createKey({ role: 'admin', credits: 0 })
    await lookUp(revoked.secret)
    await revokeKey(service.sql, revoked.id)
    const keys = [rich, poor, limited, revoked, admin]
    const responses = await Promise.all(repeat(100, (index) => lookUp(keys[index % 5]?.secret ?? '')))
    const statusesOf = (place: number) => countStatuses(responses.filter((_, index) => index % 5 === place))
    expect(keys.map((_, place) => statusesOf(place))).toEqual([
      { 200: 20 },
      { 200: 7, 403: 13 },
      { 200: 5, 429: 15 },
      { 401: 20 },
      { 200: 20 },
    ])
    expect(await service.readLedger(rich.id)).toMatchObject({ charged: 20 })
    expect(await service.readLedger(poor.id)).toMatchObject({ charged: 7 })
    expect(await service.readLedger(limited.id)).toMatchObject({ charged: 5 })
    expect(await service.readLedger(admin.id)).toMatchObject({ charged: 0 })
  })

  test('are settled in the order of arrival for each key', async () => {
    const keys = await Promise.all(repeat(5, () => service.createKey({ credits: 300 })))
    const { settle } = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const settlements = await Promise.all(
      repeat(1_000, async (index) => {
        const key = keys[index % 5]
        if (key === undefined) throw new Error('there is no key')
        return { place: index % 5, ...(await settle(createSettleRequest(key, (index % 3) + 1))) }
      }),
    )
    for (const [place] of keys.entries()) {
      let balance = 300
      for (const [index, settlement] of settlements.filter((one) => one.place === place).entries()) {
        const cost = ((index * 5 + place) % 3) + 1
        const outcome = cost <= balance ? 'settled' : 'insufficient'
        if (outcome === 'settled') balance -= cost
        expect(settlement).toMatchObject({ outcome, balance })
      }
    }
  })

  test('are 503 and reported by /health while charges can’t be recorded, and quotes are served', async () => {
    const { sql } = service
    const { secret, id } = await service.createKey()
    const path = '/users?per_page=3'
    expect((await service.request(path, { key: secret })).status).toBe(200)
    await sql`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'disk full' using errcode = 'disk_full'; end $$`
    await sql`create trigger refuse before insert on ledger execute function refuse()`
    try {
      const responses = await Promise.all(repeat(3, () => service.request(path, { key: secret })))
      expect(countStatuses(responses)).toEqual({ 503: 3 })
      expect((await service.request('/health')).status).toBe(503)
      expect((await service.request(path, { key: secret, method: 'HEAD' })).status).toBe(200)
    } finally {
      await sql`drop function refuse cascade`
    }
    expect((await service.request(path, { key: secret })).status).toBe(200)
    expect(await service.readLedger(id)).toMatchObject({ charged: 6 })
  })

  test('are charged once for a page that was read slowly', async () => {
    if (kind === 'embedded') return // its one session can't wait for a lock
    const { secret, id } = await service.createKey()
    expect((await service.request('/users?per_page=3', { key: secret })).status).toBe(200)
    let pages: Promise<{ status: number }[]> | undefined
    await service.sql.begin(async (tx) => {
      await tx`lock table users in access exclusive mode`
      pages = Promise.all(repeat(5, () => service.request('/users?per_page=3', { key: secret })))
      await tx`select pg_sleep(0.3)`
    })
    expect((await pages)?.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await service.readLedger(id)).toMatchObject({ charged: 18 })
  })

  test('are charged only if their own client is connected', async () => {
    const key = await service.createKey({ credits: 100 })
    const { settle } = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const gone = AbortSignal.abort()
    const settlements = await Promise.allSettled(
      repeat(20, (index) =>
        settle(createSettleRequest(key, 1, index % 2 === 0 ? gone : new AbortController().signal)),
      ),
    )
    expect(settlements).toMatchObject(
      repeat(20, (index) =>
        index % 2 === 0
          ? { reason: { name: 'ClientGoneError' } }
          : { value: { outcome: 'settled', balance: 100 - (index + 1) / 2 } },
      ),
    )
    await expect(settle(createSettleRequest(key, 1, gone))).rejects.toThrow(
      'the client closed its connection',
    )
    expect(await service.readLedger(key.id)).toMatchObject({ charged: 10 })
  })

  test.each([1, 3])(
    'are charged exactly by the thousand through a pool of %i',
    async (databasePoolSize) => {
      const small = await startTestService(kind, { databasePoolSize })
      try {
        const keys = await Promise.all(
          repeat(40, (index) => small.createKey({ credits: index < 5 ? 50 : 10_000 })),
        )
        let served = 0
        for (let round = 0; round < 2; round++) {
          const responses = await Promise.all(
            repeat(1_000, (index) => {
              const { secret } = keys[(index * index) % 40] ?? { secret: '' }
              return small.request(index % 10 === 0 ? '/users?per_page=3' : '/users/ngoldberg', {
                key: secret,
              })
            }),
          )
          for (const { status, headers, text } of responses) {
            expect([200, 403]).toContain(status)
            served += Number(headers.get('X-Credits-Cost'))
            if (status === 403) expect(text).toContain('insufficient credits')
          }
        }
        const [sums] = await small.sql<{ charged: number; spent: number }[]>`
        select (select sum(cost) from ledger)::integer as charged,
          (select sum(granted) from ledger)::integer - (select sum(credits) from balances)::integer as spent`
        expect(sums).toEqual({ charged: served, spent: served })
        await expectBalanced(small)
      } finally {
        await small.close()
      }
    },
    300_000,
  )
})
