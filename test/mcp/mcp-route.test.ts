/**
 * `/mcp`, as an assistant uses it: with the official SDK's client (decisions/0009-clients.md).
 *
 * @module-tag over-the-wire
 */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../sample/random.ts'
import { assertMatchesContract } from '../support/contract.ts'
import { seed } from '../support/drill.ts'
import { createInstance } from '../support/instance.ts'
import {
  createRandomCalls,
  type HttpConversationOptions,
  type McpConversation,
  protocolVersions,
  startHttpConversation,
} from '../support/mcp.ts'
import { anyDatabase, testInside, useService } from '../support/service.ts'

const service = useService(anyDatabase)

/** Begins a conversation with a new key. */
async function converse(
  options: Partial<HttpConversationOptions> = {},
): Promise<McpConversation & { id: number; secret: string }> {
  const { secret, id } = await service.createKey()
  const conversation = await startHttpConversation({ fetch: service.fetch, key: secret, ...options })
  return { ...conversation, id, secret }
}

const items = (result: Record<string, unknown>) => result.items as Record<string, unknown>[]

describe.each(protocolVersions)('with version %s of the protocol', (protocol) => {
  test('an assistant finds users under a budget, and pays for what it gets', async () => {
    await using conversation = await converse({ protocol, headers: { 'Max-Credits': '12' } })
    const { client, call, id, errors } = conversation
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('find_users')
    expect(await call('find_names', { what: 'locations', contains: 'berlin, g' })).toMatchObject({
      result: { locations: [{ location: 'Berlin, Germany', users: 12 }], cost: 0 },
    })
    expect((await call('quote', { list: 'users', location: '["berlin"]', country: null })).result).toEqual({
      ...{ items: 51, credits: 51, filters: { location: ['berlin'] }, cost: 0, balance: 1_000_000 },
    })
    const first = await call('find_users', { location: 'berlin', limit: 8 })
    expect(first.result).toMatchObject({ total: 51, cost: 8, items: { length: 8 } })
    const { next_cursor: cursor } = first.result
    const next = await call('find_users', { location: 'berlin', limit: 20, cursor })
    expect(next.result).toMatchObject({
      ...{ cost: 12, items: { length: 12 }, note: 'Max-Credits allowed no more items.' },
    })
    expect(await call('get_user', { login: 'nobody-at-all' })).toMatchObject({
      ...{ cost: 1, result: { user: null } },
    })
    expect(await service.readLedger(id)).toMatchObject({ charged: 21 })
    expect(errors).toEqual([])
  })

  test('a call that costs more than Max-Credits is refused for free', async () => {
    await using conversation = await converse({ protocol, headers: { 'Max-Credits': '0' } })
    const { call, id } = conversation
    expect(await call('get_user', { login: 'ngoldberg' })).toMatchObject({
      isError: true,
      text: 'This call would cost 1 credit. The header Max-Credits allows 0 for a call. Tell the user: only they can raise it. Cost: 0. Balance: 1000000.',
    })
    expect((await call('quote', { list: 'users' })).isError).toBe(false)
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('errors of a tool are for the assistant', async () => {
    await using conversation = await converse({ protocol })
    const { call } = conversation
    expect((await call('find_users', { country: 'Germany' })).text).toMatch(/^Invalid country: .* Cost: 0\./)
    expect((await call('list_commits', { full_name: 'no/such' })).text).toMatch(/^Repository not found\. /)
    expect((await call('find_users', { nmae: 'x' })).text).toMatch(/^There is no argument nmae\. /)
  })
})

/** Sends a message of JSON-RPC. */
function post(key: string | undefined, headers: Record<string, string> = {}, body: unknown = listTools) {
  return service.fetch('/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** A response's status, code and message, as openapi.yml has them for any path. */
async function readRefusal(response: Response): Promise<unknown[]> {
  const { status, headers } = response
  const body = await response.text()
  assertMatchesContract({ method: 'POST', url: '/mcp', status, headers, body })
  return [status, headers.get('X-Error-Code'), JSON.parse(body).error]
}

describe('before a message is read, errors are those of the API:', () => {
  test('other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await service.fetch('/mcp', { method })
      expect(response.headers.get('Allow')).toBe('POST, OPTIONS')
      expect(await readRefusal(response)).toEqual([
        ...[405, 'method_not_allowed', 'Method not allowed; use POST or OPTIONS'],
      ])
    }
    expect((await service.fetch('/mcp', { method: 'HEAD' })).status).toBe(405)
  })

  test('another path, with any method', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(await readRefusal(await service.fetch('/mcp/', { method }))).toEqual([
        ...[404, 'route_not_found', 'Not found; use /mcp, without a slash at its end'],
      ])
    }
  })

  test('keys', async () => {
    const { secret } = await service.createKey({ scopes: ['repos:read'] })
    expect(await readRefusal(await post(undefined))).toEqual([
      ...[401, 'missing_authorization', 'Authorization header required'],
    ])
    expect(await readRefusal(await post(crypto.randomUUID()))).toEqual([
      ...[401, 'invalid_api_key', 'Invalid API key'],
    ])
    // What a key may read is decided for each request that a call stands for.
    await using conversation = await converse({ key: secret })
    expect((await conversation.call('get_user', { login: 'ngoldberg' })).text).toMatch(
      /^Insufficient permissions\. Tell the user/,
    )
    expect((await conversation.call('quote', { list: 'repositories' })).isError).toBe(false)
  })

  test('the rate limit', async () => {
    const { secret } = await service.createKey({ rateLimit: { requests: 1, seconds: 3600 } })
    expect((await post(secret)).status).toBe(200)
    const limited = await post(secret)
    expect(limited.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect(await readRefusal(limited)).toEqual([
      ...[429, 'rate_limit_exceeded', expect.stringMatching(/^Rate limit exceeded; retry in \d+ seconds?$/)],
    ])
  })

  test('headers and bodies', async () => {
    const { secret } = await service.createKey()
    expect(await readRefusal(await post(secret, { 'Content-Type': 'text/plain' }))).toEqual([
      ...[415, 'unsupported_media_type', 'Unsupported Content-Type: must be application/json'],
    ])
    expect(await readRefusal(await post(secret, { 'Max-Credits': '-1' }))).toEqual([
      ...[400, 'invalid_parameter', expect.stringMatching(/^Invalid Max-Credits: /)],
    ])
    const tooLarge = [413, 'body_too_large', 'Body too large: at most 65536 bytes']
    const large = 'x'.repeat(65_537)
    expect(await readRefusal(await post(secret, {}, large))).toEqual(tooLarge)
    const chunked = await service.fetch('/mcp', {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(await readRefusal(chunked)).toEqual(tooLarge)
  })

  test('pages that others could have changed', async () => {
    const { secret } = await service.createKey()
    for (const origin of ['http://elsewhere.example', 'null', 'http://localhost.elsewhere.example']) {
      expect(await readRefusal(await post(secret, { Origin: origin }))).toEqual([
        403,
        'origin_not_allowed',
        'Origin not allowed: a page that uses /mcp must be served over https, or from localhost',
      ])
    }
    for (const origin of [
      ...['https://elsewhere.example', 'http://localhost:6274', 'http://127.0.0.1'],
      ...['chrome-extension://abcdefghijklmnop', 'vscode-webview://x', 'app://editor'],
    ]) {
      const response = await post(secret, { Origin: origin })
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*'])
    }
  })
})

test('a page gets a preflight without a key', async () => {
  const response = await service.fetch('/mcp', {
    method: 'OPTIONS',
    headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' },
  })
  expect([response.status, response.headers.get('Access-Control-Allow-Methods')]).toEqual([
    ...[204, 'POST,OPTIONS'],
  ])
  const allowed = response.headers.get('Access-Control-Allow-Headers')?.toLowerCase().split(',')
  expect(allowed).toEqual(
    expect.arrayContaining(['authorization', 'content-type', 'max-credits', 'mcp-protocol-version']),
  )
})

test('in JSON-RPC, errors are JSON-RPC’s', async () => {
  const { secret } = await service.createKey()
  for (const [body, code] of [
    ['{', -32700],
    ['', -32700],
    [[listTools, { ...listTools, id: 2 }], -32600],
    [{ ...listTools, method: 'no/such' }, -32601],
    [{ ...listTools, method: 'tools/call', params: { name: 'no_such_tool' } }, -32602],
  ] as const) {
    expect(await (await post(secret, {}, body)).json()).toMatchObject({
      jsonrpc: '2.0',
      error: { code, message: expect.any(String) },
    })
  }
})

test('a wrong message has a short error, however much is wrong with it', async () => {
  const { secret, id } = await service.createKey()
  const many = Array(20_000).fill(1)
  const clientInfo = { name: 'test', version: '1', icons: many }
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`
  for (const body of [
    { ...listTools, method: 'initialize', params: initialize },
    { ...listTools, method: 'tools/call', params: { name: 'find_users', _meta: { progressToken: many } } },
    { ...listTools, method: 'tools/call', params: { name: 'find_users', arguments: many } },
    { ...listTools, method: 'tools/call', params: { name: 'find_users', _meta: { arguments: many } } },
    { ...listTools, id: many },
    many,
    nested,
  ]) {
    const text = await (await post(secret, {}, body)).text()
    expect(JSON.parse(text)).toMatchObject({ error: { code: expect.any(Number) } })
    expect(text.length).toBeLessThan(500)
  }
  const call = { name: 'find_users', arguments: { dependency_names: many } }
  const { result } = await (
    await post(secret, {}, { ...listTools, method: 'tools/call', params: call })
  ).json()
  expect(result).toEqual({
    content: [{ type: 'text', text: 'dependency_names must have at most 50 entries. Cost: 0.' }],
    isError: true,
  })
  expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
})

test('a message needs no more headers than other requests', async () => {
  const { secret } = await service.createKey()
  const response = await post(secret, { Accept: '*/*' })
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json'])
  const { result } = await response.json()
  expect(result.tools.length).toBe(7)
})

test('quota headers are those after the last request of a call', async () => {
  const { secret } = await service.createKey({ rateLimit: { requests: 100, seconds: 3600 }, credits: 50 })
  const params = { name: 'find_users', arguments: { location: ['berlin'], limit: 10 } }
  const { headers } = await post(secret, {}, { ...listTools, method: 'tools/call', params })
  expect([headers.get('X-Credits-Remaining'), headers.get('X-RateLimit-Remaining')]).toEqual(['40', '98'])
})

testInside(
  'messages of a key are read one after the other, so a busy key delays another one by a turn',
  async () => {
    const instance = createInstance(service)
    const [busy, other] = [await service.createKey(), await service.createKey()]
    /** Sends 50 messages of one key, and then one of the other. Returns how many were read before that. */
    const countBefore = async () => {
      const order: string[] = []
      const send = async (secret: string) => {
        const response = await instance.fetch('/mcp', {
          method: 'POST',
          headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(listTools),
        })
        expect(response.status).toBe(200)
        order.push(secret)
      }
      await Promise.all([...Array.from({ length: 50 }, () => send(busy.secret)), send(other.secret)])
      return order.indexOf(other.secret)
    }
    // On a busy machine, the other key may be authenticated late. In the order of arrival, it is the last each time.
    const counts: number[] = []
    for (let round = 0; round < 10; round++) counts.push(await countBefore())
    expect(Math.min(...counts)).toBeLessThan(10)
  },
)

describe('a client that leaves', () => {
  const call = { name: 'find_users', arguments: { location: ['berlin'], limit: 3 } }

  testInside('ends its request, whenever it does, and keeps no place in the instance', async () => {
    const instance = createInstance(service)
    const { secret } = await service.createKey()
    const { secret: admin } = await service.createKey({ role: 'admin' })
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const gone = new AbortController()
        const modern = {
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'tools/call',
          'Mcp-Name': call.name,
        }
        const _meta = {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        }
        const isModern = index % 2 === 1
        setTimeout(() => gone.abort(), index)
        const response = await instance.fetch('/mcp', {
          method: 'POST',
          headers: {
            ...{ Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
            ...(isModern && modern),
          },
          body: JSON.stringify({
            ...{ ...listTools, method: 'tools/call' },
            params: { ...call, ...(isModern && { _meta }) },
          }),
          signal: gone.signal,
        })
        return response.status
      }),
    )
    expect(statuses).toContain(499)
    // What a call has begun in memory ends a moment later.
    const readMetrics = async () => (await instance.request('/metrics', { key: admin })).text
    await expect.poll(readMetrics).toMatch(/^devdata_requests_in_progress 1$/m)
  })

  testInside('pays nothing if it left before', async () => {
    const instance = createInstance(service)
    const { secret, id } = await service.createKey()
    const response = await instance.fetch('/mcp', {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...listTools, method: 'tools/call', params: call }),
      signal: AbortSignal.abort(),
    })
    expect(response.status).toBe(499)
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  testInside('within its message is no outage of the database', async () => {
    const instance = createInstance(service)
    const { secret } = await service.createKey()
    const response = await instance.fetch('/mcp', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${secret}`,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      },
      body: new ReadableStream({
        pull: (stream) => stream.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
      }),
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(499)
  })
})

testInside('a list continues on another instance, and nothing is kept for it', async () => {
  const instances = [createInstance(service), createInstance(service)]
  let turn = 0
  await using conversation = await converse({
    fetch: async (path, init) => instances[turn++ % 2]?.fetch(path, init) ?? expect.fail(),
  })
  const { call, id } = conversation
  const logins = new Set<unknown>()
  let calls = 0
  for (let cursor: unknown; calls === 0 || cursor !== undefined; calls++) {
    const given = { location: 'berlin', limit: 9, ...(cursor !== undefined && { cursor }) }
    const { result } = await call('find_users', given)
    for (const { login } of items(result)) logins.add(login)
    cursor = result.next_cursor
  }
  expect([logins.size, calls]).toEqual([51, 6])
  expect(await service.readLedger(id)).toMatchObject({ charged: 51 })
})

test('what was paid for and got lost is free when it is called again, and costs are the ledger’s', async () => {
  console.info(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  let lost = 0
  await using conversation = await converse({
    async fetch(path, init) {
      const response = await service.fetch(path, init)
      if (!String(init?.body).includes('tools/call') || random.chance(0.7)) return response
      lost++
      await response.arrayBuffer()
      throw new TypeError('the connection broke')
    },
  })
  const { call, id } = conversation
  const calls = createRandomCalls(random)
  // A result that got lost was paid for without saying so: only its repetition, which is free, comes.
  const paid = new Map<string, number>()
  for (let count = 0; count < 60; count++) {
    const [tool, given] = calls.next()
    const before = (await service.readLedger(id)).charged
    let tries = 0
    for (;;) {
      tries++
      const outcome = await call(tool, given).catch((error: unknown) => error)
      if (outcome instanceof Error) continue
      const { cost, result } = outcome as Awaited<ReturnType<typeof call>>
      const charged = (await service.readLedger(id)).charged - before
      if (tries === 1) expect([tool, given, cost]).toEqual([tool, given, charged])
      else expect(cost).toBeLessThanOrEqual(charged)
      calls.note(tool, given, result)
      const name = JSON.stringify([tool, given])
      // An unknown user is paid for again and again, because it is an error.
      if (paid.has(name) && tool !== 'get_user') expect([name, charged]).toEqual([name, 0])
      paid.set(name, charged)
      break
    }
  }
  expect(lost).toBeGreaterThan(5)
})
