/**
 * The sign-in, as the official SDK's client does it, and as a client does that was written from the specification alone.
 *
 * @module-tag over-the-wire
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  Client,
  IssuerMismatchError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { anyDatabase, useService } from '../support/service.ts'
import { postForm } from '../support/sign-in.ts'

const baseUrl = 'https://api.example/public-api'
const redirectUri = 'http://127.0.0.1:33418/callback'
const service = useService(anyDatabase, { baseUrl, signIn: true })

/** Requests a URL of the service. Above its base path, there is metadata. */
function fetchUrl(url: string | URL, init?: RequestInit): Promise<Response> {
  const { href, origin } = new URL(url)
  const path = href.startsWith(`${baseUrl}/`) ? href.slice(baseUrl.length) : `/..${href.slice(origin.length)}`
  return service.fetch(path, init)
}

/** Opens the page as a browser, and allows what is asked for. Returns where the browser goes then. */
async function allowInBrowser(page: URL, answer: 'allow' | 'cancel' = 'allow'): Promise<URL> {
  const { secret } = await service.createKey()
  const form = { answer, api_key: secret, credits: '10', credits_per_call: '', days: '30' }
  const response = await postForm(service.fetch, page.href.slice(baseUrl.length), form)
  return new URL(response.headers.get('Location') ?? '')
}

/** What the client remembers. */
class Provider implements OAuthClientProvider {
  redirectUrl = redirectUri
  clientMetadata = {
    client_name: 'Official',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  }
  page: URL | undefined
  client: StoredOAuthClientInformation | undefined
  stored: StoredOAuthTokens | undefined
  discovered: OAuthDiscoveryState | undefined
  verifier = ''
  state = () => 'state-of-the-client'
  clientInformation = () => this.client
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.client = client
  }
  tokens = () => this.stored
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.stored = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.page = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.discovered = state
  }
  discoveryState = () => this.discovered
}

test('the official client signs in, calls a tool, and refreshes its token', async () => {
  const provider = new Provider()
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider: provider, fetch: fetchUrl })
  const createClient = () => new Client({ name: 'official', version: '1.0.0' })
  const first = open()
  await expect(createClient().connect(first)).rejects.toThrow(UnauthorizedError)
  expect(provider.page?.searchParams.get('resource')).toBe(`${baseUrl}/mcp`)
  const back = await allowInBrowser(provider.page ?? new URL(baseUrl))
  expect(back.searchParams.get('state')).toBe('state-of-the-client')
  await first.finishAuth(back.searchParams)

  const client = createClient()
  await client.connect(open())
  const call = async (login: string) => {
    const { content, isError } = await client.callTool({ name: 'get_user', arguments: { login } })
    return [isError ?? false, content[0]?.type === 'text' ? content[0].text : '']
  }
  expect(await call('ngoldberg')).toEqual([false, expect.stringContaining('"balance":9')])

  const before = provider.stored?.access_token
  await service.sql`update connections set access_expires_at = now()`
  expect(await call('ngoldberg')).toEqual([false, expect.stringContaining('ngoldberg')])
  expect(provider.stored?.access_token).not.toBe(before)
  await client.close()
})

test('a client that was written from the specification alone signs in', async () => {
  const challenge = await fetchUrl(`${baseUrl}/mcp`, { method: 'POST' })
  const [, metadata = ''] =
    /resource_metadata="([^"]+)"/.exec(challenge.headers.get('WWW-Authenticate') ?? '') ?? []
  const read = async (url: string) => (await fetchUrl(url)).json()
  const resource = await read(metadata)
  const issuer = new URL(resource.authorization_servers[0])
  const server = await read(`${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}`)
  expect(server.issuer).toBe(resource.authorization_servers[0])
  const registration = await fetchUrl(server.registration_endpoint, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ client_name: 'By the book', redirect_uris: [redirectUri] }),
  })
  expect(registration.status).toBe(201)
  const { client_id } = await registration.json()

  const verifier = randomBytes(32).toString('base64url')
  const page = new URL(server.authorization_endpoint)
  page.search = String(
    new URLSearchParams({
      ...{ response_type: 'code', client_id, redirect_uri: redirectUri, resource: resource.resource },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  )
  const back = await allowInBrowser(page)
  expect(back.searchParams.get('iss')).toBe(server.issuer)
  // OAuth 2.1 has no redirect_uri here.
  const tokens = await fetchUrl(server.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', client_id },
      ...{ code_verifier: verifier, resource: resource.resource },
    }),
  })
  expect(tokens.headers.get('Cache-Control')).toBe('no-store')
  const { access_token, token_type } = await tokens.json()
  const listed = await fetchUrl(resource.resource, {
    method: 'POST',
    headers: { Authorization: `${token_type} ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect([listed.status, (await listed.json()).result.tools.length]).toEqual([200, 7])
})

/**
 * A server of somebody else, which a person has connected their assistant with, too (RFC 9207). What it is sent for tokens is in
 * `received`.
 */
function createStranger(clientId: string) {
  const url = 'https://stranger.example'
  const received: URLSearchParams[] = []
  const respond = async (path: string, init?: RequestInit) => {
    switch (path) {
      case '/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: `${url}/mcp`, authorization_servers: [url] })
      case '/.well-known/oauth-authorization-server':
        return Response.json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          registration_endpoint: `${url}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/register': {
        const registration = JSON.parse(String(init?.body))
        return Response.json({ ...registration, client_id: clientId }, { status: 201 })
      }
      case '/token':
        received.push(new URLSearchParams(String(init?.body)))
        return Response.json({ access_token: 'of the stranger', token_type: 'Bearer' })
      default:
        return new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
    }
  }
  const fetch = (given: string | URL, init?: RequestInit) => {
    const { href, pathname } = new URL(given)
    return href.startsWith(`${url}/`) ? respond(pathname, init) : fetchUrl(given, init)
  }
  return { url, received, fetch }
}

describe('a mix-up of this server and another one', () => {
  /** Begins a sign-in with the official client, up to the page. */
  async function begin(serverUrl: string, fetch: typeof fetchUrl) {
    const provider = new Provider()
    const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch })
    const connecting = new Client({ name: 'official', version: '1.0.0' }).connect(transport)
    await expect(connecting).rejects.toThrow(UnauthorizedError)
    return { provider, transport, page: provider.page ?? new URL(baseUrl) }
  }

  test.each(['allow', 'cancel'] as const)(
    'a server that leads the browser here gets neither the code nor the verifier (%s)',
    async (answer) => {
      const registered = await fetchUrl(`${baseUrl}/sign-in/register`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
        body: JSON.stringify({ client_name: 'Official', redirect_uris: [redirectUri] }),
      })
      const stranger = createStranger((await registered.json()).client_id)
      const { provider, transport, page } = await begin(`${stranger.url}/mcp`, stranger.fetch)
      expect(page.origin).toBe(stranger.url)
      page.searchParams.delete('resource')
      const back = await allowInBrowser(new URL(`${baseUrl}/sign-in${page.search}`), answer)
      expect(back.searchParams.has('code')).toBe(answer === 'allow')
      await expect(transport.finishAuth(back.searchParams)).rejects.toThrow(IssuerMismatchError)
      expect([provider.stored, stranger.received]).toEqual([undefined, []])
    },
  )

  test('a code of another server isn’t sent here, and the sign-in goes on', async () => {
    const sent: string[] = []
    const { provider, transport, page } = await begin(`${baseUrl}/mcp`, (url, init) => {
      sent.push(new URL(url).pathname)
      return fetchUrl(url, init)
    })
    const tokenPath = new URL(`${baseUrl}/sign-in/token`).pathname
    for (const iss of ['https://stranger.example', `${baseUrl}/`, undefined]) {
      const state = page.searchParams.get('state') ?? ''
      const forged = new URLSearchParams({ code: 'of the stranger', state, ...(iss && { iss }) })
      await expect(transport.finishAuth(forged)).rejects.toThrow(IssuerMismatchError)
    }
    expect(sent).not.toContain(tokenPath)
    await transport.finishAuth((await allowInBrowser(page)).searchParams)
    expect(sent).toContain(tokenPath)
    expect(provider.stored?.access_token).toMatch(/^dda_/)
  })
})
