/** What a webhook is sent, whatever its receiver does (decisions/0007-operations.md). */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countStatement } from '../../api/database/statement-count.ts'
import { listNotices } from '../../api/ledger/webhook-notices.ts'
import { type NoticeSender, startSender } from '../../api/webhooks/sender.ts'
import { parseWebhookSecrets, signMessage } from '../../api/webhooks/signature.ts'
import { sendMessage } from '../../api/webhooks/webhook.ts'
import { behaviors, isSigned, startReceiver } from '../support/receiver.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const message = { id: 'msg_1', type: 'webhook.test', timestamp: '2026-01-01T00:00:00.000Z', data: {} }

describe('a message', () => {
  const receiver = useStarted(startReceiver, { each: true })

  test('is signed, and has the headers of Standard Webhooks', async () => {
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const secrets = parseWebhookSecrets(`${receiver.secret} ${other}`)
    if (secrets === 'invalid') throw new Error('invalid')
    expect(await sendMessage({ ...receiver.webhook, secrets }, message)).toBeUndefined()
    const [received] = receiver.received
    if (received === undefined) throw new Error('nothing was received')
    expect(received.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' })
    expect(JSON.parse(received.body)).toEqual({ type: message.type, timestamp: message.timestamp, data: {} })
    expect([receiver.secret, other].map((secret) => isSigned(received, secret))).toEqual([true, true])
    expect(isSigned({ ...received, body: `${received.body} ` }, receiver.secret)).toBe(false)
    expect(Math.abs(Number(received.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
  })

  test.each([
    ['fail', 'the receiver responded with 500'],
    ['redirect', 'the receiver responded with 307'],
    ['flood', 'the receiver responded with 500'],
    ['drop', expect.stringMatching(/^the receiver can't be reached: /)],
    ['hang', "the receiver didn't respond within 5 seconds"],
  ] as const)('isn’t delivered to a receiver that does this: %s', async (behavior, error) => {
    receiver.setBehavior(behaviors[behavior])
    expect(await sendMessage(receiver.webhook, message)).toEqual(error)
    expect([receiver.received.length, receiver.accepted, receiver.strayed]).toEqual([1, [], []])
  })

  test('is delivered to a receiver that accepts it with a megabyte, of which a part is read', async () => {
    receiver.setBehavior((response) => {
      response.on('error', () => {})
      response.writeHead(200)
      for (let kilobytes = 0; kilobytes < 1_024; kilobytes++) response.write('x'.repeat(1_024))
      response.end()
    })
    expect(await sendMessage(receiver.webhook, message)).toBeUndefined()
  })

  test('is delivered to a receiver that accepts it, and never ends its response', async () => {
    receiver.setBehavior((response) => response.writeHead(200).write('x'))
    expect(await sendMessage(receiver.webhook, message)).toBeUndefined()
  })

  test('isn’t delivered where nobody listens', async () => {
    const { webhook } = receiver
    await receiver[Symbol.asyncDispose]()
    expect(await sendMessage(webhook, message)).toMatch(/^the receiver can't be reached: .*ECONNREFUSED/)
  })
})

test('a signature is that of the standard', () => {
  // The example of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  const secrets = parseWebhookSecrets('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  if (secrets === 'invalid') throw new Error('invalid')
  const body = '{"test": 2432232314}'
  const headers = signMessage(secrets, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body })
  expect(headers['Webhook-Signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test.each([
  '',
  'whsec_',
  'whsec_AAAA',
  'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  `whsec_${'A'.repeat(100)}`,
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!!',
])('a secret is refused: %s', (text) => {
  expect(parseWebhookSecrets(text)).toBe('invalid')
})

describeOnOneDatabase('senders', (kind) => {
  const service = useService(kind, { each: true })
  const receiver = useStarted(startReceiver, { each: true })
  beforeEach(async () => {
    await service.sql`delete from notices` // of the load of the sample data
  })
  let senders: NoticeSender[] = []
  let warnings: string[] = []
  const start = () => {
    warnings = []
    const options = {
      sql: service.sql,
      webhook: receiver.webhook,
      warn: (text: string) => warnings.push(text),
    }
    senders.push(startSender({ ...options, pollIntervalMs: 10 }))
  }
  afterEach(async () => {
    await Promise.all(senders.map((sender) => sender.stop()))
    senders = []
  })

  const spend = (key: string, count: number) => service.request(`/users?per_page=${count}`, { key })
  const readStates = async () => (await listNotices(service.sql, 100)).map(({ state }) => state)

  test('deliver each notice once, in the order of its key', async () => {
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => service.createKey({ credits: 9, notifyBelow: 5 })),
    )
    for (let number = 0; number < 3; number++) start()
    await Promise.all(
      keys.map(async ({ secret }) => {
        for (const count of [5, 4]) await spend(secret, count)
      }),
    )
    await receiver.waitFor(12)
    await sleep(50)
    for (const { id } of keys) {
      const own = receiver.received.filter(({ data }) => data.key_id === id)
      expect(own.map(({ type }) => type)).toEqual(['key.low', 'key.exhausted'])
    }
    expect(receiver.received.every((received) => isSigned(received, receiver.secret))).toBe(true)
    await expect.poll(readStates).toEqual(Array.from({ length: 12 }, () => 'delivered'))
  })

  test('delay no request while the receiver hangs, and stop within seconds', async () => {
    receiver.setBehavior(behaviors.hang)
    start()
    const { secret } = await service.createKey({ credits: 100, notifyBelow: 100 })
    await spend(secret, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    for (let number = 0; number < 20; number++) expect((await spend(secret, 1)).status).toBe(200)
    expect(receiver.received).toHaveLength(1)
    await Promise.all(senders.map((sender) => sender.stop()))
    senders = []
    expect(warnings).toEqual([
      expect.stringMatching(/^Notice \d+ wasn't delivered in attempt 1: .* 5 seconds$/),
    ])
    expect(await readStates()).toEqual(['waiting'])
  })

  test('don’t send all that waits at once to a receiver that refuses it', async () => {
    await service.sql`
      insert into notices (kind, api_key_id, data) select 'key.low', id, '{}' from generate_series(1001, 1100) id`
    receiver.setBehavior(behaviors.fail)
    warnings = []
    const warn = (text: string) => warnings.push(text)
    senders.push(
      startSender({ sql: service.sql, webhook: receiver.webhook, warn, pollIntervalMs: 3_600_000 }),
    )
    await expect.poll(() => warnings.length).toBe(8)
    await sleep(200)
    expect(receiver.received).toHaveLength(8)
    await Promise.all(senders.map((sender) => sender.stop()))
    senders = []
    receiver.setBehavior(behaviors.accept)
    await service.sql`update notices set next_attempt_at = now()`
    start()
    await receiver.waitFor(100)
  })

  test('send one at a time to a receiver that refuses them, until one is delivered', async () => {
    await service.sql`
      insert into notices (kind, api_key_id, data) select 'key.low', id, '{}' from generate_series(1001, 1100) id`
    let atOnce = 0
    const seen: number[] = []
    receiver.setBehavior((response) => {
      seen.push(++atOnce)
      setTimeout(() => {
        atOnce--
        response.writeHead(500).end()
      }, 20)
    })
    start()
    await expect.poll(() => seen.length).toBeGreaterThan(12)
    expect(Math.max(...seen.slice(8))).toBe(1)
    receiver.setBehavior(behaviors.accept)
    await service.sql`update notices set next_attempt_at = now()`
    await receiver.waitFor(100)
  })

  test('try again what has failed, with the same id', async () => {
    receiver.setBehavior(behaviors.fail)
    start()
    const { secret } = await service.createKey({ credits: 1 })
    await spend(secret, 1)
    await expect.poll(() => warnings.length).toBe(1)
    receiver.setBehavior(behaviors.accept)
    await service.sql`update notices set next_attempt_at = now()`
    await receiver.waitFor(1)
    const [first, second] = receiver.received
    expect([first?.id, first?.id]).toEqual([second?.id, expect.stringMatching(/^msg_[\da-f-]{36}$/)])
    await expect.poll(readStates).toEqual(['delivered'])
  })

  test('have their turn though requests never leave a connection free', async () => {
    const { secret } = await service.createKey({ credits: 1 })
    await spend(secret, 1)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const requests = Array.from({ length: service.sql.options.max }, () =>
      countStatement(service.sql, () => ended),
    )
    start()
    await receiver.waitFor(1)
    end()
    await Promise.all(requests)
  })

  test('continue after the database was unavailable', async () => {
    await service.sql`alter table notices rename to moved_away`
    start()
    await expect.poll(() => warnings.length).toBeGreaterThan(0)
    await service.sql`alter table moved_away rename to notices`
    const { secret } = await service.createKey({ credits: 1 })
    await spend(secret, 1)
    await receiver.waitFor(1)
    expect(warnings).toHaveLength(1) // not one for each poll
  })
})

describeOnOneDatabase('a sender', (kind) => {
  const service = useService(kind, { databasePoolSize: 1 })
  const receiver = useStarted(startReceiver)

  test('works with a pool of one connection', async () => {
    const warn = () => {}
    const sender = startSender({ sql: service.sql, webhook: receiver.webhook, warn, pollIntervalMs: 10 })
    await receiver.waitFor(1) // of the load of the sample data
    await sender.stop()
  })
})
