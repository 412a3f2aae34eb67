/**
 * Code and `openapi.yml` hold each other, both ways: the same paths and methods, the same parameters with the same
 * bounds, the same messages. (That every answer keeps to the document is checked with each request of every test.)
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantCredits } from '../api/ledger/keys.ts'
import { buildDocs } from '../docs-site/build.ts'
import { contract, listOperations, type Schema } from './support/contract.ts'
import { createInstance } from './support/instance.ts'
import {
  longestAddress,
  type RequestOptions,
  startTestService,
  type TestService,
  testInside,
} from './support/service.ts'

const paginationSchema = v.object({ pagination: v.looseObject({ page: v.number(), per_page: v.number() }) })

/** A path of the document with a user and a repository of the sample data. */
function fillPath(path: string, repository: string): string {
  return path
    .replace('{login}', 'ngoldberg')
    .replace('{owner}/{name}', repository)
    .replace('{page}', 'quickstart')
}

/** Every error message that the document shows. */
function listDocumentedMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('error' in value && typeof value.error === 'string') return [value.error]
  return Object.values(value).flatMap(listDocumentedMessages)
}

describe('openapi.yml', () => {
  let service: TestService
  /** An admin key: it may call everything, as often as it likes. */
  let key: string
  /** A user key that has spent something. */
  let spender: string
  let repository: string
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    service = await startTestService('embedded')
    key = (await service.createKey({ role: 'admin' })).secret
    const [row] = await service.sql<{ name: string }[]>`
      select ('{' || members || '}')::json->>'full_name' as name from repositories
      where exists (select from commits where repository_id = repositories.id) and dependencies_count > 0 order by id limit 1`
    if (row === undefined) throw new Error('the sample data has no such repository')
    repository = row.name
    spender = (await service.createKey()).secret
    await service.request('/users', { key: spender })
  })
  afterAll(() => service.close())

  const withParameters = listOperations().map(({ path, method, parameters }) => ({
    path,
    method,
    queries: parameters.filter((parameter) => parameter.in === 'query'),
    segments: parameters.filter((parameter) => parameter.in === 'path'),
  }))

  test('has the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(contract.info.version).toBe(version)
  })

  testInside('declares exactly the paths that the app has', () => {
    const routed = createInstance(service)
      .app.routes.filter(({ method }) => method !== 'ALL')
      .flatMap(({ method, path }) => {
        const template = path.replaceAll(/:(\w+)/g, '{$1}')
        const templates = template === '/docs/*' ? ['/docs', '/docs/{page}'] : [template || '/']
        return templates.map((each) => `${method} ${each}`)
      })
    const declared = Object.entries(contract.paths).flatMap(([path, { get }]) => (get ? [`GET ${path}`] : []))
    expect([...new Set(routed)].sort()).toEqual(declared.sort())
  })

  test('declares no path and no method that is not answered', async () => {
    for (const path of Object.keys(contract.paths)) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await service.request(fillPath(path, repository), { method, key })
        expect([method, path, answer.status]).toEqual([method, path, path === '/' ? 302 : 200])
      }
    }
    for (const { path, method } of listOperations()) {
      if (method === 'HEAD') expect(contract.paths[path]?.get).toBeDefined()
    }
  })

  test('has a HEAD of its own for each metered path, with the parameters of its GET', () => {
    const heads = withParameters.filter(({ method }) => method === 'HEAD').map(({ path }) => path)
    expect(heads).toEqual(Object.keys(contract.paths).filter((path) => /^\/(users|repos)/.test(path)))
    for (const { path, method, queries, segments } of withParameters) {
      const get = withParameters.find((each) => each.path === path && each.method === 'GET')
      if (method === 'HEAD')
        expect({ queries, segments }).toEqual({ queries: get?.queries, segments: get?.segments })
    }
  })

  const allQueries = ['page', 'per_page', 'after', 'location', 'dependency_names', 'dependency_files', 'day']

  test('declares the query parameters of the contract and of the ledger, none of them required', () => {
    const queries = withParameters.flatMap((operation) => operation.queries)
    expect([...new Set(queries.map(({ name }) => name))].sort()).toEqual([...allQueries].sort())
    expect(queries.filter(({ required }) => required)).toEqual([])
  })

  describe.each(withParameters.filter(({ queries }) => queries.length > 0))('$method $path', (operation) => {
    const { path, method, queries } = operation
    const ask = (query: string) =>
      service.request(`${fillPath(path, repository)}${query}`, {
        method,
        key: path.startsWith('/api-key/') ? spender : key,
      })
    const statusOf = async (query: string) => [query, (await ask(query)).status]

    /** What the answer to a query says of its page; of HEAD it is the address of the first one. */
    async function readPage(query: string) {
      const answer = await ask(query)
      expect([query, answer.status]).toEqual([query, 200])
      const [, perPage] =
        /[?&]page=1&per_page=(\d+)>; rel="first"/.exec(answer.headers.get('Link') ?? '') ?? []
      if (method === 'HEAD') return { per_page: Number(perPage) }
      const { pagination } = v.parse(paginationSchema, answer.json())
      expect(pagination.per_page).toBe(Number(perPage))
      return pagination
    }

    test.each(queries.filter(({ schema }) => schema.type === 'integer'))(
      'reads $name with the declared bounds and default',
      async ({ name, schema }) => {
        const { minimum, maximum } = schema
        const at = (value: unknown) => `?${name}=${value}`
        if (minimum === undefined) throw new Error(`${name} has no minimum`)
        expect(await statusOf(at(minimum))).toEqual([at(minimum), 200])
        expect(await statusOf(at(minimum - 1))).toEqual([at(minimum - 1), 400])
        if (maximum !== undefined) {
          expect(await statusOf(at(maximum))).toEqual([at(maximum), 200])
          expect(await statusOf(at(maximum + 1))).toEqual([at(maximum + 1), 400])
        }
        for (const wrong of ['', 'x', '1.5', '1e1', '%2B1', '-1', '01', '0x1', '%201', `1&${name}=1`]) {
          expect(await statusOf(at(wrong))).toEqual([at(wrong), 400])
        }
        if (schema.default === undefined) return // what it does is told by walks
        expect(await readPage('')).toEqual(await readPage(at(schema.default)))
        const other = maximum ?? minimum + 1
        if (method === 'GET' || name === 'per_page') {
          expect(await readPage(at(other))).toMatchObject({ [name]: other })
        }
      },
    )

    test.each(queries.filter(({ schema }) => schema.type === 'array'))(
      'reads $name with the declared bounds',
      async ({ name, schema }) => {
        const { maxItems, items } = schema
        const longest = items?.maxLength
        if (maxItems === undefined || longest === undefined) throw new Error(`${name} has no bounds`)
        const entries = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`).join(',')
        for (const [value, status] of [
          [entries(maxItems), 200],
          [entries(maxItems + 1), 400],
          ['a'.repeat(longest), 200],
          ['a'.repeat(longest + 1), 400],
          [`b,${'%C3%A9'.repeat(longest)}`, 200],
          [`b,${'%C3%A9'.repeat(longest + 1)}`, 400],
        ] as const) {
          const answer = await ask(`?${name}=${value}`)
          expect([value, answer.status]).toEqual([value, status])
          if (status === 200) expect(answer.headers.get('X-Total-Count')).toBe('0')
        }
      },
    )

    test('reads every declared filter', async () => {
      const total = async (query: string) => (await ask(query)).headers.get('X-Total-Count')
      const filters = queries.filter(({ name, schema }) => name !== 'after' && schema.type !== 'integer')
      for (const { name, schema } of filters) {
        const nothing = schema.format === 'date' ? '1999-12-31' : 'nothing-is-called-so'
        expect([name, await total(`?${name}=${nothing}`)]).toEqual([name, '0'])
        expect([name, (await ask(`?${name}=a&${name}=b`)).status]).toEqual([name, 400])
      }
      expect(Number(await total(''))).toBeGreaterThan(0)
    })
  })

  test('a query parameter that a path does not declare is ignored there', async () => {
    for (const { path, method, queries } of withParameters.filter(({ path }) =>
      /^\/(users|repos|admin)/.test(path),
    )) {
      const address = fillPath(path, repository)
      const plain = await service.request(address, { method, key })
      const undeclared = allQueries.filter((name) => !queries.some((query) => query.name === name))
      for (const name of [...undeclared, 'limit', 'offset', 'sort', 'q', 'Page', 'per-page']) {
        const answer = await service.request(`${address}?${name}=0&${name}=nothing`, { method, key })
        expect([path, name, answer.status]).toEqual([path, name, 200])
        for (const header of ['ETag', 'Link', 'X-Total-Count', 'X-Credits-Cost']) {
          const before = plain.headers.get(header)
          // A new key's rows move on with its last use; everything else is the same to the letter.
          expect([path, name, header, answer.headers.get(header)]).toEqual([path, name, header, before])
        }
      }
    }
  })

  test('its pattern of names is the rule for login, owner and repository name', async () => {
    const schemas = withParameters
      .filter(({ path }) => !path.startsWith('/docs'))
      .flatMap(({ segments }) => segments.map(({ schema }) => schema))
    expect(new Set(schemas.map((schema) => JSON.stringify(schema))).size).toBe(1)
    const [{ pattern, maxLength, minLength } = {} as Schema] = schemas
    if (pattern === undefined || maxLength === undefined) throw new Error('names have no rule')
    expect(minLength).toBe(1)
    const characters = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index))
    const names = [
      ...[...characters, '\t', '\u007f', 'é', '東', '😀'].map((character) => `z${character}z`),
      'z'.repeat(maxLength),
      'z'.repeat(maxLength + 1),
      '',
    ]
    for (const name of names) {
      const segment = encodeURIComponent(name)
      const isValid = new RegExp(pattern, 'u').test(name) && [...name].length <= maxLength
      const addresses = [
        `/users/${segment}`,
        `/repos/${segment}/b`,
        `/repos/a/${segment}`,
        `/repos/a/${segment}/commits`,
      ]
      for (const address of addresses) {
        const { status } = await service.request(address, { key })
        expect([address, status]).toEqual([address, isValid ? 404 : 400])
      }
    }
  })

  test('every message that it shows is one that the service gives', async () => {
    const user = await service.createKey({ credits: 12 })
    const narrow = await service.createKey({ scopes: [] })
    const limited = await service.createKey({ rateLimit: { requests: 1, seconds: 12 } })
    const list = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`).join(',')
    const long = `a,b,${'c'.repeat(256)}`
    const scheme = { headers: { Authorization: 'Basic eDp5' } }
    const provocations: Record<string, [path: string, options?: RequestOptions]> = {
      'Authorization header required': ['/users'],
      "Invalid authorization format. Use 'Bearer <API_KEY>'": ['/users', scheme],
      'API key required': ['/users', { key: '' }],
      'Invalid API key format': ['/users', { key: 'x' }],
      'Invalid API key': ['/users', { key: crypto.randomUUID() }],
      'Insufficient permissions': ['/users', { key: narrow.secret }],
      'Admin access required': ['/metrics', { key: user.secret }],
      'insufficient credits: need 30, have 12': ['/users', { key: user.secret }],
      'Max-Credits is 10, and this costs 30': [
        '/users',
        { key: user.secret, headers: { 'Max-Credits': '10' } },
      ],
      'Invalid Max-Credits: must be a whole number of credits': [
        '/users',
        { key, headers: { 'Max-Credits': 'a few' } },
      ],
      'Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters': [
        '/users',
        { key, headers: { 'Idempotency-Key': 'a b' } },
      ],
      'Idempotency-Key was sent with another request before; use a new one for this request': [
        '/users?per_page=1',
        { key: user.secret, headers: { 'Idempotency-Key': 'used' } },
      ],
      'Invalid day: must be a date such as 2030-12-31 (UTC)': ['/api-key/usage?day=today', { key }],
      'User not found': ['/users/nobody-has-this-login', { key }],
      'Repository not found': ['/repos/nobody/nothing', { key }],
      'Not found': ['/no-such-path'],
      'Method not allowed; use GET, HEAD or OPTIONS': ['/users', { method: 'DELETE' }],
      'Rate limit exceeded; retry in 12 seconds': ['/users', { key: limited.secret }],
      'URL too long: at most 262144 characters': [`/users?x=${'x'.repeat(262_144)}`, { key }],
      'Invalid page: must be an integer of at least 1': ['/users?page=0', { key }],
      'Invalid per_page: must be an integer from 1 to 100': ['/users?per_page=0', { key }],
      'Invalid after: must be an integer from 1 to 2147483647': ['/users?after=0', { key }],
      'Invalid after: must be the hash of a commit, 40 to 64 lowercase hexadecimal digits': [
        '/repos/a/b/commits?after=7',
        { key },
      ],
      'Invalid after: must be the name and file of a dependency, ["NAME","FILE"]': [
        '/repos/a/b/dependencies?after=7',
        { key },
      ],
      'Invalid page: (page - 1) × per_page must be at most 9007199254740991': [
        '/users?page=9007199254740991',
        { key },
      ],
      'Invalid location: given more than once': ['/users?location=a&location=b', { key }],
      'Invalid location: longer than 255 characters': [`/users?location=${'x'.repeat(256)}`, { key }],
      'Invalid dependency_names: at most 50 entries': [`/users?dependency_names=${list(51)}`, { key }],
      'Invalid dependency_names: entry 3 is longer than 255 characters': [
        `/users?dependency_names=${long}`,
        { key },
      ],
      'Invalid dependency_files: at most 50 entries': [`/users?dependency_files=${list(51)}`, { key }],
      'Invalid dependency_files: entry 3 is longer than 255 characters': [
        `/users?dependency_files=${long}`,
        { key },
      ],
      'Login is missing': ['/users/', { key }],
      'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ]': ['/users/a%20b', { key }],
      'Owner is missing': ['/repos/', { key }],
      'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ]': ['/repos/a%20b/c', { key }],
      'Repository name is missing': ['/repos/a', { key }],
      'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ]': [
        '/repos/a/b%20c',
        { key },
      ],
      'Invalid path': ['/docs/a%5Cb'],
      'Range not satisfiable: the file has 4210 bytes': ['/docs', { headers: { Range: 'bytes=-0' } }],
      'Invalid URL: broken percent-escape': ['/users?x=%zz', { key }],
      'Invalid URL: NUL character': ['/users?x=%00', { key }],
    }
    await service.request('/users', { key: limited.secret })
    await service.request('/users/ngoldberg', { key: user.secret, headers: { 'Idempotency-Key': 'used' } })
    await grantCredits(service.sql, user.id, 1) // 12 again
    for (const [message, [path, options]] of Object.entries(provocations)) {
      if (path.length > longestAddress) continue
      const { error } = v.parse(
        v.object({ error: v.string() }),
        (await service.request(path, options)).json(),
      )
      // How much of the window is left when the second request comes, and how long a file is, is not for a test to say.
      const varying = /^(Rate limit|Range)/.test(message)
      const number = /\d+/.exec(message)?.[0] ?? ''
      expect(varying ? error.replace(/\d+/, number) : error).toBe(message)
    }

    await service.sql`alter table users rename to moved_away`
    const broken = await service.request('/users?per_page=29', { key }) // not remembered
    await service.sql`alter table moved_away rename to users`
    expect(broken.json()).toEqual({ error: 'Internal server error' })

    const given = [
      ...Object.keys(provocations),
      'Internal server error',
      // What takes an overload, a database that is away, or an instance that starts or stops: requests.test.ts,
      // start-and-stop.test.ts.
      'Database unavailable; retry in 5 seconds',
      'Over capacity; retry in 5 seconds',
      'Database not migrated; retry in 5 seconds',
      'Shutting down; retry in 5 seconds',
    ]
    expect([...new Set(listDocumentedMessages(contract))].sort()).toEqual(given.sort())
  })
})
