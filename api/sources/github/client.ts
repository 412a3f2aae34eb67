/**
 * Queries to the forge's GraphQL API. Several tokens share the work. A query waits until a token has the points for it,
 * and is tried again after an error that passes.
 *
 * `@octokit/plugin-throttling` isn't used: it keeps no account of points, and after a refusal only the refused query
 * waits, while others are sent and refused as well.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { GraphqlResponseError, graphql } from '@octokit/graphql'
import * as v from 'valibot'
import { getMessage, OperatorError } from '../../errors.ts'
import { maxPauses } from './pauses.ts'
import { TokenBudget } from './token-budget.ts'

/** The forge refuses what was asked, or is unreachable. The message is for the person who runs the import. */
export class ForgeError extends OperatorError {
  override name = 'ForgeError'
  /** How the forge failed at the query, which may be too large for it. Undefined: it refuses the query. */
  failure: string | undefined
}

/** A query. */
export interface Query {
  /** The operation's name in messages. */
  name: string
  text: string
  variables?: Record<string, unknown>
  /** What it costs at most. */
  points: number
  /** How often it is tried. Default: 7 times. */
  maxAttempts?: number | undefined
}

/** An error at a place of a response, whose data is null there. */
export interface ItemError {
  type: string
  path: readonly (string | number)[]
  message: string
}

/** The data of a response, and why some of it is null. */
export interface Reply {
  /** An object. `readItem` reads from it. */
  data: unknown
  errors: readonly ItemError[]
  /** When it came, in milliseconds. */
  receivedAtMs: number
}

/** What queries have cost so far. */
export interface QueryUsage {
  queries: number
  points: number
  /** Points that all tokens have left, as far as they are known. */
  remaining: number | undefined
}

export interface ForgeClientOptions {
  /** The URL of the API, such as `https://api.github.com`. */
  apiUrl: string
  tokens: readonly string[]
  /** Queries at a time. */
  concurrency: number
  signal?: AbortSignal | undefined
  /** Called before a wait of several seconds, with its cause. */
  onWait?: ((reason: string, waitMs: number) => void) | undefined
  /** Called when the forge refuses one of several tokens. */
  onNote?: ((message: string) => void) | undefined
}

/** The forge itself ends queries after 10 seconds. */
const timeoutMs = 20_000
const maxAttempts = 7
const firstRetryMs = 500
const notableWaitMs = 3_000

/** Errors that concern one item of a response. The others are those of the whole query. */
const itemErrors = new Set(['NOT_FOUND', 'FORBIDDEN', 'UNPROCESSABLE'])
const limitTypes = new Set(['RATE_LIMITED', 'RATE_LIMIT'])
const limitMessage = /rate limit|abuse detection/i
const invalidToken = 'it is invalid, expired or revoked. Create another one'
const timeoutTypes = /^(?:RESOURCE_LIMITS|INTERNAL|SERVICE|TIMEOUT)/
const timeoutMessage = /something went wrong|time(?:d )?out/i

/** What each query selects besides its own fields. */
export const rateLimitSelection = 'rateLimit { cost remaining resetAt }'

const rateLimited = v.object({
  rateLimit: v.object({ cost: v.number(), remaining: v.number(), resetAt: v.string() }),
})

/** Asks the forge. */
export class ForgeClient {
  readonly #options: ForgeClientOptions
  readonly #signal: AbortSignal
  readonly #budgets: readonly TokenBudget[]
  readonly #endpoint: typeof graphql
  readonly #usage = { queries: 0, points: 0 }
  #underWay = 0
  #notedUntilMs = 0
  /** Called whenever a query has ended. */
  #wakeWaiting: (() => void)[] = []

  constructor(options: ForgeClientOptions) {
    this.#options = options
    this.#signal = options.signal ?? new AbortController().signal
    this.#budgets = options.tokens.map((token, index) => new TokenBudget(token, index + 1))
    this.#endpoint = graphql.defaults({ baseUrl: options.apiUrl.replace(/\/+$/, '') })
  }

  async #takeBudget(points: number): Promise<TokenBudget> {
    for (;;) {
      this.#signal.throwIfAborted()
      const waits = this.#budgets.map((budget) => ({ budget, waitMs: budget.waitMsFor(points) }))
      if (this.#budgets.every(({ refusal }) => refusal !== undefined)) throw this.#refusedTokens()
      const ready = waits.filter(({ waitMs }) => waitMs === 0).map(({ budget }) => budget)
      const most = ready.sort((a, b) => b.available - a.available)[0]
      if (most !== undefined && this.#underWay < this.#options.concurrency) {
        this.#underWay++
        most.reserve(points)
        return most
      }
      const waitMs = most === undefined ? Math.min(...waits.map((each) => each.waitMs)) : Infinity
      const untilMs = Date.now() + waitMs
      if (this.#underWay === 0 && waitMs >= notableWaitMs && untilMs > this.#notedUntilMs) {
        this.#notedUntilMs = untilMs + notableWaitMs
        this.#options.onWait?.('Waiting until the forge takes more queries', waitMs)
      }
      await this.#waitForChange(waitMs)
    }
  }

  /** Waits `waitMs`, or until a query has ended. */
  async #waitForChange(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeWaiting.push(resolve)
    const timer = new AbortController()
    const waits = [promise]
    if (Number.isFinite(waitMs)) {
      const signal = AbortSignal.any([timer.signal, this.#signal])
      waits.push(sleep(Math.min(waitMs, 2 ** 31 - 1), undefined, { signal }))
    }
    await Promise.race(waits).finally(() => timer.abort())
  }

  #release(budget: TokenBudget, points: number): void {
    this.#underWay--
    budget.release(points)
    const waiting = this.#wakeWaiting
    this.#wakeWaiting = []
    for (const wake of waiting) wake()
  }

  async #send(query: Query, budget: TokenBudget): Promise<Reply | string> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#signal])
    this.#usage.queries++
    try {
      const data = await this.#endpoint<unknown>(query.text, {
        ...query.variables,
        headers: { authorization: `bearer ${budget.token}` },
        request: { signal },
      })
      return this.#read(data, [], budget)
    } catch (error) {
      this.#signal.throwIfAborted()
      if (error instanceof GraphqlResponseError) return this.#readErrors(query, error, budget)
      return this.#readFailure(query, error, budget)
    }
  }

  /** Reads a response. A text is the reason to try again. */
  #read(data: unknown, errors: readonly ItemError[], budget: TokenBudget): Reply | string {
    // A proxy may cut JSON off. What is left is not an object.
    if (data === null || typeof data !== 'object') return 'the response was not complete'
    budget.pauses.count = 0
    budget.hasLimit = v.is(rateLimited, data)
    if (v.is(rateLimited, data)) {
      const { cost, remaining, resetAt } = data.rateLimit
      this.#usage.points += cost
      budget.note({ remaining, resetAtMs: Date.parse(resetAt) })
    }
    return { data, errors, receivedAtMs: Date.now() }
  }

  #readErrors(query: Query, error: GraphqlResponseError<unknown>, budget: TokenBudget): Reply | string {
    const errors = (error.errors ?? []).map(({ type, path, message }) => ({
      type: type ?? '',
      path: path ?? [],
      message: this.#hide(message),
    }))
    const { headers, data } = error
    const isLimited = errors.some(({ type, message }) => limitTypes.has(type) || limitMessage.test(message))
    if (isLimited || headers['retry-after'] !== undefined) return this.#pause(headers, budget)
    const other = errors.find(({ type }) => !itemErrors.has(type))
    if (other === undefined) return this.#read(data, errors, budget)
    this.#noteHeaders(headers, budget)
    // A query that an older enterprise server doesn't understand has no data. Other errors without a type, and those of
    // resources, are timeouts, which pass.
    const isTimeout =
      other.type === ''
        ? data !== undefined || timeoutMessage.test(other.message)
        : timeoutTypes.test(other.type)
    if (isTimeout) return other.message
    const scope = other.type === 'INSUFFICIENT_SCOPES' ? '; give a classic token the scope read:user' : ''
    throw new ForgeError(`The forge refuses the query ${query.name}: ${other.message}${scope}`)
  }

  /** Reads a response other than 200, or that there is none. Returns the reason to try again, if the query failed. */
  #readFailure(query: Query, error: unknown, budget: TokenBudget): string {
    const { status, headers = {}, message } = readResponse(error)
    if (status === 401) return this.#refuse(budget, invalidToken)
    if (status === 429 || (status === 403 && (limitMessage.test(message) || headers['retry-after']))) {
      return this.#pause(headers, budget)
    }
    if (status === 403) return this.#refuse(budget, this.#hide(message))
    if (status === 404 || status === 400) {
      throw new ForgeError(
        `--api: ${this.#options.apiUrl} is not a GitHub API (${status}): ${this.#hide(message)}`,
      )
    }
    if (headers['x-ratelimit-remaining'] !== undefined) this.#noteHeaders(headers, budget)
    else budget.suspect(query.points)
    return this.#hide(message)
  }

  /** Notes that the forge refuses a token: the others do the work. */
  #refuse(budget: TokenBudget, reason: string): '' {
    if (this.#budgets.length > 1 && budget.refusal === undefined) {
      this.#options.onNote?.(`The forge refuses token ${budget.number} of ${this.#budgets.length}: ${reason}`)
    }
    budget.refusal = reason
    return ''
  }

  #refusedTokens(): ForgeError {
    const which =
      this.#budgets.length === 1 ? 'the token' : `all ${this.#budgets.length} tokens. The last one`
    return new ForgeError(`The forge refuses ${which}: ${this.#budgets.at(-1)?.refusal}`)
  }

  /** Lets a token wait, as the response asks for. */
  #pause(headers: Headers, budget: TokenBudget): '' {
    const retryAfter = Number(headers['retry-after'])
    // By the forge's clock: ours may be fast.
    const untilReset = Number(headers['x-ratelimit-reset']) - Date.parse(String(headers.date)) / 1000
    const isEmpty = headers['x-ratelimit-remaining'] === '0'
    const seconds = retryAfter > 0 ? retryAfter : isEmpty && untilReset > 0 ? untilReset : undefined
    budget.pauses.begin(seconds)
    return budget.pauses.count > maxPauses
      ? this.#refuse(budget, `it still refuses queries after ${maxPauses} pauses`)
      : ''
  }

  #noteHeaders(headers: Headers, budget: TokenBudget): void {
    const [remaining, reset] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => headers[name])
    if (remaining === undefined || reset === undefined) return
    budget.note({ remaining: Number(remaining), resetAtMs: Number(reset) * 1000 })
  }

  /** A proxy's error page may repeat the request. */
  #hide(text: string): string {
    const short = text.replace(/\s+/g, ' ').slice(0, 300)
    return this.#options.tokens.reduce((shown, token) => shown.replaceAll(token, '…'), short)
  }

  /** Finds out whether the forge responds to the smallest query. Throws `ForgeError` if it doesn't. */
  async probe(): Promise<void> {
    await this.ask({ name: 'Probe', text: `query Probe { ${rateLimitSelection} }`, points: 1 })
  }

  /** Throws `ForgeError`. */
  async ask(query: Query): Promise<Reply> {
    let failures = 0
    for (;;) {
      const budget = await this.#takeBudget(query.points)
      const reply = await this.#send(query, budget).finally(() => this.#release(budget, query.points))
      if (typeof reply !== 'string') return reply
      if (reply === '') continue // the token waits, or another one is asked
      if (++failures === (query.maxAttempts ?? maxAttempts)) {
        const message = `The forge failed ${failures} times at the query ${query.name}: ${reply}. Run the import again; it continues where it stopped`
        throw Object.assign(new ForgeError(message), { failure: reply })
      }
      const waitMs = firstRetryMs * 2 ** (failures - 1) * (0.5 + Math.random())
      await sleep(waitMs, undefined, { signal: this.#signal })
    }
  }

  /** A token that the forge hasn't refused. Throws `ForgeError` if it has refused all. */
  get token(): string {
    const budget = this.#budgets.find(({ refusal }) => refusal === undefined)
    if (budget === undefined) throw this.#refusedTokens()
    return budget.token
  }

  /** Notes that git was refused a token. */
  refuse(token: string): void {
    for (const budget of this.#budgets) if (budget.token === token) this.#refuse(budget, invalidToken)
  }

  get usage(): QueryUsage {
    const known = this.#budgets.flatMap(({ remaining }) => remaining ?? [])
    const remaining = known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0)
    return { ...this.#usage, remaining }
  }
}

type Headers = Record<string, string | number | undefined>

function readResponse(error: unknown): { status: number; headers: Headers | undefined; message: string } {
  const message = getMessage(error)
  if (typeof error !== 'object' || error === null) return { status: 0, headers: undefined, message }
  const status = 'status' in error && 'response' in error && error.response ? Number(error.status) : 0
  const response = 'response' in error ? error.response : undefined
  const hasHeaders = typeof response === 'object' && response !== null && 'headers' in response
  return { status, headers: hasHeaders ? (response.headers as Headers) : undefined, message }
}
