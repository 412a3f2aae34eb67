/**
 * `Idempotency-Key`: a request that is sent again costs only what was not yet paid under it (openapi.yml).
 *
 * @module
 */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantCredits, revokeKey, rotateKey } from '../api/ledger/keys.ts'
import { sweepIdempotencyKeys } from '../api/ledger/ledger.ts'
import { digestIdempotency } from '../api/ledger/settle.ts'
import { findBusyRepository } from './support/catalog.ts'
import { createInstance, type Instance, openSameDatabase } from './support/instance.ts'
import { createRepository, createUser, loadRecords } from './support/records.ts'
import {
  type Answer,
  describeOnEachDatabase,
  liveRuntime,
  startTestService,
  type TestService,
  testInside,
} from './support/service.ts'

const hour = 3600 // seconds

const listSchema = v.object({ data: v.array(v.unknown()) })

/** What an answer says of its price. */
function readPrice({ status, headers }: Answer) {
  return {
    status,
    cost: Number(headers.get('X-Credits-Cost')),
    remaining: Number(headers.get('X-Credits-Remaining')),
    isReplayed: headers.get('Idempotency-Replayed') === 'true',
  }
}

/** The data of an answer, without what is of the one request (`meta`). */
function readData({ json }: Answer): unknown {
  const body = json()
  return v.is(listSchema, body) ? body.data : body
}

describeOnEachDatabase('Idempotency-Key', (kind) => {
  let service: TestService
  /** Another instance: on the embedded database it shares the connections. */
  let other: Pick<Instance, 'request'>
  let closeOther = async () => {}
  /** All metered paths, with what they cost. */
  let endpoints: [path: string, cost: number][]
  beforeAll(async () => {
    service = await startTestService(kind)
    if (kind === 'postgresql') {
      const database = await openSameDatabase(service)
      other = createInstance(database)
      closeOther = database.close
    } else other = createInstance(service)
    const repository = await findBusyRepository(service.sql)
    endpoints = [
      ['/users?per_page=3', 3],
      ['/users/ngoldberg', 1],
      ['/repos?per_page=7&page=2', 7],
      [repository, 1],
      [`${repository}/commits?per_page=4`, 4],
      [`${repository}/dependencies?per_page=2`, 2],
    ]
  })
  afterAll(async () => {
    await closeOther()
    await service.close()
  })

  /** Asks under an idempotency key. */
  const ask = (
    secret: string,
    path: string,
    idempotencyKey: string,
    { through = service, method = 'GET', headers = {} }: AskOptions = {},
  ) =>
    through.request(path, { method, key: secret, headers: { 'Idempotency-Key': idempotencyKey, ...headers } })
  interface AskOptions {
    through?: Pick<Instance, 'request'>
    method?: string
    headers?: Record<string, string>
  }

  test('on every metered path: charged once, and free afterwards, with the same data, on every instance', async () => {
    for (const [path, cost] of endpoints) {
      const { secret, id } = await service.createKey({ credits: 100 })
      const first = await ask(secret, path, 'once')
      expect([path, readPrice(first)]).toEqual([
        path,
        { status: 200, cost, remaining: 100 - cost, isReplayed: false },
      ])
      for (const through of [service, other, service]) {
        const again = await ask(secret, path, 'once', { through })
        expect([path, readPrice(again)]).toEqual([
          path,
          { status: 200, cost: 0, remaining: 100 - cost, isReplayed: true },
        ])
        expect(readData(again)).toEqual(readData(first))
        expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
        expect(again.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
      }
      expect(await service.readLedger(id)).toEqual({ balance: 100 - cost, granted: 100, charged: cost })
    }
  })

  test('of many at the same time, on two instances, one is charged', async () => {
    for (const [path, cost] of endpoints) {
      const { secret, id } = await service.createKey({ credits: 100 })
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          ask(secret, path, 'at-once', { through: index % 2 === 0 ? service : other }),
        ),
      )
      const prices = answers.map(readPrice)
      expect(new Set(prices.map(({ status }) => status))).toEqual(new Set([200]))
      expect(prices.filter(({ isReplayed }) => !isReplayed)).toEqual([
        { status: 200, cost, remaining: 100 - cost, isReplayed: false },
      ])
      expect(prices.filter((price) => price.isReplayed && price.cost === 0)).toHaveLength(39)
      expect(await service.readLedger(id)).toEqual({ balance: 100 - cost, granted: 100, charged: cost })
    }
  })

  test('a key that can pay for one of many at the same time gets all of them', async () => {
    const { secret, id } = await service.createKey({ credits: 3 })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ask(secret, '/users?per_page=3', 'last', { through: index % 2 === 0 ? service : other }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 3, charged: 3 })
  })

  test('of different requests at the same time under one text, one is charged and the others are 422', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const paths = Array.from({ length: 20 }, (_, index) => `/users?per_page=2&page=${index + 1}`)
    const answers = await Promise.all(
      paths.map((path, index) =>
        ask(secret, path, 'contested', { through: index % 2 === 0 ? service : other }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 422)).toHaveLength(19)
    expect(await service.readLedger(id)).toEqual({ balance: 98, granted: 100, charged: 2 })
    const winner = paths[statuses.indexOf(200)] ?? ''
    expect(readPrice(await ask(secret, winner, 'contested'))).toMatchObject({ status: 200, isReplayed: true })
  })

  test('another path or another query is 422 with a clear error, and nothing is charged', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await ask(secret, '/users?per_page=3', 'mine')
    for (const path of [
      '/users?per_page=3&page=2',
      '/users?per_page=4',
      '/users?page=1&per_page=3', // it is the request that counts, not what it means
      '/users',
      '/users/ngoldberg',
      '/users/nobody-has-this-login',
      '/repos?per_page=3',
      '/users?page=999',
    ]) {
      const answer = await ask(secret, path, 'mine', { through: other })
      expect([path, readPrice(answer), answer.json()]).toEqual([
        path,
        { status: 422, cost: 0, remaining: 97, isReplayed: false },
        { error: 'Idempotency-Key was sent with another request before; use a new one for this request' },
      ])
    }
    expect(await service.readLedger(id)).toEqual({ balance: 97, granted: 100, charged: 3 })
    expect(readPrice(await ask(secret, '/users?per_page=3', 'mine'))).toMatchObject({ isReplayed: true })
  })

  test('a key without credits is told 422 too, before it is told that it can’t pay', async () => {
    const { secret } = await service.createKey({ credits: 3 })
    await ask(secret, '/users?per_page=3', 'mine')
    expect((await ask(secret, '/users?per_page=100', 'mine')).status).toBe(422)
    expect((await ask(secret, '/users?per_page=100', 'another')).status).toBe(403)
  })

  test('a text that is no key is 400, and the longest one works', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const wrong = ['', 'two words', 'a'.repeat(256), 'schl\u00fcssel', 'a\tb', '\u00a0']
    if (liveRuntime === undefined) wrong.push('\u007f') // Node's client does not send it
    for (const text of wrong) {
      for (const [path] of endpoints) {
        const answer = await ask(secret, path, text)
        expect([path, text, answer.status, answer.json()]).toEqual([
          path,
          text,
          400,
          { error: 'Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters' },
        ])
        expect(readPrice(answer)).toMatchObject({ cost: 0, remaining: 100 })
      }
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
    for (const text of ['a'.repeat(255), `${'a'.repeat(254)}b`, '!', '~', visible]) {
      expect(readPrice(await ask(secret, '/users/ngoldberg', text))).toMatchObject({
        cost: 1,
        isReplayed: false,
      })
      expect(readPrice(await ask(secret, '/users/ngoldberg', text))).toMatchObject({
        cost: 0,
        isReplayed: true,
      })
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 5 })
  })

  test('texts differ by case, and are no patterns', async () => {
    const { secret } = await service.createKey({ credits: 100 })
    for (const text of ['Once', 'once', 'ONCE', 'onc%', 'onc_', "once'", 'once"', 'once\\']) {
      expect(readPrice(await ask(secret, '/users/ngoldberg', text))).toMatchObject({
        cost: 1,
        isReplayed: false,
      })
    }
  })

  test('the same text under two API keys is two', async () => {
    const [one, two] = [await service.createKey({ credits: 10 }), await service.createKey({ credits: 10 })]
    for (const { secret } of [one, two]) {
      expect(readPrice(await ask(secret, '/users/ngoldberg', 'shared'))).toMatchObject({
        cost: 1,
        remaining: 9,
      })
    }
    expect(readPrice(await ask(two.secret, '/users/ngoldberg', 'shared'))).toMatchObject({ isReplayed: true })
    const third = await service.createKey({ credits: 10 })
    expect((await ask(third.secret, '/repos?per_page=1', 'shared')).status).toBe(200)
  })

  test('both secrets of a rotated key share them', async () => {
    const old = await service.createKey({ credits: 10 })
    await ask(old.secret, '/users/ngoldberg', 'before')
    const { secret } = await rotateKey(service.sql, old.id, hour)
    expect(readPrice(await ask(secret, '/users/ngoldberg', 'before'))).toMatchObject({
      cost: 0,
      isReplayed: true,
    })
    expect((await ask(secret, '/repos', 'before')).status).toBe(422)
    await ask(secret, '/users/ngoldberg', 'after')
    expect(readPrice(await ask(old.secret, '/users/ngoldberg', 'after'))).toMatchObject({ isReplayed: true })
    expect(await service.readLedger(old.id)).toMatchObject({ charged: 2 })
  })

  test('the paid 404 of an unknown user comes again as 404, for free', async () => {
    const { secret, id } = await service.createKey({ credits: 1 })
    const path = '/users/nobody-has-this-login'
    const first = await ask(secret, path, 'unknown')
    expect(readPrice(first)).toEqual({ status: 404, cost: 1, remaining: 0, isReplayed: false })
    const again = await ask(secret, path, 'unknown', { through: other })
    expect(readPrice(again)).toEqual({ status: 404, cost: 0, remaining: 0, isReplayed: true })
    expect(again.json()).toEqual(first.json())
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 1, charged: 1 })
  })

  test('what was paid comes again when the balance is 0, under Max-Credits 0 too', async () => {
    const { secret, id } = await service.createKey({ credits: 30 })
    await ask(secret, '/users', 'all')
    expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(403)
    const again = await ask(secret, '/users', 'all', { headers: { 'Max-Credits': '0' } })
    expect(readPrice(again)).toEqual({ status: 200, cost: 0, remaining: 0, isReplayed: true })
    expect(v.parse(listSchema, again.json()).data).toHaveLength(30)
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 30, charged: 30 })
  })

  test('a revoked key does not get again what it paid', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await ask(secret, '/users/ngoldberg', 'mine')
    await revokeKey(service.sql, id)
    const answer = await ask(secret, '/users/ngoldberg', 'mine')
    expect([answer.status, answer.headers.has('Idempotency-Replayed')]).toEqual([401, false])
  })

  test('admin keys, which are not charged, get no replay and no conflict', async () => {
    const { secret } = await service.createKey({ role: 'admin', credits: 0 })
    for (const path of ['/users/ngoldberg', '/users/ngoldberg', '/users?per_page=3']) {
      const answer = await ask(secret, path, 'operator')
      expect([path, readPrice(answer)]).toEqual([
        path,
        { status: 200, cost: 0, remaining: 0, isReplayed: false },
      ])
    }
    expect((await ask(secret, '/users', 'two words')).status).toBe(400)
  })

  describe('is not used up by', () => {
    /** A text that nothing was charged under yet serves any request. */
    async function expectUnused(secret: string, text: string): Promise<void> {
      const answer = await ask(secret, '/users?per_page=2&page=3', text)
      expect(readPrice(answer)).toMatchObject({ status: 200, cost: 2, isReplayed: false })
    }

    test.each<[what: string, path: string, status: number, options?: AskOptions]>([
      ['a 400', '/users?page=0', 400],
      ['a 404 that is free', '/repos/ngoldberg/no-such-repository', 404],
      ['the 404 of a list in it', '/repos/ngoldberg/no-such-repository/commits', 404],
      ['a 404 of no route', '/users/a/b', 404],
      ['a 403 of Max-Credits', '/users/ngoldberg', 403, { headers: { 'Max-Credits': '0' } }],
      ['a 400 of Max-Credits', '/users/ngoldberg', 400, { headers: { 'Max-Credits': 'x' } }],
      ['an empty page', '/users?page=999', 200],
      ['a quote', '/users/ngoldberg', 200, { method: 'HEAD' }],
      ['a quote of nobody', '/users/nobody-has-this-login', 404, { method: 'HEAD' }],
      ['a 304', '/users/ngoldberg', 304, { headers: { 'If-None-Match': '*' } }],
    ])('%s', async (_, path, status, options) => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const answer = await ask(secret, path, 'text', options)
      expect([answer.status, answer.headers.has('Idempotency-Replayed')]).toEqual([status, false])
      expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
      await expectUnused(secret, 'text')
    })

    test('a balance that was too low', async () => {
      const { secret, id } = await service.createKey({ credits: 1 })
      expect((await ask(secret, '/users', 'text')).status).toBe(403)
      expect((await ask(secret, '/users', 'text')).status).toBe(403)
      await grantCredits(service.sql, id, 1)
      await expectUnused(secret, 'text')
    })

    test('what the key may not read', async () => {
      const { secret } = await service.createKey({ credits: 10, scopes: ['users:read'] })
      expect((await ask(secret, '/repos', 'text')).status).toBe(403)
      await expectUnused(secret, 'text')
    })

    test('a 422', async () => {
      const { secret } = await service.createKey({ credits: 10 })
      await ask(secret, '/users?per_page=2&page=3', 'text')
      expect((await ask(secret, '/users', 'text')).status).toBe(422)
      expect(readPrice(await ask(secret, '/users?per_page=2&page=3', 'text'))).toMatchObject({
        isReplayed: true,
      })
    })

    testInside('a 429', async () => {
      const { secret, id } = await service.createKey({
        credits: 10,
        rateLimit: { requests: 1, seconds: hour },
      })
      await service.request('/api-key/credits', { key: secret })
      expect((await ask(secret, '/users', 'text')).status).toBe(429)
      // Anew, on an instance that has not seen the 429.
      await service.sql`delete from rate_limit_windows where api_key_id = ${id}`
      expect(
        readPrice(await ask(secret, '/users/ngoldberg', 'text', { through: createInstance(service) })),
      ).toMatchObject({ status: 200, cost: 1, isReplayed: false })
    })
  })

  test('a repetition that is not modified, and a quote of it, are answered as without the key', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    const { headers } = await ask(secret, '/users/ngoldberg', 'text')
    const known = await ask(secret, '/users/ngoldberg', 'text', {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    })
    expect([readPrice(known), known.text]).toEqual([
      { status: 304, cost: 0, remaining: 9, isReplayed: false },
      '',
    ])
    const quote = await ask(secret, '/users/ngoldberg', 'text', { method: 'HEAD' })
    expect(readPrice(quote)).toEqual({ status: 200, cost: 1, remaining: 9, isReplayed: false })
    const bad = await ask(secret, '/users/ngoldberg', 'two words', { method: 'HEAD' })
    expect(bad.status).toBe(200)
  })

  test('a throttled repetition is 429, and a repetition counts against the limit', async () => {
    const { secret } = await service.createKey({ credits: 10, rateLimit: { requests: 2, seconds: hour } })
    const statuses: number[] = []
    for (let round = 0; round < 3; round++)
      statuses.push((await ask(secret, '/users/ngoldberg', 'text')).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  describe('when more has come to a list meanwhile', () => {
    let towns = 0
    /** A place of its own, with a list of who is there and a way to say how many that are. */
    function createTown() {
      const town = `Repetition-${++towns}`
      const users = Array.from({ length: 100 }, (_, index) => createUser(towns * 1000 + index))
      return {
        path: `/users?location=${town}&per_page=100`,
        settle: (count: number) =>
          loadRecords(service.sql, {
            users: users.map((user, index) => ({ ...user, location: index < count ? town : 'elsewhere' })),
          }),
      }
    }

    test('a repetition costs the difference to what was paid, which adds up', async () => {
      const { secret, id } = await service.createKey({ credits: 1_000 })
      const { path, settle } = createTown()
      const paid: number[] = []
      for (const count of [1, 100, 100, 40, 100, 0, 100]) {
        await settle(count)
        const answer = await ask(secret, path, 'growing', {
          through: paid.length % 2 === 0 ? service : other,
        })
        const { cost, status, remaining, isReplayed } = readPrice(answer)
        expect([status, isReplayed]).toEqual([200, paid.length > 0])
        expect(v.parse(listSchema, answer.json()).data).toHaveLength(count)
        paid.push(cost)
        expect(remaining).toBe(1_000 - paid.reduce((sum, each) => sum + each))
      }
      expect(paid).toEqual([1, 99, 0, 0, 0, 0, 0])
      const entries = await service.sql`
        select cost, items from ledger where api_key_id = ${id} and kind = 'charge' order by position`
      expect(entries).toEqual([
        { cost: 1, items: 1 },
        { cost: 99, items: 100 },
      ])
      expect(await service.readLedger(id)).toEqual({ balance: 900, granted: 1_000, charged: 100 })
    })

    test('a repetition whose difference is over the balance or over Max-Credits is refused whole', async () => {
      const { secret, id } = await service.createKey({ credits: 50 })
      const { path, settle } = createTown()
      await settle(1)
      await ask(secret, path, 'growing')
      await settle(100)
      for (const [most, error] of [
        [undefined, 'insufficient credits: need 99, have 49'],
        ['99', 'insufficient credits: need 99, have 49'],
        ['98', 'Max-Credits is 98, and this costs 99'],
        ['0', 'Max-Credits is 0, and this costs 99'],
      ] as const) {
        const headers = most === undefined ? {} : { 'Max-Credits': most }
        const answer = await ask(secret, path, 'growing', { headers })
        expect([answer.json(), readPrice(answer)]).toEqual([
          { error },
          { status: 403, cost: 0, remaining: 49, isReplayed: false },
        ])
      }
      expect(await service.readLedger(id)).toMatchObject({ charged: 1 })
      await grantCredits(service.sql, id, 50)
      const paid = await ask(secret, path, 'growing', { headers: { 'Max-Credits': '99' } })
      expect(readPrice(paid)).toEqual({ status: 200, cost: 99, remaining: 0, isReplayed: true })
      const again = await ask(secret, path, 'growing', { headers: { 'Max-Credits': '0' } })
      expect(readPrice(again)).toEqual({ status: 200, cost: 0, remaining: 0, isReplayed: true })
    })

    test('of many repetitions at the same time, on two instances, one pays the difference', async () => {
      const { secret, id } = await service.createKey({ credits: 20 })
      const { path, settle } = createTown()
      await settle(5)
      await ask(secret, path, 'growing')
      await settle(20)
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          ask(secret, path, 'growing', { through: index % 2 === 0 ? service : other }),
        ),
      )
      const prices = answers.map(readPrice)
      expect(prices.filter(({ status, isReplayed }) => status === 200 && isReplayed)).toHaveLength(40)
      expect(prices.filter(({ cost }) => cost > 0).map(({ cost }) => cost)).toEqual([15])
      expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 20, charged: 20 })
    })

    test('the 24 hours count from the first charge, whatever a repetition pays', async () => {
      const { secret, id } = await service.createKey({ credits: 1_000 })
      const { path, settle } = createTown()
      const costs: number[] = []
      for (const count of [3, 7, 7, 8]) {
        await settle(count)
        costs.push(readPrice(await ask(secret, path, 'growing')).cost)
        await service.sql`
          update idempotency_keys set created_at = created_at - interval '9 hours' where api_key_id = ${id}`
      }
      expect(costs).toEqual([3, 4, 0, 8])
    })

    test('a quote and a 304 are as without the key', async () => {
      const { secret } = await service.createKey({ credits: 1_000 })
      const { path, settle } = createTown()
      await settle(2)
      await ask(secret, path, 'growing')
      await settle(9)
      expect(readPrice(await ask(secret, path, 'growing', { method: 'HEAD' }))).toMatchObject({ cost: 9 })
      const known = await ask(secret, path, 'growing', { headers: { 'If-None-Match': '*' } })
      expect(readPrice(known)).toEqual({ status: 304, cost: 0, remaining: 998, isReplayed: false })
      expect(readPrice(await ask(secret, path, 'growing'))).toMatchObject({ cost: 7, isReplayed: true })
    })

    test('a user who was unknown has been paid for, and a repository has not', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const name = 'come-late/repo-7'
      const price = async (path: string, text: string) => readPrice(await ask(secret, path, text))
      expect(await price('/users/come-late', 'u')).toMatchObject({ status: 404, cost: 1, isReplayed: false })
      expect(await price(`/repos/${name}`, 'r')).toMatchObject({ status: 404, cost: 0, isReplayed: false })
      await loadRecords(service.sql, {
        users: [createUser(7, { login: 'come-late' })],
        repos: [createRepository(7, 'come-late', [])],
      })
      expect(await price('/users/come-late', 'u')).toMatchObject({ status: 200, cost: 0, isReplayed: true })
      expect(await price(`/repos/${name}`, 'r')).toMatchObject({ status: 200, cost: 1, isReplayed: false })
      expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
    })
  })

  describe('after 24 hours', () => {
    /** Makes all that a key paid older. */
    const age = (id: number, interval: string) =>
      service.sql`
        update idempotency_keys set created_at = created_at - ${interval}::interval where api_key_id = ${id}`

    test('the same request is charged anew, and free again for the next 24', async () => {
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

    test('the text serves another request', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      await ask(secret, '/users/ngoldberg', 'text')
      await age(id, '24 hours')
      expect(readPrice(await ask(secret, '/users?per_page=2', 'text'))).toMatchObject({
        status: 200,
        cost: 2,
      })
      expect((await ask(secret, '/users/ngoldberg', 'text')).status).toBe(422)
    })

    test('repetitions do not make it last longer', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const cost of [1, 0, 0, 1]) {
        expect(readPrice(await ask(secret, '/users/ngoldberg', 'text'))).toMatchObject({ cost })
        await age(id, '9 hours')
      }
    })

    test('of many at the same time one is charged', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      await ask(secret, '/users/ngoldberg', 'text')
      await age(id, '25 hours')
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          ask(secret, '/users/ngoldberg', 'text', { through: index % 2 === 0 ? service : other }),
        ),
      )
      expect(answers.filter(({ headers }) => headers.get('X-Credits-Cost') === '1')).toHaveLength(1)
      expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
    })
  })

  describe('are kept', () => {
    /** Stores so many texts of a key that are so old. */
    const store = (id: number, count: number, age: string) =>
      service.sql`
        insert into idempotency_keys
        select ${id}, gen_random_uuid(), gen_random_uuid(), now() - ${age}::interval, 1
        from generate_series(1, ${count}::integer)`
    const countKept = async (id: number) => {
      const [row] = await service.sql<{ old: number; young: number }[]>`
        select count(*) filter (where created_at < now() - interval '24 hours')::integer as old,
          count(*) filter (where created_at > now() - interval '24 hours')::integer as young
        from idempotency_keys where api_key_id = ${id}`
      return row
    }

    test('as digests, which do not tell the text or the request', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      await ask(secret, '/users/ngoldberg', 'a-secret-text')
      const rows = await service.sql`select * from idempotency_keys where api_key_id = ${id}`
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toMatch(/a-secret-text|ngoldberg/)
    })

    test('until a sweep: at most 10,000 old ones at a time, and no young one', async () => {
      const { id } = await service.createKey()
      await store(id, 25_000, '24 hours 1 second')
      await store(id, 100, '23 hours 50 minutes')
      for (const old of [15_000, 5_000, 0, 0]) {
        await sweepIdempotencyKeys(service.sql)
        expect(await countKept(id)).toEqual({ old, young: 100 })
      }
    })

    test('until a sweep, oldest first', async () => {
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

    test('and two sweeps at once do each a part', async () => {
      const { id } = await service.createKey()
      await store(id, 15_000, '25 hours')
      await Promise.all([sweepIdempotencyKeys(service.sql), sweepIdempotencyKeys(service.sql)])
      expect((await countKept(id))?.old).toBeLessThanOrEqual(5_000)
      await sweepIdempotencyKeys(service.sql)
      expect(await countKept(id)).toEqual({ old: 0, young: 0 })
    })

    testInside('and swept by the service itself, beside the requests', async () => {
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
})

test('an idempotency key and its request are known by digests in the form of UUIDs', () => {
  const digests = ['a', 'b'].flatMap((text) => [
    digestIdempotency(text, '/users').key,
    digestIdempotency('a', `/${text}`).request,
  ])
  for (const digest of digests) expect(digest).toMatch(/^[\da-f]{32}$/)
  expect(new Set(digests).size).toBe(4)
  expect(digestIdempotency('a', '/users')).toEqual(digestIdempotency('a', '/users'))
})
