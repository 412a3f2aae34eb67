/**
 * Requests that are settled together, each for itself: what one of them meets, the others do not feel.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { hashSecret } from '../api/ledger/api-key.ts'
import { createGroupCommit } from '../api/ledger/group-commit.ts'
import { deleteKey, restoreKey, revokeKey, setRateLimit } from '../api/ledger/keys.ts'
import type { SettleRequest } from '../api/ledger/settle.ts'
import { createInstance, type Instance, openSameDatabase } from './support/instance.ts'
import { describeOnServer } from './support/server.ts'
import { type Answer, describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

/** The statuses of some answers and how often each came. */
function countStatuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Every key's balance is what was granted less what was charged. */
async function expectBalanced(service: TestService): Promise<void> {
  const wrong = await service.sql`
    select api_key_id from balances b left join ledger l using (api_key_id)
    group by api_key_id, credits, last_position
    having credits <> coalesce(sum(granted - cost), 0) or last_position <> count(l.position)
    union all
    select id from api_keys k
    where (select coalesce(sum(cost), 0) from ledger where api_key_id = id)
      <> (select coalesce(sum(cost), 0) from usage_days(id))`
  expect(wrong).toEqual([])
}

describeOnEachDatabase('requests that are settled together', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterEach(() => expectBalanced(service))
  afterAll(() => service.close())

  const lookUp = (secret: string, headers: Record<string, string> = {}) =>
    service.request('/users/ngoldberg', { key: secret, headers })

  test('do not fail because one is of a key that can no longer be used', async () => {
    const good = await service.createKey()
    for (const end of [revokeKey, deleteKey]) {
      for (const rateLimit of [null, { requests: 5, seconds: 60 }]) {
        const ended = await service.createKey()
        await lookUp(ended.secret) // the instance knows it from now on
        await setRateLimit(service.sql, ended.id, rateLimit)
        await end(service.sql, ended.id)
        const answers = await Promise.all(
          repeat(
            40,
            async (index) => [index % 2, await lookUp(index % 2 === 0 ? good.secret : ended.secret)] as const,
          ),
        )
        const statusesOf = (place: number) =>
          countStatuses(answers.filter(([half]) => half === place).map(([, answer]) => answer))
        expect([rateLimit, statusesOf(0), statusesOf(1)]).toEqual([rateLimit, { 200: 20 }, { 401: 20 }])
      }
    }
  })

  test('get each its own answer when one is of a key that is not there any more', async () => {
    const { sql } = service
    const good = await service.createKey({ credits: 1_000 })
    const gone = await service.createKey()
    await lookUp(gone.secret) // the instance knows it from now on; then the database is that of an older backup
    await sql`delete from api_key_secrets where api_key_id = ${gone.id}`
    await sql`delete from ledger where api_key_id = ${gone.id}`
    await sql`delete from api_keys where id = ${gone.id}`
    const settle = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const settlements = await Promise.all([
      ...repeat(3, () => settle(createChargeRequest(gone, 1))),
      ...repeat(3, () => settle(createChargeRequest(good, 2))),
      settle(createChargeRequest(gone, 1)),
    ])
    expect(settlements).toMatchObject([
      ...repeat(3, () => ({ outcome: 'unusable', charged: 0 })),
      ...repeat(3, (index) => ({ outcome: 'settled', charged: 2, balance: 998 - index * 2 })),
      { outcome: 'unusable', charged: 0 },
    ])
    expect((await lookUp(gone.secret)).status).toBe(401)
  })

  test('leave no old versions of rows that the next must pass, however many they are', async () => {
    const { sql } = service
    const plain = await service.createKey()
    const limited = await service.createKey({ rateLimit: { requests: 1_000, seconds: 3600 } })
    await Promise.all([lookUp(plain.secret), lookUp(limited.secret)])
    await sql`update api_keys set last_used_at = now() + interval '1 hour' where id in (${plain.id}, ${limited.id})`
    const readPlaces = () =>
      sql`select id, ctid::text from api_keys where id in (${plain.id}, ${limited.id}) order by id`
    const before = await readPlaces()
    for (let round = 0; round < 3; round++) {
      const answers = repeat(20, (index) => lookUp((index % 2 === 0 ? plain : limited).secret))
      expect(countStatuses(await Promise.all(answers))).toEqual({ 200: 20 })
    }
    expect(await readPlaces()).toEqual(before)
    expect(await sql`select from ledger_days where api_key_id = ${plain.id}`).toHaveLength(0)
    // Where a key stands in its window is a row in the place of the one before.
    expect(await sql`select requests from rate_limit_windows where api_key_id = ${limited.id}`).toEqual([
      { requests: 31 },
    ])
  })

  test('do not fail because a key expired while its limit was never used', async () => {
    const [good, expired] = [await service.createKey(), await service.createKey()]
    await lookUp(expired.secret)
    await setRateLimit(service.sql, expired.id, { requests: 5, seconds: 60 })
    await service.sql`update api_keys set expires_at = now() where id = ${expired.id}`
    const answers = await Promise.all([good, expired, good, expired].map(({ secret }) => lookUp(secret)))
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 401])
  })

  test('do not fail because of anything that a client sends', async () => {
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
      const [ordinary, answers] = await Promise.all([
        Promise.all(repeat(100, () => lookUp(good.secret))),
        Promise.all(
          strange.map(([path, headers = {}, method = 'GET']) =>
            service.request(path, { method, key: odd.secret, headers }),
          ),
        ),
      ])
      expect(countStatuses(ordinary)).toEqual({ 200: 100 })
      const failed = answers.flatMap(({ status }, index) =>
        status >= 500 ? [[status, strange[index]?.[0].slice(0, 60)]] : [],
      )
      expect(failed).toEqual([])
    }
    expect(await service.readLedger(good.id)).toMatchObject({ charged: 300 })
  })

  test('are each answered for themselves: those who can pay, who can’t, and who may not', async () => {
    const rich = await service.createKey({ credits: 1_000 })
    const poor = await service.createKey({ credits: 7 })
    const limited = await service.createKey({ credits: 1_000, rateLimit: { requests: 5, seconds: 3600 } })
    const revoked = await service.createKey()
    const admin = await service.createKey({ role: 'admin', credits: 0 })
    await lookUp(revoked.secret)
    await revokeKey(service.sql, revoked.id)
    const keys = [rich, poor, limited, revoked, admin]
    const answers = await Promise.all(repeat(100, (index) => lookUp(keys[index % 5]?.secret ?? '')))
    const statusesOf = (place: number) => countStatuses(answers.filter((_, index) => index % 5 === place))
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

  test('are settled in the order of coming, those of a key', async () => {
    const keys = await Promise.all(repeat(5, () => service.createKey({ credits: 300 })))
    const settle = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const settlements = await Promise.all(
      repeat(1_000, async (index) => {
        const key = keys[index % 5]
        if (key === undefined) throw new Error('there is no key')
        return { place: index % 5, ...(await settle(createChargeRequest(key, (index % 3) + 1))) }
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

  test('are charged if their clients are there, whoever else of the group is gone', async () => {
    const key = await service.createKey({ credits: 100 })
    const settle = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const gone = AbortSignal.abort()
    const settlements = await Promise.allSettled(
      repeat(20, (index) =>
        settle(createChargeRequest(key, 1, index % 2 === 0 ? gone : new AbortController().signal)),
      ),
    )
    expect(settlements).toMatchObject(
      repeat(20, (index) =>
        index % 2 === 0
          ? { reason: { name: 'ClientGoneError' } }
          : { value: { outcome: 'settled', balance: 100 - (index + 1) / 2 } },
      ),
    )
    await expect(settle(createChargeRequest(key, 1, gone))).rejects.toThrow(
      'the client closed its connection',
    )
    expect(await service.readLedger(key.id)).toMatchObject({ charged: 10 })
  })

  test.each([1, 3])(
    'stay exact by the thousand through a pool of %i',
    async (databasePoolSize) => {
      const small = await startTestService(kind, { databasePoolSize })
      try {
        const keys = await Promise.all(
          repeat(40, (index) => small.createKey({ credits: index < 5 ? 50 : 10_000 })),
        )
        let served = 0
        for (let round = 0; round < 2; round++) {
          const answers = await Promise.all(
            repeat(1_500, (index) => {
              const { secret } = keys[(index * index) % 40] ?? { secret: '' }
              return small.request(index % 10 === 0 ? '/users?per_page=3' : '/users/ngoldberg', {
                key: secret,
              })
            }),
          )
          for (const { status, headers, text } of answers) {
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

/** What a request of a key asks of the ledger. */
function createChargeRequest(
  key: { id: number; secret: string },
  cost: number,
  signal?: AbortSignal,
): SettleRequest {
  return {
    ...(signal && { signal }),
    keyId: key.id,
    secretHash: hashSecret(key.secret),
    isCounted: true,
    version: null,
    charge: {
      cost,
      maxCredits: null,
      items: cost,
      requestId: randomUUID(),
      path: '/users',
      endpoint: '/users',
      idempotency: null,
    },
    lookUp: null,
  }
}

describeOnServer('while somebody else holds a key’s row', () => {
  let service: TestService
  let other: Instance
  /** Ends what a test holds, also when it fails. */
  const releases: (() => Promise<void>)[] = []
  let operator: Awaited<ReturnType<typeof openSameDatabase>>
  let otherDatabase: Awaited<ReturnType<typeof openSameDatabase>>
  beforeAll(async () => {
    service = await startTestService('postgresql')
    operator = await openSameDatabase(service)
    otherDatabase = await openSameDatabase(service)
    other = createInstance(otherDatabase)
  })
  afterEach(async () => {
    await Promise.all(releases.splice(0).map((release) => release()))
    await expectBalanced(service)
  })
  afterAll(async () => {
    await operator.close()
    await otherDatabase.close()
    await service.close()
  })

  const lookUp = (secret: string) => service.request('/users/ngoldberg', { key: secret })

  /** Locks rows of keys, as an operator's transaction does, until the returned function is called. */
  async function hold(...ids: number[]): Promise<() => Promise<void>> {
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let markHeld: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      markHeld = resolve
    })
    const transaction = operator.sql.begin(async (tx) => {
      await tx`select from api_keys where id = any(${ids}::integer[]) order by id for update`
      markHeld()
      await released
    })
    await Promise.race([held, transaction])
    const letGo = async () => {
      release()
      await transaction
    }
    releases.push(letGo)
    return letGo
  }

  /** For so long a request waits for its key, in milliseconds. */
  const patience = 5_000

  /**
   * Follows what waits for a held key. It is refused after five seconds, and a machine may stand still for so long: then
   * nobody can say of how many that is true, but that the others are served.
   */
  function watch<T>(requests: readonly Promise<T>[], isRefusal: (end: T) => boolean) {
    const since = performance.now()
    const served: T[] = []
    const ends = requests.map(async (request) => {
      const end = await request
      if (!isRefusal(end)) served.push(end)
    })
    return {
      /** Those that were served so far. */
      served,
      async end(): Promise<void> {
        await Promise.all(ends)
        if (performance.now() - since < patience) expect(served).toHaveLength(requests.length)
      },
    }
  }
  const watchAnswers = (requests: readonly Promise<Answer>[]) =>
    watch(requests, ({ status }) => status === 503)

  /** What was served is 200 and was charged, beside what was `before`, and nothing else was. Each costs a credit. */
  async function expectCharged(keyId: number, served: readonly Answer[], { before = 1 } = {}): Promise<void> {
    expect(served.filter(({ status }) => status !== 200)).toEqual([])
    expect(await service.readLedger(keyId)).toMatchObject({ charged: before + served.length })
  }

  test.each([1, 0])(
    'requests of other keys are answered, and those of that key afterwards, in their order, with %i statements that wait for it',
    async (maxLockWaits) => {
      const keys = await Promise.all(repeat(20, () => service.createKey()))
      const locked = await service.createKey({ credits: 100 })
      const settle = createGroupCommit(service.ledgerSql, { maxLockWaits })
      const release = await hold(locked.id)
      const waiting = watch(
        repeat(30, () =>
          settle(createChargeRequest(locked, 1)).catch((error: unknown) => {
            expect(error).toMatchObject({ code: '55P03' })
          }),
        ),
        (settlement) => settlement === undefined,
      )
      for (let round = 0; round < 5; round++) {
        const settlements = await Promise.all(keys.map((key) => settle(createChargeRequest(key, 2))))
        expect(settlements.map(({ outcome }) => outcome)).toEqual(keys.map(() => 'settled'))
      }
      expect(waiting.served).toEqual([])
      await release()
      await waiting.end()
      expect(waiting.served).toMatchObject(waiting.served.map((_, index) => ({ balance: 99 - index })))
    },
  )

  test('requests of that key whose clients leave meanwhile are not charged', async () => {
    const locked = await service.createKey({ credits: 100 })
    const settle = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const release = await hold(locked.id)
    const first = settle(createChargeRequest(locked, 1)).catch((error: unknown) => {
      expect(error).toMatchObject({ code: '55P03' })
    })
    await expect.poll(() => settle.readState().waitingForLock).toBe(1)
    const clients = new AbortController()
    const others = Promise.allSettled(
      repeat(20, () => settle(createChargeRequest(locked, 1, clients.signal))),
    )
    await expect.poll(() => settle.readState().waitingForLock).toBe(21)
    clients.abort()
    await release()
    const served = await first
    expect((await others).filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(await service.readLedger(locked.id)).toMatchObject({ charged: served === undefined ? 0 : 1 })
  })

  test('requests to the service of other keys are answered, new and known ones, on each instance', async () => {
    const keys = await Promise.all(repeat(20, () => service.createKey()))
    const locked = await service.createKey({ credits: 100 })
    await lookUp(locked.secret)
    const release = await hold(locked.id)
    const waiting = watchAnswers(
      repeat(20, (index) =>
        (index % 2 === 0 ? service : other).request('/users/ngoldberg', { key: locked.secret }),
      ),
    )
    const answers = await Promise.all(
      repeat(200, (index) =>
        (index % 2 === 0 ? service : other).request('/users?per_page=2', { key: keys[index % 20]?.secret }),
      ),
    )
    expect(countStatuses(answers)).toEqual({ 200: 200 })
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    await expectCharged(locked.id, waiting.served)
  })

  test.each([2, 4, 5])(
    'requests of other keys, new ones too, and /health are answered through a pool of %i',
    async (databasePoolSize) => {
      const locked = await service.createKey({ credits: 100 })
      const database = await openSameDatabase(service, { databasePoolSize })
      const instance = createInstance(database)
      const ask = (secret: string) => instance.request('/users/ngoldberg', { key: secret })
      await ask(locked.secret)
      const release = await hold(locked.id)
      const waiting = watchAnswers(repeat(5, () => ask(locked.secret)))
      await sleep(20) // the first of them have found the row locked
      const statuses = await Promise.all(
        repeat(20, async () => {
          const { secret } = await service.createKey()
          const answers = [await ask(secret), await ask(secret), await instance.request('/health')]
          return answers.map(({ status }) => status)
        }),
      )
      expect(statuses).toEqual(repeat(20, () => [200, 200, 200]))
      expect(waiting.served).toEqual([])
      await release()
      await waiting.end()
      await expectCharged(locked.id, waiting.served)
      await database.close()
    },
  )

  test('also when its rate limit was never used, requests of all keys are answered', async () => {
    const locked = await service.createKey({ credits: 100, rateLimit: { requests: 50, seconds: 3600 } })
    const free = await service.createKey()
    await lookUp(free.secret)
    const release = await hold(locked.id)
    const waiting = watchAnswers(repeat(5, () => lookUp(locked.secret)))
    const answers = await Promise.all(repeat(20, () => lookUp(free.secret)))
    await release()
    expect(countStatuses(answers)).toEqual({ 200: 20 })
    await waiting.end()
    await expectCharged(locked.id, waiting.served, { before: 0 })
  })

  test('that key’s thousand requests keep no other key from being answered', async () => {
    const [locked, free] = [await service.createKey({ credits: 5_000 }), await service.createKey()]
    await Promise.all([lookUp(locked.secret), lookUp(free.secret)])
    const release = await hold(locked.id)
    const waiting = watchAnswers(repeat(1_000, () => lookUp(locked.secret)))
    await sleep(20) // the first of them have found the row locked
    expect((await lookUp(free.secret)).status).toBe(200)
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    await expectCharged(locked.id, waiting.served)
  })

  test('several keys’ rows, requests of other keys are answered', async () => {
    const locked = await Promise.all(repeat(10, () => service.createKey({ credits: 100 })))
    const free = await service.createKey()
    const release = await hold(...locked.map(({ id }) => id))
    const waiting = watchAnswers(locked.map(({ secret }) => lookUp(secret)))
    await sleep(20)
    for (let round = 0; round < 20; round++) expect((await lookUp(free.secret)).status).toBe(200)
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    expect(countStatuses(waiting.served)).toEqual({ 200: waiting.served.length })
  })

  test.each([10, 2])(
    'for longer than five seconds, it is 503 with Retry-After, and nothing is charged, through a pool of %i',
    async (databasePoolSize) => {
      const database = await openSameDatabase(service, { databasePoolSize })
      const instance = createInstance(database)
      const lookUp = (secret: string) => instance.request('/users/ngoldberg', { key: secret })
      const locked = await service.createKey({ credits: 100 })
      await lookUp(locked.secret)
      const release = await hold(locked.id)
      const answers = await Promise.all(repeat(10, () => lookUp(locked.secret)))
      await release()
      expect(countStatuses(answers)).toEqual({ 503: 10 })
      for (const { headers, json } of answers) {
        expect(headers.get('Retry-After')).toBe('5')
        expect(json()).toEqual({ error: 'Database unavailable; retry in 5 seconds' })
      }
      expect(await service.readLedger(locked.id)).toMatchObject({ charged: 1 })
      expect((await lookUp(locked.secret)).status).toBe(200)
      expect(await service.readLedger(locked.id)).toMatchObject({ charged: 2 })
      await database.close()
    },
  )

  test('an operator who changes the key is told the balance that is left then', async () => {
    const { id } = await service.createKey({ credits: 100 })
    for (const [round, change] of [revokeKey, restoreKey, deleteKey].entries()) {
      let changed: ReturnType<typeof change> | undefined
      await operator.sql.begin(async (tx) => {
        await tx`select grant_credits(${id}, -5)`
        changed = change(service.sql, id)
        await expect.poll(() => countWaiting(service)).toBe(1)
      })
      expect(await changed).toMatchObject({ id, remaining_credits: 95 - round * 5 })
    }
  })

  test('what is free and takes no lock is answered: its balance, its usage, quotes', async () => {
    const locked = await service.createKey({ credits: 100 })
    await lookUp(locked.secret)
    const release = await hold(locked.id)
    for (const [path, method] of [
      ['/api-key/credits', 'GET'],
      ['/api-key/usage', 'GET'],
      ['/users', 'HEAD'],
      ['/users?page=999', 'GET'],
    ] as const) {
      const answer = await service.request(path, { method, key: locked.secret })
      expect([path, answer.status, answer.headers.get('X-Credits-Remaining')]).toEqual([path, 200, '99'])
    }
    await release()
  })
})

describeOnServer('a settlement that takes longer than its answer is waited for', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('postgresql')
  })
  afterAll(() => service.close())

  test('is 503 and not charged later either, where no session has a limit of time', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const database = await openSameDatabase(service, {
      databaseStatementTimeoutSeconds: 1, // it is given up after 6
      databasePreparedStatements: 'off',
    })
    const instance = createInstance(database)
    // A second is not much for a settlement on a busy machine.
    while ((await instance.request('/users/ngoldberg', { key: secret })).status !== 200);
    await service.sql`create function be_slow() returns trigger language plpgsql as $$
      begin perform pg_sleep(7); return new; end $$`
    await service.sql`create trigger be_slow before insert on ledger for each row execute function be_slow()`
    expect((await instance.request('/users/ngoldberg', { key: secret })).status).toBe(503)
    await expect.poll(() => countSettlements(service)).toBe(0)
    expect(await service.readLedger(id)).toMatchObject({ balance: 99, charged: 1 })
    await service.sql`drop function be_slow cascade`
    await database.close()
  })

  test.each([0, 5, 30])(
    'is canceled by the server after 10 seconds at most, with DATABASE_STATEMENT_TIMEOUT_SECONDS=%i',
    async (databaseStatementTimeoutSeconds) => {
      const { sql, ledgerSql, close } = await openSameDatabase(service, { databaseStatementTimeoutSeconds })
      const limits = await Promise.all([sql, ledgerSql].map((pool) => pool`show statement_timeout`))
      const inWords = (seconds: number) => ({ statement_timeout: seconds === 0 ? '0' : `${seconds}s` })
      expect(limits.flat()).toEqual([
        inWords(databaseStatementTimeoutSeconds),
        inWords(Math.min(databaseStatementTimeoutSeconds || 10, 10)),
      ])
      await close()
    },
  )
})

/** Statements that wait for somebody else's lock at this moment. */
async function countWaiting({ sql }: TestService): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count
}

/** Statements that settle a group at this moment. */
async function countSettlements({ sql }: TestService): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%settle(%' and pid <> pg_backend_pid()`
  return row?.count
}
