/**
 * Requests of the client, the packed file, against the real service: what it returns, retries, waits for and throws.
 */
import dns from 'node:dns'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type AdminModule,
  type ClientModule,
  cut,
  fail,
  type Intercept,
  installClient,
  interceptInTurn,
  lose,
  reword,
  serve,
} from '../support/client.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { anyDatabase, type TestService, useService } from '../support/service.ts'
import { connectAssistant } from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'

let client: ClientModule
let admin: AdminModule
const service = useService(anyDatabase)
/** How the next requests are handled, in this order. Those after them reach the service. */
const interceptions: Intercept[] = []
const received: Request[] = []
const served = useStarted(() => serve(service, interceptInTurn(interceptions, received)))

beforeAll(async () => {
  ;({ module: client, admin } = await installClient())
})

/** `Array.fromAsync`, which Node 20 lacks. */
async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

type Options = Partial<Parameters<ClientModule['createClient']>[0]>

/** A client with a key of its own. Its waits are recorded; those that are for errors of the test are short. */
async function createTestClient(options: Options = {}, key: Parameters<TestService['createKey']>[0] = {}) {
  const { secret, id } = await service.createKey(key)
  const waits: number[] = []
  const api = client.createClient({
    baseUrl: served.url,
    apiKey: secret,
    onWait: ({ delayMs }) => waits.push(delayMs),
    ...options,
  })
  received.length = 0
  return { api, id, waits, secret }
}

describe('look-ups and lists', () => {
  test('return what the service has', async () => {
    const { api, id } = await createTestClient()
    expect(await api.users.get('NGoldberg')).toMatchObject({ login: 'ngoldberg' })
    expect(await api.users.get('nobody-at-all')).toBe(undefined)
    expect(await api.repositories.get('yarrow-collective/monolith')).toMatchObject({ name: 'monolith' })
    expect(await api.repositories.get('nobody/nothing')).toBe(undefined)
    expect(await service.readLedger(id)).toMatchObject({ charged: 3 })
    expect(await api.credits()).toMatchObject({ remaining_credits: 999_997, role: 'user' })
    const entries = await collect(api.usage())
    expect(entries.map(({ cost }) => cost)).toEqual([1, 1, 1, 0])
    const days = await collect(api.usageByDay({ day: new Date().toISOString().slice(0, 10) }))
    expect(days.reduce((sum, { cost }) => sum + cost, 0)).toBe(3)
  })

  test('of connections, which end once, also if the response is lost', async () => {
    const { api, secret } = await createTestClient()
    expect(await api.connections()).toEqual([])
    const assistants = [await connectAssistant(service, secret), await connectAssistant(service, secret)]
    const [first, second] = await api.connections()
    expect(first).toMatchObject({ name: 'Test connector', host: 'connector.example', max_credits: 1_000 })
    interceptions.push(lose)
    await api.endConnection(first?.id ?? 0)
    expect(received.slice(-2).map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
    await api.endConnection(first?.id ?? 0)
    expect(await api.connections()).toEqual([second])
    expect(await Promise.all(assistants.map(({ tryMcp }) => tryMcp()))).toEqual([401, 200])
    const stranger = await createTestClient()
    await stranger.api.endConnection(second?.id ?? 0)
    expect(await api.connections()).toEqual([second])
    await expect(api.endConnection(Number.NaN)).rejects.toBeInstanceOf(client.InvalidRequestError)
  })

  test('have the price and the number of items that the quote says', async () => {
    const { api, id } = await createTestClient()
    const filter = { location: ['berlin', 'paris'], dependencyNames: ['react', 'hono'] }
    const quote = await api.users.quote(filter)
    const list = api.users.list(filter, { pageSize: 7 })
    const users = await collect(list)
    expect(users.length).toBeGreaterThan(7)
    expect(quote).toEqual({ items: users.length, credits: users.length })
    expect([list.spent, list.total, list.isComplete, list.state]).toEqual([
      users.length,
      users.length,
      true,
      undefined,
    ])
    expect(await service.readLedger(id)).toMatchObject({ charged: users.length })
    const pages = await collect(api.users.list(filter, { pageSize: 7 }).pages())
    expect(pages.flatMap(({ items }) => items)).toEqual(users)
    expect(pages[0]?.items.length).toBe(7)
  })

  test('count the items of a list by their values, free', async () => {
    const { api, id } = await createTestClient()
    const filter = { dependencyNames: ['react'] }
    const users = await api.users.count('country', filter)
    expect([users.total, users.values[0]]).toEqual([
      (await api.users.quote(filter)).items,
      { value: 'DE', count: 25 },
    ])
    const counted = users.values.reduce((sum, { count }) => sum + count, users.none + (users.others ?? 0))
    expect(counted).toBe(users.total)
    const repositories = await api.repositories.count('dependency', { language: 'TypeScript' })
    expect(repositories).toMatchObject({ total: expect.any(Number), others: null })
    await expect(api.users.count('language' as never)).rejects.toThrow('Invalid by')
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('list commits and dependencies with theirs, and throw if there is no such repository', async () => {
    const { api } = await createTestClient()
    const commits = await collect(api.repositories.commits('yarrow-collective/monolith', { pageSize: 3 }))
    expect(new Set(commits.map(({ commit_hash: hash }) => hash)).size).toBe(commits.length)
    const dependencies = await collect(api.repositories.dependencies('yarrow-collective/monolith'))
    expect([commits.length, dependencies.length].every((length) => length > 0)).toBe(true)
    const [blamed] = await collect(api.repositories.blame('kmuller/widget'))
    expect(blamed?.removed?.author_email).toBe('kmuller@example.com')
    await expect(collect(api.repositories.commits('nobody/nothing'))).rejects.toBeInstanceOf(
      client.NotFoundError,
    )
  })

  test('look up any number of names or ids, each once', async () => {
    const { api, id } = await createTestClient()
    const users = await collect(api.users.list({}, { budget: 230 }))
    const logins = users.map(({ login }) => login)
    const unknown = Array.from({ length: 50 }, (_, index) => `unknown-${index}`)
    const twice = [...logins, ...unknown, ...logins.map((login) => login.toUpperCase())]
    received.length = 0
    const found = await collect(api.users.getMany(twice))
    expect(received.length).toBe(3)
    expect(new Set(found.map(({ login }) => login))).toEqual(new Set(logins))
    expect(found.length).toBe(230)
    const byId = await collect(api.users.getMany(users.map((user) => user.forge_rest_id)))
    expect(byId.length).toBe(230)
    expect(await collect(api.users.getMany([]))).toEqual([])
    received.length = 0
    expect(await collect(api.users.getMany([-5, Number.MIN_SAFE_INTEGER]))).toEqual([])
    expect(received.map(({ url }) => new URL(url).searchParams.get('forge_rest_ids'))).toEqual([
      '-5,-9007199254740991',
    ])
    expect(await service.readLedger(id)).toMatchObject({ charged: 690 })
    const many = api.users.getMany(logins, { budget: 130 })
    expect((await collect(many)).length).toBe(130)
    expect(many.stoppedBy).toBe('budget')
  })

  test('look up many long names within a small budget', async () => {
    const { api, id } = await createTestClient()
    const logins = (await collect(api.users.list({}, { budget: 8 }))).map(({ login }) => login)
    const unknown = Array.from({ length: 150 }, (_, index) => String(index).padEnd(80, 'x'))
    const list = api.users.getMany([...unknown, ...logins], { budget: 5 })
    expect((await collect(list)).length).toBe(5)
    expect(list.stoppedBy).toBe('budget')
    expect(await service.readLedger(id)).toMatchObject({ charged: 13 })
  })

  test('stop at the budget, and continue from there', async () => {
    const { api, id } = await createTestClient()
    const list = api.repositories.list({}, { budget: 123 })
    expect((await collect(list)).length).toBe(123)
    expect([list.stoppedBy, list.spent]).toEqual(['budget', 123])
    expect(await service.readLedger(id)).toMatchObject({ charged: 123 })
    const resume = JSON.parse(JSON.stringify(list.state))
    const rest = api.repositories.list({}, { resume, budget: 130 })
    expect((await collect(rest)).length).toBe(7)
    const { items } = await api.users.quote({ location: 'berlin' })
    const exact = api.users.list({ location: 'berlin' }, { budget: items })
    expect((await collect(exact)).length).toBe(items)
    expect(exact.stoppedBy).toBe(undefined)
  })

  test('can be left and continued, also from an earlier state, without paying twice', async () => {
    const { api, id } = await createTestClient()
    const list = api.users.list({}, { pageSize: 10 })
    const ids: number[] = []
    const states = []
    for await (const user of list) {
      states.push(list.state)
      if (ids.push(user.forge_rest_id) === 25) break
    }
    for await (const { items } of list.pages()) {
      ids.push(...items.map((user) => user.forge_rest_id))
      if (ids.length === 40) break
    }
    const again = api.users.list({}, { pageSize: 10, resume: states[6] })
    for await (const user of again) {
      expect(user.forge_rest_id).toBe(ids[7])
      break
    }
    for await (const user of api.users.list({}, { pageSize: 10, resume: states[0] })) {
      if (user.forge_rest_id === ids[39]) break
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 40 })
  })

  test('can be iterated by several loops at the same time, which share the items', async () => {
    const { api, id } = await createTestClient()
    const logins = (await collect(api.users.list({}, { budget: 12 }))).map(({ login }) => login)
    const list = api.users.list({}, { budget: 12, pageSize: 2 })
    const items = await Promise.all([collect(list), collect(list), collect(list)])
    expect(items.flatMap((users) => users.map(({ login }) => login)).sort()).toEqual(logins.sort())
    const paged = api.users.list({}, { budget: 12, pageSize: 3 })
    const pages = (await Promise.all([collect(paged.pages()), collect(paged.pages())])).flat()
    expect(pages.map((page) => page.items.length)).toEqual([3, 3, 3, 3])
    expect(await service.readLedger(id)).toMatchObject({ charged: 36 })
  })

  test('don’t pay for a page again if the response got lost and the budget is smaller now', async () => {
    const { api, id } = await createTestClient({ retries: 0 })
    const whole = api.users.list()
    const resume = JSON.parse(JSON.stringify(whole.state))
    // It was not paid: the page is made to fit the budget.
    const unpaid = api.users.list({}, { resume, budget: 50 })
    expect([(await collect(unpaid)).length, unpaid.spent, unpaid.stoppedBy]).toEqual([50, 50, 'budget'])
    expect(await service.readLedger(id)).toMatchObject({ charged: 50 })

    const lost = api.users.list({ location: 'e' })
    interceptions.push(lose)
    await expect(collect(lost)).rejects.toBeInstanceOf(client.UnavailableError)
    const resumed = api.users.list({ location: 'e' }, { resume: lost.state, budget: 50 })
    expect([(await collect(resumed)).length, resumed.spent, resumed.stoppedBy]).toEqual([100, 100, 'budget'])
    expect(await service.readLedger(id)).toMatchObject({ charged: 150 })
  })

  test('spend no more than the budget if a page is continued after the time in which it is free', async () => {
    const { api, id } = await createTestClient()
    const list = api.users.list({}, { pageSize: 10, budget: 15 })
    const first: string[] = []
    for await (const { login } of list) if (first.push(login) === 3) break
    const resume = list.state
    await service.sql`
      update idempotency_keys set created_at = created_at - interval '25 hours' where api_key_id = ${id}`
    const late = api.users.list({}, { pageSize: 10, budget: 15, resume })
    expect([(await collect(late)).length, late.spent, late.stoppedBy]).toEqual([0, 10, 'budget'])
    expect(await service.readLedger(id)).toMatchObject({ charged: 10 })
    const larger = api.users.list({}, { pageSize: 10, budget: 23, resume: late.state })
    const rest = (await collect(larger)).map(({ login }) => login)
    expect([new Set([...first, ...rest]).size, larger.spent, larger.stoppedBy]).toEqual([13, 23, 'budget'])
    expect(await service.readLedger(id)).toMatchObject({ charged: 23 })
  })

  test('end with the reason of their signal', async () => {
    const { api } = await createTestClient()
    const controller = new AbortController()
    const list = api.users.list({}, { signal: controller.signal, pageSize: 5 })
    const seen: string[] = []
    const reading = (async () => {
      for await (const { login } of list) if (seen.push(login) === 5) controller.abort(new Error('enough'))
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen.length).toBe(5)
    expect(list.state?.read).toEqual([])
    interceptions.push(fail(503, { 'Retry-After': '3000000' }))
    await expect(api.users.get('ngoldberg', { signal: AbortSignal.timeout(50) })).rejects.toThrow('aborted')
  })

  test('refuse filters that the service would ignore, unknown options, and states of other lists', async () => {
    const { api } = await createTestClient()
    expect(() => api.users.list({ dependencyNames: [] })).toThrow('dependencyNames is empty')
    expect(() => api.users.list({ location: ' ' })).toThrow('location is empty')
    expect(() => api.users.list({ dependencyNames: ['a,b'] })).toThrow('must not contain commas')
    const { state: resume } = api.users.list({ location: 'berlin' })
    expect(() => api.users.list({ location: 'paris' }, { resume })).toThrow('the same list')
    expect(() => api.repositories.list({}, { resume })).toThrow('the same list')
    await expect(api.users.get('..')).rejects.toThrow(TypeError)
    const misspelled = { signal: undefined, budgett: 3 }
    expect(() => api.users.list({}, misspelled)).toThrow('Unknown option: budgett')
    await expect(api.users.get('ngoldberg', misspelled)).rejects.toThrow('Unknown option: budgett')
    expect(received).toEqual([])
  })

  test('refuse what is not a name or a number, free, instead of looking up its text', async () => {
    const { api } = await createTestClient()
    // What a program without types may pass: a field that a record lacks, for example.
    const absent: readonly unknown[] = [undefined, null, Number.NaN, {}, ['ngoldberg'], 5]
    for (const value of absent as never[]) {
      await expect(api.users.get(value)).rejects.toThrow('must be a text')
      await expect(api.repositories.get(value)).rejects.toThrow('named by OWNER/NAME')
      expect(() => api.repositories.commits(value)).toThrow('named by OWNER/NAME')
      if (value !== 5) {
        expect(() => api.users.list({ location: [value] })).toThrow('location must be a text')
        expect(() => api.users.getMany([value])).toThrow(/^(logins|forgeRestIds) must be a text/)
      }
    }
    for (const value of [null, Number.NaN, {}, 1.5, true] as never[]) {
      for (const member of ['location', 'dependencyNames', 'dependencyStatus', 'changedSince', 'owner']) {
        expect(() => api.users.list({ [member]: value })).toThrow(`${member} must be`)
        await expect(api.users.quote({ [member]: value })).rejects.toThrow(`${member} must be`)
      }
      expect(() => api.changes(value)).toThrow('changedSince must be')
      expect(() => api.users.list({}, { budget: value })).toThrow('budget must be')
      await expect(api.users.get('ngoldberg', { maxCredits: value })).rejects.toThrow('maxCredits must be')
      await expect(api.users.get('ngoldberg', { idempotencyKey: value })).rejects.toThrow('idempotencyKey')
    }
    // Headers can't have them.
    for (const idempotencyKey of ['', 'Łukasz', 'my step', 'k'.repeat(256)]) {
      const rule = 'idempotencyKey must be 1 to 255 visible ASCII characters'
      await expect(api.users.get('ngoldberg', { idempotencyKey })).rejects.toThrow(new TypeError(rule))
    }
    // biome-ignore lint/suspicious/noSparseArray: a hole is what programs may have
    expect(() => api.users.list({ location: [, 'berlin'] as string[] })).toThrow('location must be')
    expect(() => api.users.list('berlin' as never)).toThrow('a filter must be an object')
    expect(() => api.users.getMany('ngoldberg' as never)).toThrow('must be an array')
    expect(received).toEqual([])
  })

  test('are read once: a loop after the last one is an error', async () => {
    const { api, id } = await createTestClient()
    const list = api.users.list({ location: 'berlin' })
    const { length } = await collect(list)
    await expect(collect(list)).rejects.toThrow('All is read: keep the items of the first loop')
    await expect(collect(list.pages())).rejects.toThrow(TypeError)
    expect(await service.readLedger(id)).toMatchObject({ charged: length })

    // A program that takes a few items at a time ends with a loop that has none.
    const inParts = api.users.list({ location: 'berlin' }, { pageSize: 10 })
    const sizes: number[] = []
    do {
      let size = 0
      for await (const _ of inParts) if (++size === length / 3) break
      sizes.push(size)
    } while (sizes.at(-1) !== 0)
    expect(sizes).toEqual([length / 3, length / 3, length / 3, 0])
    await expect(collect(inParts)).rejects.toThrow('All is read')

    const stopped = api.users.list({ location: 'berlin' }, { budget: 5 })
    expect((await collect(stopped)).length).toBe(5)
    expect(await collect(stopped)).toEqual([])
    expect(stopped.stoppedBy).toBe('budget')
  })
})

describe('changes', () => {
  test('are read once', async () => {
    const { api } = await createTestClient()
    const changes = api.changes()
    const pages = await collect(changes.pages())
    expect(pages.length).toBeGreaterThan(2)
    await expect(collect(changes)).rejects.toThrow('All is read')
    await expect(collect(changes.pages())).rejects.toThrow('All is read')
  })

  test('are everything first, and then what has changed since', async () => {
    const { api } = await createTestClient()
    const everything = api.changes()
    const copy = await collect(everything)
    expect(new Set(copy.map(({ type }) => type))).toEqual(new Set(['user', 'repository']))
    await loadRecords(service.sql, { users: [createUser(1), createUser(2)] })
    const changes = api.changes(everything.version)
    const seen = await collect(changes)
    expect(seen.map(({ type, item }) => [type, item.forge_rest_id])).toEqual([
      ['user', 1],
      ['user', 2],
    ])
    expect(changes.spent).toBe(2)
    expect(await collect(api.changes(changes.version))).toEqual([])
    await expect(collect(api.changes(1_000_000))).rejects.toBeInstanceOf(client.InvalidRequestError)
  })
})

describe('retries', () => {
  test.each<[string, Intercept[]]>([
    ['responses that are cut', [cut, cut]],
    ['errors of a proxy', [fail(502), fail(504)]],
    ['responses that are lost', [lose]],
  ])('of %s are under the same idempotency key', async (_, intercepts) => {
    const { api, id, waits } = await createTestClient()
    interceptions.push(...intercepts)
    const list = api.users.list({}, { budget: 20 })
    expect((await collect(list)).length).toBe(20)
    expect(list.spent).toBe(20)
    expect(await service.readLedger(id)).toMatchObject({ charged: 20 })
    expect(waits.length).toBe(intercepts.length)
    const keys = received.slice(0, waits.length + 1).map(({ headers }) => headers.get('Idempotency-Key'))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[!-~]{20,255}$/)
  })

  test('wait as long as Retry-After says, and then a little', async () => {
    const { api, waits } = await createTestClient()
    interceptions.push(fail(503, { 'Retry-After': '1' }))
    await api.users.get('ngoldberg')
    expect(waits.length).toBe(1)
    expect(waits[0]).toBeGreaterThanOrEqual(1000)
    expect(waits[0]).toBeLessThanOrEqual(2000)
  })

  test('never meet a rate limit: the client waits before it is used up', async () => {
    const { api, waits } = await createTestClient({}, { rateLimit: { requests: 2, seconds: 2 } })
    for (let request = 0; request < 5; request++) await api.users.get('ngoldberg')
    expect(received.length).toBe(5)
    expect(waits.length).toBeGreaterThan(0)
  })

  test('wait for a rate limit though somebody sets the clock meanwhile', async () => {
    const { api, waits } = await createTestClient()
    interceptions.push(async (request, handle) => {
      const response = await handle(request)
      response.headers.set('RateLimit', '"default";r=0;t=1')
      return response
    })
    await api.credits()
    const later = Date.now() + 3_600_000
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
    await api.credits().finally(() => clock.mockRestore())
    expect(waits.length).toBeGreaterThan(0)
  })

  test('end after the number that is set, with the last error', async () => {
    const { api } = await createTestClient({ retries: 1 })
    interceptions.push(fail(503, { 'Retry-After': '0' }), fail(503, { 'Retry-After': '0' }))
    const error = await api.users.get('ngoldberg').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(client.UnavailableError)
    expect(received.length).toBe(2)
    for (const retries of [Number.NaN, -1, null] as never[]) {
      expect(() => client.createClient({ baseUrl: served.url, apiKey: 'key', retries })).toThrow(
        'retries must',
      )
    }
  })

  test('are few as long as the URL has never responded', async () => {
    const gone = await serve(service)
    const { secret: apiKey } = await service.createKey()
    let tries = 0
    const count: typeof fetch = (...parameters) => {
      tries++
      return fetch(...parameters)
    }
    const known = client.createClient({ baseUrl: gone.url, apiKey, retries: 3, fetch: count })
    await known.credits()
    await gone[Symbol.asyncDispose]()
    // A service that has responded may be restarting.
    tries = 0
    await expect(known.credits()).rejects.toBeInstanceOf(client.UnreachableError)
    expect(tries).toBe(4)
    const { lookup } = dns
    const resolve = vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...others: unknown[]) => {
      const addresses = [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
      const respond = others.at(-1) as (error: null, addresses: object[]) => void
      if (host === 'two.test') respond(null, addresses)
      else Reflect.apply(lookup, dns, [host, ...others])
    }) as typeof lookup)
    onTestFinished(() => resolve.mockRestore())
    for (const [baseUrl, reason] of [
      [gone.url, 'ECONNREFUSED'],
      ['http://no-such-host.invalid', ''],
      // All addresses of a host are tried, such as both of localhost.
      [gone.url.replace('127.0.0.1', 'two.test'), 'connect ECONNREFUSED 127.0.0.1'],
      ['http://127.0.0.1:9', 'bad port'],
      [served.url.replace('http:', 'https:'), ''],
    ] as const) {
      tries = 0
      const error = await client
        .createClient({ baseUrl, apiKey, fetch: count })
        .users.get('ngoldberg')
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(client.UnreachableError)
      expect(error).toBeInstanceOf(client.ConnectionError)
      expect(error).toHaveProperty('message', expect.stringContaining(reason))
      expect(error).toHaveProperty('message', expect.stringContaining(`Check the base URL ${baseUrl}/, and`))
      expect([baseUrl, tries]).toEqual([baseUrl, 3])
    }
  })

  test('follow a response that takes too long', async () => {
    const { api } = await createTestClient({ timeoutMs: 300, retries: 1 })
    interceptions.push(() => new Promise(() => {}))
    expect(await api.users.get('ngoldberg')).toMatchObject({ login: 'ngoldberg' })
  })
})

describe('errors', () => {
  test('have a class, the status, the code and the request id', async () => {
    const { api, id } = await createTestClient({}, { credits: 7 })
    const error = await collect(api.users.list()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(client.InsufficientCreditsError)
    expect(error).toMatchObject({ needed: 100, balance: 7, status: 403, code: 'insufficient_credits' })
    expect(error).toHaveProperty('requestId', expect.stringMatching(/./))
    interceptions.push(reword)
    await expect(collect(api.users.list())).rejects.toMatchObject({
      ...{ message: 'Another message', needed: 100, balance: 7 },
    })
    const list = api.users.list({}, { pageSize: 7 })
    await expect(collect(list)).rejects.toMatchObject({ needed: 7, balance: 0 })
    expect(await service.readLedger(id)).toMatchObject({ balance: 0 })
    const stranger = client.createClient({ baseUrl: served.url, apiKey: crypto.randomUUID() })
    await expect(stranger.credits()).rejects.toBeInstanceOf(client.AuthenticationError)
    const { api: narrow } = await createTestClient({}, { scopes: ['repos:read'] })
    await expect(narrow.users.get('ngoldberg')).rejects.toBeInstanceOf(client.PermissionError)
    interceptions.push(reword)
    const costly = (await createTestClient()).api.users.get('ngoldberg', { maxCredits: 0 })
    await expect(costly).rejects.toMatchObject({ name: 'MaxCreditsError', cost: 1, maxCredits: 0 })
    const invalid = collect(api.users.list({ dependencyStatus: 'active' }))
    await expect(invalid).rejects.toBeInstanceOf(client.InvalidRequestError)
    const quote = (await createTestClient()).api.users.quote({ dependencyStatus: 'active' })
    await expect(quote).rejects.toThrow('dependency_status')
  })

  test('say that a base URL is not that of the API', async () => {
    const { secret } = await service.createKey()
    const api = client.createClient({ baseUrl: `${served.url}/elsewhere/`, apiKey: secret, retries: 0 })
    const message = expect.stringContaining(`Check the base URL ${served.url}/elsewhere/`)
    await expect(api.users.get('ngoldberg')).rejects.toMatchObject({ code: 'route_not_found', message })
    await expect(api.users.quote()).rejects.toMatchObject({ name: 'NotFoundError', message })
    const withPassword = served.url.replace('://', '://user:password@')
    expect(() => client.createClient({ baseUrl: withPassword, apiKey: secret })).toThrow(
      'must not have a user name',
    )
    for (const baseUrl of ['nowhere', 'localhost:8000', String(process.env.NEVER_SET)]) {
      expect(() => client.createClient({ baseUrl, apiKey: secret })).toThrow('baseUrl must be')
    }
    expect(() => client.createClient({ baseUrl: served.url, apiKey: '' })).toThrow('apiKey must be')
  })

  test('say where a base URL redirects to, which requests with a key don’t follow', async () => {
    const { api, secret } = await createTestClient()
    const elsewhere = served.url.replace('127.0.0.1', 'localhost')
    const redirect: Intercept = async ({ url }) =>
      new Response(null, { status: 301, headers: { Location: url.replace(served.url, elsewhere) } })
    const message = `Check the base URL ${served.url}/: it redirects to ${elsewhere}/`
    for (const act of [
      () => collect(api.users.list()),
      () => api.users.get('ngoldberg'),
      () => api.credits(),
    ]) {
      interceptions.push(redirect)
      await expect(act()).rejects.toMatchObject({
        ...{ name: 'InvalidRequestError', status: 301 },
        message: expect.stringMatching(`^${message}`),
      })
    }
    const urls = received.map(({ url }) => new URL(url).origin)
    expect(urls).toEqual([served.url, served.url, served.url])
    const { keys } = admin.createAdmin({ baseUrl: served.url, apiKey: secret })
    interceptions.push(redirect)
    await expect(keys.create({ reference: 'order 1', credits: 1 })).rejects.toThrow(message)
  })

  test.each([401, 403, 410])('don’t take a %s of a proxy for what the service says', async (status) => {
    const { api } = await createTestClient()
    interceptions.push(fail(status))
    const error = await collect(api.users.watch({}, { since: 0 })).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      ...{ name: 'InvalidRequestError', status, code: undefined },
      message: expect.stringMatching(
        `^GET users.* failed with status ${status}\\. Check the base URL ${served.url}/\\. If it is right, a proxy responded, not the service$`,
      ),
    })
    expect(received.length).toBe(1)
  })
})

test('a cache makes what has not changed free', async () => {
  const cache = new Map()
  const infos: number[] = []
  const { api, id } = await createTestClient({ cache, onResponse: ({ cost }) => infos.push(cost) })
  const first = await collect(api.users.list({ location: 'berlin' }, { pageSize: 4 }))
  const { charged } = await service.readLedger(id)
  expect(charged).toBe(first.length)
  const list = api.users.list({ location: 'berlin' }, { pageSize: 4 })
  expect(await collect(list)).toEqual(first)
  expect([list.spent, list.total]).toEqual([0, first.length])
  expect((await service.readLedger(id)).charged).toBe(charged)
  expect(infos.reduce((sum, cost) => sum + cost)).toBe(charged)
  expect(JSON.parse(JSON.stringify([...cache.values()]))).toEqual([...cache.values()])
})

test('a cache has no old totals', async () => {
  const { api } = await createTestClient({ cache: new Map() })
  const readFirstPage = async () => {
    const list = api.users.list({}, { pageSize: 100 }) // the last page stays the last one
    await list.pages().next()
    return [list.total, list.spent]
  }
  const [total = 0] = await readFirstPage()
  await loadRecords(service.sql, { users: [createUser(9_001)] })
  expect(await readFirstPage()).toEqual([total + 1, 0])
})

test('a request that another process repeats under its own idempotency key is charged once', async () => {
  const { api, id } = await createTestClient()
  for (const _ of [1, 2]) await api.users.get('ngoldberg', { idempotencyKey: 'my-step' })
  expect(await service.readLedger(id)).toMatchObject({ charged: 1 })
  const other = api.users.get('nobody-at-all', { idempotencyKey: 'my-step' })
  await expect(other).rejects.toBeInstanceOf(client.IdempotencyConflictError)
})
