/**
 * The error messages of `openapi.yml` are those that the service gives. Requests that it refuses are free, whatever
 * their response is read from: an instance without a cache and without a replica reads from the primary, and charges in
 * the same statement.
 *
 * @module-tag over-the-wire
 */
import { createMiddleware } from 'hono/factory'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HonoEnvironment } from '../../api/http/request-context.ts'
import { grantCredits } from '../../api/ledger/keys.ts'
import { contract, listMessagesOfChanges, listOperations } from '../support/contract.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { fillPath } from '../support/sample-oracle.ts'
import {
  anyDatabase,
  liveRuntime,
  maxAddressLength,
  type RequestOptions,
  type TestResponse,
  useService,
} from '../support/service.ts'

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** All error messages of the document. */
function listDocumentedMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('error' in value && typeof value.error === 'string') return [value.error]
  return Object.values(value).flatMap(listDocumentedMessages)
}

/** Refused before the app: raw-requests.test.ts, node-connections.test.ts. */
const messagesBeforeTheApp = [
  'Invalid HTTP request',
  'Invalid Host: must be one host name or IP address, with an optional port from 1 to 65535',
  'Invalid URL: . or .. in its path',
  'Request headers too large: at most 49152 bytes',
  'Request incomplete: it took too long to arrive',
  'Body too large: at most 65536 bytes',
  'HTTP version not supported; use HTTP/1.1 or HTTP/1.0',
]

describe('openapi.yml', () => {
  // An admin key may call everything, without a limit.
  const service = useService(anyDatabase, { docs: true, key: { role: 'admin' } })
  /** Reads from the primary alone. */
  let primary: Instance
  /** A key that pays. */
  let payer: string
  /** What `primary` did in the database. */
  let operations: string[] = []
  beforeAll(async () => {
    payer = (await service.createKey()).secret
    primary = createInstance(service, {
      responseCacheMb: 0,
      tracing: {
        traceRequest: createMiddleware<HonoEnvironment>((_, next) => next()),
        traceDatabase(operation, work) {
          operations.push(operation)
          return work()
        },
      },
    })
  })

  const readLedger = () => service.sql`
    select (select json_agg(b order by api_key_id) from balances b) as balances, count(*) as entries,
      (select count(*) from idempotency_keys) as idempotency_keys
    from ledger`

  /**
   * Sends a request. If it is refused with 400, 403 or 414, also sends it to `primary`, as a payer in place of an
   * admin. It gets the same response there, and the ledger stays as it is.
   */
  async function request(path: string, options: RequestOptions = {}): Promise<TestResponse> {
    const response = await service.request(path, options)
    if (liveRuntime !== undefined || ![400, 403, 414].includes(response.status)) return response
    const before = await readLedger()
    const isForAdmins = /^\/(metrics|admin)\b/.test(path)
    const paying = { ...options, key: options.key === service.key && !isForAdmins ? payer : options.key }
    const isForMoney = /_credits/.test(response.headers.get('X-Error-Code') ?? '')
    // On a busy machine the statement that reads may take too long to settle as well. Then another one settles.
    for (let isSettled = false; !isSettled; ) {
      operations = []
      const refused = await primary.request(path, paying)
      expect([path, refused.status, refused.text]).toEqual([path, response.status, response.text])
      expect([path, await readLedger()]).toEqual([path, before])
      isSettled = !isForMoney || !operations.includes('settle')
    }
    if (isForMoney) expect([path, operations]).toEqual([path, ['read and settle']])
    return response
  }

  /** The messages of an operation and a status. */
  function listMessages(path: string, status: string): string[] {
    const declared = contract.paths[path]?.get?.responses[status] ?? {}
    const response = '$ref' in declared ? contract.components.responses[nameOf(declared.$ref)] : declared
    const { example, examples = {} } = response?.content?.['application/json'] ?? {}
    const values = Object.values(examples).map((each) =>
      '$ref' in each ? contract.components.examples[nameOf(each.$ref)]?.value : each.value,
    )
    return listDocumentedMessages([example, ...values])
  }

  const readPaths = Object.keys(contract.paths).filter((path) => contract.paths[path]?.get)
  test.each(readPaths)('shows exactly the messages of 400 that %s gives', async (path) => {
    const entries = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`).join(',')
    const dependencies = ['dependency_names', 'without_dependency_names', 'dependency_files']
      .map((name) => `${name}=${entries(50)}`)
      .join('&')
    const queries = [
      'page=0',
      'per_page=0',
      'page=9007199254740991',
      'after=-',
      'perPage=1',
      ...['location', 'company'].flatMap((name) => [
        Array.from({ length: 21 }, () => `${name}=a`).join('&'),
        `${name}=${'x'.repeat(256)}`,
      ]),
      `dependency_names=${entries(51)}`,
      `dependency_names=a,b,${'c'.repeat(256)}`,
      `dependency_files=${entries(51)}`,
      `dependency_files=a,b,${'c'.repeat(256)}`,
      'dependency_status=x',
      'dependency_status=active',
      'dependency_status=active&dependency_status=removed',
      ...['first_use_since=2025-02-30', 'first_use_since=0'],
      'dependency_match=x',
      'dependency_match=all',
      'country=XX',
      'country=UK',
      'has=email,x',
      'min_followers=0',
      'min_stars=0',
      'min_forks=0',
      'active_since=2025-02-30',
      ...['email_domain=a@b', 'contributed_to=a', 'contributor=a/b'],
      'pushed_since=yesterday',
      'fork=1',
      'language=C++',
      'dependency_name=C++',
      'dependency_names=C++',
      'contains=C++',
      `has=bio&type=${entries(50)}&${dependencies}`,
      `language=${Array.from({ length: 50 }, () => 'c')}&license=mit&${dependencies}`,
      'owner=a%20b',
      'exclude=x',
      'sort=x',
      'sort=followers&after=7',
      'sort=stars&after=7',
      'day=today',
      'changed_since=x',
      'changed_since=2',
      ...['followers', 'stars'].map((sort) => `changed_since=0&sort=${sort}`),
      ...['logins', 'full_names', 'forge_rest_ids'].flatMap((name) => [
        `${name}=${entries(101)}`,
        `${name}=${name === 'full_names' ? 'a/b,a/c' : '1,2'},x%20y`,
        `${name}=&dependency_names=a`,
      ]),
      ...['location', 'company', 'dependency_names', 'dependency_files', 'day'].map((name) => `${name}=`),
      `dependency_names=${Array.from({ length: 20 }, () => 'x'.repeat(200))}`,
      `logins=${Array.from({ length: 50 }, () => 'x'.repeat(80))}&page=1`,
      `full_names=${Array.from({ length: 50 }, () => `a/${'x'.repeat(80)}`)}&page=1`,
      'contains=',
      `contains=${'x'.repeat(256)}`,
      ...['dependency_name=', `dependency_name=${'x'.repeat(256)}`],
      'limit=0',
      'limits=1',
      'since=x',
      'since=2',
      'county=DE',
      ...['below=x', 'name=', `name=${'x'.repeat(101)}`],
      'of=x',
      'of=users',
      'of=users&by=x',
      `x${'&x'.repeat(250)}`,
      'x=%zz',
      'x=%00',
    ]
    const { parameters = [] } = listOperations().find((operation) => operation.path === path) ?? {}
    const declared = parameters.filter((parameter) => parameter.in === 'query')
    // Of the parameters that the path doesn't have, one is enough.
    const sent = queries.filter((query) => {
      const name = query.replace(/[=&].*/, '')
      const names = declared.map((parameter) => parameter.name)
      const alone = names.includes('limit')
        ? ['limits']
        : names.includes('of')
          ? ['changed_since', 'county']
          : names.includes('dependency_name')
            ? ['dependency_names']
            : ['perPage']
      return ['x', ...alone, ...names].includes(name)
    })
    const { parameters: ofRepositories = [] } = listOperations().find((each) => each.path === '/repos') ?? {}
    const isOfRepositories = (query: string) =>
      ofRepositories.some(({ name }) => name === query.replace(/[=&].*/, ''))
    const needed = (query: string) =>
      ({
        '/removals': 'since=0',
        '/dependencies': 'prefix=r',
        '/dependencies/history': 'dependency_name=r',
        '/locations': 'contains=r',
        '/companies': 'contains=r',
        '/counts': isOfRepositories(query) ? 'of=repos&by=fork' : 'of=users&by=type',
      })[path]
    /** The request with the parameters that the path requires, to get at the others. */
    const complete = (query: string): [string, Record<string, string>][] => {
      const others = new URLSearchParams(needed(query))
      for (const [name] of new URLSearchParams(query)) others.delete(name)
      return others.size === 0 ? [] : [[`${filled}?${others}&${query}`, {}]]
    }
    const filled = fillPath(path)
    const segments = [...path.matchAll(/\{\w+\}/g)].flatMap(([segment]) =>
      // What is missing at the end of a path, and what no name has.
      ['', 'a%20b', 'a%5Cb'].map((value) => fillPath(path.replace(segment, value))),
    )
    const requests: [string, Record<string, string>][] = [
      ...sent.map((query): [string, Record<string, string>] => [`${filled}?${query}`, {}]),
      ...sent.flatMap(complete),
      [filled, {}],
      ...segments.map((wrong): [string, Record<string, string>] => [wrong, {}]),
      [filled, { 'Max-Credits': 'a few' }],
      [filled, { 'Idempotency-Key': 'a b' }],
    ]
    const given = new Set<string>()
    for (const [wrong, headers] of requests) {
      const response = await request(wrong, { key: service.key, headers })
      if (response.status === 400) given.add(v.parse(v.object({ error: v.string() }), response.json()).error)
    }
    expect([...given].sort()).toEqual(
      listMessages(path, '400')
        .filter((message) => !messagesBeforeTheApp.includes(message))
        .sort(),
    )
  })

  test('shows “Shutting down” for /health alone, and “not built” for pages alone', () => {
    const pathsWith = (message: string) =>
      Object.keys(contract.paths).filter((path) => listMessages(path, '503').includes(message))
    expect(pathsWith('Shutting down; retry in 5 seconds')).toEqual(['/health'])
    expect(pathsWith('The documentation is missing; run: npm run docs')).toEqual([
      '/docs',
      '/docs/{page}',
      '/api-docs',
      '/llms.txt',
      '/robots.txt',
      '/favicon.ico',
    ])
    expect(pathsWith('Starting up; retry in 5 seconds')).toEqual(
      pathsWith('Database unavailable; retry in 5 seconds'),
    )
    expect(pathsWith('Database unavailable; retry in 5 seconds')).toEqual(
      Object.keys(contract.paths)
        .filter((path) =>
          /^\/(users|repos|removals|dependencies|locations|companies|counts|api-key|metrics|admin|health|docs\/coverage)/.test(
            path,
          ),
        )
        .filter((path) => readPaths.includes(path)),
    )
  })

  test('shows only messages that the service gives', async () => {
    const user = await service.createKey({ credits: 12 })
    const narrow = await service.createKey({ scopes: [] })
    const limited = await service.createKey({ rateLimit: { requests: 1, seconds: 12 } })
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
      'Max-Credits is 10, but this request costs 30': [
        '/users',
        { key: user.secret, headers: { 'Max-Credits': '10' } },
      ],
      'Idempotency-Key was already used for another request; use a new one for this request': [
        '/users?per_page=1',
        { key: user.secret, headers: { 'Idempotency-Key': 'used' } },
      ],
      'Origin not allowed: a page that uses /mcp must be served over https, or from localhost': [
        ...(['/mcp', { method: 'POST', headers: { Origin: 'http://elsewhere.example' } }] as const),
      ],
      'User not found': ['/users/nobody-has-this-login', { key: service.key }],
      'Repository not found': ['/repos/nobody/nothing', { key: service.key }],
      'Not found': ['/no-such-path'],
      'Key not found': ['/admin/keys/2147483647', { key: service.key }],
      'Connection not found': ['/api-key/connections/7', { key: service.key, method: 'DELETE' }],
      'Invalid id: must be the id of a connection, as GET /api-key/connections lists it': [
        ...(['/api-key/connections/x', { key: service.key, method: 'DELETE' }] as const),
      ],
      'Method not allowed; use GET, HEAD or OPTIONS': ['/users', { method: 'DELETE' }],
      'Rate limit exceeded; retry in 12 seconds': ['/users', { key: limited.secret }],
      'URL too long: at most 8192 characters': [`/version?x=${'x'.repeat(8_192)}`],
      'URL too long: at most 32768 characters': [`/users?x=${'x'.repeat(32_768)}`, { key: service.key }],
      'Changes since version 0 are no longer available, only those since version 1; fetch all users and repositories again':
        ['/removals?since=0', { key: service.key }],
      'With filters, changes are known since version 1, but not since version 0; fetch the list without changed_since':
        ['/users?changed_since=0&country=DE', { key: service.key }],
    }
    await service.request('/users', { key: limited.secret })
    await service.request('/users/ngoldberg', { key: user.secret, headers: { 'Idempotency-Key': 'used' } })
    await grantCredits(service.sql, user.id, 1) // 12 again
    await service.sql`update dataset set changes_since = 1`
    for (const [message, [path, options]] of Object.entries(provocations)) {
      if (path.length > maxAddressLength) continue
      const { error } = v.parse(v.object({ error: v.string() }), (await request(path, options)).json())
      // The rest of the window and the length of a file vary.
      const varying = /^(Rate limit|Range)/.test(message)
      const number = /\d+/.exec(message)?.[0] ?? ''
      expect(varying ? error.replace(/\d+/, number) : error).toBe(message)
    }

    await service.sql`alter table users rename to moved_away`
    const broken = await service.request('/users?per_page=29', { key: service.key }) // not cached
    await service.sql`alter table moved_away rename to users`
    expect(broken.json()).toEqual({ error: 'Internal server error' })

    const given = [
      ...Object.keys(provocations),
      'Internal server error',
      // load-shedding.test.ts, request-log.test.ts, stopping.test.ts, database-outages.test.ts
      'Database unavailable; retry in 5 seconds',
      'Over capacity; retry in 5 seconds',
      'Database not migrated; retry in 5 seconds',
      'Starting up; retry in 5 seconds',
      'Shutting down; retry in 5 seconds',
      // new-filters.test.ts
      'Filter not ready: min_forks; leave it out until the operator has loaded data again',
      ...messagesBeforeTheApp,
      // docs-build.test.ts
      'The documentation is missing; run: npm run docs',
    ]
    // Those of 400 are compared above, and those of changes of keys in admin-keys.test.ts.
    const messagesOf400 = new Set([
      ...Object.keys(contract.paths).flatMap((path) => listMessages(path, '400')),
      ...listMessagesOfChanges(),
    ])
    const without400 = (messages: string[]) =>
      messages.filter((message) => !messagesOf400.has(message)).sort()
    expect(without400([...new Set(listDocumentedMessages(contract))])).toEqual(without400(given))
  })
})
