/** What is tried against the sign-in (docs: Security). */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listConnections } from '../../api/ledger/connections.ts'
import { rotateKey } from '../../api/ledger/keys.ts'
import {
  DocumentError,
  isDocumentUrl,
  isPublicAddress,
  readClientDocument,
} from '../../api/sign-in/client-document.ts'
import { createInstance } from '../support/instance.ts'
import { anyDatabase, useService } from '../support/service.ts'
import {
  allow,
  connect,
  createConnector,
  exchange,
  postForm,
  readTokens,
  redirectUri,
  refresh,
  registerConnector,
  tryMcp,
} from '../support/sign-in.ts'

const baseUrl = 'https://api.example/public-api'
const service = useService(anyDatabase)
/** Another service, with a database and a URL of its own. */
const otherService = useService(anyDatabase, { data: 'empty' })
const otherBaseUrl = 'https://other.example'
const start = (readDocument?: (url: URL) => Promise<string>) =>
  createInstance(service, {
    baseUrl,
    signIn: true,
    ...(readDocument && { readClientDocument: readDocument }),
  })

const documentId = 'https://connector.example/client.json'
const document = { client_id: documentId, client_name: 'Documented', redirect_uris: [redirectUri] }

/** Connects up to the code. */
async function getCode(fetch: ReturnType<typeof start>['fetch']) {
  const { secret, id } = await service.createKey()
  const connector = createConnector(await registerConnector(fetch))
  const code = (await allow(fetch, connector, secret)).searchParams.get('code') ?? ''
  return { connector, code, secret, id }
}

const postJson = (fetch: ReturnType<typeof start>['fetch'], path: string, body: object) =>
  fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Expects that an error has its code, as each error of the service. */
function expectCode({ status, headers }: Response, code = 'invalid_parameter'): void {
  expect([status, headers.get('X-Error-Code')]).toEqual([status, status < 400 ? null : code])
}

/** A response's status and OAuth's code. */
async function readError(response: Response, code?: string): Promise<unknown[]> {
  expectCode(response, code)
  return [response.status, (await response.json()).error]
}

const invalidGrant = [400, 'invalid_grant']

describe('a code', () => {
  test('is refused to another connector, for another redirect, and without its verifier; then it still works', async () => {
    const { fetch } = start()
    const { connector, code } = await getCode(fetch)
    const other = createConnector(await registerConnector(fetch))
    for (const response of [
      await exchange(fetch, { ...other, verifier: connector.verifier }, code),
      await exchange(fetch, connector, code, { redirect_uri: 'https://connector.example/callback' }),
      await exchange(fetch, { ...connector, verifier: other.verifier }, code),
      await exchange(fetch, connector, `ddc_${'A'.repeat(43)}`),
      await exchange(fetch, connector, code.replace('ddc_', 'ddr_')),
      await exchange(fetch, connector, 'x'.repeat(7_000)),
    ]) {
      expect(await readError(response)).toEqual(invalidGrant)
    }
    expect(await readError(await exchange(fetch, { ...connector, verifier: '' }, code))).toEqual([
      ...[400, 'invalid_request'],
    ])
    expect((await exchange(fetch, connector, code)).status).toBe(200)
  })

  test('that is used twice ends its tokens, on each instance', async () => {
    const [first, second] = [start(), start()]
    const { connector, code, id } = await getCode(first.fetch)
    const { access_token: access, refresh_token } = await readTokens(
      await exchange(first.fetch, connector, code),
    )
    const guessed = { ...connector, verifier: 'x'.repeat(43) }
    expect(await readError(await exchange(second.fetch, guessed, code))).toEqual(invalidGrant)
    for (const { fetch } of [first, second]) expect(await tryMcp(fetch, access)).toBe(200)
    expect(await readError(await exchange(second.fetch, connector, code))).toEqual(invalidGrant)
    for (const { fetch } of [first, second]) expect(await tryMcp(fetch, access)).toBe(401)
    expect(await readError(await refresh(first.fetch, connector.clientId, refresh_token))).toEqual(
      invalidGrant,
    )
    expect(await listConnections(service.sql, id)).toEqual([])
  })

  test('works once if it is used twenty times at the same time', async () => {
    const instances = [start(), start()]
    const { connector, code } = await getCode(start().fetch)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const { fetch } = instances[place % 2] ?? start()
        return (await exchange(fetch, connector, code)).status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  test('of another service gets nothing here, even from the same connector with its verifier, and the reverse', async () => {
    const readClientDocument = async () => JSON.stringify(document)
    const connector = createConnector(documentId)
    const services = [
      { of: service, url: baseUrl },
      { of: otherService, url: otherBaseUrl },
    ].map(({ of, url }) => ({
      ...{ of, url },
      fetch: createInstance(of, { baseUrl: url, signIn: true, readClientDocument }).fetch,
    }))
    const codes = await Promise.all(
      services.map(async ({ of, url, fetch }) => {
        const back = await allow(fetch, connector, (await of.createKey()).secret)
        const { issuer } = await (await fetch('/.well-known/oauth-authorization-server')).json()
        expect([issuer, back.searchParams.get('iss')]).toEqual([url, url])
        return back.searchParams.get('code') ?? ''
      }),
    )
    for (const [place, { fetch }] of services.entries()) {
      const [own = '', elsewhere = ''] = place === 0 ? codes : codes.toReversed()
      expect(await readError(await exchange(fetch, connector, elsewhere))).toEqual(invalidGrant)
      const { access_token } = await readTokens(await exchange(fetch, connector, own))
      const statuses = services.map((each) => tryMcp(each.fetch, access_token))
      expect(await Promise.all(statuses)).toEqual(place === 0 ? [200, 401] : [401, 200])
    }
  })

  test('ends after 60 seconds', async () => {
    const { fetch } = start()
    const { connector, code, id } = await getCode(fetch)
    const [row] = await service.sql<{ seconds: number }[]>`
      select round(extract(epoch from expires_at - created_at))::integer as seconds from connections where api_key_id = ${id}`
    expect(row?.seconds).toBe(60)
    await service.sql`update connections set expires_at = now() where api_key_id = ${id}`
    expect(await readError(await exchange(fetch, connector, code))).toEqual(invalidGrant)
  })
})

describe('the page', () => {
  test('never sends a browser anywhere by itself, and nowhere that isn’t registered', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const connector = createConnector(await registerConnector(fetch))
    for (const [changes, message] of [
      [{ redirect_uri: 'https://evil.example/' }, 'Invalid redirect_uri'],
      [{ redirect_uri: `${redirectUri}&x=1` }, 'Invalid redirect_uri'],
      [{ redirect_uri: undefined }, 'Invalid redirect_uri'],
      [{ redirect_uri: 'https://connector.example/callback/../evil?from=devdata' }, 'Invalid redirect_uri'],
      [
        { redirect_uri: 'https://connector.example.evil.example/callback?from=devdata' },
        'Invalid redirect_uri',
      ],
      [{ client_id: randomUUID() }, 'Invalid client_id'],
      [{ client_id: 'https://connector.example/' }, 'Invalid client_id'],
      [{ client_id: undefined }, 'Invalid client_id'],
      [{ response_type: 'token' }, 'Invalid response_type'],
      [{ code_challenge: undefined }, 'Invalid code_challenge'],
      [{ code_challenge_method: 'plain' }, 'Invalid code_challenge_method'],
      [{ code_challenge_method: undefined }, 'Invalid code_challenge_method'],
      [{ code_challenge: 'short' }, 'Invalid code_challenge'],
      [{ resource: 'https://other.example/mcp' }, 'Invalid resource'],
      [{ resource: 'https://api.example/public-api/users' }, 'Invalid resource'],
    ] as const) {
      for (const response of [
        await fetch(connector.query(changes)),
        await postForm(fetch, connector.query(changes), {
          answer: 'allow',
          api_key: secret,
          credits: '1',
          days: '1',
        }),
        await postForm(fetch, connector.query(changes), { answer: 'cancel' }),
      ]) {
        expect([changes, response.status, response.headers.get('Location')]).toEqual([changes, 400, null])
        expect(response.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
        expect(await response.text()).toContain(message)
      }
    }
    expect((await fetch(`${connector.query()}&client_id=${connector.clientId}`)).status).toBe(400)
    expect((await fetch(connector.query({ resource: `${baseUrl}/mcp/` }))).status).toBe(200)
  })

  test('refuses keys that don’t work, as everywhere, keys of admins, and forms of other pages', async () => {
    const { fetch } = start()
    const connector = createConnector(await registerConnector(fetch))
    const enter = (key: string, headers = {}) =>
      postForm(fetch, connector.query(), { answer: 'allow', api_key: key, credits: '1', days: '1' }, headers)
    const { secret: admin } = await service.createKey({ role: 'admin' })
    const { secret } = await service.createKey()
    const limited = await service.createKey({ rateLimit: { requests: 1, seconds: 3_600 } })
    const { access } = await connect(fetch, secret)
    await enter(limited.secret)
    for (const [key, code, status, message, headers] of [
      ['', 'invalid_api_key_format', 401, 'This isn’t an API key. A key is 36 characters with four hyphens'],
      [
        randomUUID(),
        'invalid_api_key',
        401,
        'No key like this works here. Check that it belongs to this service',
      ],
      [access, 'invalid_api_key_format', 401, 'This isn’t an API key'],
      [admin, 'invalid_parameter', 400, 'An admin key can'],
      [limited.secret, 'rate_limit_exceeded', 429, 'Rate limit exceeded'],
      [
        secret,
        'invalid_parameter',
        400,
        'The form came from another page',
        { 'Sec-Fetch-Site': 'cross-site' },
      ],
      [secret, '', 303, '', { 'Sec-Fetch-Site': 'same-origin' }],
    ] as const) {
      const response = await enter(key, headers)
      expectCode(response, code)
      expect([key, response.status, await response.text()]).toEqual([
        key,
        status,
        expect.stringContaining(message),
      ])
    }
  })

  test('refuses bodies that are too long or no forms', async () => {
    const { fetch } = start()
    const connector = createConnector(await registerConnector(fetch))
    const long = await postForm(fetch, connector.query(), { api_key: 'x'.repeat(9_000) })
    expect(long.status).toBe(413)
    expectCode(long, 'body_too_large')
    const json = await fetch(connector.query(), {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(json.status).toBe(400)
    expectCode(json)
    const list = await postJson(fetch, '/sign-in/register', [])
    expect(await readError(list, 'invalid_body')).toEqual([400, 'invalid_client_metadata'])
    expect((await fetch(`/sign-in?state=${'x'.repeat(9_000)}`)).status).toBe(414)
  })
})

describe('a token', () => {
  test('is for `/mcp` alone', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const { access, refreshToken, code } = await connect(fetch, secret)
    expect(await tryMcp(fetch, access)).toBe(200)
    for (const path of [
      '/users',
      '/users/ngoldberg',
      '/api-key/credits',
      '/api-key/connections',
      '/admin/keys',
      '/metrics',
    ]) {
      for (const token of [access, refreshToken, code]) {
        const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } })
        expect([path, response.status]).toEqual([path, 401])
      }
    }
    for (const token of [refreshToken, code, `dda_${'A'.repeat(43)}`, `${access}A`, access.toUpperCase()]) {
      expect(await tryMcp(fetch, token)).toBe(401)
    }
  })

  test('of another service is refused, and given for no other one', async () => {
    const { fetch } = start()
    const { connector, code } = await getCode(fetch)
    const elsewhere = await exchange(fetch, connector, code, { resource: 'https://other.example/mcp' })
    expect(await readError(elsewhere)).toEqual([400, 'invalid_target'])
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(await tryMcp(fetch, `${header}.e30.`)).toBe(401)
  })

  test('can be ended by whoever has it, and a refresh token of one connector isn’t another’s', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const first = await connect(fetch, secret)
    const second = await connect(fetch, secret)
    expect(await readError(await refresh(fetch, second.connector.clientId, first.refreshToken))).toEqual(
      invalidGrant,
    )
    expect(await tryMcp(fetch, first.access)).toBe(200)
    expect((await postForm(fetch, '/sign-in/revoke', { token: first.refreshToken })).status).toBe(200)
    expect((await postForm(fetch, '/sign-in/revoke', { token: 'unknown' })).status).toBe(200)
    expect([await tryMcp(fetch, first.access), await tryMcp(fetch, second.access)]).toEqual([401, 200])
  })
})

describe('a refresh token', () => {
  test('that is used twenty times at the same time gets the same tokens, which work', async () => {
    const instances = [start(), start()]
    const { secret } = await service.createKey()
    const { connector, refreshToken } = await connect(start().fetch, secret)
    const tokens = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const { fetch } = instances[place % 2] ?? start()
        const { access_token, refresh_token } = await readTokens(
          await refresh(fetch, connector.clientId, refreshToken),
        )
        return { access_token, refresh_token }
      }),
    )
    const [first] = tokens
    expect(new Set(tokens.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(first)]))
    const { fetch } = start()
    expect(await tryMcp(fetch, first?.access_token ?? '')).toBe(200)
    const next = await readTokens(await refresh(fetch, connector.clientId, first?.refresh_token ?? ''))
    expect(next.refresh_token).not.toBe(first?.refresh_token)
  })

  test('that is old ends no connection of another connector', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const { access, connector, code } = await connect(fetch, secret)
    const stranger = createConnector(await registerConnector(fetch))
    const unknown = `ddr_${code.slice(4, 30)}${'A'.repeat(17)}`
    expect(await readError(await refresh(fetch, stranger.clientId, unknown))).toEqual(invalidGrant)
    expect(await readError(await exchange(fetch, stranger, code))).toEqual(invalidGrant)
    expect(await tryMcp(start().fetch, access)).toBe(200)
    await service.sql`update connections set created_at = now() - interval '11 minutes' where client_id = ${connector.clientId}`
    expect(await readError(await exchange(fetch, connector, code))).toEqual(invalidGrant) // a line in an old log
    expect(await tryMcp(start().fetch, access)).toBe(200)
  })
})

test('NUL characters are refused in each parameter', async () => {
  const { fetch } = start()
  const { connector, code } = await getCode(fetch)
  const { clientId, verifier } = connector
  for (const form of [
    { grant_type: 'authorization_code', code, client_id: '\0', code_verifier: verifier },
    { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: '\0' },
    { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: 'x', redirect_uri: '\0' },
    { grant_type: 'refresh_token', refresh_token: `ddr_${'A'.repeat(43)}`, client_id: 'a\0' },
    { grant_type: 'refresh_token', refresh_token: '\0', client_id: clientId },
  ]) {
    expect(await readError(await postForm(fetch, '/sign-in/token', form))).toEqual([400, 'invalid_request'])
  }
  const revocation = await postForm(fetch, '/sign-in/revoke', { token: '\0' })
  expect(await readError(revocation)).toEqual([400, 'invalid_request'])
  for (const name of ['client_id', 'redirect_uri', 'state']) {
    const page = await fetch(connector.query({ [name]: '\0' }))
    expect(page.status).toBe(400)
    expectCode(page, 'invalid_url')
  }
})

test.each([
  ['/sign-in/token', 'refresh_token'],
  ['/sign-in/revoke', 'token'],
])('unknown tokens sent to %s wait for each other, and a flood is refused', async (path, name) => {
  const { fetch } = start()
  const statuses = await Promise.all(
    Array.from({ length: 1_500 }, async () => {
      const form = {
        grant_type: 'refresh_token',
        client_id: 'x',
        [name]: `ddr_${randomUUID().replaceAll('-', '')}${'A'.repeat(11)}`,
      }
      return (await postForm(fetch, path, form)).status
    }),
  )
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(500)
})

describe('registrations and connections are bounded:', () => {
  test('1,000 registrations at the same time', async () => {
    const { fetch } = start()
    const statuses = await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        const response = await postJson(fetch, '/sign-in/register', { redirect_uris: [redirectUri] })
        return response.status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([201, 503]))
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(500)
  })

  test('only the newest 10,000 are kept, and as many that were used; a flood refuses nobody', async () => {
    const { fetch } = start()
    const { secret } = await service.createKey()
    const { connector: used } = await connect(fetch, secret)
    const unused = await registerConnector(fetch)
    await service.sql`update connectors set created_at = created_at - interval '1 second'`
    const flood = (usedAt: string | null) => service.sql`
      insert into connectors (name, redirect_uris, created_at, used_at)
      select 'flood', '{https://evil.example/}', now(), ${usedAt}::timestamptz from generate_series(1, 20000)`
    await flood(null)
    const newest = await registerConnector(start().fetch)
    const count = async () => {
      const [row] = await service.sql<{ count: number }[]>`
        select count(*) filter (where used_at is null)::integer as count from connectors`
      return row?.count
    }
    expect(await count()).toBe(10_001)
    const status = async (id: string) => (await fetch(createConnector(id).query())).status
    expect([await status(used.clientId), await status(unused), await status(newest)]).toEqual([200, 400, 200])
    await flood('2100-01-01')
    const next = await registerConnector(start().fetch)
    expect([await count(), await status(newest), await status(next)]).toEqual([10_001, 200, 200])
    expect(await (await start().fetch(used.query())).text()).toContain('doesn’t know the assistant')
    await service.sql`update connectors set created_at = created_at - interval '2 days' where used_at is null`
    await registerConnector(start().fetch)
    expect(await count()).toBe(1)
  })

  test('a key has at most 50 connections', async () => {
    const { fetch } = start()
    const { secret, id } = await service.createKey()
    const connector = createConnector(await registerConnector(fetch))
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, () => allow(fetch, connector, secret)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    await expect(allow(fetch, connector, secret)).rejects.toThrow('400: ')
    const form = { answer: 'allow', api_key: secret, credits: '1', days: '1' }
    const refused = await postForm(fetch, connector.query(), form)
    expect(await refused.text()).toContain('This key has 50 connections')
    expectCode(refused)
    const rotated = await rotateKey(service.sql, id, 0)
    await allow(fetch, connector, rotated.secret) // those of the old secret can't work anymore
    await service.sql`update connections set expires_at = now() where api_key_id = ${id}`
    await allow(fetch, connector, rotated.secret)
    const [row] = await service.sql<{ count: number }[]>`
      select count(*)::integer as count from connections where api_key_id = ${id}`
    expect(row?.count).toBe(1)
  })
})

describe('a connector’s document', () => {
  const id = documentId

  test('is read once, and says where the browser may go', async () => {
    const read: string[] = []
    const { fetch } = start(async ({ href }) => {
      read.push(href)
      return JSON.stringify(document)
    })
    const { secret } = await service.createKey()
    const connector = createConnector(id)
    expect(await (await fetch(connector.query())).text()).toContain('Connect Documented')
    const code = (await allow(fetch, connector, secret)).searchParams.get('code') ?? ''
    const { access_token } = await readTokens(await exchange(fetch, connector, code))
    expect(await tryMcp(fetch, access_token)).toBe(200)
    expect((await fetch(connector.query({ redirect_uri: 'https://evil.example/' }))).status).toBe(400)
    expect(read).toEqual([id])
  })

  test.each([
    [
      'its client_id must be its own URL',
      JSON.stringify({ ...document, client_id: 'https://other.example/c' }),
    ],
    ['its redirect_uris must have', JSON.stringify({ ...document, redirect_uris: ['http://evil.example/'] })],
    ['it is not JSON', '<html>'],
    ['its status is 404', new DocumentError('its status is 404, not 200')],
  ])('is refused: %s', async (message, answer) => {
    let count = 0
    const { fetch } = start(async () => {
      count++
      if (typeof answer === 'string') return answer
      throw answer
    })
    const connector = createConnector(id)
    const responses = await Promise.all([1, 2, 3].map(() => fetch(connector.query())))
    for (const response of responses) {
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining(message.replace("'", '&#39;')),
      ])
    }
    expect(count).toBe(1)
  })

  test('that is cached is found while slow ones are fetched', async () => {
    const slow = Promise.withResolvers<string>()
    const { fetch } = start(({ hostname }) =>
      hostname.startsWith('slow') ? slow.promise : Promise.resolve(JSON.stringify(document)),
    )
    const connector = createConnector(id)
    expect((await fetch(connector.query())).status).toBe(200)
    const others = Array.from({ length: 20 }, (_, place) =>
      fetch(createConnector(`https://slow${place}.example/c`).query()),
    )
    expect((await fetch(connector.query())).status).toBe(200)
    slow.resolve('{}')
    await Promise.all(others)
  })

  test('is fetched while somebody has hundreds of slow ones fetched from one domain', async () => {
    const slow = Promise.withResolvers<string>()
    const { fetch } = start(({ hostname }) =>
      hostname.endsWith('evil.example') ? slow.promise : Promise.resolve(JSON.stringify(document)),
    )
    const flood = Array.from({ length: 200 }, (_, place) =>
      fetch(createConnector(`https://c${place}.evil.example/c`).query()),
    )
    expect((await fetch(createConnector(id).query())).status).toBe(200)
    slow.resolve('{}')
    await Promise.all(flood)
  })

  test('is never fetched from this machine, a private network or a cloud’s metadata', async () => {
    for (const address of [
      ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
      ...['192.0.0.1', '198.18.0.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'fd00::1', 'fc00::1', 'ff02::1'],
      ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1'],
    ]) {
      expect([address, isPublicAddress(address)]).toEqual([address, false])
      await expect(
        readClientDocument(new URL(id), { resolve: async () => ['1.1.1.1', address] }),
      ).rejects.toThrow('not public')
    }
    for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111'])
      expect(isPublicAddress(address)).toBe(true)
    await expect(readClientDocument(new URL(id), { resolve: async () => [] })).rejects.toThrow(
      'has no address',
    )
    await expect(
      readClientDocument(new URL('https://localhost.localdomain/x'), { resolve: async () => ['127.0.0.1'] }),
    ).rejects.toThrow(DocumentError)
  })

  test('has a URL of one spelling: https, a name, the usual port', () => {
    expect(isDocumentUrl(id)).toBe(true)
    for (const url of [
      ...['http://connector.example/c', 'https://connector.example/', 'https://connector.example:8443/c'],
      ...[
        'https://127.0.0.1/c',
        'https://[::1]/c',
        'https://localhost/c',
        'https://2130706433/c',
        'https://0x7f.1/c',
      ],
      ...['https://u@connector.example/c', 'https://connector.example/c#x', 'https://CONNECTOR.example/c'],
      ...[
        'https://connector.example/a/../c',
        'https://connector.example/%2e%2e/c',
        'ftp://connector.example/c',
      ],
      `https://connector.example/${'c'.repeat(500)}`,
    ]) {
      expect([url, isDocumentUrl(url)]).toEqual([url, false])
    }
  })
})
