/**
 * A forge for tests, in this process: GitHub's GraphQL API over a model and real git repositories, with the limits, the
 * refusals and the faults of the real one, and the clones over HTTP.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { FaultPlan, type GitFault, type QueryFault } from './faults.ts'
import { isGitPath, respondToGit } from './git-endpoint.ts'
import { respondToQuery } from './graphql-endpoint.ts'
import type { Account, ForgeModel } from './model.ts'
import type { ForgeRequest, ForgeState } from './state.ts'
import { defaultLimits, type Limits, Token, type Traffic, type Violation } from './token.ts'

/** How a fake forge is started. */
export interface FakeForgeOptions {
  /** Default: any free port. */
  port?: number
  /** What its limits count with, in milliseconds. Default: the real clock. */
  now?: () => number
  /** Called with each violation. */
  onViolation?: (violation: Violation) => void
}

/** A fake forge that runs. */
export interface FakeForge extends ForgeState, AsyncDisposable {
  /** The value of `--api`: the URL of an enterprise server's API. GraphQL is also at `/graphql`, as on github.com. */
  readonly apiUrl: string
  readonly traffic: Readonly<Traffic>
  /** What was asked beyond the limits. */
  readonly violations: readonly Violation[]
  /** Makes a token. By default it has the limits of github.com, and sees public repositories only. */
  createToken(options?: { seesPrivate?: boolean; viewer?: Account; limits?: Partial<Limits> }): Token
  /** Returns the violations so far, and forgets them. */
  takeViolations(): Violation[]
  /** Stops. Throws when it was asked something beyond its limits, so that the test fails. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a fake forge on the loopback interface. */
export async function startFakeForge(
  model: ForgeModel,
  { port = 0, now = Date.now, onViolation = () => {} }: FakeForgeOptions = {},
): Promise<FakeForge> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (isGitPath(url.pathname)) return respondToGit(forge, request, response, url)
    if (request.method === 'POST' && /^(?:\/api)?\/graphql$/.test(url.pathname)) {
      respondToQuery(forge, request, response).catch((error: unknown) => {
        if (response.headersSent || response.destroyed) return response.destroy()
        const message = error instanceof Error ? error.stack : String(error)
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
      })
      return
    }
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"message":"Not Found","status":"404"}')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the fake forge has no port')
  const origin = `http://127.0.0.1:${bound.port}`

  const tokens = new Map<string, Token>()
  const traffic: Traffic = { underWay: 0, most: 0 }
  const violations: Violation[] = []
  const requests: ForgeRequest[] = []
  function report(violation: Violation): void {
    violations.push(violation)
    onViolation(violation)
  }
  const forge: FakeForge = {
    model,
    origin,
    tokens,
    traffic,
    violations,
    requests,
    report,
    apiUrl: `${origin}/api/v3`,
    faults: new FaultPlan<QueryFault>(),
    gitFaults: new FaultPlan<GitFault>(),
    isTooHeavy: () => false,
    reviveValue: undefined,
    responseDelayMs: 0,
    createToken({ seesPrivate = false, viewer = findViewer(model), limits = {} } = {}) {
      const text = `fake-token-${tokens.size + 1}-of-${viewer.login}`
      const token = new Token(text, viewer, {
        seesPrivate,
        limits: { ...defaultLimits, ...limits },
        now,
        report,
        traffic,
      })
      tokens.set(text, token)
      return token
    },
    takeViolations: () => violations.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      if (violations.length === 0) return
      const list = violations.map(({ rule, message }) => `- ${rule}: ${message}`).join('\n')
      throw new Error(`The fake forge was asked what the real one refuses or what it doesn't know:\n${list}`)
    },
  }
  return forge
}

function findViewer({ accounts }: ForgeModel): Account {
  const viewer = accounts.find(({ kind }) => kind === 'User')
  if (viewer === undefined) throw new Error('a token needs a user on the forge')
  return viewer
}
