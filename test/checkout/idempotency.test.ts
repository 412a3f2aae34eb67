import { describe, expect, test } from 'vitest'
import { grantCredits, revokeKey, rotateKey } from '../../api/ledger/keys.ts'
import { type AskOptions, readData, readPrice, useTwoInstances } from '../support/idempotency.ts'
import { createInstance } from '../support/instance.ts'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnEachDatabase } from '../support/service.ts'

/** All metered paths, with what they cost. */
const endpoints: [path: string, cost: number][] = [
  ['/users?per_page=3', 3],
  ['/users/ngoldberg', 1],
  ['/repos?per_page=7&page=2', 7],
  [busyRepository, 1],
  [`${busyRepository}/commits?per_page=4`, 4],
  [`${busyRepository}/dependencies?per_page=2`, 2],
  [`${busyRepository}/dependencies/blame?per_page=2`, 2],
]

const hourSeconds = 3600

describeOnEachDatabase('a request with an Idempotency-Key', (kind) => {
  const { service, other, ask } = useTwoInstances(kind)

  test('is charged once on every metered path, and free with the same data afterwards, on every instance', async () => {
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

  test('is charged once if many arrive concurrently, at two instances', async () => {
    for (const [path, cost] of endpoints) {
      const { secret, id } = await service.createKey({ credits: 100 })
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          ask(secret, path, 'at-once', { through: index % 2 === 0 ? service : other }),
        ),
      )
      const prices = responses.map(readPrice)
      expect(new Set(prices.map(({ status }) => status))).toEqual(new Set([200]))
      expect(prices.filter(({ isReplayed }) => !isReplayed)).toEqual([
        { status: 200, cost, remaining: 100 - cost, isReplayed: false },
      ])
      expect(prices.filter((price) => price.isReplayed && price.cost === 0)).toHaveLength(39)
      expect(await service.readLedger(id)).toEqual({ balance: 100 - cost, granted: 100, charged: cost })
    }
  })

  test('is delivered each time if many arrive concurrently and the balance is enough for one', async () => {
    const { secret, id } = await service.createKey({ credits: 3 })
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ask(secret, '/users?per_page=3', 'last', { through: index % 2 === 0 ? service : other }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 3, charged: 3 })
  })

  test('is 422 if others with the same key arrive concurrently, but for one, which is charged', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const paths = Array.from({ length: 20 }, (_, index) => `/users?per_page=2&page=${index + 1}`)
    const responses = await Promise.all(
      paths.map((path, index) =>
        ask(secret, path, 'contested', { through: index % 2 === 0 ? service : other }),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 422)).toHaveLength(19)
    expect(await service.readLedger(id)).toEqual({ balance: 98, granted: 100, charged: 2 })
    const winner = paths[statuses.indexOf(200)] ?? ''
    expect(readPrice(await ask(secret, winner, 'contested'))).toMatchObject({ status: 200, isReplayed: true })
  })

  test('is 422 with a clear error, and free, for another path or query than the first', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await ask(secret, '/users?per_page=3', 'mine')
    for (const path of [
      '/users?per_page=3&page=2',
      '/users?per_page=4',
      '/users?page=1&per_page=3', // the text of the query counts, not its meaning
      '/users',
      '/users/ngoldberg',
      '/users/nobody-has-this-login',
      '/repos?per_page=3',
      '/users?page=999',
    ]) {
      const response = await ask(secret, path, 'mine', { through: other })
      expect([path, readPrice(response), response.json()]).toEqual([
        path,
        { status: 422, cost: 0, remaining: 97, isReplayed: false },
        { error: 'Idempotency-Key was already used for another request; use a new one for this request' },
      ])
    }
    expect(await service.readLedger(id)).toEqual({ balance: 97, granted: 100, charged: 3 })
    expect(readPrice(await ask(secret, '/users?per_page=3', 'mine'))).toMatchObject({ isReplayed: true })
  })

  test('is 422 for another request even if the balance is too low', async () => {
    const { secret } = await service.createKey({ credits: 3 })
    await ask(secret, '/users?per_page=3', 'mine')
    expect((await ask(secret, '/users?per_page=100', 'mine')).status).toBe(422)
    expect((await ask(secret, '/users?per_page=100', 'another')).status).toBe(403)
  })

  test('is 400, and free, unless the value is 1 to 255 visible ASCII characters', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const wrong = ['', 'two words', 'a'.repeat(256), 'schl\u00fcssel', 'a\tb', '\u00a0', '\u007f']
    for (const text of wrong) {
      for (const [path] of endpoints) {
        const response = await ask(secret, path, text)
        expect([path, text, response.status, response.json()]).toEqual([
          path,
          text,
          400,
          { error: 'Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters' },
        ])
        expect(readPrice(response)).toMatchObject({ cost: 0, remaining: 100 })
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

  test('is charged for each value, and values differ by case and contain no patterns', async () => {
    const { secret } = await service.createKey({ credits: 100 })
    for (const text of ['Once', 'once', 'ONCE', 'onc%', 'onc_', "once'", 'once"', 'once\\']) {
      expect(readPrice(await ask(secret, '/users/ngoldberg', text))).toMatchObject({
        cost: 1,
        isReplayed: false,
      })
    }
  })

  test('is charged under each API key', async () => {
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

  test('is charged once under both secrets of a rotated API key', async () => {
    const old = await service.createKey({ credits: 10 })
    await ask(old.secret, '/users/ngoldberg', 'before')
    const { secret } = await rotateKey(service.sql, old.id, hourSeconds)
    expect(readPrice(await ask(secret, '/users/ngoldberg', 'before'))).toMatchObject({
      cost: 0,
      isReplayed: true,
    })
    expect((await ask(secret, '/repos', 'before')).status).toBe(422)
    await ask(secret, '/users/ngoldberg', 'after')
    expect(readPrice(await ask(old.secret, '/users/ngoldberg', 'after'))).toMatchObject({ isReplayed: true })
    expect(await service.readLedger(old.id)).toMatchObject({ charged: 2 })
  })

  test('is 404 again, for free, for an unknown user that was paid', async () => {
    const { secret, id } = await service.createKey({ credits: 1 })
    const path = '/users/nobody-has-this-login'
    const first = await ask(secret, path, 'unknown')
    expect(readPrice(first)).toEqual({ status: 404, cost: 1, remaining: 0, isReplayed: false })
    const again = await ask(secret, path, 'unknown', { through: other })
    expect(readPrice(again)).toEqual({ status: 404, cost: 0, remaining: 0, isReplayed: true })
    expect(again.json()).toEqual(first.json())
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 1, charged: 1 })
  })

  test('is delivered again at balance 0, and under Max-Credits: 0', async () => {
    const { secret, id } = await service.createKey({ credits: 30 })
    await ask(secret, '/users', 'all')
    expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(403)
    const again = await ask(secret, '/users', 'all', { headers: { 'Max-Credits': '0' } })
    expect(readPrice(again)).toEqual({ status: 200, cost: 0, remaining: 0, isReplayed: true })
    expect(readData(again)).toHaveLength(30)
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 30, charged: 30 })
  })

  test('is refused under a revoked API key, even if it was paid', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await ask(secret, '/users/ngoldberg', 'mine')
    await revokeKey(service.sql, id)
    const response = await ask(secret, '/users/ngoldberg', 'mine')
    expect([response.status, response.headers.has('Idempotency-Replayed')]).toEqual([401, false])
  })

  test('is neither replayed nor in conflict under an admin key, which is not charged', async () => {
    const { secret } = await service.createKey({ role: 'admin', credits: 0 })
    for (const path of ['/users/ngoldberg', '/users/ngoldberg', '/users?per_page=3']) {
      const response = await ask(secret, path, 'operator')
      expect([path, readPrice(response)]).toEqual([
        path,
        { status: 200, cost: 0, remaining: 0, isReplayed: false },
      ])
    }
    expect((await ask(secret, '/users', 'two words')).status).toBe(400)
  })

  describe('may be followed by another one with the same value after', () => {
    /** Expects that nothing was charged under the value yet. */
    async function expectUnused(secret: string, text: string): Promise<void> {
      const response = await ask(secret, '/users?per_page=2&page=3', text)
      expect(readPrice(response)).toMatchObject({ status: 200, cost: 2, isReplayed: false })
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
      const response = await ask(secret, path, 'text', options)
      expect([response.status, response.headers.has('Idempotency-Replayed')]).toEqual([status, false])
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

    test('a 429', async () => {
      const { secret, id } = await service.createKey({
        credits: 10,
        rateLimit: { requests: 1, seconds: hourSeconds },
      })
      await service.request('/api-key/credits', { key: secret })
      expect((await ask(secret, '/users', 'text')).status).toBe(429)
      // An instance that hasn't cached the 429.
      await service.sql`delete from rate_limit_windows where api_key_id = ${id}`
      expect(
        readPrice(await ask(secret, '/users/ngoldberg', 'text', { through: createInstance(service) })),
      ).toMatchObject({ status: 200, cost: 1, isReplayed: false })
    })
  })

  test('is still replayed after another one with the same value was 422', async () => {
    const { secret } = await service.createKey({ credits: 10 })
    await ask(secret, '/users?per_page=2&page=3', 'text')
    expect((await ask(secret, '/users', 'text')).status).toBe(422)
    expect(readPrice(await ask(secret, '/users?per_page=2&page=3', 'text'))).toMatchObject({
      isReplayed: true,
    })
  })

  test('has the response that it has without the key if it is not modified, or HEAD', async () => {
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

  test('counts against the rate limit each time, and is 429 beyond it', async () => {
    const { secret } = await service.createKey({
      credits: 10,
      rateLimit: { requests: 2, seconds: hourSeconds },
    })
    const statuses: number[] = []
    for (let round = 0; round < 3; round++)
      statuses.push((await ask(secret, '/users/ngoldberg', 'text')).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
