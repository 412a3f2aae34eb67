/** Connectors as tests play them: the steps of the sign-in, one by one, as OAuth's documents write them. */
import { createHash, randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { createInstance } from './instance.ts'

/** Requests a path below the base path, as `TestService.fetch` does. */
export type FetchPath = (path: string, init?: RequestInit) => Promise<Response>

export const redirectUri = 'https://connector.example/callback?from=devdata'

const tokensSchema = v.object({
  access_token: v.string(),
  token_type: v.literal('Bearer'),
  expires_in: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_600)),
  refresh_token: v.string(),
})

/** What a connector gets. */
export type ReceivedTokens = v.InferOutput<typeof tokensSchema>

/** A connector with what it has to remember. */
export interface Connector {
  clientId: string
  verifier: string
  /** What it sends the browser to the page with. `changes` replaces parameters; undefined: leaves one out. */
  query(changes?: Record<string, string | undefined>): string
}

/** Creates a connector. */
export function createConnector(clientId: string, uri = redirectUri): Connector {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: uri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a&b=c"<',
  }
  return {
    clientId,
    verifier,
    query(changes = {}) {
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries<string | undefined>({ ...parameters, ...changes })) {
        if (value !== undefined) query.set(name, value)
      }
      return `/sign-in?${query}`
    },
  }
}

/** Sends a form. */
export function postForm(
  fetch: FetchPath,
  path: string,
  form: Record<string, string>,
  headers = {},
): Promise<Response> {
  return fetch(path, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' })
}

/** Registers a connector. */
export async function registerConnector(
  fetch: FetchPath,
  metadata: object = { client_name: 'Test connector', redirect_uris: [redirectUri] },
): Promise<string> {
  const response = await fetch('/sign-in/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  return v.parse(v.object({ client_id: v.string() }), await response.json()).client_id
}

/** What a person enters beside the key. */
export type Entered = Partial<Record<'credits' | 'credits_per_call' | 'days' | 'answer', string>>

/** Allows a connector on the page, and returns where the browser goes then. */
export async function allow(
  fetch: FetchPath,
  connector: Connector,
  key: string,
  entered: Entered = {},
): Promise<URL> {
  const form = {
    answer: 'allow',
    api_key: key,
    credits: '1000',
    credits_per_call: '',
    days: '30',
    ...entered,
  }
  const response = await postForm(fetch, connector.query(), form)
  const location = response.headers.get('Location')
  if (response.status !== 303 || location === null)
    throw new Error(`${response.status}: ${await response.text()}`)
  return new URL(location)
}

/** Requests tokens for a code. `changes` replaces parameters; undefined: leaves one out. */
export function exchange(
  fetch: FetchPath,
  { clientId, verifier }: Connector,
  code: string,
  changes: Record<string, string> = {},
): Promise<Response> {
  return postForm(fetch, '/sign-in/token', {
    ...{ grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier },
    ...{ redirect_uri: redirectUri, ...changes },
  })
}

/** Requests new tokens. */
export function refresh(fetch: FetchPath, clientId: string, token: string): Promise<Response> {
  return postForm(fetch, '/sign-in/token', {
    ...{ grant_type: 'refresh_token', refresh_token: token, client_id: clientId },
  })
}

/** Reads the tokens of a response. */
export async function readTokens(response: Response): Promise<ReceivedTokens> {
  return v.parse(tokensSchema, await response.json())
}

/** Connects a new connector. */
export async function connect(fetch: FetchPath, key: string, entered?: Entered) {
  const connector = createConnector(await registerConnector(fetch))
  const code = (await allow(fetch, connector, key, entered)).searchParams.get('code') ?? ''
  const tokens = await readTokens(await exchange(fetch, connector, code))
  return { connector, code, access: tokens.access_token, refreshToken: tokens.refresh_token }
}

/** Connects an assistant with a key on the database of a service that may have no sign-in. */
export async function connectAssistant(
  service: Parameters<typeof createInstance>[0],
  key: string,
): Promise<{ tryMcp: () => Promise<number> }> {
  const { fetch } = createInstance(service, { baseUrl: 'https://api.example', signIn: true })
  const { access } = await connect(fetch, key)
  return { tryMcp: () => tryMcp(fetch, access) }
}

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** Lists the tools with a key or a token. */
export function listToolsOf(fetch: FetchPath, token: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  return fetch('/mcp', { method: 'POST', headers, body: listTools })
}

/** Lists the tools with a key or a token, and returns the status. */
export async function tryMcp(fetch: FetchPath, token: string): Promise<number> {
  const response = await listToolsOf(fetch, token)
  await response.arrayBuffer()
  return response.status
}
