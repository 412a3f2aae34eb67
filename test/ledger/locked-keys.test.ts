import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createGroupCommit } from '../../api/ledger/group-commit.ts'
import { deleteKey, restoreKey, revokeKey } from '../../api/ledger/keys.ts'
import type { Settlement, Stale } from '../../api/ledger/settlement.ts'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { createInstance, type Instance, openSameDatabase } from '../support/instance.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import { type TestResponse, type TestService, useService } from '../support/service.ts'
import { countStatuses, createSettleRequest, expectBalanced, repeat } from '../support/settlements.ts'
import { useStarted } from '../support/suite.ts'

describeOnServer('while a key’s row is locked', () => {
  const service = useService('postgresql')
  let other: Instance
  /** Ends what a test holds, also when it fails. */
  const releases: (() => Promise<void>)[] = []
  const operator = useStarted(() => openSameDatabase(service))
  const otherDatabase = useStarted(() => openSameDatabase(service))
  beforeAll(async () => {
    other = createInstance(otherDatabase)
  })
  afterEach(async () => {
    await Promise.all(releases.splice(0).map((release) => release()))
    await expectBalanced(service)
  })

  const lookUp = (secret: string) => service.request('/users/ngoldberg', { key: secret })

  /** Locks rows of keys until the returned function is called. */
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

  const lockTimeoutMs = 5_000

  /**
   * Follows requests that wait for a locked key. After five seconds they are refused. A slow machine may take so long:
   * then the number of refused requests is unknown, and only the others must be served.
   */
  function watch<T>(requests: readonly Promise<T>[], isRefusal: (end: T) => boolean) {
    const since = performance.now()
    const served = new Map<number, T>() // by place
    const ends = requests.map(async (request, place) => {
      const end = await request
      if (!isRefusal(end)) served.set(place, end)
    })
    return {
      /** Those that were served so far, in the order of arrival. */
      get served(): T[] {
        return requests.flatMap((_, place) => served.get(place) ?? [])
      },
      async end(): Promise<void> {
        await Promise.all(ends)
        if (performance.now() - since < lockTimeoutMs) expect(served.size).toBe(requests.length)
      },
    }
  }
  const watchSettlements = (requests: readonly Promise<Settlement | Stale>[]) =>
    watch(requests.map(orRefusal), (settlement) => settlement === undefined)
  const watchResponses = (requests: readonly Promise<TestResponse>[]) =>
    watch(requests, ({ status }) => status === 503)

  /** Undefined: the lock wait timed out. */
  const orRefusal = (settlement: Promise<Settlement | Stale>) =>
    settlement.catch((error: unknown) => {
      expect(error).toMatchObject({ code: '55P03' })
    })

  /** Expects that the key was charged a credit for each of these, and for `before` others. */
  async function expectCharged(
    keyId: number,
    served: readonly TestResponse[],
    { before = 1 } = {},
  ): Promise<void> {
    expect(served.filter(({ status }) => status !== 200)).toEqual([])
    expect(await service.readLedger(keyId)).toMatchObject({ charged: before + served.length })
  }

  test.each([1, 0])(
    'requests of other keys are settled, and those of that key afterwards, in order, with %i statements that wait for the lock',
    async (maxLockWaits) => {
      const keys = await Promise.all(repeat(20, () => service.createKey()))
      const locked = await service.createKey({ credits: 100 })
      const { settle } = createGroupCommit(service.ledgerSql, { maxLockWaits })
      const release = await hold(locked.id)
      const waiting = watchSettlements(repeat(30, () => settle(createSettleRequest(locked, 1))))
      for (let round = 0; round < 5; round++) {
        const settlements = await Promise.all(keys.map((key) => settle(createSettleRequest(key, 2))))
        expect(settlements.map(({ outcome }) => outcome)).toEqual(keys.map(() => 'settled'))
      }
      expect(waiting.served).toEqual([])
      await release()
      await waiting.end()
      expect(waiting.served).toMatchObject(waiting.served.map((_, index) => ({ balance: 99 - index })))
    },
  )

  test('requests that arrived before the lock was found, and those that arrive later, queue behind the first', async () => {
    const locked = await service.createKey({ credits: 5_000 })
    const other = await service.createKey()
    // Two connections for settlements: no group runs beside a late one, which it might overtake on a slow machine.
    const database = await openSameDatabase(service, { databasePoolSize: 4 })
    releases.push(() => database.close())
    const { settle, readState } = createGroupCommit(database.ledgerSql, { maxLockWaits: 1 })
    const releaseOther = await hold(other.id)
    // This one has the only lock wait, so that the requests of the locked key queue.
    const first = orRefusal(settle(createSettleRequest(other, 1)))
    await expect.poll(() => readState().waitingForLock).toBe(1)
    const release = await hold(locked.id)
    const found = Promise.withResolvers<void>()
    const ask = () => settle(createSettleRequest(locked, 1), found.resolve)
    const early = repeat(2_000, ask)
    await found.promise
    const waiting = watchSettlements([...early, ask()])
    await release() // groups of the early requests are still to be sent
    await expect.poll(() => readState().queued).toBe(0)
    await releaseOther()
    await Promise.all([first, waiting.end()])
    expect(waiting.served).toMatchObject(waiting.served.map((_, index) => ({ balance: 4_999 - index })))
  })

  test('waiting requests whose clients disconnect are not charged', async () => {
    const locked = await service.createKey({ credits: 100 })
    const { settle, readState } = createGroupCommit(service.ledgerSql, { maxLockWaits: 1 })
    const release = await hold(locked.id)
    const first = orRefusal(settle(createSettleRequest(locked, 1)))
    await expect.poll(() => readState().waitingForLock).toBe(1)
    const clients = new AbortController()
    const others = Promise.allSettled(
      repeat(20, () => settle(createSettleRequest(locked, 1, clients.signal))),
    )
    await expect.poll(() => readState().waitingForLock).toBe(21)
    clients.abort()
    await release()
    const served = await first
    expect((await others).filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(await service.readLedger(locked.id)).toMatchObject({ charged: served === undefined ? 0 : 1 })
  })

  test('requests of other keys are served on each instance', async () => {
    const keys = await Promise.all(repeat(20, () => service.createKey()))
    const locked = await service.createKey({ credits: 100 })
    await lookUp(locked.secret)
    const release = await hold(locked.id)
    const waiting = watchResponses(
      repeat(20, (index) =>
        (index % 2 === 0 ? service : other).request('/users/ngoldberg', { key: locked.secret }),
      ),
    )
    const responses = await Promise.all(
      repeat(200, (index) =>
        (index % 2 === 0 ? service : other).request('/users?per_page=2', { key: keys[index % 20]?.secret }),
      ),
    )
    expect(countStatuses(responses)).toEqual({ 200: 200 })
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    await expectCharged(locked.id, waiting.served)
  })

  test.each([2, 4, 5])(
    'requests of other keys, new ones too, and /health are served through a pool of %i',
    async (databasePoolSize) => {
      const locked = await service.createKey({ credits: 100 })
      const database = await openSameDatabase(service, { databasePoolSize })
      const instance = createInstance(database)
      const ask = (secret: string) => instance.request('/users/ngoldberg', { key: secret })
      await ask(locked.secret)
      const release = await hold(locked.id)
      const waiting = watchResponses(repeat(5, () => ask(locked.secret)))
      await sleep(20) // the first of them have found the row locked
      const statuses = await Promise.all(
        repeat(20, async () => {
          const { secret } = await service.createKey()
          return [(await ask(secret)).status, (await ask(secret)).status]
        }),
      )
      expect(statuses).toEqual(repeat(20, () => [200, 200]))
      // A slow machine may not have the state of the database in the time that a health check takes at most.
      await expect.poll(async () => (await instance.request('/health')).status).toBe(200)
      expect(waiting.served).toEqual([])
      await release()
      await waiting.end()
      await expectCharged(locked.id, waiting.served)
      await database.close()
    },
  )

  test('requests of other keys are served, even if its rate limit was never used', async () => {
    const locked = await service.createKey({ credits: 100, rateLimit: { requests: 50, seconds: 3600 } })
    const free = await service.createKey()
    await lookUp(free.secret)
    const release = await hold(locked.id)
    const waiting = watchResponses(repeat(5, () => lookUp(locked.secret)))
    const responses = await Promise.all(repeat(20, () => lookUp(free.secret)))
    await release()
    expect(countStatuses(responses)).toEqual({ 200: 20 })
    await waiting.end()
    await expectCharged(locked.id, waiting.served, { before: 0 })
  })

  test('a thousand requests of that key delay no request of another', async () => {
    const [locked, free] = [await service.createKey({ credits: 5_000 }), await service.createKey()]
    await Promise.all([lookUp(locked.secret), lookUp(free.secret)])
    const release = await hold(locked.id)
    const waiting = watchResponses(repeat(1_000, () => lookUp(locked.secret)))
    await sleep(20) // the first of them have found the row locked
    expect((await lookUp(free.secret)).status).toBe(200)
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    await expectCharged(locked.id, waiting.served)
  })

  test('and those of nine others are, requests of other keys are served', async () => {
    const locked = await Promise.all(repeat(10, () => service.createKey({ credits: 100 })))
    const free = await service.createKey()
    const release = await hold(...locked.map(({ id }) => id))
    const waiting = watchResponses(locked.map(({ secret }) => lookUp(secret)))
    await sleep(20)
    for (let round = 0; round < 20; round++) expect((await lookUp(free.secret)).status).toBe(200)
    expect(waiting.served).toEqual([])
    await release()
    await waiting.end()
    expect(countStatuses(waiting.served)).toEqual({ 200: waiting.served.length })
  })

  test('for more than five seconds, its requests are 503 with Retry-After, and free, through pools of 10 and of 2', async () => {
    async function expectRefused(databasePoolSize: number): Promise<void> {
      const database = await openSameDatabase(service, { databasePoolSize })
      const instance = createInstance(database)
      const lookUp = (secret: string) => instance.request('/users/ngoldberg', { key: secret })
      const locked = await service.createKey({ credits: 100 })
      await lookUp(locked.secret)
      const release = await hold(locked.id)
      const responses = await Promise.all(repeat(10, () => lookUp(locked.secret)))
      await release()
      expect(countStatuses(responses)).toEqual({ 503: 10 })
      for (const { headers, json } of responses) {
        expect(headers.get('Retry-After')).toBe('5')
        expect(json()).toEqual({ error: 'Database unavailable; retry in 5 seconds' })
      }
      expect(await service.readLedger(locked.id)).toMatchObject({ charged: 1 })
      expect((await lookUp(locked.secret)).status).toBe(200)
      expect(await service.readLedger(locked.id)).toMatchObject({ charged: 2 })
      await database.close()
    }
    await Promise.all([expectRefused(10), expectRefused(2)])
  })

  test('for longer than a statement may take, its requests are 503, and the instance is still healthy', async () => {
    const database = await openSameDatabase(service, { databaseStatementTimeoutSeconds: 2 })
    releases.push(() => database.close())
    const instance = createInstance(database)
    const ask = (secret: string) => instance.request('/users/ngoldberg', { key: secret })
    const [locked, free] = [await service.createKey({ credits: 100 }), await service.createKey()]
    await ask(locked.secret)
    const release = await hold(locked.id)
    expect(countStatuses(await Promise.all(repeat(3, () => ask(locked.secret))))).toEqual({ 503: 3 })
    // A slow machine may need a few checks. An instance that can't charge says so for half a minute.
    const readHealth = async () => (await instance.request('/health')).status
    await expect.poll(readHealth, { timeout: 10_000 }).toBe(200)
    expect((await ask(free.secret)).status).toBe(200)
    await release()
    expect((await ask(locked.secret)).status).toBe(200)
    expect(await service.readLedger(locked.id)).toMatchObject({ charged: 2 })
  })

  test('an operator’s change waits, and returns the balance that is true then', async () => {
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

  test('what was read for its requests is read again if the person in it is forgotten before the charge', async () => {
    // With so few connections, the lock is polled: each attempt sees the dataset as it is then.
    const database = await openSameDatabase(service, { databasePoolSize: 4 })
    releases.push(() => database.close())
    const instance = createInstance(database)
    const person = { login: 'soon-forgotten' }
    await loadRecords(service.sql, { users: [createUser(4_711, person)] })
    const [locked, admin] = [await service.createKey(), await service.createKey({ role: 'admin' })]
    const release = await hold(locked.id)
    const waiting = watchResponses(
      ['/users/soon-forgotten', '/users?logins=soon-forgotten,ngoldberg'].map((path) =>
        instance.request(path, { key: locked.secret }),
      ),
    )
    const readMetrics = async () => (await instance.request('/metrics', { key: admin.secret })).text
    await expect.poll(readMetrics).toContain('devdata_ledger_requests{state="waiting_for_lock"} 2')
    await forgetPerson(service.sql, { identities: [identifyLogin(person.login)], keepRepositories: false })
    await release()
    await waiting.end()
    expect(waiting.served.filter(({ text }) => text.includes(person.login))).toEqual([])
    expect(await service.sql`select from ledger where path like '%' || ${person.login}::text`).toHaveLength(0)
  })

  test('its free requests are served: balance, usage, HEAD, empty pages', async () => {
    const locked = await service.createKey({ credits: 100 })
    await lookUp(locked.secret)
    const release = await hold(locked.id)
    for (const [path, method] of [
      ['/api-key/credits', 'GET'],
      ['/api-key/usage', 'GET'],
      ['/users', 'HEAD'],
      ['/users?page=999', 'GET'],
    ] as const) {
      const response = await service.request(path, { method, key: locked.secret })
      expect([path, response.status, response.headers.get('X-Credits-Remaining')]).toEqual([path, 200, '99'])
    }
    await release()
  })
})

/** Statements that wait for somebody else's lock at this moment. */
async function countWaiting({ sql }: TestService): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count
}
