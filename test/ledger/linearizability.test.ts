/**
 * Several instances, one ledger: for any concurrent requests, some order of them explains every response. The tests
 * record short random histories at real instances, and `explainHistory` searches for that order.
 *
 * `TEST_SEED=n` repeats the requests of one seed many times.
 *
 * @module-tag later
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insufficientCredits, maxCreditsExceeded } from '../../api/errors.ts'
import { hashSecret, scopes } from '../../api/ledger/api-key.ts'
import { digestIdempotency, sweepIdempotencyKeys } from '../../api/ledger/idempotency-keys.ts'
import { grantCredits, KeyError, restoreKey, revokeKey } from '../../api/ledger/keys.ts'
import { createLedger, type Ledger } from '../../api/ledger/ledger.ts'
import type { Settlement, Stale } from '../../api/ledger/settlement.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import {
  describeHistory,
  explainHistory,
  type History,
  type MeteredRequest,
  type Operation,
  type Request,
  type Told,
} from '../support/balance-model.ts'
import { isDrill } from '../support/drill.ts'
import { createInstance, type Instance, openSameDatabase } from '../support/instance.ts'
import { createUser, loadRecords } from '../support/records.ts'
import {
  describeOnEachDatabase,
  type TestResponse,
  type TestService,
  useService,
} from '../support/service.ts'

const { TEST_SEED } = process.env
const count = isDrill ? 2_000 : 100
const firstSeed = TEST_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(TEST_SEED)
/** The seed of a history of a run, by its place. */
const seedAt = (place: number) => (TEST_SEED === undefined ? firstSeed + place : firstSeed)
/** What some history of a run has to meet: what could go wrong has happened then. */
const statusesToMeet = ['200', '401', '403', '404', '409', '422', '429']
/** Histories recorded at the same time, each on a key of its own. */
const maxConcurrent = 8

/** An instance, as far as a history needs one, and a ledger beside it on the same database. */
interface Asked extends Pick<Instance, 'request'> {
  ledger: Ledger
}
type Instances = [Asked, ...Asked[]]

const goods = [
  { path: '/users/ngoldberg', cost: 1, served: 200 },
  { path: '/users/nobody-has-this-login', cost: 1, served: 404 },
  { path: '/users?per_page=2', cost: 2, served: 200 },
  { path: '/repos?per_page=3', cost: 3, served: 200 },
  { path: '/users?per_page=5&page=2', cost: 5, served: 200 },
  { path: '/users?page=999', cost: 0, served: 200 },
] as const

/** A list whose length is another one each time. No data is read for it: its requests go to the ledger alone. */
const growing = '/users?location=growing'

/** What one client asks, in its order; the path is what is sent. */
interface Step {
  request: Request
  path: string
  /** Place of the instance that it goes to. */
  instance: number
}

interface Plan {
  balance: number
  limit: number | null
  /** Of each client its steps; the clients act at the same time. */
  clients: Step[][]
  /** For how long somebody holds the key's row, in milliseconds; undefined: nobody does. */
  hold: number | undefined
}

/** Six to ten operations of two to five clients. In plans about time, one client has most of them, so that their order is known. */
function createPlan(random: Random, instances: number): Plan {
  const isAboutTime = random.chance(0.4)
  const clients: Step[][] = Array.from({ length: isAboutTime ? 2 : random.integer(2, 5) }, () => [])
  const hasOperator = isAboutTime || random.chance(0.5)
  const clock = random.chance(0.7) ? 1 : -1
  for (let left = random.integer(6, 10); left > 0; left--) {
    const place = isAboutTime ? Number(random.chance(0.2)) : random.integer(0, clients.length - 1)
    const isOperator = hasOperator && place === 0 && (!isAboutTime || random.chance(0.5))
    const step = isOperator
      ? {
          request: createOperatorsRequest(random, clock, isAboutTime),
          path: '',
          instance: random.integer(0, instances - 1),
        }
      : createStep(random, instances, isAboutTime)
    clients[place]?.push(step)
  }
  return {
    balance: isAboutTime ? 50 : random.integer(0, 12),
    limit: random.chance(0.3) ? random.integer(2, 6) : null,
    clients,
    hold: random.chance(0.2) ? random.integer(0, 8) : undefined,
  }
}

/** No sum of these is near an hour or a day: the minutes that a history really takes change nothing. */
const jumps = [50, 50, 100, 700, 1_400]

/** `clock` is the sign of its jumps. Plans about time have many repetitions, loads and jumps. */
function createOperatorsRequest(random: Random, clock: 1 | -1, isAboutTime: boolean): Request {
  if (isAboutTime) {
    return random.chance(0.5) ? { kind: 'load' } : { kind: 'clock', minutes: clock * random.pick(jumps) }
  }
  if (random.chance(0.35)) return { kind: 'grant', credits: random.integer(-6, 6), reference: null }
  if (random.chance(0.3)) {
    return { kind: 'grant', credits: random.integer(2, 3), reference: `reference-${random.integer(1, 2)}` }
  }
  if (random.chance(0.45)) return { kind: 'clock', minutes: clock * random.pick(jumps) }
  if (random.chance(0.45)) return { kind: 'load' }
  if (random.chance(0.2)) return { kind: 'sweep' }
  return { kind: random.chance(0.5) ? 'revoke' : 'restore' }
}

function createStep(random: Random, instances: number, isAboutTime: boolean): Step {
  const instance = random.integer(0, instances - 1)
  const { path, cost, served } = random.pick(goods)
  if (random.chance(isAboutTime ? 0.05 : 0.15))
    return { request: { kind: 'balance' }, path: '/api-key/credits', instance }
  if (random.chance(0.05)) return { request: { kind: 'quote', cost, served }, path, instance }
  const most = !isAboutTime && random.chance(0.15) ? random.integer(0, 3) : null
  if (random.chance(isAboutTime ? 0.95 : 0.3)) {
    const idempotencyKey = random.chance(isAboutTime ? 0.95 : 0.8) ? 'growing' : null
    const request = { kind: 'get', path: growing, cost: random.integer(0, 7), served: 200 } as const
    return { request: { ...request, most, idempotencyKey }, path: growing, instance }
  }
  const idempotencyKey = random.chance(0.4) ? `key-${random.integer(1, 2)}` : null
  return { request: { kind: 'get', path, cost, served, most, idempotencyKey }, path, instance }
}

const grantSchema = v.object({ outcome: v.string() })
const bodySchema = v.object({
  error: v.optional(v.string()),
  remaining_credits: v.optional(v.number()),
  data: v.optional(v.array(v.unknown())),
})

function readTold({ status, headers, text, json }: TestResponse): Told {
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : null)
  const body = text === '' ? {} : v.parse(bodySchema, json())
  const told = {
    status,
    cost: number('X-Credits-Cost'),
    balance: number('X-Credits-Remaining'),
    places: number('X-RateLimit-Remaining'),
    isReplayed: headers.get('Idempotency-Replayed') === 'true',
    error: body.error ?? null,
  }
  if (body.remaining_credits !== undefined) expect(body.remaining_credits).toBe(told.balance)
  if (body.data !== undefined && !told.isReplayed) expect(body.data).toHaveLength(told.cost ?? -1)
  return told
}

/** What a client would be told of a settlement. */
function tellSettlement(settlement: Settlement | Stale, { most, served }: MeteredRequest): Told {
  if (settlement.outcome === 'stale') throw new Error('a request without a version is never stale')
  const { outcome, due, charged, balance, rateLimit } = settlement
  const told = { ...done, cost: charged, balance, places: rateLimit?.remaining ?? null }
  switch (outcome) {
    case 'settled':
    case 'replayed':
      return { ...told, status: served, isReplayed: outcome === 'replayed' }
    case 'unusable':
      return { ...done, status: 401 }
    case 'throttled':
      return { ...told, status: 429 }
    case 'conflict':
      return { ...told, status: 422 }
    case 'over_max_credits':
      return { ...told, status: 403, error: maxCreditsExceeded(due, most ?? -1).message }
    case 'insufficient':
      return { ...told, status: 403, error: insufficientCredits(due, balance).message }
  }
}

const done: Told = { status: 200, cost: null, balance: null, places: null, isReplayed: false, error: null }

/** What concurrent histories share: a clock that ticks at each beginning and each end, and the dataset. */
interface Timeline {
  tick(): number
  /** Whether one more load may begin. Each is part of all the histories, which must stay short. */
  mayLoad(): boolean
  /** Of all the histories. */
  loads: Operation[]
}

const maxLoads = 4

function createTimeline(): Timeline {
  let ticks = 0
  let loadsBegun = 0
  return { tick: () => ticks++, mayLoad: () => loadsBegun++ < maxLoads, loads: [] }
}

let loaded = 0
/** Gives the dataset a new version. */
const changeDataset = (service: TestService) =>
  loadRecords(service.sql, { users: [createUser(9_000_000 + loaded++)] })

/** Carries a plan out on a key of its own, and says what happened to it, without the loads of other histories. */
async function record(
  service: TestService,
  instances: Instances,
  plan: Plan,
  { tick, mayLoad, loads }: Timeline,
  shop: string,
): Promise<History> {
  const { balance, limit, clients, hold } = plan
  const { secret, id } = await service.createKey({
    credits: balance,
    rateLimit: limit === null ? null : { requests: limit, seconds: 3600 },
  })
  const [own] = instances
  const bearer = { id, secret, secretHash: hashSecret(secret), role: 'user', scopes } as const
  const operations: Operation[] = []
  const charged: string[] = []

  /** An operator's grant that a shop sends, to any instance. */
  async function grantOverHttp(
    key: number,
    credits: number,
    reference: string,
    instance: number,
  ): Promise<Told> {
    const { request } = instances[instance] ?? own
    const body = { credits, reference }
    const { status, json } = await request(`/admin/keys/${key}/grants`, { method: 'POST', key: shop, body })
    return {
      ...done,
      status,
      isReplayed: status === 200 && v.parse(grantSchema, json()).outcome === 'repeated',
    }
  }

  async function act({ request, path, instance }: Step): Promise<Told> {
    switch (request.kind) {
      case 'revoke':
        return revokeKey(service.sql, id).then(() => done)
      case 'restore':
        return restoreKey(service.sql, id).then(() => done)
      case 'grant':
        if (request.reference !== null) return grantOverHttp(id, request.credits, request.reference, instance)
        return grantCredits(service.sql, id, request.credits).then(
          ({ outcome }) => ({ ...done, isReplayed: outcome === 'repeated' }),
          (error: unknown) => {
            expect(error).toBeInstanceOf(KeyError)
            return { ...done, status: 409 }
          },
        )
      case 'load':
        return changeDataset(service).then(() => done)
      case 'sweep':
        return sweepIdempotencyKeys(service.sql).then(() => done)
      case 'clock':
        // For this key alone, whatever its payments are.
        await service.sql.begin(async (tx) => {
          await tx`select from api_keys where id = ${id} for update`
          await tx`
            update idempotency_keys set created_at = created_at - make_interval(mins => ${request.minutes})
            where api_key_id = ${id}`
        })
        return done
      default: {
        const { ledger, request: send } = instances[instance] ?? own
        if (request.kind === 'get' && path === growing) {
          const requestId = randomUUID()
          const { cost, most: maxCredits, idempotencyKey } = request
          const idempotency = idempotencyKey === null ? null : digestIdempotency(idempotencyKey, path)
          const charge = {
            ...{ price: cost, items: cost, maxCredits, idempotency, requestId },
            ...{ path: '/users', endpoint: '/users' },
          }
          const settled = { isCounted: true, version: null, charge }
          const settlement = await ledger.settle(bearer, settled)
          if ('charged' in settlement && settlement.charged > 0) charged.push(requestId)
          return tellSettlement(settlement, request)
        }
        const headers: Record<string, string> = {}
        if (request.kind === 'get' && request.most !== null) headers['Max-Credits'] = String(request.most)
        if (request.kind === 'get' && request.idempotencyKey !== null)
          headers['Idempotency-Key'] = request.idempotencyKey
        const method = request.kind === 'quote' ? 'HEAD' : 'GET'
        const response = await send(path, { method, key: secret, headers })
        const told = readTold(response)
        if (request.kind === 'get' && (told.cost ?? 0) > 0)
          charged.push(response.headers.get('X-Request-Id') ?? '')
        return told
      }
    }
  }

  async function run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.request.kind === 'load' && !mayLoad()) continue
      const begin = tick()
      const told = await act(step)
      const operation = { request: step.request, told, begin, end: tick() }
      if (step.request.kind === 'load') loads.push(operation)
      else operations.push(operation)
    }
  }

  const held =
    hold !== undefined &&
    service.sql.begin(async (tx) => {
      await tx`select from api_keys where id = ${id} for update`
      await sleep(hold)
    })
  await Promise.all([...clients.map(run), held])

  // Each response with a cost has its entry, and there are no others.
  const entries = await service.sql<{ request_id: string }[]>`
    select request_id from ledger where api_key_id = ${id} and kind = 'charge'`
  expect(entries.map(({ request_id }) => request_id).sort()).toEqual(charged.sort())
  const ledger = await service.readLedger(id)
  expect(ledger.granted - ledger.charged).toBe(ledger.balance)
  await restoreKey(service.sql, id)
  if (limit === null) {
    const [client] = clients
    const isRevoked = client?.some(({ request }) => request.kind === 'revoke')
    if (isRevoked) operations.push({ request: { kind: 'restore' }, told: done, begin: tick(), end: tick() })
    await run([{ request: { kind: 'balance' }, path: '/api-key/credits', instance: 0 }])
  }
  return { balance, limit, operations }
}

describeOnEachDatabase('recorded histories of concurrent requests', (kind) => {
  const service = useService(kind)
  let instances: Instances
  /** An admin key that grants credits over HTTP. */
  let shop: string
  const databases: Awaited<ReturnType<typeof openSameDatabase>>[] = []
  beforeAll(async () => {
    shop = (await service.createKey({ role: 'admin', scopes: ['keys:write'] })).secret
    const { request } = createInstance(service)
    instances = [
      { request: service.request, ledger: createLedger(service.ledgerSql) },
      { request, ledger: createLedger(service.ledgerSql) },
    ]
    if (kind === 'embedded') return
    for (let index = 0; index < 2; index++) {
      const database = await openSameDatabase(service)
      databases.push(database)
      const { request } = createInstance(database)
      instances.push({ request, ledger: createLedger(database.ledgerSql) })
    }
  })
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()))
  })

  // The embedded database has one session: what is at once there is the service's own doing.
  const least = kind === 'embedded' ? Math.ceil(count / 8) : count
  const meetsAll = least >= 50 && TEST_SEED === undefined

  test(`have an order that explains every response, for ${least} seeds from ${firstSeed}`, async () => {
    const statuses: Record<number, number> = {}
    /** What is rare is not met by chance among the first: then there are more of them. */
    const isEnough = (histories: number) =>
      histories >= least &&
      (!meetsAll || histories >= 20 * least || statusesToMeet.every((status) => status in statuses))
    let recorded = 0
    for (; !isEnough(recorded); recorded += maxConcurrent) {
      const timeline = createTimeline()
      const histories = await Promise.all(
        Array.from({ length: maxConcurrent }, async (_, index) => {
          const seed = seedAt(recorded + index)
          const random = createRandom(String(seed))
          const plan = createPlan(random, random.integer(2, instances.length))
          if (kind === 'embedded') plan.hold = undefined
          return { seed, own: await record(service, instances, plan, timeline, shop) }
        }),
      )
      for (const { seed, own } of histories) {
        const history = { ...own, operations: [...own.operations, ...timeline.loads] }
        for (const { told } of history.operations) statuses[told.status] = (statuses[told.status] ?? 0) + 1
        if (explainHistory(history) === undefined) {
          throw new Error(`no order explains history ${seed} (TEST_SEED):\n${describeHistory(history)}`)
        }
        expect(tamper(history).map(([, tampered]) => explainHistory(tampered))).toEqual(
          tamper(history).map(() => undefined),
        )
      }
    }
    if (meetsAll) expect(Object.keys(statuses)).toEqual(statusesToMeet)
    console.info(`${kind}: ${recorded} histories from seed ${firstSeed}: ${JSON.stringify(statuses)}`)
  })
})

/**
 * Untruths about a recorded history: no order explains one balance that is off by one, when only charges moved it, nor
 * a debit that no response reported.
 */
function tamper(history: History): [name: string, History][] {
  const { operations } = history
  const isMovedByOthers = operations.some(
    ({ request, told }) => request.kind === 'grant' && told.status === 200,
  )
  const charge = operations.find(
    ({ request, told }) => request.kind === 'get' && (told.cost ?? 0) > 0 && told.balance !== null,
  )
  if (isMovedByOthers || charge === undefined || history.limit !== null) return []
  const told = (change: Partial<Told>): History => ({
    ...history,
    operations: operations.map((operation) =>
      operation === charge ? { ...charge, told: { ...charge.told, ...change } } : operation,
    ),
  })
  const balance = charge.told.balance ?? 0
  return [
    ['more', told({ balance: balance + 1 })],
    ['less', told({ balance: balance - 1 })],
    ['free', told({ cost: 0 })],
    ['hidden', { ...history, operations: operations.filter((operation) => operation !== charge) }],
  ]
}
