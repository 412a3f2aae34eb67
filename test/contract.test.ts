/**
 * Code and `openapi.yml` hold each other, both ways: the same paths and methods, the same parameters with the same
 * bounds, the same messages. (That every answer keeps to the document is checked with each request of every test.)
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantCredits } from '../api/ledger/keys.ts'
import { buildDocs } from '../docs-site/build.ts'
import { contract, listOperations, type Schema } from './support/contract.ts'
import { createInstance } from './support/instance.ts'
import {
  maxAddressLength,
  type RequestOptions,
  startTestService,
  type TestService,
  testInside,
} from './support/service.ts'

const paginationSchema = v.object({ pagination: v.looseObject({ page: v.number(), per_page: v.number() }) })

/** A path of the document with a user and a repository of the sample data. */
function fillPath(path: string, repository: string): string {
  const [owner = '', name = ''] = repository.split('/')
  return path
    .replace('{login}', 'ngoldberg')
    .replace('{owner}', owner)
    .replace('{name}', name)
    .replace('{page}', 'quickstart')
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** Every error message that the document shows. */
function listDocumentedMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('error' in value && typeof value.error === 'string') return [value.error]
  return Object.values(value).flatMap(listDocumentedMessages)
}

/** What never becomes a request of the app: parameters.test.ts, node-connections.test.ts. */
const messagesBeforeTheApp = [
  'Invalid HTTP request',
  'Invalid Host: must be one host name or IP address, with a port from 1 to 65535 or none',
  'Invalid URL: . or .. in its path',
  'Request headers too large: at most 294912 bytes',
  'Request incomplete: it took too long to arrive',
]

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
          // The largest page is one of the smallest size.
          const largest = `${at(maximum)}${name === 'page' ? '&per_page=1' : ''}`
          expect(await statusOf(largest)).toEqual([largest, 200])
          expect(await statusOf(at(maximum + 1))).toEqual([at(maximum + 1), 400])
        }
        for (const wrong of ['', 'x', '1.5', '1e1', '%2B1', '-1', '01', '0x1', '%201', `1&${name}=1`]) {
          expect(await statusOf(at(wrong))).toEqual([at(wrong), 400])
        }
        if (schema.default === undefined) return // what `after` does is for walks.test.ts to say
        expect(await readPage('')).toEqual(await readPage(at(schema.default)))
        const other = name === 'page' || maximum === undefined ? minimum + 1 : maximum
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

  test('its bounds of Max-Credits are the rule', async () => {
    const { minimum = -1, maximum = -1 } = contract.components.parameters['Max-Credits']?.schema ?? {}
    for (const [credits, status] of [
      [String(minimum), 200],
      [String(minimum - 1), 400],
      [String(maximum), 200],
      [String(BigInt(maximum) + 1n), 400],
    ] as const) {
      const answer = await service.request('/users/ngoldberg', { key, headers: { 'Max-Credits': credits } })
      expect([credits, answer.status]).toEqual([credits, status])
    }
  })

  test('its pattern of the dependencies’ after is the rule', async () => {
    const { pattern } = contract.components.parameters.after_dependency?.schema ?? {}
    if (pattern === undefined) throw new Error('after of dependencies has no pattern')
    const toEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
    const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
    const part = fc.oneof(
      { weight: 10, arbitrary: character.map((text) => JSON.stringify(text).slice(1, -1)) },
      fc.integer({ min: 0, max: 0xffff }).map(toEscape),
      fc.integer({ min: 0xd700, max: 0xe0ff }).map(toEscape),
      fc.constantFrom('\\/', '\\b', '\\q', '\\', '"', '\n', '\u007f', '\\u0000', '\\uD83D\\uDE00', '\\u12'),
    )
    const quoted = fc.array(part, { maxLength: 3 }).map((parts) => `"${parts.join('')}"`)
    const space = fc.constantFrom(...Array.from({ length: 9 }, () => ''), ' ', '\t\r\n', '\u00a0')
    const value = fc.oneof(
      {
        weight: 9,
        arbitrary: fc
          .tuple(space, quoted, space, quoted, space)
          .map(([before, name, between, file, behind]) => `${before}[${name}${between},${file}]${behind}`),
      },
      fc.json(),
      fc.constantFrom('', '[]', '["a"]', '["a","b","c"]', '["a",1]', '["a",null]', '["a","b"],', '["a" "b"]'),
    )
    const seen = { valid: 0, invalid: 0 }
    await fc.assert(
      fc.asyncProperty(
        value.filter((text) => text.isWellFormed() && !text.includes('\0')),
        async (after) => {
          const isValid = new RegExp(pattern, 'u').test(after)
          seen[isValid ? 'valid' : 'invalid']++
          const address = `/repos/${repository}/dependencies?after=${encodeURIComponent(after)}`
          const { status } = await service.request(address, { key, method: 'HEAD' })
          expect([after, status]).toEqual([after, isValid ? 200 : 400])
        },
      ),
      { numRuns: 1_000 },
    )
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(100)
  })

  /** The messages that an operation shows with a status. */
  function listMessages(path: string, status: string): string[] {
    const declared = contract.paths[path]?.get?.responses[status] ?? {}
    const response = '$ref' in declared ? contract.components.responses[nameOf(declared.$ref)] : declared
    const { example, examples = {} } = response?.content?.['application/json'] ?? {}
    const values = Object.values(examples).map((each) =>
      '$ref' in each ? contract.components.examples[nameOf(each.$ref)]?.value : each.value,
    )
    return listDocumentedMessages([example, ...values])
  }

  test.each(Object.keys(contract.paths))(
    '%s shows the messages of 400 that it gives, and no other',
    async (path) => {
      const entries = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`).join(',')
      const queries = [
        'page=0',
        'per_page=0',
        'page=9007199254740991',
        'after=-',
        'location=a&location=b',
        `location=${'x'.repeat(256)}`,
        `dependency_names=${entries(51)}`,
        `dependency_names=a,b,${'c'.repeat(256)}`,
        `dependency_files=${entries(51)}`,
        `dependency_files=a,b,${'c'.repeat(256)}`,
        'day=today',
        'x=%zz',
        'x=%00',
      ]
      const address = fillPath(path, repository)
      const segments = [...path.matchAll(/\{\w+\}/g)].flatMap(([segment]) =>
        // What is missing at the end of a path, and what no name has.
        ['', 'a%20b', 'a%5Cb'].map((value) => fillPath(path.replace(segment, value), repository)),
      )
      const requests: [string, Record<string, string>][] = [
        ...queries.map((query): [string, Record<string, string>] => [`${address}?${query}`, {}]),
        ...segments.map((wrong): [string, Record<string, string>] => [wrong, {}]),
        [address, { 'Max-Credits': 'a few' }],
        [address, { 'Idempotency-Key': 'a b' }],
      ]
      const given = new Set<string>()
      for (const [wrong, headers] of requests) {
        const answer = await service.request(wrong, { key, headers })
        if (answer.status === 400) given.add(v.parse(v.object({ error: v.string() }), answer.json()).error)
      }
      expect([...given].sort()).toEqual(
        listMessages(path, '400')
          .filter((message) => !messagesBeforeTheApp.includes(message))
          .sort(),
      )
    },
  )

  test('only /health says that the instance is about to stop, and only pages that they are not built', () => {
    const pathsWith = (message: string) =>
      Object.keys(contract.paths).filter((path) => listMessages(path, '503').includes(message))
    expect(pathsWith('Shutting down; retry in 5 seconds')).toEqual(['/health'])
    expect(pathsWith('The documentation is not built; run: npm run docs')).toEqual([
      '/docs',
      '/docs/{page}',
      '/api-docs',
      '/llms.txt',
      '/robots.txt',
      '/favicon.ico',
    ])
    // What needs no database can't lack it.
    expect(pathsWith('Database unavailable; retry in 5 seconds')).toEqual(
      Object.keys(contract.paths).filter((path) =>
        /^\/(users|repos|api-key|metrics|admin|health)/.test(path),
      ),
    )
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
      'Invalid Max-Credits: must be an integer from 0 to 9007199254740991, digits only': [
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
      'URL too long: at most 8192 characters': [`/version?x=${'x'.repeat(8_192)}`],
      'URL too long: at most 262144 characters': [`/users?x=${'x'.repeat(262_144)}`, { key }],
      'Invalid page: must be an integer from 1 to 9007199254740991, digits only, no leading zeros': [
        '/users?page=01',
        { key },
      ],
      'Invalid per_page: must be an integer from 1 to 100, digits only, no leading zeros': [
        '/users?per_page=0',
        { key },
      ],
      'Invalid after: must be an integer from 1 to 2147483647, digits only, no leading zeros': [
        '/users?after=0',
        { key },
      ],
      'Invalid after: must be an integer from 1 to 9007199254740991, digits only, no leading zeros': [
        '/api-key/usage?after=9007199254740992',
        { key },
      ],
      'Invalid after: must be the day and endpoint of a sum, such as 2030-12-31/users': [
        '/api-key/usage/days?after=/users',
        { key },
      ],
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
      'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..': [
        '/users/a%20b',
        { key },
      ],
      'Owner is missing': ['/repos/', { key }],
      'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..': [
        '/repos/a%20b/c',
        { key },
      ],
      'Repository name is missing': ['/repos/a', { key }],
      'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..': [
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
      if (path.length > maxAddressLength) continue
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
      ...messagesBeforeTheApp,
      // docs.test.ts
      'The documentation is not built; run: npm run docs',
    ]
    expect([...new Set(listDocumentedMessages(contract))].sort()).toEqual(given.sort())
  })
})
