/**
 * `Max-Credits`: no response costs more than the client allows (decisions/0001-billing.md).
 *
 * @module-tag over-the-wire
 */
import { expect, test } from 'vitest'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

/** All metered paths, with what they cost. */
const endpoints: [path: string, cost: number][] = [
  ['/users', 30],
  ['/users?per_page=70&page=5', 20],
  ['/users/ngoldberg', 1],
  ['/users/nobody-has-this-login', 1],
  ['/repos?per_page=7&page=2', 7],
  ['/users?logins=ngoldberg,nobody-has-this-login,GraceAbara', 2],
  [busyRepository, 1],
  [`${busyRepository}/commits?per_page=4`, 4],
  [`${busyRepository}/dependencies?per_page=2`, 2],
]

describeOnEachDatabase('Max-Credits', (kind) => {
  const service = useService(kind)

  const ask = (
    secret: string,
    path: string,
    most: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ) => service.request(path, { method, key: secret, headers: { 'Max-Credits': most, ...headers } })

  test('below the cost is 403 with both, before anything is charged', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    for (const [path, cost] of endpoints) {
      for (const most of new Set([0, cost - 1])) {
        const response = await ask(secret, path, String(most))
        expect([path, response.status, response.json()]).toEqual([
          path,
          403,
          { error: `Max-Credits is ${most}, but this request costs ${cost}` },
        ])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
        expect(response.headers.get('X-Credits-Needed')).toBe(String(cost))
        expect(response.headers.get('X-Credits-Remaining')).toBe('100')
      }
    }
    expect(await service.readLedger(id)).toEqual({ balance: 100, granted: 100, charged: 0 })
  })

  test('of the cost or more has no effect', async () => {
    for (const [path, cost] of endpoints) {
      for (const most of [String(cost), String(cost + 1), `00${cost}`, String(Number.MAX_SAFE_INTEGER)]) {
        const { secret, id } = await service.createKey({ credits: 100 })
        const response = await ask(secret, path, most)
        expect([path, most, response.headers.get('X-Credits-Cost')]).toEqual([path, most, String(cost)])
        expect(await service.readLedger(id)).toMatchObject({ charged: cost })
      }
    }
  })

  test('is checked before the balance', async () => {
    const { secret } = await service.createKey({ credits: 3 })
    expect((await ask(secret, '/users', '5')).json()).toEqual({
      error: 'Max-Credits is 5, but this request costs 30',
    })
    expect((await ask(secret, '/users', '30')).json()).toEqual({
      error: 'insufficient credits: need 30, have 3',
    })
  })

  test('of 0 lets through what is free: an empty page, 304, and errors', async () => {
    const { secret, id } = await service.createKey({ credits: 5 })
    const { headers } = await service.request('/users?per_page=5', { key: secret })
    for (const [path, status, more] of [
      ['/users?page=999', 200, {}],
      ['/users?per_page=5', 304, { 'If-None-Match': headers.get('ETag') ?? '' }],
      ['/repos/ngoldberg/no-such-repository', 404, {}],
      ['/users?page=0', 400, {}],
      ['/api-key/credits', 200, {}],
      ['/api-key/usage', 200, {}],
    ] as const) {
      const response = await ask(secret, path, '0', more)
      expect([path, response.status, response.headers.get('X-Credits-Cost')]).toEqual([path, status, '0'])
    }
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 5, charged: 5 })
  })

  test('of 0 lets through a repetition that was paid before', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const key = { 'Idempotency-Key': 'paid' }
    await service.request('/users', { key: secret, headers: key })
    const again = await ask(secret, '/users', '0', key)
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
    expect((await ask(secret, '/users', '0', { 'Idempotency-Key': 'not paid' })).status).toBe(400)
    expect((await ask(secret, '/users', '0', { 'Idempotency-Key': 'not-paid' })).status).toBe(403)
    expect(await service.readLedger(id)).toMatchObject({ charged: 30 })
  })

  test('of 0 lets admin keys through, which are not charged', async () => {
    const { secret } = await service.createKey({ role: 'admin', credits: 0 })
    for (const [path] of endpoints) {
      const response = await ask(secret, path, '0')
      expect([path, [200, 404].includes(response.status), response.headers.get('X-Credits-Cost')]).toEqual([
        path,
        true,
        '0',
      ])
    }
  })

  test('that is not an integer from 0 to 9007199254740991 is 400, and nothing is charged', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    for (const most of [
      '',
      ' ',
      '-1',
      '+5',
      '1.5',
      '1e3',
      '0x10',
      '1,000',
      '5, 5',
      '5 5',
      'many',
      'Infinity',
      'NaN',
      '9007199254740992',
      '9'.repeat(400),
      '\u00b2',
    ]) {
      for (const [path] of endpoints) {
        const response = await ask(secret, path, most)
        expect([path, most, response.status, response.json()]).toEqual([
          path,
          most,
          400,
          { error: 'Invalid Max-Credits: must be an integer from 0 to 9007199254740991, digits only' },
        ])
      }
    }
    expect(await service.readLedger(id)).toEqual({ balance: 100, granted: 100, charged: 0 })
  })

  test('is ignored for HEAD, which costs nothing', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    for (const [path, cost] of endpoints) {
      for (const most of ['0', 'many']) {
        const quote = await ask(secret, path, most, {}, 'HEAD')
        expect([path, [200, 404].includes(quote.status), quote.headers.get('X-Credits-Cost')]).toEqual([
          path,
          true,
          String(cost),
        ])
      }
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('holds for concurrent requests: not one credit is charged above it', async () => {
    const { secret, id } = await service.createKey({ credits: 1_000 })
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => ask(secret, `/users?per_page=${(index % 10) + 1}`, '5')),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(responses.filter(({ status }) => status === 403)).toHaveLength(50)
    expect(await service.readLedger(id)).toMatchObject({ charged: 10 * (1 + 2 + 3 + 4 + 5) })
  })
})
