import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readListAnswer } from './support/list-answer.ts'
import { type InstanceProcess, runtimes, startInstanceProcess } from './support/process.ts'
import {
  commitsOf,
  dependenciesOf,
  findRepositories,
  findUsers,
  sampleRepositories,
  sampleUsers,
} from './support/sample-oracle.ts'
import {
  describeOnEachDatabase,
  liveRuntime,
  maxAddressLength,
  startTestService,
  type TestService,
} from './support/service.ts'

/** Lists by their address, to which page and per_page can be added. */
const lists = new Map<string, readonly object[]>([
  ['/users?', sampleUsers],
  ['/users?location=berlin&', findUsers({ location: 'berlin' })],
  ['/repos?', sampleRepositories],
  ['/repos?dependency_names=react&', findRepositories({ names: ['react'] })],
  ['/repos/yarrow-collective/monolith/commits?', commitsOf('yarrow-collective/monolith')],
  ['/repos/yarrow-collective/platform/dependencies?', dependenciesOf('yarrow-collective/platform')],
  ['/repos/yarrow-collective/placeholder/commits?', []],
])
const anyList = fc.constantFrom(...lists.keys())

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')), // a NUL is refused before any parameter
)

/** What is no canonical integer of at least 1. */
const noNumber = fc.oneof(
  anyText.filter((text) => !/^[1-9][0-9]*$/.test(text)),
  fc.integer({ max: 0 }).map(String),
  fc.integer({ min: 1 }).map((number) => `0${number}`),
  fc.integer({ min: 1 }).map((number) => `+${number}`),
  fc.integer({ min: 1 }).map((number) => `${number} `),
  fc.integer({ min: 1 }).map((number) => `${number}\n`),
  fc.integer({ min: 1 }).map((number) => `${number}.0`),
  fc.constantFrom(
    '',
    ' ',
    '1e3',
    '0x10',
    '1_0',
    '1,000',
    '1n',
    'NaN',
    'Infinity',
    'null',
    '１',
    '٣',
    '²',
    '1;2',
  ),
)

describeOnEachDatabase('page and per_page', (kind) => {
  let service: TestService
  let key: string
  let keyId: number
  beforeAll(async () => {
    service = await startTestService(kind)
    const created = await service.createKey({ credits: 10_000_000 })
    key = created.secret
    keyId = created.id
  })
  afterAll(() => service.close())

  /** Sends a request that must be refused with one of these errors, for free. */
  async function expectRefused(url: string, errors: readonly string[]): Promise<void> {
    const before = await service.readLedger(keyId)
    const answer = await service.request(url, { key })
    expect([url, answer.status]).toEqual([url, 400])
    expect(errors.map((error) => ({ error }))).toContainEqual(answer.json())
    expect(answer.headers.get('X-Credits-Cost')).toBe('0')
    expect(answer.headers.get('Link')).toBeNull()
    expect(await service.readLedger(keyId)).toEqual(before)
  }

  const invalidPage =
    'Invalid page: must be an integer from 1 to 9007199254740991, digits only, no leading zeros'
  const invalidSize = 'Invalid per_page: must be an integer from 1 to 100, digits only, no leading zeros'
  const tooFar = 'Invalid page: (page - 1) × per_page must be at most 9007199254740991'

  test('page is 400 and free when it is not an integer of at least 1 in digits without leading zeros', async () => {
    await fc.assert(
      fc.asyncProperty(anyList, noNumber, (list, page) =>
        expectRefused(`${list}page=${encodeURIComponent(page)}`, [invalidPage]),
      ),
      { numRuns: 150 * share },
    )
  })

  test('per_page is 400 and free when it is not an integer from 1 to 100 in digits without leading zeros', async () => {
    const tooLarge = fc.oneof(
      fc.integer({ min: 101 }).map(String),
      fc.bigInt({ min: 2n ** 53n, max: 10n ** 400n }).map(String),
      fc.constant('101'),
    )
    await fc.assert(
      fc.asyncProperty(anyList, fc.oneof(noNumber, tooLarge), (list, size) =>
        expectRefused(`${list}per_page=${encodeURIComponent(size)}`, [invalidSize]),
      ),
      { numRuns: 150 * share },
    )
  })

  test('page is 400 and free when the offset leaves the safe integers', async () => {
    const sizes = fc.integer({ min: 1, max: 100 })
    const numbers = fc.bigInt({ min: 2n ** 53n, max: 10n ** 400n })
    await fc.assert(
      fc.asyncProperty(anyList, numbers, sizes, async (list, offset, size) => {
        const page = offset / BigInt(size) + 2n
        const error = page > Number.MAX_SAFE_INTEGER ? invalidPage : tooFar
        await expectRefused(`${list}page=${page}&per_page=${size}`, [error])
      }),
      { numRuns: 60 },
    )
  })

  test('each is 400 and free when it is given twice, even if it is the same', async () => {
    for (const list of lists.keys()) {
      for (const name of ['page', 'per_page']) {
        for (const [first, second] of [
          [1, 2],
          [1, 1],
          ['', ''],
          [1, 'x'],
        ]) {
          await expectRefused(`${list}${name}=${first}&${name}=${second}`, [
            `Invalid ${name}: given more than once`,
          ])
        }
      }
    }
  })

  test('both wrong is 400 and names one of them', async () => {
    await expectRefused('/users?page=0&per_page=101', [invalidPage, invalidSize])
  })

  test('any valid pair gives exactly that slice, for a credit each', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyList,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 100 }),
        async (list, at, size) => {
          const expected = lists.get(list) ?? []
          const last = Math.max(1, Math.ceil(expected.length / size))
          const page = Math.min(last, 1 + Math.floor(at * last))
          const answer = readListAnswer(
            await service.request(`${list}page=${page}&per_page=${size}`, { key }),
          )
          expect(answer.data).toEqual(expected.slice((page - 1) * size, page * size))
          expect(answer.cost).toBe(answer.data.length)
          expect(answer.total).toBe(expected.length)
          expect(answer.pagination).toEqual({
            page,
            per_page: size,
            next_page: page < last ? page + 1 : 0,
            prev_page: page - 1,
            has_more: page < last,
          })
        },
      ),
      { numRuns: 150 * share },
    )
  })

  test('a page past the end, however far, is empty and free, and leads back', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyList,
        fc.integer({ min: 1, max: 100 }),
        fc.oneof(
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
        ),
        async (list, size, beyond) => {
          const expected = lists.get(list) ?? []
          const last = Math.max(1, Math.ceil(expected.length / size))
          const page = Math.min(last + beyond, Math.floor(Number.MAX_SAFE_INTEGER / size))
          const before = await service.readLedger(keyId)
          const answer = readListAnswer(
            await service.request(`${list}page=${page}&per_page=${size}`, { key }),
          )
          expect(answer.data).toEqual([])
          expect(answer.cost).toBe(0)
          expect(answer.total).toBe(expected.length)
          const pages = [...answer.links].map(([relation, { searchParams }]) => [
            relation,
            Number(searchParams.get('page')),
          ])
          expect(Object.fromEntries(pages)).toEqual({ first: 1, prev: last, last })
          expect(answer.pagination).toEqual({
            page,
            per_page: size,
            next_page: 0,
            prev_page: last,
            has_more: false,
          })
          expect(await service.readLedger(keyId)).toEqual(before)
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** Parts of paths that are there, parts that never could be, and escapes that end nowhere. */
const segment = fc.oneof(
  fc.constantFrom('users', 'repos', 'commits', 'dependencies', 'yarrow-collective', 'monolith', 'ngoldberg'),
  fc.constantFrom(
    'docs',
    'api-docs',
    'api-key',
    'credits',
    'health',
    'version',
    'openapi.yml',
    'metrics',
    'admin',
    'keys',
  ),
  fc.constantFrom(
    '',
    '.',
    '..',
    '%2e%2e',
    '%2F',
    '%5C..',
    '%00',
    'a%00b',
    '%',
    '%2',
    '%zz',
    '%ff',
    '%c0%af',
    '%ed%a0%80',
    '%u0041',
  ),
  fc.constantFrom(
    ':login',
    '*',
    '{login}',
    '[^/]*',
    ';',
    '@',
    ':80',
    '&',
    '+',
    '__proto__',
    'constructor',
    'toString',
  ),
  anyText,
  anyText.map(encodeURIComponent),
  fc.integer({ min: 90, max: 5000 }).map((length) => 'a'.repeat(length)),
)
const anyPath = fc.oneof(
  fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
  fc.constantFrom(
    '/users',
    '/repos',
    '/repos/yarrow-collective/monolith/commits',
    '/repos/yarrow-collective/platform/dependencies',
    '/users/ngoldberg',
    '/repos/yarrow-collective/monolith',
  ),
)
const parameterName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('page', 'per_page', 'location', 'dependency_names', 'dependency_files'),
  },
  fc.constantFrom('__proto__', 'page[]', 'page%5B0%5D', '', '%', '%00'),
  anyText,
)
const parameterValue = fc.oneof(
  anyText,
  anyText.map(encodeURIComponent),
  segment,
  fc.integer().map(String),
  fc.array(anyText, { maxLength: 60 }).map((entries) => entries.map(encodeURIComponent).join()),
  fc.integer({ min: 200, max: 40_000 }).map((length) => 'a'.repeat(length)),
  fc.constantFrom(
    "'; drop table users; --",
    '$1',
    '{}',
    '{"a"}',
    '\\',
    '%5C',
    '%27',
    '%22',
    'NULL',
    '1e400',
    '%F0%9F%8C%8D',
  ),
)
const anyQuery = fc
  .array(fc.tuple(parameterName, parameterValue), { maxLength: 5 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`))
/** Bytes that a header may carry: everything but NUL, CR and LF. */
const headerValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)))
  .map((bytes) => String.fromCharCode(...bytes))
const headerName = fc.constantFrom(
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Method', 'Cache-Control'],
  ...['Content-Type', 'Cookie', 'Forwarded', 'Host', 'If-Match', 'If-Modified-Since', 'If-None-Match'],
  ...['Origin', 'Range', 'Upgrade', 'User-Agent', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Request-Id'],
)
const anyHeaders = fc.dictionary(
  headerName,
  fc.oneof(
    headerValue,
    fc.constantFrom(
      '*',
      'W/"',
      '"a',
      'gzip;q=x',
      'br;q=0, *',
      ';;q=1',
      'bytes=0-',
      'text/html',
      'null',
      '-1',
    ),
    fc.constantFrom('a'.repeat(10_000), '","'.repeat(3000), 'gzip,'.repeat(2000)),
  ),
  { maxKeys: 4 },
)
const anyMethod = fc.oneof(
  { weight: 6, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'x'),
)

/** Of all that is tried on the app, so much over the wire, where it takes longer. */
const share = liveRuntime === undefined ? 1 : 0.1

describeOnEachDatabase('whatever a client sends', (kind) => {
  let service: TestService
  let keys: (string | undefined)[]
  beforeAll(async () => {
    service = await startTestService(kind)
    keys = [
      (await service.createKey({ credits: 10_000_000 })).secret,
      (await service.createKey({ role: 'admin' })).secret,
      (await service.createKey({ credits: 0 })).secret,
      undefined,
    ]
  })
  afterAll(() => service.close())

  test('no path, query or header ends in a 5xx, and every answer is one that openapi.yml declares', async () => {
    const docsAnswer = await service.request('/docs')
    const anyKey = fc.constantFrom(0, 0, 0, 1, 2, 3)
    await fc.assert(
      fc.asyncProperty(
        fc.record({ path: anyPath, query: anyQuery, headers: anyHeaders, method: anyMethod, key: anyKey }),
        async ({ path, query, headers, method, key }) => {
          // As it goes over the wire: what a URL can't hold is escaped, and dots are resolved.
          const url = new URL(`http://localhost${path.replaceAll(/[?#]/g, '')}${query.replaceAll('#', '')}`)
          const sent = `${url.pathname}${url.search}`
          const head = JSON.stringify({ sent, headers }).length + 500 // with what the client adds
          fc.pre(head <= maxAddressLength)
          const answer = await service.request(sent, { method, headers, key: keys[key] })
          // Docs that nobody has built are away (503), and the machine that runs this need not have built them.
          const isAway = answer.status === 503 && docsAnswer.status === 503 && /^\/(api-)?docs/.test(sent)
          expect([sent, answer.status < 500 || isAway]).toEqual([sent, true])
        },
      ),
      { numRuns: 800 * share },
    )
  })

  test('no Authorization header ends in anything but 401', async () => {
    const scheme = fc.constantFrom('', 'Bearer ', 'bearer ', 'Bearer', 'Bearer  ', 'Basic ', 'Bearer\t')
    await fc.assert(
      fc.asyncProperty(scheme, headerValue, async (start, value) => {
        const answer = await service.request('/users', { headers: { Authorization: `${start}${value}` } })
        expect(answer.status).toBe(401)
      }),
      { numRuns: 150 * share },
    )
  })

  test('a path with no name where one belongs is 400, says which, and is free; any other is 404', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const errors = {
      'Login is missing': ['/users/', '/users/?page=2'],
      'Owner is missing': [
        '/repos/',
        '/repos//',
        '/repos//monolith',
        '/repos//a/commits',
        '/repos///dependencies',
      ],
      'Repository name is missing': ['/repos/a', '/repos/a/', '/repos/a//commits', '/repos/a//dependencies'],
      'Not found': [
        '/users/a/',
        '/users//',
        '/repos/a/b/',
        '/repos//a/b',
        '/repos/a//b',
        '/repos/a/b/commits/',
      ],
    }
    for (const [error, paths] of Object.entries(errors)) {
      for (const path of paths) {
        const { status, json } = await service.request(path, { key: secret })
        expect([path, status, json()]).toEqual([path, error === 'Not found' ? 404 : 400, { error }])
      }
    }
    expect((await service.readLedger(id)).charged).toBe(0)
  })

  test('a NUL or a broken percent-escape, wherever it is, is 400 and free', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    for (const [part, error] of [
      ['%00', 'Invalid URL: NUL character'],
      ['a%00b', 'Invalid URL: NUL character'],
      ['%', 'Invalid URL: broken percent-escape'],
      ['%2', 'Invalid URL: broken percent-escape'],
      ['%zz', 'Invalid URL: broken percent-escape'],
      ['%ff', 'Invalid URL: broken percent-escape'],
      ['%c0%af', 'Invalid URL: broken percent-escape'],
      ['%ed%a0%80', 'Invalid URL: broken percent-escape'],
    ] as const) {
      for (const url of [
        `/users/${part}`,
        `/repos/${part}/monolith`,
        `/repos/yarrow-collective/${part}`,
        `/repos/yarrow-collective/${part}/commits`,
        `/repos/yarrow-collective/monolith/${part}`,
        `/users?location=${part}`,
        `/users?unknown=${part}`,
        `/users?${part}`,
        `/users/ngoldberg?${part}=1`,
        `/repos?dependency_names=${part}`,
        `/repos/yarrow-collective/monolith/dependencies?page=${part}`,
        `/api-key/credits?${part}`,
        `/no/such/path/${part}`,
        `/no/such/path?${part}`,
        `/health?${part}`,
        `/version?x=${part}`,
        `/openapi.yml?${part}`,
      ]) {
        const answer = await service.request(url, { key: secret })
        expect([url, answer.status, answer.json()]).toEqual([url, 400, { error }])
      }
    }
    expect((await service.readLedger(id)).charged).toBe(0)
  })

  const tooLong = `/users?location=${'a'.repeat(262_144)}`
  test.skipIf(tooLong.length > maxAddressLength)(
    'a URL of more than 262,144 characters is 414, and free',
    async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const answer = await service.request(tooLong, { key: secret })
      expect(answer.status).toBe(414)
      expect((await service.readLedger(id)).charged).toBe(0)
    },
  )
})

// A process of each runtime: once, and not over again where the service is one.
describe.skipIf(liveRuntime !== undefined).each(runtimes)(
  'whatever bytes a client sends to %s',
  (runtime) => {
    let server: InstanceProcess
    let dataDirectory: string
    let port: number
    let key: string
    /** Errors have their {error} body; Deno's own server refuses what is no HTTP without one. */
    const refusal = runtime === 'node' ? /^HTTP\/1\.1 4\d\d .*\{"error":"[^"]+"\}/s : /^HTTP\/1\.1 4\d\d /
    beforeAll(async () => {
      dataDirectory = await mkdtemp(join(tmpdir(), 'devdata-'))
      await cp(join(inject('databases').embedded, 'sample'), dataDirectory, { recursive: true })
      server = await startInstanceProcess(undefined, { DATA_DIR: dataDirectory }, { runtime })
      port = Number(new URL(server.url).port)
      key = /user key (\S+)/.exec(server.readLog())?.[1] ?? ''
    })
    afterAll(async () => {
      await server?.stop()
      await server?.[Symbol.asyncDispose]()
      await rm(dataDirectory, { recursive: true, force: true })
    })

    /** Sends bytes (Latin-1) on a connection of their own, and gives all that comes back until it is closed. */
    function send(bytes: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')))
        let received = ''
        socket.setEncoding('utf8')
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('close', () => resolve(received))
        socket.on('error', (error: Error & { code?: string }) => {
          if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
        })
      })
    }

    function sendRequest(line: string, headers = 'Host: localhost'): Promise<string> {
      return send(`${line}\r\n${headers}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
    }

    test('a request that is whole is answered', async () => {
      expect(await sendRequest('GET /users?per_page=1 HTTP/1.1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    })

    /** What is left on the key. Free. */
    async function readBalance(): Promise<number> {
      const answer = await sendRequest('GET /api-key/credits HTTP/1.1')
      return Number(/"remaining_credits":(\d+)/.exec(answer)?.[1])
    }

    test('a Host that no host could have is 400 on every route, before a key is looked at or charged', async () => {
      const before = await readBalance()
      for (const host of [
        ...['1.2.3.256', '127.0..1', '09', 'a.0x', 'a`b`', '$(x)', "a'b'", 'a"b"', 'W/"', 'a_b', ''],
        ...['localhost/users', 'localhost?x', 'localhost#x', 'a@localhost', 'a b', 'a:99999', 'a:0', 'a, a'],
      ]) {
        for (const path of [
          '/',
          '/docs',
          '/api-docs',
          '/openapi.json',
          '/users',
          '/users/ngoldberg',
          '/nothing',
        ]) {
          const answer = await sendRequest(`GET ${path} HTTP/1.1`, `Host: ${host}`)
          expect([host, path, answer]).toEqual([
            host,
            path,
            expect.stringMatching(
              /^HTTP\/1\.1 400 .*x-error-code: invalid_host\r\n.*\{"error":"Invalid Host: /is,
            ),
          ])
        }
      }
      for (const authority of ['1.2.3.256', 'a`b`', 'a@localhost', 'localhost:0']) {
        const answer = await sendRequest(`GET http://${authority}/users/ngoldberg HTTP/1.1`)
        expect([authority, answer]).toEqual([authority, expect.stringMatching(/^HTTP\/1\.1 400 /)])
      }
      for (const second of ['localhost', 'a']) {
        const answer = await sendRequest('GET /users HTTP/1.1', `Host: localhost\r\nHost: ${second}`)
        expect([second, answer]).toEqual([second, expect.stringMatching(/^HTTP\/1\.1 400 /)])
        if (runtime === 'node') expect(answer).toContain('X-Error-Code: invalid_host') // Deno refuses it itself
      }
      expect(await readBalance()).toBe(before)
    })

    test('a Host that is one is taken as it is, and links repeat it', async () => {
      for (const [host, origin] of [
        ['api.example.com', 'http://api.example.com'],
        ['API-1.example.com:81', 'http://api-1.example.com:81'],
        ['127.1:99', 'http://127.0.0.1:99'],
        ['[::1]:8000', 'http://[::1]:8000'],
      ] as const) {
        const answer = await sendRequest('GET /users?per_page=1 HTTP/1.1', `Host: ${host}`)
        expect([host, answer]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 200 /)])
        expect(answer).toContain(`<${origin}/users?page=1&per_page=1>; rel="first"`)
      }
    })

    test('HTTP/1.0 may go without a Host: links then have the address that it came to', async () => {
      const { host } = new URL(server.url)
      expect(await send('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 200 /)
      const answer = await send(`GET /users?per_page=1 HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.[01] 200 /)
      const origins = [host, host.replace('127.0.0.1', 'localhost')].map((each) => `<http://${each}/users?`)
      expect(origins.some((origin) => answer.includes(origin))).toBe(true)
    })

    test('a login, owner or name of . or .. is 400 in any encoding, free, and never another route', async () => {
      const before = await readBalance()
      for (const dots of ['.', '..', '%2e', '%2E%2e', '.%2e', '%2e.']) {
        for (const path of [
          `/users/${dots}`,
          `/users/${dots}/`,
          `/repos/${dots}/users`,
          `/repos/a/${dots}`,
          `/repos/a/${dots}/commits`,
          `/repos/${dots}/${dots}/users/ngoldberg`,
          `/docs/${dots}/users/ngoldberg`,
          `/${dots}/users?per_page=1`,
          `http://localhost/users/${dots}`,
        ]) {
          const answer = await sendRequest(`GET ${path} HTTP/1.1`)
          expect([path, answer]).toEqual([
            path,
            expect.stringMatching(
              /^HTTP\/1\.1 400 .*x-error-code: invalid_url\r\n.*\{"error":"Invalid URL: /is,
            ),
          ])
        }
      }
      expect(await readBalance()).toBe(before)
    })

    test('OPTIONS * and methods that nobody knows are 405 with Allow', async () => {
      const lines = [
        'OPTIONS *',
        'FOO /users',
        'get /users',
        'PROPFIND /users',
        'TRACE /users',
        'CONNECT localhost:80',
      ]
      for (const line of lines) {
        const answer = await sendRequest(`${line} HTTP/1.1`)
        expect([line, answer]).toEqual([
          line,
          expect.stringMatching(
            /^HTTP\/1\.1 405 .*\{"error":"Method not allowed; use GET, HEAD or OPTIONS"\}$/s,
          ),
        ])
        expect(answer).toMatch(/\r\nallow: GET, HEAD, OPTIONS\r\n/i)
        expect(answer).toMatch(/\r\nx-error-code: method_not_allowed\r\n/i)
      }
    })

    test('what is no request, or a broken one, is a 4xx', async () => {
      const broken = {
        'no HTTP': 'hello\r\n\r\n',
        'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
        'an unknown version': 'GET /users HTTP/9.9\r\nHost: a\r\n\r\n',
        'a NUL in the path': 'GET /users/\0 HTTP/1.1\r\nHost: a\r\n\r\n',
        'a NUL in a header': 'GET /users HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n',
        'a space in the path': 'GET /users/a b HTTP/1.1\r\nHost: a\r\n\r\n',
        'no Host': 'GET /users HTTP/1.1\r\nConnection: close\r\n\r\n',
        'a length that is none': 'GET /users HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
        'two lengths': 'GET /users HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
        'an unknown coding': 'GET /users HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n',
        'a header without a name': 'GET /users HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n',
        'headers that are too large': `GET /users HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(400_000)}\r\n\r\n`,
        'a path that is too long': `GET /users/${'a'.repeat(400_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      }
      for (const [what, bytes] of Object.entries(broken)) {
        const answer = await send(bytes)
        expect([what, answer]).toEqual([what, expect.stringMatching(refusal)])
      }
    })

    test('no target and no header, however odd, ends in a 5xx', async () => {
      const odd = {
        targets: [
          '*',
          'users',
          '//users',
          '//evil.example/users',
          'http://[',
          'http://localhost/users',
          'http:',
          '?',
          '#',
        ],
        hosts: [
          '',
          'a b',
          '[::1',
          '[::1]:x',
          'localhost:99999',
          'a/b',
          'a?b',
          'a#b',
          'a@b',
          '\xff',
          '%00',
          'a, b',
        ],
        headers: ['Expect: 100-continue', 'Expect: more', 'Upgrade: websocket', 'Host: second'],
      }
      const targetBytes = fc
        .array(fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })))
        .map((bytes) => String.fromCharCode(...bytes))
      const target = fc.oneof(
        fc.constantFrom(...odd.targets),
        targetBytes,
        targetBytes.map((bytes) => `/${bytes}`),
      )
      const host = fc.oneof(fc.constantFrom(...odd.hosts), headerValue)
      const extra = fc.constantFrom('X-Nothing: 1', ...odd.headers)
      await fc.assert(
        fc.asyncProperty(target, host, extra, async (target, host, extra) => {
          const answer = await sendRequest(`GET ${target} HTTP/1.1`, `Host: ${host}\r\n${extra}`)
          if (!/^HTTP\/1\.1 [123]\d\d /.test(answer)) expect(answer).toMatch(refusal)
        }),
        { numRuns: 300 },
      )
    })
  },
)
