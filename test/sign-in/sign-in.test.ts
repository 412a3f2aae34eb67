/** The sign-in for `/mcp`: what a person sees, what a connector gets, and what it may spend (decisions/0002-keys.md). */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { endConnection, listConnections } from '../../api/ledger/connections.ts'
import { deleteKey, restoreKey, revokeKey, rotateKey, setRateLimit } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { writeCursor } from '../../client/mcp/src/cursor.ts'
import { createInstance } from '../support/instance.ts'
import { startHttpConversation } from '../support/mcp.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import {
  allow,
  connect,
  createConnector,
  exchange,
  listToolsOf,
  postForm,
  readTokens,
  redirectUri,
  refresh,
  registerConnector,
  tryMcp,
} from '../support/sign-in.ts'

const baseUrl = 'https://api.example/public-api'

describeOnEachDatabase('the sign-in', (kind) => {
  const service = useService(kind)
  const start = () =>
    createInstance(service, { baseUrl, signIn: true, operator: { OPERATOR_NAME: 'Example <b>' } })

  test('is found by connectors, at the root and below the path of BASE_URL', async () => {
    const { app, fetch } = start()
    const challenge = await fetch('/mcp', { method: 'POST' })
    expect([challenge.status, await challenge.json()]).toEqual([
      401,
      { error: 'Authorization header required' },
    ])
    const named = `${baseUrl}/.well-known/oauth-protected-resource/mcp`
    expect(challenge.headers.get('WWW-Authenticate')).toBe(`Bearer resource_metadata="${named}"`)
    const refused = await fetch('/mcp', { method: 'POST', headers: { Authorization: 'Bearer dda_x' } })
    expect(refused.headers.get('WWW-Authenticate')).toBe(
      `Bearer resource_metadata="${named}", error="invalid_token"`,
    )
    const elsewhere = await fetch('/users')
    expect(elsewhere.headers.get('WWW-Authenticate')).toBe('Bearer')

    const read = async (url: string) => {
      const response = await app.request(url)
      expect([url, response.status]).toEqual([url, 200])
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      return response.json()
    }
    const resource = await read(named)
    expect(resource).toMatchObject({ resource: `${baseUrl}/mcp`, authorization_servers: [baseUrl] })
    const root = 'https://api.example/.well-known'
    expect(await read(`${root}/oauth-protected-resource/public-api/mcp`)).toEqual(resource)
    expect(await read(`${root}/oauth-protected-resource`)).toEqual(resource)
    const server = await read(`${root}/oauth-authorization-server/public-api`)
    expect(server).toMatchObject({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/sign-in`,
      token_endpoint: `${baseUrl}/sign-in/token`,
      registration_endpoint: `${baseUrl}/sign-in/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    expect(await read(`${baseUrl}/.well-known/oauth-authorization-server`)).toEqual(server)
  })

  test('is off by default: no page, no metadata, and `/mcp` says what it always said', async () => {
    const { access } = await connect(start().fetch, (await service.createKey()).secret)
    const { fetch } = createInstance(service, { baseUrl })
    for (const path of [
      '/sign-in',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
    ]) {
      expect([path, (await fetch(path)).status]).toEqual([path, 404])
    }
    expect((await postForm(fetch, '/sign-in/token', {})).status).toBe(404)
    expect((await fetch('/mcp', { method: 'POST' })).headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(await tryMcp(fetch, access)).toBe(401)
  })

  test('shows a person who asks, where access goes, what the key has, and what to allow', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey({ credits: 12_345 })
    const name = 'Evil </h1><script>alert(1)</script>'
    const connector = createConnector(
      await registerConnector(fetch, { client_name: name, redirect_uris: [redirectUri] }),
    )
    const first = await fetch(connector.query())
    const page = await first.text()
    expect([first.status, first.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page).toContain('Evil &lt;/h1&gt;&lt;script&gt;')
    expect(page).toContain('to read data from Example &lt;b&gt; and to spend your credits')
    expect(page).toContain('<span class="host">connector.example</span>')
    expect(page).not.toContain('<script')
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
      ),
      'cross-origin-opener-policy': 'unsafe-none',
      'referrer-policy': 'no-referrer',
    })
    expect(first.headers.has('access-control-allow-origin')).toBe(false)

    const send = (form: Record<string, string>) => postForm(fetch, connector.query(), form)
    const second = await (await send({ answer: 'continue', api_key: ` ${secret} ` })).text()
    expect(second).toContain('<strong>12,345</strong> credits')
    expect(second).toContain(
      '<a href="docs/your-key/#connections" target="_blank" rel="noopener">Your key</a>',
    )
    expect(second).toMatch(/name="credits" type="number" min="1" required value="1000"/)
    expect(second).toMatch(/name="days" type="number" min="1" max="365" required value="30"/)
    const allowed = { answer: 'allow', api_key: secret, credits: '5', credits_per_call: '', days: '1' }
    for (const [name, value, message] of [
      ['credits', '0', 'Credits in all must be a whole number, 1 or more'],
      ['credits', '9007199254740992', 'Credits in all must be a whole number, 1 or more'],
      ['credits_per_call', '1.5', 'Credits for each call must be empty, or a whole number, 1 or more'],
      ['days', '366', 'Days must be a whole number from 1 to 365'],
    ] as const) {
      const wrong = await send({ ...allowed, [name]: value })
      const text = await wrong.text()
      expect([wrong.status, text]).toEqual([400, expect.stringContaining(message)])
      const invalid = [
        ...text.matchAll(/name="(\w+)" [^>]*aria-describedby="problem [^>]*aria-invalid="true"/g),
      ]
      expect(invalid.map(([, field]) => field)).toEqual([name])
    }
    const canceled = await send({ answer: 'cancel', api_key: '' })
    const back = new URL(canceled.headers.get('Location') ?? '')
    expect([canceled.status, back.origin, Object.fromEntries(back.searchParams)]).toEqual([
      ...[303, 'https://connector.example'],
      { from: 'devdata', error: 'access_denied', state: 'a&b=c"<', iss: baseUrl },
    ])
    const code = await allow(fetch, connector, secret)
    expect(Object.fromEntries(code.searchParams)).toEqual({
      ...{ from: 'devdata', state: 'a&b=c"<', iss: baseUrl },
      code: expect.stringMatching(/^ddc_[\w-]{43}$/),
    })
  })

  test.each([
    [1_001, '1000'],
    [500, '500'],
    [1, '1'],
    [0, ''],
  ])('offers no more than a balance of %d', async (credits, offered) => {
    const { fetch } = start()
    const { secret } = await service.createKey({ credits })
    const connector = createConnector(await registerConnector(fetch))
    const page = await postForm(fetch, connector.query(), { answer: 'continue', api_key: secret })
    expect(await page.text()).toContain(`name="credits" type="number" min="1" required value="${offered}"`)
  })

  test('finds the key in what a person pastes', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey({ credits: 12_345 })
    const connector = createConnector(await registerConnector(fetch))
    const enter = async (text: string) => {
      const form = { answer: 'continue', api_key: text }
      const response = await postForm(fetch, connector.query(), form)
      return { status: response.status, page: await response.text() }
    }
    for (const text of [
      `Bearer ${secret}`,
      `"${secret}"\r\n`,
      `Authorization: Bearer ${secret}`,
      `export DEVDATA_API_KEY='${secret}'`,
      secret.toUpperCase(),
    ]) {
      const { status, page } = await enter(text)
      expect([text, status]).toEqual([text, 200])
      expect(page).toContain(`name="api_key" value="${secret}"`)
    }
    for (const [text, message] of [
      [`${secret} ${randomUUID()}`, 'This text has several API keys. Enter one of them.'],
      [`${secret}0`, 'This isn’t an API key.'],
    ] as const) {
      const { status, page } = await enter(text)
      expect([text, status]).toEqual([text, 401])
      expect(page).toContain(message)
      expect(page).not.toContain(secret)
    }
  })

  test('gives a connector what is charged to the key, until its limit', async () => {
    const { fetch } = start()
    const { secret, id } = await service.createKey({ credits: 100 })
    const { access, connector } = await connect(fetch, secret, { credits: '12' })
    await using conversation = await startHttpConversation({ fetch, key: access })
    expect((await conversation.call('get_user', { login: 'ngoldberg' })).cost).toBe(1)
    expect((await conversation.call('find_users', { location: 'berlin', limit: 10 })).cost).toBe(10)
    const refused = await conversation.call('find_users', { location: 'paris', limit: 2 })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('1')])
    expect((await conversation.call('get_user', { login: 'nobody-at-all' })).cost).toBe(1)
    expect((await conversation.call('get_user', { login: 'paula74' })).isError).toBe(true)
    expect(await service.readLedger(id)).toEqual({ balance: 88, granted: 100, charged: 12 })
    expect(await listConnections(service.sql, id)).toMatchObject([
      {
        name: 'Test connector',
        host: 'connector.example',
        ...{ max_credits: 12, spent_credits: 12, max_credits_per_call: null },
      },
    ])
    expect(connector.clientId).toMatch(/^[\da-f-]{36}$/)
    expect((await verifyLedger(service.sql)).problems).toEqual([])
  })

  test('lets calls at the same time spend no more than the limit', async () => {
    const instances = [start(), start()]
    const { secret, id } = await service.createKey({ credits: 1_000 })
    const { access } = await connect(start().fetch, secret, { credits: '20' })
    const calls = Array.from({ length: 24 }, async (_, place) => {
      const fetch = instances[place % 2]?.fetch ?? start().fetch
      await using conversation = await startHttpConversation({ fetch, key: access })
      return (await conversation.call('get_user', { login: `nobody-${place}` })).cost
    })
    const spent = (await Promise.all(calls)).reduce((sum, cost) => sum + cost, 0)
    expect(spent).toBe(20)
    expect(await service.readLedger(id)).toMatchObject({ charged: spent })
    expect(await listConnections(service.sql, id)).toMatchObject([{ spent_credits: spent }])
  })

  test('limits each call', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const { access } = await connect(fetch, secret, { credits_per_call: '3' })
    await using conversation = await startHttpConversation({ fetch, key: access })
    const users = await conversation.call('find_users', { location: 'berlin', limit: 10 })
    expect(users).toMatchObject({
      ...{ cost: 3, result: { items: { length: 3 }, note: 'The connection allowed no more items.' } },
    })
    await using lower = await startHttpConversation({ fetch, key: access, headers: { 'Max-Credits': '2' } })
    expect((await lower.call('find_users', { location: 'berlin', limit: 10 })).cost).toBe(2)
    await using higher = await startHttpConversation({ fetch, key: access, headers: { 'Max-Credits': '9' } })
    expect((await higher.call('find_users', { location: 'paris', limit: 10 })).cost).toBe(3)

    // The rest of a page that was too long for a result, and paid for by another key.
    const paid = { page: 1, after: '', paidSize: 10, delivered: ['0'.repeat(40)] }
    const cursor = writeCursor('repos/yarrow-collective/monolith/commits?per_page=100', paid)
    const rest = await conversation.call('list_commits', { full_name: 'yarrow-collective/monolith', cursor })
    expect(rest.text).toBe(
      'This call would cost 10 credits. The connection allows 3 for a call. Tell the user: to raise that, disconnect this assistant, and connect it again. Cost: 0. Balance: 992.',
    )
  })

  test('tells a person who has spent the limit what to do', async () => {
    const { fetch } = start()
    const { access } = await connect(fetch, (await service.createKey()).secret, { credits: '1' })
    await using conversation = await startHttpConversation({ fetch, key: access })
    expect((await conversation.call('get_user', { login: 'ngoldberg' })).cost).toBe(1)
    expect((await conversation.call('get_user', { login: 'paula74' })).text).toBe(
      'No credits are left. Tell the user that the key needs more, or that this assistant must be connected again, with more credits in all. Cost: 0. Balance: 0.',
    )
  })

  test('says to each connection what it has, also while the rate limit of the key is used up', async () => {
    const { fetch } = start()
    const { secret, id } = await service.createKey({ credits: 100 })
    const first = await connect(fetch, secret, { credits: '5' })
    const second = await connect(fetch, secret, { credits: '7' })
    await setRateLimit(service.sql, id, { requests: 1, seconds: 3_600 })
    expect(await tryMcp(fetch, secret)).toBe(200)
    for (const [token, remaining] of [
      [first.access, '5'],
      [second.access, '7'],
      [secret, '100'],
      [first.access, '5'],
    ] as const) {
      const { status, headers } = await listToolsOf(fetch, token)
      expect([status, headers.get('X-Credits-Remaining')]).toEqual([429, remaining])
    }
  })

  describe('ends', () => {
    test('with the key, and with a rotation of it', async () => {
      const { fetch } = start()
      for (const end of [
        revokeKey,
        deleteKey,
        (sql: typeof service.sql, id: number) => rotateKey(sql, id, 0),
      ]) {
        const { secret, id } = await service.createKey()
        const { access, refreshToken, connector } = await connect(fetch, secret)
        expect(await tryMcp(fetch, access)).toBe(200)
        await end(service.sql, id)
        expect(await tryMcp(fetch, access)).toBe(401)
        expect(await tryMcp(start().fetch, access)).toBe(401)
        expect((await refresh(fetch, connector.clientId, refreshToken)).status).toBe(400)
        expect(await listConnections(service.sql, id)).toEqual([])
        if (end !== revokeKey) continue
        await restoreKey(service.sql, id)
        expect(await tryMcp(fetch, access)).toBe(200)
        expect(await listConnections(service.sql, id)).toHaveLength(1)
      }
    })

    test('alone, on each instance', async () => {
      const [first, second] = [start(), start()]
      const { secret, id } = await service.createKey()
      const { access } = await connect(first.fetch, secret)
      const other = await connect(first.fetch, secret)
      for (const { fetch } of [first, second]) expect(await tryMcp(fetch, access)).toBe(200)
      const { data } = (await first.request('/api-key/connections', { key: secret })).json() as {
        data: { id: number }[]
      }
      const path = `/api-key/connections/${data[0]?.id}`
      const stranger = (await service.createKey()).secret
      expect((await first.request(path, { key: stranger, method: 'DELETE' })).status).toBe(404)
      expect((await second.request(path, { key: secret, method: 'DELETE' })).status).toBe(204)
      for (const { fetch } of [first, second]) {
        expect(await tryMcp(fetch, access)).toBe(401)
        expect(await tryMcp(fetch, other.access)).toBe(200)
      }
      expect((await first.request(path, { key: secret, method: 'DELETE' })).status).toBe(404)
      expect(await listConnections(service.sql, id)).toHaveLength(1)
    })

    test('by time, also if the clock was set back', async () => {
      const { fetch } = start()
      const { secret, id } = await service.createKey()
      const { access, connector, refreshToken } = await connect(fetch, secret, { days: '2' })
      const [connection] = await listConnections(service.sql, id)
      const lasts = Date.parse(connection?.expires_at ?? '') - Date.now()
      expect(Math.round(lasts / 3_600_000)).toBe(48)
      await service.sql`update connections set access_expires_at = now() where api_key_id = ${id}`
      expect(await tryMcp(fetch, access)).toBe(401)
      const renewed = await readTokens(await refresh(fetch, connector.clientId, refreshToken))
      expect(await tryMcp(fetch, renewed.access_token)).toBe(200)
      expect(await tryMcp(start().fetch, access)).toBe(401) // it had expired before it was replaced
      await service.sql`update connections set expires_at = now() where api_key_id = ${id}`
      expect(await tryMcp(fetch, renewed.access_token)).toBe(401)
      expect((await refresh(fetch, connector.clientId, renewed.refresh_token)).status).toBe(400)
      expect(await listConnections(service.sql, id)).toEqual([])
    })
  })

  test('tells how long a token works: an hour, or until its connection, its key or the secret ends', async () => {
    const { fetch } = start()
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000)
    const { secret, id } = await service.createKey()
    const { connector, refreshToken } = await connect(fetch, secret)
    const renew = async (token: string) => readTokens(await refresh(fetch, connector.clientId, token))
    let tokens = await renew(refreshToken)
    expect(tokens.expires_in).toBe(3_600)
    await service.sql`update connections set expires_at = ${inSeconds(1_800)} where api_key_id = ${id}`
    expect((await renew(refreshToken)).expires_in).toBeLessThanOrEqual(1_800) // the same tokens again
    tokens = await renew(tokens.refresh_token)
    expect(tokens.expires_in).toBeLessThanOrEqual(1_800)
    await rotateKey(service.sql, id, 900)
    const [connection] = await listConnections(service.sql, id)
    expect(Date.parse(connection?.expires_at ?? '')).toBeLessThanOrEqual(Number(inSeconds(900)))
    tokens = await renew(tokens.refresh_token)
    expect(tokens.expires_in).toBeLessThanOrEqual(900)

    const short = await service.createKey({ expiresAt: inSeconds(600) })
    const other = createConnector(await registerConnector(fetch))
    const code = (await allow(fetch, other, short.secret)).searchParams.get('code') ?? ''
    const first = await readTokens(await exchange(fetch, other, code))
    expect(first.expires_in).toBeLessThanOrEqual(600)
  })

  test('rotates refresh tokens; one that was replaced works for a minute, then ends the connection', async () => {
    const { fetch } = start()
    const { secret, id } = await service.createKey()
    const { access, connector, refreshToken } = await connect(fetch, secret)
    const lost = await readTokens(await refresh(fetch, connector.clientId, refreshToken))
    const again = await readTokens(await refresh(fetch, connector.clientId, refreshToken))
    expect({ ...again, expires_in: lost.expires_in }).toEqual(lost)
    expect(await tryMcp(fetch, again.access_token)).toBe(200)
    expect(await tryMcp(start().fetch, access)).toBe(200) // for the rest of the minute
    await service.sql`update connections set refreshed_at = now() - interval '61 seconds' where api_key_id = ${id}`
    expect(await tryMcp(start().fetch, access)).toBe(401)
    expect(await tryMcp(start().fetch, again.access_token)).toBe(200)
    expect((await refresh(fetch, connector.clientId, refreshToken)).status).toBe(400)
    expect(await tryMcp(fetch, again.access_token)).toBe(401)
    expect((await refresh(fetch, connector.clientId, again.refresh_token)).status).toBe(400)
  })

  test('stores neither key nor credential', async () => {
    const { fetch } = start()
    const { secret, id } = await service.createKey()
    const { access, refreshToken, code } = await connect(fetch, secret)
    const [row] = await service.sql<{ stored: string }[]>`
      select to_json(c)::text as stored from connections c where api_key_id = ${id}`
    for (const text of [secret, access, refreshToken, code]) expect(row?.stored).not.toContain(text)
    await endConnection(service.sql, id, 1)
  })

  test('takes what connectors send when they register, and leaves out URIs of apps', async () => {
    const { fetch } = start()
    const register = (body: object) =>
      fetch('/sign-in/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    const response = await register({
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        redirectUri,
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'native',
    })
    expect([response.status, await response.json()]).toEqual([
      201,
      expect.objectContaining({
        client_name: 'Cursor',
        redirect_uris: [redirectUri, 'http://localhost:8787/callback'],
        token_endpoint_auth_method: 'none',
      }),
    ])
    for (const uris of [
      [],
      ['http://connector.example/'],
      ['javascript:alert(1)'],
      ['https://user@connector.example/'],
      ['https://connector.example/#x'],
      ['data:text/html,x'],
      ['http://localhost.evil.example/'],
      ['https://connector.example\\@evil.example/'],
      [`https://connector.example/${'a'.repeat(1_000)}`],
    ]) {
      const refused = await register({ redirect_uris: uris })
      expect([uris, refused.status, await refused.json()]).toEqual([
        uris,
        400,
        expect.objectContaining({ error: 'invalid_redirect_uri' }),
      ])
    }
  })

  test('treats parameters without a value as left out', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const connector = createConnector(await registerConnector(fetch))
    const empty = { ...connector, query: () => connector.query({ state: '', resource: '', scope: '' }) }
    const back = await allow(fetch, empty, secret)
    expect(back.searchParams.has('state')).toBe(false)
    const code = back.searchParams.get('code') ?? ''
    expect((await exchange(fetch, connector, code, { resource: '', redirect_uri: '' })).status).toBe(200)
  })

  test('lets a program on the person’s machine take any port', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const id = await registerConnector(fetch, { redirect_uris: ['http://127.0.0.1/callback'] })
    const connector = createConnector(id, 'http://127.0.0.1:51234/callback')
    const page = await fetch(connector.query())
    expect(await page.text()).toContain('a program on this computer')
    const url = await allow(fetch, connector, secret)
    expect(url.host).toBe('127.0.0.1:51234')
    const code = url.searchParams.get('code') ?? ''
    const uri = { redirect_uri: 'http://127.0.0.1:51234/callback' }
    expect((await exchange(fetch, connector, code, uri)).status).toBe(200)
    for (const other of [
      'http://localhost:51234/callback',
      'http://127.0.0.1:51234/other',
      'http://127.0.0.1.evil.example/callback',
    ]) {
      expect((await fetch(connector.query({ redirect_uri: other }))).status).toBe(400)
    }
  })
})
