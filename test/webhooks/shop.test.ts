/** The shop of the docs, from the sale of a key to its first top-up (docs: Sell keys). */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getKey, revokeKey } from '../../api/ledger/keys.ts'
import { listNotices } from '../../api/ledger/webhook-notices.ts'
import { type NoticeSender, startSender } from '../../api/webhooks/sender.ts'
import { parseWebhookSecrets } from '../../api/webhooks/signature.ts'
import { createShop } from '../../deploy/shop.ts'
import { createInstance } from '../support/instance.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const soldSchema = v.object({ id: v.number(), key: v.optional(v.string(), '') })
const usageSchema = v.object({
  data: v.array(v.looseObject({ granted: v.number(), reference: v.nullable(v.string()) })),
})

async function listen(server: Server | ReturnType<typeof createAdaptorServer>): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describeOnOneDatabase('a shop', (kind) => {
  const service = useService(kind)
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  /** What customers' cards were charged: key, credits, reference. */
  const collected: [number, number, string][] = []
  let cardWorks = true
  let closeAll: () => unknown
  let shopUrl: string
  let sender: NoticeSender
  beforeAll(async () => {
    await service.sql`delete from notices` // of the load of the sample data
    const { secret: devdataKey } = await service.createKey({ role: 'admin', scopes: ['keys:write'] })
    const api = createAdaptorServer({ fetch: createInstance(service).app.fetch })
    const shop = createShop({
      devdataUrl: await listen(api),
      devdataKey,
      webhookSecret: secret,
      paymentSecret: 'paid',
      async collect(keyId, credits, reference) {
        if (!cardWorks) return 'declined'
        if (!collected.some(([, , known]) => known === reference)) collected.push([keyId, credits, reference])
        return 'paid'
      },
    })
    shopUrl = await listen(shop)
    const secrets = parseWebhookSecrets(secret)
    if (secrets === 'invalid') throw new Error('invalid')
    const webhook = { url: `${shopUrl}/notices`, secrets }
    sender = startSender({ sql: service.sql, webhook, warn: () => {}, pollIntervalMs: 10 })
    closeAll = async () => {
      await sender.stop()
      api.close()
      shop.close()
    }
  })
  afterAll(() => closeAll?.())

  const post = (path: string, body: unknown, authorization = 'Bearer paid') =>
    fetch(`${shopUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: authorization },
      body: JSON.stringify(body),
    })
  const buy = async (order: string, credits = 1_000) => {
    const response = await post('/orders', { order, customer: 'Ada', credits })
    expect(response.status).toBe(200)
    return v.parse(soldSchema, await response.json())
  }
  async function read(key: string, path: string) {
    const response = await service.request(path, { key })
    expect([path, response.status]).toEqual([path, 200])
    return Number(response.headers.get('X-Credits-Remaining'))
  }

  const useUp = async (key: string) => {
    for (let page = 1; page <= 9; page++) await read(key, '/users?per_page=100')
    await read(key, '/users/ngoldberg')
  }
  const expectDelivered = () =>
    expect
      .poll(async () => (await listNotices(service.sql, 1)).map(({ kind: type, state }) => [type, state]))
      .toEqual([['key.low', 'delivered']])

  test('sells a key, hears that it runs low, and tops it up once', async () => {
    const { id, key } = await buy('1842')
    for (let page = 1; page <= 9; page++) await read(key, '/users?per_page=100')
    expect(await read(key, '/api-key/credits')).toBe(100) // not below 100
    expect(await read(key, '/users/ngoldberg')).toBe(99)
    await expect.poll(() => read(key, '/api-key/credits')).toBe(1_099)
    const { data } = v.parse(
      usageSchema,
      (await service.request('/api-key/usage?per_page=100', { key })).json(),
    )
    const grants = data
      .filter(({ granted }) => granted > 0)
      .map(({ granted, reference }) => [granted, reference])
    const [[, , reference] = []] = collected
    expect(grants).toEqual([
      [1_000, `top-up ${reference}`],
      [1_000, null],
    ])
    expect(collected).toEqual([[id, 1_000, expect.stringMatching(/^msg_/)]])

    // The webhook's message arrives again.
    await service.sql`update notices set outcome = null, next_attempt_at = now()`
    await expect
      .poll(async () => (await listNotices(service.sql, 10)).map(({ state }) => state))
      .toEqual(['delivered'])
    expect([await read(key, '/api-key/credits'), collected.length]).toEqual([1_099, 1])
  })

  test('gives the same key for an order that is repeated, with another secret until it is used', async () => {
    const first = await buy('1843')
    const second = await buy('1843')
    expect(second.id).toBe(first.id)
    expect(await read(second.key, '/api-key/credits')).toBe(1_000)
    expect((await service.request('/api-key/credits', { key: first.key })).status).toBe(401)
    expect(await buy('1843')).toEqual({ id: first.id, key: '' })
    expect(await read(second.key, '/api-key/credits')).toBe(1_000)
  })

  test('leaves a key as it is if the card is declined, or if the key is revoked when the message arrives', async () => {
    cardWorks = false
    const { id, key } = await buy('1844')
    await useUp(key)
    await expectDelivered()
    expect(await read(key, '/api-key/credits')).toBe(99)
    cardWorks = true
    await revokeKey(service.sql, id)
    await service.sql`update notices set outcome = null, next_attempt_at = now()`
    await expectDelivered()
    expect(collected.filter(([keyId]) => keyId === id)).toEqual([])
    expect(await getKey(service.sql, id)).toMatchObject({ status: 'revoked', remaining_credits: 99 })
  })

  test('takes any name of a customer, and refuses an order that could be used up before it runs low', async () => {
    const customer = `${'نسرین\u200cرضایی'}\n${'x'.repeat(200)}`
    const response = await post('/orders', { order: '1846', customer, credits: 1_000 })
    const { id } = v.parse(soldSchema, await response.json())
    expect((await getKey(service.sql, id)).name).toBe(`نسرین رضایی ${'x'.repeat(88)}`)
    const small = await post('/orders', { order: '1847', customer: 'Ada', credits: 590 })
    expect([small.status, await small.json()]).toEqual([400, { error: 'Sell 1000 credits or more' }])
  })

  test('refuses an order without a number: others like it would get the same key', async () => {
    for (const order of [undefined, null, '', ' ', {}]) {
      const response = await post('/orders', { order, customer: 'Ada', credits: 1_000 })
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: 'order is missing: send the number of the order' },
      ])
    }
  })

  test('believes nobody without the right secret', async () => {
    expect((await post('/orders', { order: '1', customer: 'Eve', credits: 1e6 }, 'Bearer no')).status).toBe(
      401,
    )
    const forged = { type: 'key.low', data: { key_id: 1, notify_below: 1_000_000 } }
    expect((await post('/notices', forged)).status).toBe(401)
    expect((await post('/elsewhere', {})).status).toBe(404)
    expect((await post('/orders', 'x'.repeat(20_000))).status).toBe(500)
  })
})
