/** What the fake forge refuses, and what it reports: an import that would annoy the real forge fails its tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOperationAST, parse } from 'graphql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../sample/random.ts'
import { askForge } from '../../support/fake-forge/ask-forge.ts'
import type { QueryFault } from '../../support/fake-forge/faults.ts'
import { ForgeModel } from '../../support/fake-forge/model.ts'
import { measureQuery } from '../../support/fake-forge/query-cost.ts'
import { loadSchema } from '../../support/fake-forge/schema.ts'
import { type FakeForge, startFakeForge } from '../../support/fake-forge/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'fake-forge-limits-'))
let model: ForgeModel
let forge: FakeForge
/** The clock of the forge, which stands still. */
let now = 0

beforeAll(() => {
  model = new ForgeModel(folder)
  const owner = model.addAccount({ login: 'owner' })
  for (let number = 1; number <= 5; number++) model.addRepository({ owner, name: `repository-${number}` })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  now = 1_750_000_000_000
  forge = await startFakeForge(model, { now: () => now })
})
afterEach(() => forge[Symbol.asyncDispose]())

const cheap = '{ viewer { login } }'
const listed = '{ viewer { repositories(first: 4) { nodes { name } } } }'

describe('the cost of a query', () => {
  function measure(query: string, variables: Record<string, unknown> = {}) {
    const document = parse(query)
    const operation = getOperationAST(document)
    if (!operation) throw new Error('no operation')
    return measureQuery(loadSchema(), document, operation, variables)
  }

  test('is what the forge’s documentation calculates for its examples', () => {
    const points = `query { viewer { login repositories(first: 100) { edges { node { id
      issues(first: 50) { edges { node { id labels(first: 60) { edges { node { id name } } } } } } } } } } }`
    expect(measure(points)).toMatchObject({ points: 51, errors: [] })
    const nodes = `query { viewer {
      repositories(first: 50) { edges { repository: node { name
        pullRequests(first: 20) { edges { pullRequest: node { title comments(first: 10) { edges { comment: node { bodyHTML } } } } } }
        issues(first: 20) { totalCount edges { issue: node { title bodyHTML comments(first: 10) { edges { comment: node { bodyHTML } } } } } }
      } } }
      followers(first: 10) { edges { follower: node { login } } }
    } }`
    expect(measure(nodes)).toMatchObject({ nodes: 22_060, errors: [] })
  })

  test('counts what variables say, what fragments select once, and what is below a list of ids for each', () => {
    const query = `query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ...A ...B } }
      fragment A on Organization { repositories(first: $first) { nodes { issues(first: 10) { nodes { id } } } } }
      fragment B on Organization { repositories(first: $first) { nodes { issues(first: 10) { totalCount } } } }`
    const ids = Array.from({ length: 20 }, (_, index) => `O_${index}`)
    // 20 lists of repositories, and 20 times 50 lists of issues.
    expect(measure(query, { ids, first: 50 })).toEqual({ points: 10, nodes: 20 + 1000 + 10_000, errors: [] })
    expect(measure(cheap)).toEqual({ points: 1, nodes: 0, errors: [] })
  })
})

describe('a query is refused and reported', () => {
  const ids = Array.from({ length: 101 }, (_, index) => `"R_${index}"`).join(' ')
  const tooLarge: [type: string, query: string, message: string][] = [
    [
      'MISSING_PAGINATION_BOUNDARIES',
      '{ viewer { repositories { nodes { id } } } }',
      'You must provide a `first` or `last` value to properly paginate the `repositories` connection.',
    ],
    [
      'EXCESSIVE_PAGINATION',
      '{ viewer { repositories(first: 101) { nodes { id } } } }',
      'Requesting 101 records on the `repositories` connection exceeds the `first` limit of 100 records.',
    ],
    [
      'ARGUMENT_LIMIT',
      `{ nodes(ids: [${ids}]) { id } }`,
      'You may not provide more than 100 node ids; you provided 101.',
    ],
    [
      'MAX_NODE_LIMIT_EXCEEDED',
      `{ viewer { repositories(first: 100) { nodes { issues(first: 100) { nodes { labels(first: 100) { nodes { id } } } } } } } }`,
      'This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000.',
    ],
  ]
  test.each(tooLarge)('when it asks for too much at once: %s', async (type, query, message) => {
    const { status, body } = await askForge(forge, forge.createToken(), query)
    expect(status).toBe(200)
    expect(body.data).toBeNull()
    expect(body.errors).toEqual([expect.objectContaining({ type, message })])
    expect(forge.takeViolations()).toEqual([{ rule: 'size of a query', message }])
  })

  test('when more are under way or in a minute than the forge allows', async () => {
    forge.responseDelayMs = 300
    const busy = forge.createToken({ limits: { concurrentQueries: 3 } })
    const responses = await Promise.all(Array.from({ length: 5 }, () => askForge(forge, busy, cheap)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 403, 403])
    expect(forge.takeViolations()).toMatchObject([
      { rule: 'concurrent queries' },
      { rule: 'concurrent queries' },
    ])
    forge.responseDelayMs = 0
    const eager = forge.createToken({ limits: { queriesPerMinute: 3 } })
    for (let number = 1; number <= 3; number++) await askForge(forge, eager, cheap)
    now += 59_000
    expect((await askForge(forge, eager, cheap)).headers.get('retry-after')).toBe('60')
    expect(forge.takeViolations()).toMatchObject([{ rule: 'queries per minute' }])
  })

  test('when its token is not valid, and reported when the client knew', async () => {
    expect(await askForge(forge, 'no-token', cheap)).toMatchObject({
      status: 401,
      body: { message: 'Bad credentials' },
    })
    const token = forge.createToken()
    token.isRevoked = true
    expect((await askForge(forge, token, cheap)).status).toBe(401)
    expect(forge.violations).toEqual([])
    expect((await askForge(forge, token, cheap)).status).toBe(401)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'known refusal' }])
  })

  test('when the client doesn’t say what it is', async () => {
    const { port } = new URL(forge.origin)
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.once('data', (data) => {
        resolve(data.toString())
        socket.destroy()
      })
      socket.write('POST /graphql HTTP/1.1\r\nHost: forge\r\nContent-Length: 0\r\n\r\n')
    })
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'missing user agent' }])
  })

  test('when it has a field that the forge lacks, which fails the test that sent it', async () => {
    const { status, body } = await askForge(forge, forge.createToken(), '{ viewer { login shoeSize } }')
    expect(status).toBe(200)
    const message = expect.stringContaining('Cannot query field "shoeSize" on type "User"')
    expect(body).toEqual({ errors: [expect.objectContaining({ message })] })
    await expect(forge[Symbol.asyncDispose]()).rejects.toThrow(/invalid query: Cannot query field "shoeSize"/)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'invalid query' }])
    forge = await startFakeForge(model)
  })

  test('when its variables have other types than it declares, or it is not GraphQL', async () => {
    const token = forge.createToken()
    await askForge(forge, token, 'query($login: String!) { repositoryOwner(login: $login) { id } }', {
      login: 7,
    })
    await askForge(forge, token, '{ viewer { login }')
    expect(forge.takeViolations()).toMatchObject([{ rule: 'invalid query' }, { rule: 'invalid query' }])
  })

  test('when it asks for what the real forge has and the fake one lacks', async () => {
    const token = forge.createToken()
    const { status, body } = await askForge(forge, token, '{ viewer { login twitterUsername } }')
    expect(status).toBe(501)
    expect(body.message).toContain('The fake forge has no field User.twitterUsername')
    const locked =
      '{ repositoryOwner(login: "owner") { repositories(first: 1, isLocked: true) { totalCount } } }'
    expect((await askForge(forge, token, locked)).status).toBe(501)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'not modeled' }, { rule: 'not modeled' }])
  })
})

describe('the budget', () => {
  test('shrinks by what queries cost, in headers and in the response, and comes back when it resets', async () => {
    const token = forge.createToken({ limits: { points: 3 } })
    const seen: (string | null)[] = []
    for (const _ of [1, 2]) {
      const { headers, body } = await askForge(
        forge,
        token,
        '{ rateLimit { cost limit remaining used resetAt } }',
      )
      seen.push(headers.get('x-ratelimit-remaining'))
      expect(headers.get('x-ratelimit-limit')).toBe('3')
      expect(headers.get('x-ratelimit-resource')).toBe('graphql')
      expect(Number(headers.get('x-ratelimit-used'))).toBe(body.data.rateLimit.used)
      expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBe(Date.parse(body.data.rateLimit.resetAt))
    }
    expect(seen).toEqual(['2', '1'])
    const reset = 1_750_000_000 + 3600
    // Costs more than is left.
    const costly =
      '{ viewer { repositories(first: 100) { nodes { issues { totalCount } watchers { totalCount } } } } }'
    const refused = await askForge(forge, token, costly)
    expect(refused).toMatchObject({ status: 200, body: { errors: [{ type: 'RATE_LIMITED' }] } })
    expect(refused.body.data).toBeUndefined()
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(reset))
    expect(forge.violations).toEqual([])

    now = (reset - 1) * 1000
    expect((await askForge(forge, token, cheap)).body.errors).toMatchObject([{ type: 'RATE_LIMITED' }])
    expect(forge.takeViolations()).toEqual([
      {
        rule: 'known refusal',
        message: 'A query was sent although a response had said that no points are left, 1 s too early',
      },
    ])
    now = reset * 1000
    expect((await askForge(forge, token, cheap)).body.data.viewer.login).toBe('owner')
  })

  test('of one token is not that of another, and the last point is known to be the last', async () => {
    const [first, second] = [
      forge.createToken({ limits: { points: 1 } }),
      forge.createToken({ limits: { points: 1 } }),
    ]
    expect((await askForge(forge, first, cheap)).status).toBe(200)
    expect((await askForge(forge, second, cheap)).body.data).toBeDefined()
    expect(forge.violations).toEqual([])
    await askForge(forge, first, cheap)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'known refusal' }])
  })
})

describe('a secondary limit', () => {
  const refusals: [fault: QueryFault, status: number, retryAfter: string | null, seconds: number][] = [
    ['secondary limit 403', 403, '30', 30],
    ['secondary limit 429', 429, '30', 30],
    ['secondary limit without retry-after', 403, null, 60],
  ]
  test.each(refusals)(
    'is kept up until it was waited for: %s',
    async (fault, status, retryAfter, seconds) => {
      const token = forge.createToken({ limits: { retryAfterSeconds: 30 } })
      forge.faults.next(fault)
      const refused = await askForge(forge, token, cheap)
      expect(refused.status).toBe(status)
      expect(refused.headers.get('retry-after')).toBe(retryAfter)
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('5000')
      expect(refused.body.message).toMatch(/^You have exceeded a secondary rate limit/)
      now += (seconds - 1) * 1000
      expect((await askForge(forge, token, cheap)).status).toBe(403)
      expect(forge.takeViolations()).toMatchObject([{ rule: 'known refusal' }])
      now += 1000
      expect((await askForge(forge, token, cheap)).status).toBe(200)
    },
  )

  test('forgives queries that were under way together with the one that was refused', async () => {
    const token = forge.createToken()
    forge.responseDelayMs = 50
    forge.faults.next('secondary limit 403', 'secondary limit 403', 'secondary limit 403')
    await Promise.all([1, 2, 3].map(() => askForge(forge, token, cheap)))
    expect(forge.violations).toEqual([])
  })
})

describe('faults', () => {
  const responses: [fault: QueryFault, status: number, text: RegExp][] = [
    ['bad gateway', 502, /^<html>\r\n<head><title>502 Bad Gateway/],
    [
      'query timeout 502',
      502,
      /^{"data":null,"errors":\[{"message":"Something went wrong while executing your query/,
    ],
    [
      'query timeout 200',
      200,
      /^{"data":null,"errors":\[{"message":"Something went wrong while executing your query/,
    ],
    ['service unavailable', 503, /Service Unavailable/],
    ['gateway timeout', 504, /504 Gateway Timeout/],
    ['cut JSON', 200, /^{"data":{"viewer".*[^}]$/],
    [
      'partial data',
      200,
      /"nodes":\[{"name":"repository-1"},{"name":"repository-2"},null,null\].*RESOURCE_LIMITS_EXCEEDED/,
    ],
    ['primary limit 200', 200, /"type":"RATE_LIMITED"/],
    ['primary limit 200 RATE_LIMIT', 200, /"type":"RATE_LIMIT","code":"graphql_rate_limit"/],
    ['primary limit 403', 403, /API rate limit exceeded/],
    ['primary limit 429', 429, /API rate limit exceeded/],
  ]
  test.each(responses)('look like those of the forge: %s', async (fault, status, text) => {
    forge.faults.next(null, fault)
    const token = forge.createToken()
    expect((await askForge(forge, token, listed)).body.data.viewer.repositories.nodes).toHaveLength(4)
    const response = await askForge(forge, token, listed)
    expect(response.status).toBe(status)
    expect(response.text).toMatch(text)
    if (fault.startsWith('primary')) expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(forge.requests.map(({ status }) => status)).toEqual([200, status])
  })

  test.each(['cut body', 'reset'] as const)('end the connection: %s', async (fault) => {
    forge.faults.next(fault)
    const token = forge.createToken()
    await expect(askForge(forge, token, listed)).rejects.toThrow()
    expect((await askForge(forge, token, listed)).status).toBe(200)
    // What was cut was paid for; what was reset wasn't.
    expect(token.used).toBe(fault === 'cut body' ? 2 : 1)
  })

  test('keep clients waiting until they give up, and stopping doesn’t wait for them', async () => {
    forge.faults.next('silence')
    const token = forge.createToken()
    const waiting = askForge(forge, token, cheap)
    await expect.poll(() => token.underWay).toBe(1)
    await Promise.all([forge[Symbol.asyncDispose](), expect(waiting).rejects.toThrow()])
    forge = await startFakeForge(model)
  })

  test('come in the same order from the same seed', async () => {
    async function listStatuses() {
      const token = forge.createToken()
      const faults: QueryFault[] = ['bad gateway', 'service unavailable', 'gateway timeout']
      forge.faults.randomly(createRandom('some seed'), 0.5, faults)
      const statuses: number[] = []
      for (let number = 0; number < 40; number++) statuses.push((await askForge(forge, token, cheap)).status)
      return statuses
    }
    const statuses = await listStatuses()
    expect(new Set(statuses)).toEqual(new Set([200, 502, 503, 504]))
    expect(await listStatuses()).toEqual(statuses)
  })
})
