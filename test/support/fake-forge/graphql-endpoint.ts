/**
 * The GraphQL endpoint of the fake forge: validates, measures and charges queries, runs them on the real schema, and
 * refuses as the real one does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  type DocumentNode,
  execute,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { makePartial, type QueryFault } from './faults.ts'
import { type ForgeErrorObject, formatForgeError, NotModeledError } from './forge-error.ts'
import { measureQuery, type QueryCost } from './query-cost.ts'
import { type QueryContext, resolveField, resolveType } from './resolvers.ts'
import { loadSchema } from './schema.ts'
import type { ForgeState } from './state.ts'
import type { Token } from './token.ts'

/** A response before it is sent. */
interface Reply {
  status: number
  headers?: Record<string, string>
  /** A text, or what to send as JSON. */
  body: unknown
  /** Whether it is the page of a proxy, which knows nothing of limits. Default: no. */
  isPage?: boolean
}

const badGatewayPage =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'
const secondaryLimitMessage =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID 0000:0000:0000.'
const timeoutMessage =
  'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include `0000:0000:0000` when reporting this issue.'
/** Has neither a type nor data. */
const undefinedField = {
  errors: [
    {
      path: ['fragment repositoryFields', 'hasDiscussionsEnabled'],
      extensions: { code: 'undefinedField', typeName: 'Repository', fieldName: 'hasDiscussionsEnabled' },
      locations: [{ line: 1, column: 1 }],
      message: "Field 'hasDiscussionsEnabled' doesn't exist on type 'Repository'",
    },
  ],
}
const timeout = { data: null, errors: [{ message: timeoutMessage }] }

/** Responds to a request of the GraphQL endpoint. */
export async function respondToQuery(
  state: ForgeState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.headers['user-agent'] === undefined) {
    state.report({ rule: 'missing user agent', message: 'A query had no User-Agent header' })
    send(response, {
      status: 403,
      isPage: true,
      body: 'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    })
    return
  }
  const given = /^(?:bearer|token) (.*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const token = state.tokens.get(given)
  const wait = token?.begin() ?? 0
  response.once('close', () => token?.end())
  if (token === undefined || token.isRevoked) {
    response.once('finish', () => token?.noticeRevocation())
    const documentation_url = 'https://docs.github.com/graphql'
    send(response, { status: 401, body: { message: 'Bad credentials', documentation_url, status: '401' } })
    return
  }
  const body = await text(request)
  if (state.responseDelayMs > 0) await new Promise((done) => setTimeout(done, state.responseDelayMs))
  await new Exchange(state, token, response).respond(body, wait)
}

function send(response: ServerResponse, { status, headers = {}, body, isPage = false }: Reply): void {
  const contentType = isPage ? 'text/html' : 'application/json; charset=utf-8'
  response.writeHead(status, { 'content-type': contentType, ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** A query and its response. */
class Exchange {
  readonly #state: ForgeState
  readonly #token: Token
  readonly #response: ServerResponse
  #what = ''
  #points = 0

  constructor(state: ForgeState, token: Token, response: ServerResponse) {
    this.#state = state
    this.#token = token
    this.#response = response
  }

  /** `wait`: for how many seconds a secondary limit refuses the query. */
  async respond(body: string, wait: number): Promise<void> {
    if (wait > 0) return this.#refuseForNow(403, wait)
    if (this.#token.remaining <= 0) return this.#refuseUntilReset(200, 'RATE_LIMITED')
    const fault = this.#state.faults.take()
    if (fault !== null && this.#failEarly(fault)) return
    const query = this.#read(body)
    if (query === undefined) return
    if (this.#state.isTooHeavy(query.variables, body)) return this.#send({ status: 502, body: timeout })
    const reply = await this.#run(query)
    if (fault === 'cut body') this.#cut(reply)
    else if (fault === 'cut JSON') this.#send({ ...reply, body: JSON.stringify(reply.body).slice(0, -20) })
    else if (fault === 'partial data') this.#send({ ...reply, body: makePartial(reply.body) })
    else this.#send(reply)
  }

  /** Has the fault before the query is looked at. False: it comes later. */
  #failEarly(fault: QueryFault): boolean {
    const { retryAfterSeconds } = this.#token.limits
    const faults: Partial<Record<QueryFault, () => void>> = {
      'bad gateway': () => this.#send({ status: 502, body: badGatewayPage, isPage: true }),
      'query timeout 502': () => this.#send({ status: 502, body: timeout }),
      'query timeout 200': () => this.#send({ status: 200, body: timeout }),
      'service unavailable': () => this.#send({ status: 503, body: { message: 'Service Unavailable' } }),
      'gateway timeout': () =>
        this.#send({
          status: 504,
          body: badGatewayPage.replaceAll('502 Bad Gateway', '504 Gateway Timeout'),
          isPage: true,
        }),
      reset: () => this.#response.socket?.resetAndDestroy(),
      silence: () => {},
      'secondary limit 403': () => this.#refuseForNow(403, retryAfterSeconds),
      'secondary limit 429': () => this.#refuseForNow(429, retryAfterSeconds),
      'secondary limit 200': () => this.#refuseForNow(200, retryAfterSeconds),
      'secondary limit without retry-after': () => this.#refuseForNow(403, undefined),
      'primary limit 200': () => this.#refuseUntilReset(200, 'RATE_LIMITED'),
      'primary limit 200 RATE_LIMIT': () => this.#refuseUntilReset(200, 'RATE_LIMIT'),
      'primary limit 403': () => this.#refuseUntilReset(403),
      'primary limit 429': () => this.#refuseUntilReset(429),
      'undefined field': () => this.#send({ status: 200, body: undefinedField }),
      'suspended account': () =>
        this.#send({ status: 403, body: { message: 'Sorry. Your account was suspended' } }),
    }
    faults[fault]?.()
    return faults[fault] !== undefined
  }

  /** Parses, validates and measures the query. Undefined: it was refused. */
  #read(body: string) {
    const schema = loadSchema()
    let document: DocumentNode
    let operation: OperationDefinitionNode | null | undefined
    let given: { query: string; variables: Record<string, unknown>; operationName: string | undefined }
    try {
      given = readBody(body)
      document = parse(given.query)
      operation = getOperationAST(document, given.operationName)
      const errors = validate(schema, document)
      if (errors.length > 0) return this.#refuse('invalid query', errors.map(formatForgeError))
      if (!operation) return this.#refuse('invalid query', [{ message: 'No operation was given.' }])
      if (operation.operation !== 'query') throw new Error('The fake forge is read-only')
    } catch (error) {
      return this.#refuse('invalid query', [
        { message: error instanceof Error ? error.message : String(error) },
      ])
    }
    this.#what = operation.name?.value ?? 'query'
    const cost = measureQuery(schema, document, operation, given.variables)
    if (cost.errors.length > 0) return this.#refuse('size of a query', cost.errors)
    if (!this.#token.charge(cost.points)) return this.#refuseUntilReset(200, 'RATE_LIMITED')
    this.#points = cost.points
    return { ...given, document, cost }
  }

  async #run({
    document,
    cost,
    variables,
    operationName,
  }: {
    document: DocumentNode
    cost: QueryCost
    variables: Record<string, unknown>
    operationName: string | undefined
  }): Promise<Reply> {
    const contextValue: QueryContext = {
      model: this.#state.model,
      origin: this.#state.origin,
      viewer: this.#token.viewer,
      seesPrivate: this.#token.seesPrivate,
      rateLimit: this.#token.showRateLimit(cost.points, cost.nodes),
    }
    const { data, errors = [] } = await execute({
      schema: loadSchema(),
      document,
      contextValue,
      variableValues: variables,
      operationName,
      fieldResolver: resolveField,
      typeResolver: resolveType,
    })
    const gap = errors.find(({ originalError }) => originalError instanceof NotModeledError)
    if (gap !== undefined) {
      this.#state.report({ rule: 'not modeled', message: gap.message })
      return { status: 501, body: { message: gap.message } }
    }
    // graphql-js makes errors of variables that don't fit; they have no path and no type.
    if (data === undefined) {
      this.#state.report({ rule: 'invalid query', message: errors.map(({ message }) => message).join('; ') })
    }
    const shown = errors.map(formatForgeError)
    const body = { ...(data !== undefined && { data }), ...(shown.length > 0 && { errors: shown }) }
    const { reviveValue } = this.#state
    return { status: 200, body: reviveValue ? JSON.parse(JSON.stringify(body), reviveValue) : body }
  }

  #refuse(rule: 'invalid query' | 'size of a query', errors: ForgeErrorObject[]): undefined {
    this.#state.report({ rule, message: errors.map(({ message }) => message).join('; ') })
    this.#send({ status: 200, body: rule === 'invalid query' ? { errors } : { data: null, errors } })
  }

  /** Refuses by a secondary limit. Without seconds the response doesn't say how long: then it is a minute. */
  #refuseForNow(status: 200 | 403 | 429, seconds: number | undefined): void {
    this.#token.wait(seconds ?? 60)
    this.#response.once('finish', () => this.#token.noticeWait(seconds ?? 60))
    const documentation_url =
      'https://docs.github.com/graphql/using-the-rest-api/rate-limits#secondary-rate-limits'
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
    const error = { documentation_url, message: secondaryLimitMessage }
    this.#send({ status, headers, body: status === 200 ? { errors: [error] } : error })
  }

  /** Refuses because no points are left. */
  #refuseUntilReset(status: 200 | 403 | 429, type?: string): void {
    this.#token.charge(Number.POSITIVE_INFINITY)
    const { databaseId } = this.#token.viewer
    const message = `API rate limit ${type === 'RATE_LIMIT' ? 'already ' : ''}exceeded for user ID ${databaseId}.`
    const code = type === 'RATE_LIMIT' ? { code: 'graphql_rate_limit' } : {}
    const body =
      status === 200
        ? { errors: [{ type, ...code, message }] }
        : { message, documentation_url: 'https://docs.github.com/graphql/overview/rate-limits' }
    this.#send({ status, body })
  }

  #send(reply: Reply): void {
    const { headers, remaining } = this.#token
    if (remaining <= 0 && !reply.isPage) this.#response.once('finish', () => this.#token.noticeEmptyBudget())
    this.#record(reply.status)
    send(this.#response, { ...reply, headers: { ...(!reply.isPage && headers), ...reply.headers } })
  }

  /** Sends half of the body, and ends the connection. */
  #cut(reply: Reply): void {
    const text = JSON.stringify(reply.body)
    this.#record(reply.status)
    this.#response.writeHead(reply.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...this.#token.headers,
    })
    this.#response.write(text.slice(0, text.length / 2), () => this.#response.socket?.destroy())
  }

  #record(status: number): void {
    const { text } = this.#token
    this.#state.requests.push({ kind: 'query', what: this.#what, token: text, status, points: this.#points })
  }
}

function readBody(body: string) {
  const given: unknown = JSON.parse(body)
  if (typeof given !== 'object' || given === null || !('query' in given) || typeof given.query !== 'string') {
    throw new GraphQLError('A query attribute must be specified and must be a string.')
  }
  const variables =
    'variables' in given && typeof given.variables === 'object' && given.variables !== null
      ? Object.fromEntries(Object.entries(given.variables))
      : {}
  const operationName =
    'operationName' in given && typeof given.operationName === 'string' ? given.operationName : undefined
  return { query: given.query, variables, operationName }
}
