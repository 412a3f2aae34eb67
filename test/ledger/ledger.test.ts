/** The ledger under storms: exactly what was paid is served, and granted − charged = balance, always. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createKey,
  grantCredits,
  KeyError,
  listKeys,
  maxBalance,
  restoreKey,
  revokeKey,
} from '../../api/ledger/keys.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { testOnServer } from '../support/server.ts'
import {
  describeOnEachDatabase,
  startTestService,
  type TestResponse,
  type TestService,
  useService,
} from '../support/service.ts'

type Request = TestService['request']

const paths = { 1: '/users/ngoldberg', 3: '/users?per_page=3' } as const
type Cost = keyof typeof paths

/** Sends all requests at once, and pairs each response with its cost. */
function storm(secret: string, costs: readonly Cost[], requests: readonly Request[]) {
  return Promise.all(
    costs.map(async (cost, index) => {
      const request = requests[index % requests.length]
      if (request === undefined) throw new Error('there is no instance')
      return { cost, response: await request(paths[cost], { key: secret }) }
    }),
  )
}

function repeat<T>(count: number, ...values: T[]): T[] {
  return Array.from({ length: count }, () => values).flat()
}

/** Credits of what was served. Throws when a response is neither that nor an honest refusal. */
function sumServed(responses: readonly { cost: Cost; response: TestResponse }[]): number {
  let served = 0
  for (const { cost, response } of responses) {
    if (response.status === 200) served += cost
    else {
      const { error = '' } = response.json() as { error?: string }
      const [, need, have] = /^insufficient credits: need (\d+), have (\d+)$/.exec(error) ?? []
      expect([response.status, need]).toEqual([403, String(cost)])
      expect(Number(have)).toBeLessThan(cost)
    }
  }
  return served
}

describeOnEachDatabase('the ledger', (kind) => {
  const service = useService(kind)

  afterEach(async () => {
    const wrong = await service.sql`
      select b.api_key_id, b.credits, sum(granted - cost)::bigint as sum
      from balances b left join ledger l using (api_key_id)
      group by 1, 2 having b.credits <> coalesce(sum(granted - cost), 0)`
    expect(wrong).toEqual([])
    // Each row says what the balance was after it, without a gap.
    const gaps = await service.sql`
      select api_key_id, position from (
        select *, sum(granted - cost) over (partition by api_key_id order by position)::bigint as sum from ledger
      ) l where balance <> sum`
    expect(gaps).toEqual([])
  })

  describe.each([
    ['one instance', 1],
    ...(kind === 'postgresql' ? [['two instances', 2] as const] : []),
  ] as const)('under 500 concurrent requests of one key, through %s,', (_, instances) => {
    const databases: Awaited<ReturnType<typeof openSameDatabase>>[] = []
    const requests: Request[] = []
    beforeAll(async () => {
      requests.push(service.request)
      if (instances === 1) return
      const database = await openSameDatabase(service)
      databases.push(database)
      requests.push(createInstance(database).request)
    })
    afterAll(() => Promise.all(databases.map((database) => database.close())))

    test.each<[cost: Cost, credits: number, served: number]>([
      [1, 123, 123],
      [3, 100, 33],
      [1, 500, 500],
      [3, 2, 0],
    ])('that cost %i each, serves a balance of %i to %i of them', async (cost, credits, served) => {
      const { secret, id } = await service.createKey({ credits })
      const responses = await storm(secret, repeat(500, cost), requests)
      expect(responses.filter(({ response }) => response.status === 200)).toHaveLength(served)
      expect(sumServed(responses)).toBe(served * cost)
      const charged = served * cost
      expect(await service.readLedger(id)).toEqual({ balance: credits - charged, granted: credits, charged })
      const balances = responses
        .filter(({ response }) => response.status === 200)
        .map(({ response }) => Number(response.headers.get('X-Credits-Remaining')))
      // Every balance between was told to exactly one caller.
      expect(balances.sort((a, b) => b - a)).toEqual(
        Array.from({ length: served }, (_, index) => credits - cost * (index + 1)),
      )
    })

    test('of costs 1 and 3, delivers exactly what was paid', async () => {
      const { secret, id } = await service.createKey({ credits: 301 })
      const responses = await storm(secret, repeat(250, 3, 1), requests)
      const charged = sumServed(responses)
      expect(await service.readLedger(id)).toEqual({ balance: 301 - charged, granted: 301, charged })
      // A request that costs 3 was refused, so fewer than 3 credits are left.
      expect(301 - charged).toBeLessThan(3)
    })

    test('neither loses grants nor spends them twice', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const [responses] = await Promise.all([
        storm(secret, repeat(200, 3), requests),
        ...repeat(40, 7).map((credits) => grantCredits(service.sql, id, credits)),
      ])
      const charged = sumServed(responses)
      expect(await service.readLedger(id)).toEqual({
        balance: 290 - charged,
        granted: 290,
        charged,
      })
    })

    test('never has a balance below 0 while credits are taken away', async () => {
      const { secret, id } = await service.createKey({ credits: 200 })
      const [responses, ...takings] = await Promise.all([
        storm(secret, repeat(100, 3), requests),
        ...repeat(40, -5).map((credits) =>
          grantCredits(service.sql, id, credits).then(
            () => 5,
            (error: unknown) => {
              expect(error).toBeInstanceOf(KeyError)
              return 0
            },
          ),
        ),
      ])
      const taken = takings.reduce<number>((sum, credits) => sum + credits, 0)
      const charged = sumServed(responses)
      const { balance } = await service.readLedger(id)
      expect(balance).toBe(200 - taken - charged)
      expect(balance).toBeGreaterThanOrEqual(0)
    })

    test('neither serves nor charges after a revoke', async () => {
      const { secret, id } = await service.createKey({ credits: 10_000 })
      let ended = 0
      let markMiddle: () => void = () => {}
      const middle = new Promise<void>((resolve) => {
        markMiddle = resolve
      })
      const under = repeat(400, 3 as const).map(async (cost, index) => {
        const request = requests[index % requests.length]
        if (request === undefined) throw new Error('there is no instance')
        const response = await request(paths[cost], { key: secret })
        ended++
        if (ended === 50) markMiddle()
        return { cost, response }
      })
      await middle
      await revokeKey(service.sql, id)
      const { charged } = await service.readLedger(id)
      const after = await storm(secret, repeat(50, 1), requests)
      for (const { response } of after) {
        expect([response.status, response.json()]).toEqual([401, { error: 'Invalid API key' }])
      }
      const responses = await Promise.all(under)
      const served = responses.filter(({ response }) => response.status === 200)
      const refused = responses.filter(({ response }) => response.status === 401)
      expect(served.length + refused.length).toBe(400)
      expect(served.length).toBeGreaterThanOrEqual(50)
      // Nothing was taken after the revoke was done, and all that was taken was served.
      expect(await service.readLedger(id)).toEqual({ balance: 10_000 - charged, granted: 10_000, charged })
      expect(served.length * 3).toBe(charged)

      await restoreKey(service.sql, id)
      expect((await service.request(paths[1], { key: secret })).status).toBe(200)
    })
  })

  describe('for operators', () => {
    const newKey = { role: 'user', scopes: [], rateLimit: null, expiresAt: null, name: null } as const

    test('grants and takes away credits, with a row for each', async () => {
      const { id } = await service.createKey({ credits: 10 })
      for (const [credits, balance] of [
        [5, 15],
        [-15, 0],
        [0, 0],
      ] as const) {
        expect(await grantCredits(service.sql, id, credits)).toMatchObject({
          outcome: 'granted',
          key: { id, remaining_credits: balance },
        })
      }
      const rows = await service.sql`
        select kind, granted, balance from ledger where api_key_id = ${id} order by position`
      expect(rows).toEqual([
        { kind: 'grant', granted: 10, balance: 10 },
        { kind: 'grant', granted: 5, balance: 15 },
        { kind: 'grant', granted: -15, balance: 0 },
        { kind: 'grant', granted: 0, balance: 0 },
      ])
    })

    test('refuses a balance below 0', async () => {
      const { id } = await service.createKey({ credits: 10 })
      await expect(grantCredits(service.sql, id, -11)).rejects.toThrow(
        new KeyError('out_of_range', `Key ${id} has 10 credits: 11 can't be withdrawn; grant at least -10`),
      )
      expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
      await expect(createKey(service.sql, { ...newKey, credits: -1 })).rejects.toThrow()
    })

    test('refuses a balance above the largest exact one', async () => {
      const { id, secret } = await service.createKey({ credits: maxBalance })
      await expect(grantCredits(service.sql, id, 1)).rejects.toThrow(KeyError)
      expect(await service.readLedger(id)).toMatchObject({ balance: maxBalance })
      const response = await service.request(paths[1], { key: secret })
      expect(response.headers.get('X-Credits-Remaining')).toBe(String(maxBalance - 1))
      const status = await service.request('/api-key/credits', { key: secret })
      expect(status.json()).toMatchObject({ remaining_credits: maxBalance - 1 })
      const { key } = await grantCredits(service.sql, id, 1)
      expect(key).toMatchObject({ remaining_credits: maxBalance })
      await expect(createKey(service.sql, { ...newKey, credits: maxBalance + 1 })).rejects.toThrow()
    })

    test('has a clear error for an unknown key', async () => {
      await expect(grantCredits(service.sql, 987_654, 1)).rejects.toThrow(
        new KeyError('unknown_key', 'There is no key 987654'),
      )
      await expect(revokeKey(service.sql, 987_654)).rejects.toThrow(
        new KeyError('unknown_key', 'There is no key 987654'),
      )
    })

    test('shows a key as it was created', async () => {
      const expiresAt = new Date('2099-12-31T00:00:00Z')
      const made = { credits: 7, name: 'a name', rateLimit: { requests: 5, seconds: 60 }, expiresAt }
      const { id } = await service.createKey({ ...made, scopes: ['repos:read'] })
      const keys = await listKeys(service.sql)
      expect(keys.find((key) => key.id === id)).toEqual({
        id,
        name: 'a name',
        role: 'user',
        scopes: ['repos:read'],
        remaining_credits: 7,
        rate_limit: '5/60',
        notify_below: null,
        status: 'active',
        created_at: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expires_at: expiresAt.toJSON(),
        last_used_at: null,
      })
    })
  })
})

testOnServer.each(['serializable', 'repeatable read'])(
  'instances settle as usual on a server whose transactions are %s by default',
  async (isolation) => {
    const service = await startTestService('postgresql')
    const name = new URL(service.location.databaseUrl ?? '').pathname.slice(1)
    await service.sql`
      alter database ${service.sql(name)} set default_transaction_isolation = ${service.sql.unsafe(`'${isolation}'`)}`
    const databases = await Promise.all([openSameDatabase(service), openSameDatabase(service)])
    try {
      const requests = databases.map((database) => createInstance(database).request)
      const { secret, id } = await service.createKey({ credits: 301 })
      let charged = 0
      for (let round = 0; round < 30; round++) {
        charged += sumServed(await storm(secret, repeat(5, 3, 3, 1, 1), requests))
      }
      expect(charged).toBe(301)
      expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 301, charged: 301 })
    } finally {
      await Promise.all(databases.map((database) => database.close()))
      await service.close()
    }
  },
)
