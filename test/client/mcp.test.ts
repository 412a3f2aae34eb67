/**
 * devdata-mcp, as an assistant uses it: the packed file, the official SDK's client, and a real service.
 *
 * @module-tag longest
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../sample/random.ts'
import { type Intercept, installClient, serve } from '../support/client.ts'
import { isDrill, seed } from '../support/drill.ts'
import {
  type ConversationOptions,
  createRandomCalls,
  estimateTokens,
  type McpConversation,
  protocolVersions,
  startConversation,
} from '../support/mcp.ts'
import { inheritEnvironment } from '../support/program.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { findRepositories, findUsers } from '../support/sample-oracle.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '..', '..')
const calls = isDrill ? 10_000 : 500
const concurrency = 16

const installed = useStarted(installClient)
const service = useService(anyDatabase)
let intercept: Intercept | undefined
const served = useStarted(() =>
  serve(service, (request, handle) =>
    intercept === undefined ? handle(request) : intercept(request, handle),
  ),
)

/** Starts a conversation with a new key. */
async function converse(
  options: Partial<ConversationOptions> & { credits?: number } = {},
): Promise<McpConversation & { id: number; pid: number }> {
  const { secret, id } = await service.createKey({ credits: options.credits ?? 1_000_000 })
  const conversation = await startConversation(installed, { url: served.url, key: secret, ...options })
  return { ...conversation, id }
}

const items = (result: Record<string, unknown>) => result.items as Record<string, unknown>[]

describe.each(protocolVersions)('with version %s of the protocol', (protocol) => {
  test('each tool returns data, its cost and the balance', async () => {
    await using conversation = await converse({ protocol, environment: { DEVDATA_BUDGET: '100' } })
    const { client, call, id, errors } = conversation
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol)
    expect(await call('quote', { list: 'users', location: 'berlin' })).toMatchObject({
      result: { items: 51, credits: 51, cost: 0, balance: 1_000_000, budget_left: 100 },
    })
    const { result } = await call('find_users', { location: ['berlin', 'germany'] })
    expect(result).toMatchObject({ total: 52, cost: 10, balance: 999_990, budget_left: 90 })
    expect(items(result)[0]).toEqual({
      login: 'ngoldberg',
      name: 'Noor Goldberg',
      location: 'Berlin, Germany',
      followers: 3,
    })
    const repositories = await call('find_repositories', { dependency_names: 'react', limit: 2 })
    expect(items(repositories.result)).toMatchObject([
      { language: 'TypeScript' },
      { pushed_at: expect.stringMatching(/^2025-.*Z$/) },
    ])
    const commits = await call('list_commits', { full_name: 'yarrow-collective/monolith', limit: 3 })
    expect(items(commits.result)).toMatchObject(
      Array(3).fill({ author_date: expect.stringMatching(/^\d{4}-.*Z$/), message: expect.any(String) }),
    )
    expect((await call('get_user', { login: 'NGoldberg' })).result).toMatchObject({
      user: { login: 'ngoldberg' },
      cost: 1,
    })
    expect((await call('get_user', { login: 'nobody-at-all' })).result).toMatchObject({ user: null, cost: 1 })
    const repository = await call('get_repository', { full_name: 'yarrow-collective/monolith' })
    expect(repository.result).toMatchObject({ repository: { full_name: 'yarrow-collective/monolith' } })
    expect((await call('get_repository', { full_name: 'no/such' })).result).toMatchObject({
      repository: null,
      cost: 0,
      balance: 999_982,
      budget_left: 82,
    })
    expect(await service.readLedger(id)).toMatchObject({ charged: 18 })
    expect(errors).toEqual([])
  })
})

/** All schemas in a value, at any depth. */
function listSchemas(schema: object): object[] {
  const properties = 'properties' in schema ? Object.values(schema.properties as Record<string, object>) : []
  const items = 'items' in schema ? [schema.items as object] : []
  return [schema, ...[...properties, ...items].flatMap(listSchemas)]
}

test('the list of tools is short, and says that they only read', async () => {
  await using conversation = await converse()
  const { client } = conversation
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'find_users',
    'find_repositories',
    'list_commits',
    'get_user',
    'get_repository',
    'find_names',
    'quote',
  ])
  for (const { annotations, inputSchema, outputSchema } of tools) {
    // With an output schema, a result would have to be sent twice.
    expect([annotations?.readOnlyHint, outputSchema]).toEqual([true, undefined])
    // Gemini refuses all tools for one schema with several types, or with none.
    const properties = Object.values(inputSchema.properties ?? {})
    expect(properties.length).toBeGreaterThan(0)
    for (const schema of [...properties, ...listSchemas(inputSchema)]) {
      expect(schema).toMatchObject({ type: expect.stringMatching(/^(object|string|integer|boolean|array)$/) })
      expect(Object.keys(schema as object)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/Of$|^const$|^\$/)]),
      )
    }
  }
  const tokens = estimateTokens(tools) + estimateTokens(client.getInstructions() ?? '')
  console.info(`${tokens} tokens of tools and instructions`)
  expect(tokens).toBeLessThan(2_550) // 2,300 before there were filters by company and by the time of a use
})

test('names of packages and locations are found for free', async () => {
  await using conversation = await converse()
  const { call } = conversation
  expect(await call('find_names', { what: 'packages', contains: 'react-d' })).toMatchObject({
    cost: 0,
    result: {
      packages: [
        { dependency_name: 'react-dom', dependency_file: 'package.json', users: expect.any(Number) },
      ],
    },
  })
  expect((await call('find_names', { what: 'locations', contains: 'berlin, g' })).result).toMatchObject({
    locations: [{ location: 'Berlin, Germany', country: 'DE', users: 12 }],
  })
})

test('who started using a package since a day, with the most followers first, costs at most ten credits', async () => {
  await using conversation = await converse()
  const { call } = conversation
  const { result } = await call('find_users', {
    ...{ dependency_names: ['zod'], first_use_since: '2024-03-01', sort: 'followers', limit: 10 },
  })
  expect(result).toMatchObject({ cost: 10 })
  const started = findUsers({ names: ['zod'], first_use_since: '2024-03-01' })
  const most = started.map(({ followers }) => followers).sort((a, b) => b - a)
  expect(items(result).map(({ followers }) => followers)).toEqual(most.slice(0, 10))
})

test('quote also says how the items divide', async () => {
  await using conversation = await converse()
  const { call } = conversation
  const react = { dependency_names: ['react'] }
  const { result } = await call('quote', { list: 'users', by: 'country', ...react })
  expect(result).toMatchObject({ items: 125, credits: 125, others: 4, none: 44, cost: 0 })
  expect(result.country).toEqual(expect.arrayContaining([{ value: 'DE', count: 25 }]))
  const repositories = await call('quote', { list: 'repositories', by: 'dependency', ...react })
  expect(repositories.result).not.toHaveProperty('others')
  expect((await call('quote', { list: 'users', by: 'language' })).text).toMatch(
    /^By language is for the other list; this one has country, type, dependency/,
  )
})

test('filters are those of the API', async () => {
  await using conversation = await converse()
  const { call } = conversation
  const count = async (list: string, filter: object) =>
    (await call('quote', { list, ...filter })).result.items
  const users = {
    country: ['DE', 'us'],
    type: ['User'],
    has: ['email'],
    min_followers: 10,
    active_since: '2025-01-01',
  }
  const found = findUsers({ ...users, has: ['email'] })
  expect(await count('users', users)).toBe(found.length)
  const repositories = {
    language: 'TypeScript,Python',
    license: ['MIT'],
    min_stars: 100,
    fork: false,
    archived: false,
  }
  expect(await count('repositories', { ...repositories, pushed_since: '2024-01-01' })).toBe(
    findRepositories({
      language: ['TypeScript', 'Python'],
      license: ['MIT'],
      min_stars: 100,
      fork: 'false',
      archived: 'false',
      pushed_since: '2024-01-01',
    }).length,
  )
  expect(
    await count('repositories', {
      dependency_names: ['react', 'vite'],
      dependency_match: 'all',
      without_dependency_names: ['jest'],
    }),
  ).toBe(findRepositories({ names: ['react', 'vite'], match: 'all', without: ['jest'] }).length)
})

describe('a list', () => {
  test('that is sorted has the best known first, and continues at a cursor', async () => {
    await using conversation = await converse()
    const { call } = conversation
    const byFollowers = findUsers({ country: ['DE'] }).toSorted((a, b) => b.followers - a.followers)
    const users = await call('find_users', { country: ['DE'], sort: 'followers', limit: 4 })
    const more = await call('find_users', {
      ...{ country: ['DE'], sort: 'followers', limit: 4 },
      cursor: users.result.next_cursor,
    })
    const logins = [users, more].flatMap(({ result }) => items(result).map(({ login }) => login))
    expect(logins).toEqual(byFollowers.slice(0, 8).map(({ login }) => login))
    const byPush = findRepositories({}).toSorted(
      (a, b) => (b.pushed_at ?? Number.NEGATIVE_INFINITY) - (a.pushed_at ?? Number.NEGATIVE_INFINITY),
    )
    const pushed = await call('find_repositories', { sort: 'pushed', limit: 2 })
    expect(items(pushed.result).map(({ full_name }) => full_name)).toEqual(
      byPush.slice(0, 2).map(({ full_name }) => full_name),
    )
    expect((await call('find_users', { sort: 'stars' })).text).toMatch(/^sort must be followers/)
  })

  test('can be of what is new since a version, which a result without a cursor names', async () => {
    await using conversation = await converse()
    const { call } = conversation
    const filter = { location: 'berlin', limit: 1 }
    const { result } = await call('find_users', filter)
    expect(result.dataset_version).toBe(1)
    const more = await call('find_users', { ...filter, cursor: result.next_cursor })
    expect(more.result).not.toHaveProperty('dataset_version')
    const none = await call('find_users', { ...filter, new_since: 1 })
    expect(none.result).toMatchObject({
      items: [],
      total: 0,
      cost: 0,
      filters: { location: ['berlin'], new_since: 1 },
    })
    const all = await call('find_repositories', { dependency_names: ['react'], limit: 1, new_since: 0 })
    expect(all.result).toMatchObject({ cost: 1, dataset_version: 1 })
    const quote = (filter: object) => call('quote', { list: 'users', location: 'berlin', ...filter })
    expect((await quote({ new_since: 1 })).result).toMatchObject({ items: 0, filters: { new_since: 1 } })
    expect((await quote({ new_since: 0 })).result).toMatchObject({ items: 51, credits: 51 })
    const divided = await quote({ new_since: 0, by: 'country' })
    expect(divided.text).toMatch(/^By is not allowed with new_since; leave one of them out/)
    const sorted = await call('find_users', { sort: 'followers', new_since: 0 })
    expect(sorted.text).toMatch(/^Invalid sort: not allowed with changed_since/)
  })

  test('has 10 items, continues at a cursor, and never costs more than max_credits', async () => {
    await using conversation = await converse()
    const { call, id } = conversation
    const filter = { location: 'berlin' }
    const first = await call('find_users', filter)
    const { next_cursor: cursor } = first.result
    const second = await call('find_users', { ...filter, cursor, limit: 50 })
    expect(second.result).toMatchObject({ cost: 25, note: 'max_credits allowed no more items.' })
    const again = await call('find_users', { ...filter, cursor, limit: 50 })
    expect([again.cost, items(again.result)]).toEqual([0, items(second.result)])
    const { next_cursor: last } = second.result
    const third = await call('find_users', { ...filter, cursor: last, limit: 100, max_credits: 100 })
    expect(third.result).toMatchObject({ cost: 16, total: 51 })
    expect(third.result).not.toHaveProperty('next_cursor')
    const logins = [first, second, third].flatMap(({ result }) => items(result).map(({ login }) => login))
    expect(new Set(logins).size).toBe(51)
    expect(await service.readLedger(id)).toMatchObject({ charged: 51 })

    // What was paid for a day ago, or less, is free.
    expect(await call('find_users', { ...filter, max_credits: 0 })).toMatchObject({
      cost: 0,
      result: { items: first.result.items },
    })
    const refused = await call('find_users', { location: ['berlin', 'nowhere'], max_credits: 0 })
    expect(refused).toMatchObject({
      isError: true,
      text: 'This call would cost 10 credits. max_credits allows 0. Cost: 0. Balance: 999949.',
    })
    for (const wrong of [
      { location: 'paris', cursor },
      { ...filter, cursor: String(cursor).slice(0, -1) },
    ]) {
      expect((await call('find_users', wrong)).text).toBe(
        'A cursor must be copied exactly, and passed with the tool, the filter and the fields of its result. Cost: 0.',
      )
    }
  })

  test('that is refused ends with the call, though its price is still requested', async () => {
    await using conversation = await converse()
    const cancel = new AbortController()
    const ended = new Promise((resolve) => {
      intercept = async (request, handle) => {
        if (request.method !== 'HEAD') return handle(request)
        request.signal.addEventListener('abort', resolve)
        cancel.abort()
        return new Promise(() => {})
      }
    })
    const given = { name: 'find_users', arguments: { max_credits: 0 } }
    await expect(conversation.client.callTool(given, { signal: cancel.signal })).rejects.toThrow()
    await ended
    intercept = undefined
    // A request that isn't ended with its call takes 60 s.
  }, 40_000)

  test('has no more than 25,000 tokens, and what is paid for comes with the next result', async () => {
    const text = '長'.repeat(10_000)
    const names = Array.from({ length: 2_000 }, (_, index) => `package-of-a-name-${index}`)
    const repositories = [900_000, -900_001, 900_002, -900_003].map((id, index) =>
      createRepository(id, 'long', names, { name: `${index}`, description: text }),
    )
    const users = Array.from({ length: 12 }, (_, index) =>
      createUser(900_000 + index, { location: `${text.slice(0, 200)} longtown`, bio: text, company: text }),
    )
    const commits = Array.from({ length: 12 }, (_, index) => ({
      ...createCommit(900_000 + index, repositories[0]?.url ?? '', 'a@example.com', 1_700_000_000),
      message: text.slice(0, 4_500),
    }))
    await loadRecords(service.sql, { users, repos: repositories, commits })
    await using conversation = await converse()
    const { client, call, id } = conversation
    for (const [tool, given] of [
      ['find_users', { location: 'longtown' }],
      ['find_repositories', { owner: 'long' }],
      ['list_commits', { full_name: 'long/0' }],
      ['find_users', { location: 'longtown', fields: 'all' }],
      ['list_commits', { full_name: 'long/0', fields: 'all' }],
      ['get_repository', { full_name: 'long/0', fields: 'all' }],
    ] as const) {
      const { text: result, isError } = await call(tool, given)
      expect([tool, isError]).toEqual([tool, false])
      expect(estimateTokens(result)).toBeLessThan(25_000)
      expect(Buffer.byteLength(result)).toBeLessThan(80_000)
    }
    const before = (await service.readLedger(id)).charged
    const found: unknown[] = []
    const costs: number[] = []
    for (let cursor: unknown; costs.length === 0 || cursor !== undefined; ) {
      const { result, cost, text } = await call('find_repositories', {
        owner: 'long',
        fields: 'all',
        ...(cursor !== undefined && { cursor }),
      })
      expect(estimateTokens(text)).toBeLessThan(25_000)
      for (const { full_name: name, dependencies, dependencies_omitted: omitted } of items(result)) {
        expect([(dependencies as object[]).length, omitted]).toEqual([300, 1_700])
        found.push(name)
      }
      costs.push(cost)
      cursor = result.next_cursor
      if (cursor !== undefined) expect(result.note).toContain(`${4 - found.length} more items are paid for`)
    }
    expect(found).toEqual(['long/0', 'long/1', 'long/2', 'long/3'])
    expect(costs.length).toBeGreaterThan(1)
    expect(costs).toEqual([4, ...costs.slice(1).map(() => 0)])
    expect((await service.readLedger(id)).charged - before).toBe(4)
    const sent = await client.callTool({
      name: 'get_repository',
      arguments: { full_name: 'long/0', fields: 'all' },
    })
    expect(sent).not.toHaveProperty('structuredContent')
    expect(JSON.stringify(sent).match(/package-of-a-name-0\W/g)?.length).toBe(1)
  })

  test('fits into a result, however long its items are', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${index}-${'長'.repeat(250)}`)
    await loadRecords(service.sql, {
      users: [],
      repos: [createRepository(930_000, 'wide', names)],
      commits: [],
    })
    await using conversation = await converse()
    const given = { full_name: 'wide/repo-930000', fields: 'all' }
    const { text, result } = await conversation.call('get_repository', given)
    expect(Buffer.byteLength(text)).toBeLessThan(80_000)
    const { dependencies, dependencies_omitted: omitted } = result.repository as Record<string, unknown>
    const { length } = dependencies as object[]
    expect(length).toBeGreaterThan(50)
    expect(omitted).toBe(300 - length)
  })

  test('pays for pages that fit: nothing that it pays for is left for later', async () => {
    await using conversation = await converse()
    const given = { fields: 'all', limit: 100, max_credits: 100 }
    const { result, text } = await conversation.call('find_repositories', given)
    expect(result).toMatchObject({ note: 'The result is as large as it may be. Pass next_cursor for more.' })
    const { length } = items(result)
    expect([length % 5, result.cost]).toEqual([0, length])
    expect(Buffer.byteLength(text)).toBeGreaterThan(50_000)
    expect(await service.readLedger(conversation.id)).toMatchObject({ charged: length })
  })

  test('has what was paid for, though a later page fails', async () => {
    await using conversation = await converse({ environment: { DEVDATA_BUDGET: '60' } })
    const { call, id } = conversation
    const given = { fields: 'all', limit: 10 }
    let requests = 0
    intercept = async (request, handle) => {
      const response = await handle(request)
      return ++requests === 1 ? response : new Response('', { status: 502, headers: { 'Retry-After': '0' } })
    }
    const part = await call('find_repositories', given).finally(() => {
      intercept = undefined
    })
    expect(part).toMatchObject({
      cost: 5,
      result: {
        items: { length: 5 },
        note: expect.stringMatching(
          /^The next page failed\. .* next_cursor returns it without another payment\.$/,
        ),
        budget_left: 50,
      },
    })
    const { next_cursor: cursor } = part.result
    const rest = await call('find_repositories', { ...given, limit: 3, cursor })
    expect(rest.result).toMatchObject({ items: { length: 3 }, cost: 0, budget_left: 50 })
    expect(rest.result.note).toBe(
      '2 more items are paid for. next_cursor returns them without another payment for 24 hours after the first one, but once the data has changed, only within 1 hour of that payment. After that, their page is paid for again: up to 5 credits.',
    )
    const last = await call('find_repositories', { ...given, limit: 2, cursor: rest.result.next_cursor })
    expect(last.result).toMatchObject({ items: { length: 2 }, cost: 0 })
    const all = [part, rest, last].flatMap(({ result }) => items(result).map(({ full_name: name }) => name))
    expect(new Set(all).size).toBe(10)
    expect(await service.readLedger(id)).toMatchObject({ charged: 10 })
  })

  test('pays once for a page that the credits made smaller, if its response is lost', async () => {
    const { secret: key, id } = await service.createKey()
    const given = { fields: 'all', limit: 10 }
    await using first = await converse({ key, environment: { DEVDATA_BUDGET: '8' } })
    intercept = async (request, handle) => {
      const response = await handle(request)
      const isSmaller = new URL(request.url).searchParams.get('per_page') === '3'
      return isSmaller ? new Response('', { status: 502, headers: { 'Retry-After': '0' } }) : response
    }
    const part = await first.call('find_repositories', given).finally(() => {
      intercept = undefined
    })
    expect(items(part.result)).toHaveLength(5)
    expect(await service.readLedger(id)).toMatchObject({ charged: 8 })
    await using second = await converse({ key, environment: { DEVDATA_BUDGET: '60' } })
    const rest = await second.call('find_repositories', {
      ...given,
      limit: 3,
      cursor: part.result.next_cursor,
    })
    expect([items(rest.result).length, rest.cost]).toEqual([3, 0])
    expect(await service.readLedger(id)).toMatchObject({ charged: 8 })
  })

  test('pays once more for a page, and no more, if its cursor is used too late', async () => {
    await using conversation = await converse()
    const { call, id } = conversation
    const given = { full_name: 'long/0', fields: 'all' }
    const first = await call('list_commits', given)
    expect(first.text).toContain('more items are paid for')
    const { length } = items(first.result)
    expect([first.cost, length < 10]).toEqual([10, true])
    await service.sql`
      update idempotency_keys set created_at = created_at - interval '25 hours' where api_key_id = ${id}`
    const { next_cursor: cursor } = first.result
    expect(await call('list_commits', { ...given, cursor, max_credits: 9 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('This call would cost 10 credits. max_credits allows 9.'),
    })
    const rest = await call('list_commits', { ...given, cursor, limit: 10 - length })
    expect([rest.cost, items(rest.result).length]).toEqual([10, 10 - length])
    const hashes = [first, rest].flatMap(({ result }) => items(result).map((commit) => commit.commit_hash))
    expect(new Set(hashes).size).toBe(10)
  })

  const kills = isDrill ? 100 : 3
  test(`of processes that are killed ${kills} times between payment and delivery has each item once, for one credit`, async () => {
    console.info(`TEST_SEED=${seed}`)
    const random = createRandom(seed)
    const count = isDrill ? 60 : 20
    const names = Array.from({ length: 200 }, (_, index) => `package-${index}`)
    const repos = Array.from({ length: count }, (_, index) =>
      createRepository(940_000 + index, 'killed', names.slice(0, random.integer(20, 200)), {
        name: `${index}`,
      }),
    )
    await loadRecords(service.sql, { users: [], repos, commits: [] })
    const { secret: key, id } = await service.createKey()
    const given = { owner: 'killed', fields: 'all', limit: 100, max_credits: 100 }
    const found: unknown[] = []
    let killed = 0
    let lists = 0
    for (let cursor: unknown; killed < kills || cursor !== undefined; ) {
      // A process of its own for each call.
      await using conversation = await startConversation(installed, { url: served.url, key })
      let killAt = killed < kills ? random.integer(1, 4) : Number.POSITIVE_INFINITY
      intercept = async (request, handle) => {
        const response = await handle(request)
        if (--killAt === 0) process.kill(conversation.pid, 'SIGKILL')
        return response
      }
      const outcome = await conversation
        .call('find_repositories', { ...given, cursor })
        .catch(() => undefined)
      intercept = undefined
      if (outcome === undefined) {
        killed++
        continue
      }
      found.push(...items(outcome.result).map(({ full_name: name }) => name))
      cursor = outcome.result.next_cursor
      if (cursor === undefined) lists++
    }
    const all = Array.from({ length: count }, (_, index) => `killed/${index}`)
    expect(found).toEqual(Array.from({ length: lists }, () => all).flat())
    expect(await service.readLedger(id)).toMatchObject({ charged: count })
  })

  test('has compact items, or all fields', async () => {
    await using conversation = await converse()
    const { call } = conversation
    const compact = await call('get_user', { login: 'sofia12' })
    expect(Object.keys(compact.result.user as object)).toEqual([
      ...['login', 'name', 'company', 'location', 'bio', 'followers'],
    ])
    const { result } = await call('get_user', { login: 'sofia12', fields: 'all' })
    expect(Object.keys(result.user as object)).toEqual(
      expect.arrayContaining(['forge_rest_id', 'created_at']),
    )
    const repository = (await call('get_repository', { full_name: 'long/1', fields: 'all' })).result
      .repository
    expect(repository).toMatchObject({
      created_at: '2023-11-14T22:13:20Z',
      dependencies: expect.arrayContaining([
        expect.objectContaining({ status: 'active', first_use_date: '1970-01-01T00:00:01Z' }),
      ]),
    })
  })
})

describe('DEVDATA_BUDGET', () => {
  test('bounds what all calls cost, also at the same time', async () => {
    await using conversation = await converse({ environment: { DEVDATA_BUDGET: '33' } })
    const { call, id } = conversation
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => call('find_users', { location: ['berlin', `place ${index}`] })),
    )
    const sum = outcomes.reduce((sum, { cost }) => sum + cost, 0)
    expect(sum).toBe(33)
    expect(await service.readLedger(id)).toMatchObject({ charged: 33 })
    expect(outcomes.filter(({ isError }) => isError).length).toBe(4)
    expect(outcomes.find(({ cost }) => cost === 3)?.result).toMatchObject({
      note: 'DEVDATA_BUDGET allowed no more items.',
    })
    for (const [tool, given, price] of [
      ['find_users', { limit: 4 }, '4 credits'],
      ['list_commits', { full_name: 'yarrow-collective/monolith' }, 'up to 10 credits'],
      ['get_user', { login: 'ngoldberg' }, '1 credit'],
      ['get_repository', { full_name: 'long/1' }, '1 credit'],
      ['get_repository', { full_name: 'long/1', fields: 'all' }, '1 credit'],
    ] as const) {
      expect((await call(tool, given)).text).toBe(
        `This call would cost ${price}. DEVDATA_BUDGET allows 33 in all, and 0 are left. Tell the user: only they can raise it. Cost: 0. Balance: 999967.`,
      )
    }
    expect((await call('quote', { list: 'repositories', owner: 'hakon48' })).isError).toBe(false)
  })

  test('counts what a response that never came may have cost', async () => {
    await using conversation = await converse({ environment: { DEVDATA_BUDGET: '15' } })
    const { call, id } = conversation
    intercept = async (request, handle) => {
      await handle(request)
      return new Response('', { status: 502 })
    }
    const { text, isError } = await call('find_users').finally(() => {
      intercept = undefined
    })
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('Up to 10 credits may have been charged, and count as spent.'),
    ])
    expect(text).toContain('The same call returns what was paid for, without another payment.')
    expect((await call('find_users')).result).toMatchObject({
      items: { length: 10 },
      cost: 0,
      budget_left: 5,
    })
    expect((await call('find_users', { location: 'berlin' })).result).toMatchObject({
      cost: 5,
      budget_left: 0,
    })
    expect(await service.readLedger(id)).toMatchObject({ charged: 15 })
  })

  test('counts it once, though its cursor is used again', async () => {
    await using conversation = await converse({ environment: { DEVDATA_BUDGET: '100' } })
    const { call, id } = conversation
    const { next_cursor: cursor } = (await call('find_users')).result
    intercept = async (request, handle) => {
      await handle(request)
      return new Response('', { status: 502 })
    }
    const isLost = ({ text }: { text: string }) => text.includes('count as spent')
    expect(isLost(await call('find_users', { cursor }))).toBe(true)
    expect(isLost(await call('find_users', { cursor }))).toBe(true)
    intercept = undefined
    const { result } = await call('find_users', { cursor })
    expect([items(result).length, result.cost, result.budget_left]).toEqual([10, 0, 80])
    expect(await service.readLedger(id)).toMatchObject({ charged: 20 })
  })
})

test('arguments mean what assistants mean by them, and the result names the filters that were applied', async () => {
  await using conversation = await converse()
  const { call } = conversation
  const users = { country: ['DE'], limit: 1 }
  const germans = findUsers({ country: ['DE'] }).length
  const others = findUsers({ country: ['DE'], without: ['react', 'vite'] }).length
  expect(others).toBeLessThan(germans)
  const without = { country: ['DE'], without_dependency_names: ['react', 'vite'] }
  const none = { location: null, fork: null, cursor: '', max_credits: null, no_such_argument: null }
  for (const [given, total, filters] of [
    [{ without_dependency_names: '["react", "vite"]' }, others, without],
    [{ without_dependency_names: ' [ "react","vite" ] ' }, others, without],
    [{ without_dependency_names: 'react, vite,' }, others, without],
    [{ without_dependency_names: ['react,vite', ''] }, others, without],
    [{ country: '["de"]', ...none }, germans, { country: ['de'] }],
    [{ limit: '1', max_credits: ' 25 ' }, germans, { country: ['DE'] }],
    [
      { has: 'email,name', location: '["berlin", "München, Germany"]' },
      expect.any(Number),
      { country: ['DE'], has: ['email', 'name'], location: ['berlin', 'München, Germany'] },
    ],
  ] as const) {
    const { result } = await call('find_users', { ...users, ...given })
    expect([given, result.total, result.filters]).toEqual([given, total, filters])
    expect(items(result).length).toBe(1)
  }
  for (const [given, filters] of [
    [
      { fork: 'True', archived: 'false', min_stars: '5' },
      { fork: true, archived: false, min_stars: 5 },
    ],
    [{ pushed_since: 1_700_000_000 }, { pushed_since: '1700000000' }],
    [{}, {}],
  ]) {
    const { result } = await call('quote', { list: 'repositories', ...given })
    expect([result.filters, result.items]).toEqual([
      filters,
      (await call('quote', { list: 'repositories', ...filters })).result.items,
    ])
  }
  const { result } = await call('get_user', { login: 'ngoldberg', fields: null })
  expect(result).toMatchObject({ user: { login: 'ngoldberg' } })
  expect(result).not.toHaveProperty('filters')
})

test('arguments that can’t be used are named, with their rule, for free', async () => {
  await using conversation = await converse()
  const { call, id } = conversation
  const nested = JSON.parse('['.repeat(500) + ']'.repeat(500))
  for (const [tool, given, text] of [
    ['find_users', { min_followers: 0 }, 'min_followers must be 1 or more, but is 0.'],
    ['find_users', { min_followers: 1e300 }, 'min_followers must be a whole number, but is 1e+300.'],
    ['find_users', { limit: '1e3' }, 'limit must be a whole number, but is "1e3".'],
    ['find_users', { limit: 1_000 }, 'limit must be from 1 to 100, but is 1000.'],
    ['find_users', { limit: nested }, 'limit must be a whole number, but is a list.'],
    ['find_users', { location: ' ' }, 'location is empty; leave it out.'],
    ['find_users', { country: [] }, 'country is empty; leave it out.'],
    ['find_users', { active_since: '' }, 'active_since is empty; leave it out.'],
    [
      'find_users',
      { has: ['city'] },
      'has must be a list of email, name, company, location or bio, but has "city".',
    ],
    [
      'find_users',
      { without_dependency_names: "['react']" },
      'without_dependency_names begins with [ but is not JSON; send a list such as ["one", "two"].',
    ],
    ['find_users', { type: { any: 'User' } }, 'type must be a list of texts, but is an object.'],
    [
      'find_users',
      { dependency_names: ['a', nested] },
      'Entry 2 of dependency_names must be a text, but is a list.',
    ],
    ['find_repositories', { dependency_names: ',' }, 'dependency_names is empty; leave it out.'],
    [
      'find_repositories',
      { dependency_status: 'used' },
      'dependency_status must be active or removed, but is "used".',
    ],
    ['find_repositories', { fork: [[true]] }, 'fork must be true or false, but is a list.'],
    ['find_repositories', { owner: ['a'] }, 'owner must be a text, but is a list.'],
    ['find_names', { what: 'packages', contains: '' }, 'contains must have at least one character.'],
    ['find_names', { what: 'packages', contains: null }, 'contains is missing.'],
    ['get_user', {}, 'login is missing.'],
    [
      'list_commits',
      { limit: 0, fields: 1, max_credits: -1, cursor: {}, [`n${'o'.repeat(9_000)}`]: 1 },
      `full_name is missing. limit must be from 1 to 100, but is 0. fields must be compact or all, but is 1. 3 more errors. The arguments are full_name, limit, max_credits, fields, cursor.`,
    ],
    [
      'get_user',
      { login: 'a', [`n${'o'.repeat(9_000)}`]: 1 },
      `There is no argument n${'o'.repeat(49)}…. The arguments are login, fields.`,
    ],
    [
      'find_users',
      { dependency_names: Array(10_000).fill(1) },
      'dependency_names must have at most 50 entries.',
    ],
    [
      'find_users',
      { dependency_names: 'a,'.repeat(10_000) },
      'dependency_names must have at most 50 entries.',
    ],
    [
      'find_users',
      { dependency_names: JSON.stringify(Array(51).fill('a')) },
      'dependency_names must have at most 50 entries.',
    ],
  ] as const) {
    expect([given, await call(tool, given)]).toEqual([
      given,
      { isError: true, text: `${text} Cost: 0.`, cost: 0, result: {} },
    ])
  }
  expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
})

test('errors say what an assistant or its user can do', async () => {
  await using conversation = await converse({ credits: 4 })
  const { call } = conversation
  for (const [tool, given, text] of [
    [
      'find_users',
      {},
      'This call would cost 10 credits, and 4 are left. Set limit to 4 or less, or tell the user that the key needs more. Cost: 0. Balance: 4.',
    ],
    [
      'find_users',
      { city: 'x' },
      'There is no argument city. The arguments are location, company, country, type, has',
    ],
    [
      'quote',
      { list: 'users', owner: 'x' },
      'The filter owner is for repositories; leave it out, or set list to repositories. Cost: 0.',
    ],
    ['get_repository', { full_name: 'monolith' }, 'A repository is named by OWNER/NAME.'],
    ['list_commits', { full_name: 'no/such' }, 'Repository not found. Check owner and name'],
  ] as const) {
    expect(await call(tool, given)).toMatchObject({ isError: true, text: expect.stringContaining(text) })
  }
  const key = '00000000-0000-4000-8000-000000000000'
  await using stranger = await startConversation(installed, { url: served.url, key })
  expect((await stranger.call('find_users')).text).toContain(
    'Tell the user to check the key in DEVDATA_API_KEY.',
  )

  const gone = await serve(service)
  await gone[Symbol.asyncDispose]()
  const environment = { DEVDATA_BUDGET: '5' }
  await using offline = await startConversation(installed, { url: gone.url, key, environment })
  const { text } = await offline.call('find_users')
  expect(text).toContain('Tell the user to check DEVDATA_URL')
  expect(text).toContain('Cost: 0.')

  const { secret } = await service.createKey({ rateLimit: { requests: 1, seconds: 600 } })
  await using limited = await startConversation(installed, { url: served.url, key: secret })
  await limited.call('quote', { list: 'users' })
  expect((await limited.call('quote', { list: 'users' })).text).toMatch(
    /^The rate limit of the key is used up\. Try again in \d+ s\./,
  )
})

test(`the costs that ${calls} calls report are the ledger's, also when responses get lost`, async () => {
  console.info(`TEST_SEED=${seed}`)
  await using conversation = await converse({ environment: { DEVDATA_BUDGET: '900000' } })
  const { call, id } = conversation
  const random = createRandom(seed)
  const lost = new Set<string>()
  intercept = async (request, handle) => {
    const response = await handle(request)
    const key = request.headers.get('Idempotency-Key')
    if (key === null || lost.has(key) || !random.chance(0.05)) return response
    lost.add(key)
    return new Response('', { status: 502 })
  }
  const randomCalls = createRandomCalls(random)
  let costs = 0
  let started = 0
  const callInTurn = async () => {
    while (started++ < calls) {
      const [tool, given] = randomCalls.next()
      const { cost, result, text } = await call(tool, given)
      expect(text).not.toContain('may have been charged')
      costs += cost
      randomCalls.note(tool, given, result)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, callInTurn))
  intercept = undefined
  const { charged } = await service.readLedger(id)
  console.info(`${calls} calls, ${lost.size} responses lost, ${charged} credits`)
  expect(costs).toBe(charged)
  expect(charged).toBeGreaterThan(calls)
  expect(lost.size).toBeGreaterThan(calls / 100)
  expect((await call('quote', { list: 'users' })).result).toMatchObject({ budget_left: 900_000 - charged })
})

test('a question that the docs show costs what they say', async () => {
  const page = await readFile(join(project, 'docs-site/src/content/docs/assistant-tools.md'), 'utf8')
  await using conversation = await converse({ credits: 10_000, environment: { DEVDATA_BUDGET: '25' } })
  const blocks = [...page.matchAll(/^```json title="(\w+)"\n([\s\S]*?)^```$/gm)].map(([, ...block]) => block)
  expect(blocks.length).toBe(8)
  for (let index = 0; index < blocks.length; index += 2) {
    const [[tool = '', given = ''] = [], [, result = ''] = []] = blocks.slice(index, index + 2)
    const shown = JSON.parse(result)
    // Other tests have loaded data.
    const version = 'dataset_version' in shown && { dataset_version: expect.any(Number) }
    expect((await conversation.call(tool, JSON.parse(given))).result).toEqual({ ...shown, ...version })
  }
  expect(await service.readLedger(conversation.id)).toMatchObject({ charged: 13 })
})

describe('the program', () => {
  const start = (parameters: string[], environment: Record<string, string>) =>
    run(process.execPath, [installed.mcp, ...parameters], {
      env: { ...inheritEnvironment(), ...environment },
    }).catch((error: { code: number; stdout: string; stderr: string }) => error)

  test('says on standard error alone why it can’t start', async () => {
    const settings = { DEVDATA_URL: served.url, DEVDATA_API_KEY: 'key' }
    for (const [parameters, environment, message] of [
      [[], {}, 'DEVDATA_URL must be'],
      [[], { DEVDATA_URL: served.url }, 'DEVDATA_API_KEY or the file of --key-file must'],
      [[], { ...settings, DEVDATA_BUDGET: '-1' }, 'DEVDATA_BUDGET must be'],
      [['--key-file', 'no-such-file'], settings, "file of --key-file can't be read"],
      [['--api-key', 'x'], settings, 'api-key'],
    ] as const) {
      expect(await start([...parameters], environment)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(message),
      })
    }
  })

  test('reads the key from a file, and is what npx finds', async () => {
    const { secret: key } = await service.createKey()
    const file = join(installed.directory, 'devdata.key')
    await writeFile(file, `${key}\n`)
    await using conversation = await startConversation(installed, {
      url: served.url,
      key: '',
      parameters: ['--key-file', file],
    })
    expect((await conversation.call('get_user', { login: 'ngoldberg' })).cost).toBe(1)
    const { stdout } = await run('npx', ['devdata-mcp', '--version'], { cwd: installed.directory })
    const readPackage = async (directory: string) =>
      JSON.parse(await readFile(join(project, directory, 'package.json'), 'utf8'))
    const { version, dependencies } = await readPackage('client/mcp')
    expect(stdout.trim()).toBe(version)
    // Its file has everything that it needs, with the licenses.
    expect(dependencies).toBe(undefined)
    const licenses = await readFile(join(dirname(installed.mcp), 'LICENSES.md'), 'utf8')
    for (const name of ['@modelcontextprotocol/server', 'zod']) expect(licenses).toContain(name)
  })
})
