/**
 * The sign-in for `/mcp`: how a connector gets a connection in place of a key (OAuth 2.1, as MCP's specification of
 * 2026-07-28 asks for it; decisions/0002-keys.md).
 *
 *   connector                         this service                                  person
 *   POST /mcp ──────────────────────→ 401, resource_metadata
 *   GET /.well-known/… ─────────────→ where to register, ask and get tokens
 *   POST /sign-in/register ─────────→ an id (or its id is the URL of a document, which is fetched)
 *   opens a browser ────────────────→ GET /sign-in?client_id,redirect_uri,code_challenge,resource,state
 *                                     the page ───────────────────────────────────→ enters the key
 *                                     POST /sign-in: balance and limits ──────────→ allows
 *                     ←────────────── 303 to redirect_uri?code,state,iss
 *   POST /sign-in/token, verifier ──→ access token (1 hour), refresh token; the code works once, for 60 seconds
 *   POST /mcp with the access token   charged to the key, within the limits
 *   POST /sign-in/token, refresh ───→ new tokens, until the connection ends
 */
import { Buffer } from 'node:buffer'
import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Meter } from '../checkout/meter.ts'
import { createMissLimit, type MissLimit } from '../concurrency/miss-limit.ts'
import type { Sql } from '../database/connect.ts'
import { ApiError, bodyTooLarge, type ErrorCode, unauthorized } from '../errors.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import { readJsonObject } from '../http/json-body.ts'
import { mcpPath, signInPath } from '../http/paths.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { sendDocument, setHeader, takeHeaders } from '../http/response.ts'
import { validatePublicUrl } from '../http/url.ts'
import { listKeysIn } from '../ledger/key-text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  type AuthorizationRequest,
  assertResource,
  createReader,
  readAuthorizationRequest,
} from './authorization-request.ts'
import { type Connectors, createConnectors, readMetadata } from './connectors.ts'
import { offerLimits, readLimits } from './limits.ts'
import { type SignInPage, signInContentSecurityPolicy, tooManyConnections, writeSignInPage } from './page.ts'
import { SignInProblem } from './problem.ts'
import { createConnection, exchangeCode, refreshTokens, revokeToken, type Tokens } from './tokens.ts'

const maxBodyBytes = 8_192

const formatProblem = 'This isn’t an API key. A key is 36 characters with four hyphens. Copy it again.'
const severalKeysProblem = 'This text has several API keys. Enter one of them.'

/**
 * Limits of what anybody may ask the database for: connectors, codes and tokens. No more than 128 a second find
 * nothing. Each is a statement of its own, so few run at a time.
 */
const lookUpLimits = { maxConcurrent: 16, maxQueued: 1_000, maxWaitMs: 2_000, missMs: 125 }

/** What the sign-in works with. */
export interface SignInOptions {
  /** The public URL of the API, without a slash at its end. */
  baseUrl: string
  basePath: string
  sql: Sql
  ledger: Pick<Ledger, 'findCachedKey' | 'findKey'>
  meter: Pick<Meter, 'settle'>
  operator: { name?: string | undefined }
  /** Fetches the document of a connector. Default: from public servers. */
  readClientDocument?: ((url: URL) => Promise<string>) | undefined
}

/** Adds the sign-in. Metadata is also at the root of the host, where connectors look for it first. */
export function addSignIn(
  app: Hono<HonoEnvironment>,
  root: Hono<HonoEnvironment>,
  options: SignInOptions,
): void {
  const { baseUrl, basePath, sql } = options
  const limitMisses = createMissLimit(lookUpLimits)
  const connectors = createConnectors(sql, limitMisses, options.readClientDocument)
  addMetadataRoutes(app, root, baseUrl, basePath)
  app.use(`${signInPath}/*`, validatePublicUrl)
  addPageRoutes(app, connectors, options)

  app.post(
    `${signInPath}/register`,
    forConnectors(async (c) => {
      const connector = readMetadata(await readJsonObject(c, maxBodyBytes))
      const registered = {
        client_id: await connectors.register(connector),
        client_id_issued_at: Math.floor(Date.now() / 1000),
        client_name: connector.name,
        redirect_uris: connector.redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }
      return sendToConnector(c, registered, 201)
    }),
  )
  app.post(
    `${signInPath}/token`,
    forConnectors(async (c) => {
      const tokens = await grantTokens(sql, limitMisses, await readForm(c), baseUrl + mcpPath)
      return 'error' in tokens ? sendToConnector(c, tokens, 400) : sendToConnector(c, writeTokens(tokens))
    }),
  )
  app.post(
    `${signInPath}/revoke`,
    forConnectors(async (c) => {
      const token = createReader(await readForm(c)).read('token')
      await limitMisses(token, async () => (await revokeToken(sql, token)) || undefined)
      return sendToConnector(c, {})
    }),
  )
}

/** Adds what connectors read first (RFC 8414, RFC 9728), and the `WWW-Authenticate` that leads there. */
function addMetadataRoutes(
  app: Hono<HonoEnvironment>,
  root: Hono<HonoEnvironment>,
  baseUrl: string,
  basePath: string,
): void {
  const resource = JSON.stringify({
    resource: baseUrl + mcpPath,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs/connect-an-assistant/`,
  })
  const endpoint = baseUrl + signInPath
  const server = JSON.stringify({
    issuer: baseUrl,
    authorization_endpoint: endpoint,
    token_endpoint: `${endpoint}/token`,
    registration_endpoint: `${endpoint}/register`,
    revocation_endpoint: `${endpoint}/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs/connect-an-assistant/`,
  })
  const resourcePath = '/.well-known/oauth-protected-resource'
  const serverPath = '/.well-known/oauth-authorization-server'
  const serve = (host: Hono<HonoEnvironment>, paths: string[], text: string) => {
    for (const path of new Set(paths)) {
      host.get(path, validatePublicUrl, (c) => sendDocument(c, text, 'application/json'))
    }
  }
  // Proxies may pass on only what is below the path of BASE_URL.
  serve(app, [resourcePath + mcpPath, resourcePath], resource)
  serve(app, [serverPath], server)
  if (basePath !== '') {
    serve(root, [resourcePath + basePath + mcpPath, resourcePath], resource)
    serve(root, [serverPath + basePath, serverPath], server)
  }
  const challenge = `Bearer resource_metadata="${baseUrl}${resourcePath}${mcpPath}"`
  app.use(
    mcpPath,
    createMiddleware<HonoEnvironment>(async function challengeConnectors(c, next) {
      await next()
      if (c.res.status !== 401) return
      const isRefused = c.req.header('Authorization') !== undefined
      c.res.headers.set('WWW-Authenticate', isRefused ? `${challenge}, error="invalid_token"` : challenge)
    }),
  )
}

/** Adds the page. What the connector asks for is in the URL of both requests; what the person enters is in the body. */
function addPageRoutes(
  app: Hono<HonoEnvironment>,
  connectors: Connectors,
  { baseUrl, sql, ledger, meter, operator }: SignInOptions,
): void {
  const readRequest = (c: ApiContext) =>
    readAuthorizationRequest(new URL(c.req.url).searchParams, connectors, baseUrl + mcpPath)
  const shown = { operator: operator.name ?? 'this service' }
  const unknownKeyProblem = `No key like this works here. Check that it belongs to ${shown.operator}, and hasn’t been revoked or replaced.`

  /**
   * Finds the key that was entered, and settles the request as one of it: unknown and limited keys are refused as
   * everywhere.
   */
  async function findKey(c: ApiContext, text: string) {
    const [secret, ...others] = listKeysIn(text)
    if (secret === undefined) throw unauthorized('invalid_api_key_format', formatProblem)
    if (others.length > 0) throw unauthorized('invalid_api_key_format', severalKeysProblem)
    const key = ledger.findCachedKey(secret) ?? (await ledger.findKey(secret, c.req.raw.signal))
    if (key === undefined) throw unauthorized('invalid_api_key', unknownKeyProblem)
    c.set('caller', key)
    const { balance } = await meter.settle(c)
    if (key.role !== 'user')
      throw new SignInProblem(
        'An admin key can’t be connected: nothing would limit what it reads. Use a user key.',
      )
    return { key, balance }
  }

  async function respondToForm(c: ApiContext, request: AuthorizationRequest): Promise<Response> {
    const form = await readForm(c)
    const answer = form.get('answer')
    if (answer === 'cancel') return sendBack(c, baseUrl, request, { error: 'access_denied' })
    const { key, balance } = await findKey(c, form.get('api_key') ?? '')
    const page = { ...shown, request, key: { secret: key.secret, balance } }
    if (answer !== 'allow') return sendPage(c, page)
    const limits = readLimits(form)
    if ('text' in limits) return sendPage(c, { ...page, problem: limits, form }, 400)
    const code = await createConnection(sql, key, request, limits)
    if (code === 'too_many') {
      return sendPage(c, { ...page, problem: { text: tooManyConnections }, form }, 400)
    }
    await connectors.noteUse(request.connector)
    return sendBack(c, baseUrl, request, { code })
  }

  app.get(signInPath, async (c) => {
    try {
      return await sendPage(c, { ...shown, request: await readRequest(c) })
    } catch (error) {
      return sendProblem(c, error, shown)
    }
  })
  app.post(signInPath, async (c) => {
    let request: AuthorizationRequest | undefined
    try {
      // Only the page itself sends the form. Others would let their visitors try keys.
      if (!['same-origin', undefined].includes(c.req.header('Sec-Fetch-Site'))) {
        throw new SignInProblem('The form came from another page. Start again in your assistant.')
      }
      request = await readRequest(c)
      return await respondToForm(c, request)
    } catch (error) {
      return sendProblem(c, error, { ...shown, request })
    }
  })
}

type ShownPage = Omit<SignInPage, 'limits'> & {
  /** What was entered. */
  form?: URLSearchParams
}

async function sendPage(
  c: ApiContext,
  { form, ...page }: ShownPage,
  status = 200,
  code?: ErrorCode,
): Promise<Response> {
  noteError(c, status, code)
  const offered = offerLimits(page.key?.balance ?? 0)
  const limits = {
    credits: form?.get('credits') ?? offered.credits,
    credits_per_call: form?.get('credits_per_call') ?? offered.credits_per_call,
    days: form?.get('days') ?? offered.days,
  }
  setHeader(c, 'Content-Type', 'text/html; charset=utf-8')
  setHeader(c, 'Content-Security-Policy', signInContentSecurityPolicy)
  setHeader(c, 'Cross-Origin-Opener-Policy', 'unsafe-none') // an assistant that opens the page waits for its end
  setHeader(c, 'Cache-Control', 'no-store')
  return new Response(await writeSignInPage({ ...page, limits }), { status, headers: takeHeaders(c) })
}

/** Shows an error to the person. If the connector's request can be used, it is about the key, or passes by itself. */
function sendProblem(c: ApiContext, error: unknown, page: ShownPage): Promise<Response> {
  if (error instanceof SignInProblem) {
    return sendPage(c, { ...page, problem: { text: error.message, field: 'api_key' } }, 400)
  }
  if (!(error instanceof ApiError)) throw error
  for (const [name, value] of Object.entries(error.headers)) setHeader(c, name, value)
  const field = error.status === 401 ? 'api_key' : undefined
  return sendPage(c, { ...page, problem: { text: error.message, field } }, error.status, error.code)
}

/** Pages and errors of OAuth have the header of other errors, too. */
function noteError(c: ApiContext, status: number, code: ErrorCode = 'invalid_parameter'): void {
  if (status >= 400) setHeader(c, errorCodeHeader, code)
}

/** Sends the browser to the connector, with what the person decided. */
function sendBack(
  c: ApiContext,
  baseUrl: string,
  { redirectUri, state }: AuthorizationRequest,
  outcome: Record<string, string>,
): Response {
  const url = new URL(redirectUri)
  const answers = { ...outcome, ...(state !== undefined && { state }), iss: baseUrl }
  for (const [name, value] of Object.entries(answers)) url.searchParams.set(name, value)
  setHeader(c, 'Location', url.href)
  setHeader(c, 'Cross-Origin-Opener-Policy', 'unsafe-none')
  setHeader(c, 'Cache-Control', 'no-store')
  return new Response(null, { status: 303, headers: takeHeaders(c) })
}

/** Wraps what programs of connectors request. What is wrong with a request is an error of OAuth. */
function forConnectors(respond: (c: ApiContext) => Promise<Response>) {
  return async function respondToConnector(c: ApiContext): Promise<Response> {
    try {
      return await respond(c)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_body') {
        const body = { error: 'invalid_client_metadata', error_description: error.message }
        return sendToConnector(c, body, 400, error.code)
      }
      if (!(error instanceof SignInProblem)) throw error
      return sendToConnector(c, { error: error.code, error_description: error.message }, 400)
    }
  }
}

function sendToConnector(c: ApiContext, body: object, status = 200, code?: ErrorCode): Response {
  noteError(c, status, code)
  setHeader(c, 'Content-Type', 'application/json')
  setHeader(c, 'Cache-Control', 'no-store')
  return new Response(JSON.stringify(body), { status, headers: takeHeaders(c) })
}

/** Reads a form. Throws 413 if it is too long, and `SignInProblem` if it is none. */
async function readForm(c: ApiContext): Promise<URLSearchParams> {
  const text = await c.req.text()
  if (Buffer.byteLength(text) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes)
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    throw new SignInProblem('Invalid Content-Type: must be application/x-www-form-urlencoded')
  }
  return new URLSearchParams(text)
}

interface OAuthError {
  error: string
  error_description: string
}

/**
 * Responds to a request for tokens (OAuth 2.1, 3.2). Throws `SignInProblem` for parameters that are missing or
 * repeated.
 */
async function grantTokens(
  sql: Sql,
  limitMisses: MissLimit,
  form: URLSearchParams,
  resource: string,
): Promise<Tokens | OAuthError> {
  const { read, find } = createReader(form)
  const grant = read('grant_type')
  if (grant !== 'authorization_code' && grant !== 'refresh_token') {
    const rule = 'grant_type must be authorization_code or refresh_token'
    return { error: 'unsupported_grant_type', error_description: rule }
  }
  assertResource(find('resource'), resource)
  const clientId = read('client_id')
  const isCode = grant === 'authorization_code'
  const credential = read(isCode ? 'code' : 'refresh_token')
  const proof = isCode && {
    clientId,
    verifier: read('code_verifier'),
    redirectUri: find('redirect_uri'),
  }
  const tokens = await limitMisses(credential, () =>
    proof ? exchangeCode(sql, credential, proof) : refreshTokens(sql, credential, clientId),
  )
  const what = isCode ? 'the code' : 'the refresh token'
  return (
    tokens ?? {
      error: 'invalid_grant',
      error_description: `${what} doesn't work for this request; sign in again`,
    }
  )
}

function writeTokens({ access, refresh, accessSeconds }: Tokens) {
  return { access_token: access, token_type: 'Bearer', expires_in: accessSeconds, refresh_token: refresh }
}
