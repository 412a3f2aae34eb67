/** Keys over HTTP with the client, the packed file, against the real service: what is lost or late makes nothing twice. */
import { beforeAll, expect, test } from 'vitest'
import { listKeys } from '../../api/ledger/keys.ts'
import {
  type AdminModule,
  fail,
  type Intercept,
  installClient,
  interceptInTurn,
  lose,
  serve,
} from '../support/client.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const service = useService(anyDatabase)
/** How the next requests are handled, in this order. Those after them reach the service. */
const interceptions: Intercept[] = []
const received: Request[] = []
const served = useStarted(() => serve(service, interceptInTurn(interceptions, received)))

let keys: ReturnType<AdminModule['createAdmin']>['keys']
const waits: number[] = []
beforeAll(async () => {
  const { secret: apiKey } = await service.createKey({ role: 'admin', scopes: ['keys:write'] })
  const { createAdmin } = (await installClient()).admin
  keys = createAdmin({ baseUrl: served.url, apiKey, onWait: ({ delayMs }) => waits.push(delayMs) }).keys
})

const readStatus = async (secret: string | null) =>
  (await service.request('/api-key/credits', { key: secret ?? '' })).status

/** The response is lost, and the request reaches the service after its repetition. */
function delay(): { intercept: Intercept; arrive: () => Promise<unknown> } {
  let arrive = async (): Promise<unknown> => {
    throw new Error('no request was delayed')
  }
  return {
    async intercept(request, handle) {
      const late = request.clone()
      arrive = () => handle(late)
      return new Response('', { status: 502 })
    },
    arrive: () => arrive(),
  }
}

test('creates, finds, changes, grants, rotates, revokes and restores keys', async () => {
  const { id, secret, key } = await keys.create({
    ...{ reference: 'order 1', credits: 10, name: 'Ada', scopes: ['users:read'], rateLimit: '7/60' },
    ...{ notifyBelow: 5, expiresAt: '2099-12-31' },
  })
  expect(await readStatus(secret)).toBe(200)
  expect(key).toMatchObject({ name: 'Ada', scopes: ['users:read'], rate_limit: '7/60', notify_below: 5 })
  await keys.create({ reference: 'order 2', name: 'Adam' })
  const list = keys.list({ name: 'ada' }, { pageSize: 1 })
  const found: number[] = []
  for await (const each of list) found.push(each.id)
  expect([found[0], found.length, list.total]).toEqual([id, 2, 2])
  expect((await keys.list({ below: 10, name: 'ada' }).pages().next()).value?.total).toBe(1)
  expect(await keys.get(id)).toMatchObject({ id, remaining_credits: 10 })
  expect(await keys.get(2_147_483_647)).toBeUndefined()
  expect(await keys.change(id, { name: null, rateLimit: null })).toMatchObject({
    ...{ name: null, rate_limit: null, notify_below: 5 },
  })
  const granted = await keys.grant(id, { credits: 5, reference: 'invoice 1' })
  expect(granted).toMatchObject({ outcome: 'granted', key: { remaining_credits: 15 } })
  const rotated = await keys.rotate(id, { graceSeconds: 3_600 })
  expect([await readStatus(secret), await readStatus(rotated.secret)]).toEqual([200, 200])
  expect(await keys.revoke(id)).toMatchObject({ status: 'revoked' })
  expect(await readStatus(secret)).toBe(401)
  expect(await keys.restore(id)).toMatchObject({ status: 'active' })
  expect((await keys.rotate(id)).id).toBe(id)
  expect([await readStatus(secret), await readStatus(rotated.secret)]).toEqual([401, 401])
})

test('creates and grants once though responses are lost, or requests arrive late', async () => {
  const before = (await listKeys(service.sql)).length
  const late = [delay(), delay()] as const
  interceptions.push(lose)
  const first = await keys.create({ reference: 'order 3', credits: 10 })
  expect(first).toMatchObject({ secret: null, key: { remaining_credits: 10 } })
  interceptions.push(late[0].intercept, lose)
  const second = await keys.create({ reference: 'order 4', credits: 10 })
  interceptions.push(late[1].intercept, lose)
  const grant = await keys.grant(second.id, { credits: 7, reference: 'invoice 2' })
  expect(grant).toMatchObject({ outcome: 'repeated', key: { remaining_credits: 17 } })
  await Promise.all(late.map(({ arrive }) => arrive()))
  expect(await service.readLedger(second.id)).toEqual({ balance: 17, granted: 17, charged: 0 })
  expect((await listKeys(service.sql)).length).toBe(before + 2)
})

test('rotates to a secret that works, though responses are lost, and requests arrive late', async () => {
  const { id, secret: old } = await keys.create({ reference: 'order 5' })
  const late = delay()
  interceptions.push(late.intercept, lose)
  const { secret } = await keys.rotate(id)
  expect([await readStatus(old), await readStatus(secret)]).toEqual([401, 200])
  await late.arrive()
  expect(await readStatus(secret)).toBe(200)
  expect(new Set(await Promise.all(received.slice(-4).map((request) => request.method)))).toEqual(
    new Set(['POST']),
  )
})

test('throws what the service says, and tries again only what can succeed', async () => {
  const { id } = await keys.create({ reference: 'order 6' })
  await expect(keys.create({ reference: 'order 6', credits: 1 })).rejects.toMatchObject({
    ...{ name: 'InvalidRequestError', status: 409, code: 'reference_conflict' },
  })
  await expect(keys.grant(id, { credits: 0, reference: 'x' })).rejects.toMatchObject({
    message: expect.stringMatching(/^Invalid credits: must be a whole number other than 0/),
  })
  await expect(keys.create({ reference: 'x', credit: 5 } as never)).rejects.toThrow(
    /^Unknown member: credit; /,
  )
  await expect(keys.revoke(2_147_483_647)).rejects.toMatchObject({
    name: 'NotFoundError',
    code: 'key_not_found',
  })
  await expect(keys.revoke('' as never)).rejects.toBeInstanceOf(TypeError)
  waits.length = 0
  interceptions.push(fail(503, { 'X-Error-Code': 'keys_over_http_off' }))
  await expect(keys.revoke(id)).rejects.toMatchObject({
    name: 'UnavailableError',
    code: 'keys_over_http_off',
  })
  expect(waits).toEqual([])
})
