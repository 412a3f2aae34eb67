/**
 * HTTP rules that every response follows (decisions/0005-http.md).
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type LogRecord, reset } from '@logtape/logtape'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../api/database/connection-error.ts'
import { contract } from './support/contract.ts'
import { absentPassword, createInstance, type Instance, openAbsentDatabase } from './support/instance.ts'
import { recordLog } from './support/recorded-log.ts'
import {
  type Answer,
  describeOnEachDatabase,
  liveRuntime,
  maxAddressLength,
  startTestService,
  type TestService,
  testInside,
} from './support/service.ts'

const records: LogRecord[] = []
const metaSchema = v.object({
  meta: v.object({ request_id: v.string(), timestamp: v.number(), execution_time: v.number() }),
})
const dataSchema = v.object({ data: v.array(v.unknown()) })
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Sends the service's log lines of all levels to `records`. */
async function recordAll(): Promise<void> {
  records.length = 0
  await recordLog('trace', (record) => void records.push(record))
}

/** Everything that a log line could show. */
function writeRecord({ message, properties, level, category }: LogRecord): string {
  return JSON.stringify({ message, properties, level, category }, (_, value: unknown) =>
    value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value,
  )
}

describe('requests and answers', () => {
  let service: TestService
  let key: string
  beforeAll(async () => {
    await recordAll()
    service = await startTestService('embedded')
    key = (await service.createKey()).secret
  })
  beforeEach(() => {
    records.length = 0
  })
  afterAll(async () => {
    await service.close()
    await reset()
  })

  /** One request of each kind of answer. */
  async function sendOfEachKind(): Promise<Answer[]> {
    const poor = await service.createKey({ credits: 0 })
    const limited = await service.createKey({ rateLimit: { requests: 1, seconds: 3600 } })
    const tagged = await service.request('/users', { key })
    const tag = tagged.headers.get('ETag') ?? ''
    await service.request('/users/ngoldberg', { key: limited.secret })
    const answers = [tagged]
    for (const [path, options] of [
      ['/users', { key, method: 'HEAD' }],
      ['/users', { key, headers: { 'If-None-Match': tag } }],
      ['/users?page=0', { key }],
      ['/users', {}],
      ['/users', { key: poor.secret }],
      ['/users/nobody-has-this-login', { key }],
      ['/no-such-path', {}],
      ['/users', { method: 'POST' }],
      ['/users', { method: 'OPTIONS' }],
      ['/users/ngoldberg', { key: limited.secret }],
      ['/health', {}],
      ['/', {}],
    ] as const) {
      answers.push(await service.request(path, options))
    }
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 304, 400, 401, 403, 404, 404, 405, 204, 429, 200, 302])
    return answers
  }

  describe('X-Request-Id', () => {
    test('is on every answer, unique', async () => {
      const answers = await sendOfEachKind()
      const ids = answers.map(({ headers }) => headers.get('X-Request-Id') ?? '')
      for (const id of ids) expect(id).toMatch(uuid)
      expect(new Set(ids).size).toBe(ids.length)
    })

    test('is meta.request_id of every list, beside a timestamp in seconds and whole milliseconds', async () => {
      const admin = await service.createKey({ role: 'admin' })
      for (const path of ['/users', '/repos?per_page=2', '/users?page=999', '/admin/keys']) {
        const before = Math.floor(Date.now() / 1000)
        const answer = await service.request(path, { key: admin.secret })
        const { meta } = v.parse(metaSchema, answer.json())
        expect(meta.request_id).toBe(answer.headers.get('X-Request-Id'))
        expect(meta.timestamp).toBeGreaterThanOrEqual(before)
        expect(meta.timestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
        expect(Number.isInteger(meta.execution_time)).toBe(true)
        expect(meta.execution_time).toBeGreaterThanOrEqual(0)
      }
    })

    test('is not taken over from the client', async () => {
      const answer = await service.request('/health', { headers: { 'X-Request-Id': 'mine' } })
      expect(answer.headers.get('X-Request-Id')).toMatch(uuid)
    })
  })

  describe('ETag', () => {
    const paths = ['/users?per_page=5', '/users/ngoldberg', '/repos?per_page=3', '/users?location=berlin']
    const read = async (path: string, secret = key) => {
      const { status, headers } = await service.request(path, { key: secret })
      expect([path, status]).toEqual([path, 200])
      return headers.get('ETag') ?? ''
    }

    test('is weak, and the same for the same data, whoever asks', async () => {
      const { secret } = await service.createKey()
      for (const path of paths) {
        const tag = await read(path)
        expect(tag).toMatch(/^W\/"[^"]+"$/)
        expect(await read(path)).toBe(tag)
        expect(await read(path, secret)).toBe(tag)
      }
    })

    test('changes with the URL', async () => {
      const urls = [
        ...paths,
        '/users?per_page=6',
        '/users?per_page=5&page=2',
        '/users?per_page=5&page=998', // three pages past the end: all of them empty
        '/users?per_page=5&page=999',
        '/users?per_page=5&location=no-such-place',
        '/repos?per_page=5&dependency_names=no-such-package',
        '/users/gracEabara',
      ]
      const tags = await Promise.all(urls.map((url) => read(url)))
      expect(new Set(tags).size).toBe(urls.length)
    })

    test('changes with the data, and only where it changed', async () => {
      /** As a load does it: the dataset has another version afterwards. */
      const rename = (from: string, to: string) =>
        service.sql.begin(async (tx) => {
          await tx`update users set document = replace(document, ${from}, ${to})`
          await tx`update dataset set version = version + 1`
        })
      const before = [await read('/users/GraceAbara'), await read('/users?per_page=5'), await read('/repos')]
      await rename('Grace Abara', 'G. Abara')
      const after = [await read('/users/GraceAbara'), await read('/users?per_page=5'), await read('/repos')]
      await rename('G. Abara', 'Grace Abara')
      expect(after[0]).not.toBe(before[0])
      expect(after[1]).not.toBe(before[1])
      expect(after[2]).toBe(before[2])
      expect(await read('/users/GraceAbara')).toBe(before[0])
    })

    test('If-None-Match is compared weakly, in lists, and with *', async () => {
      for (const path of paths) {
        const tag = await read(path)
        const strong = tag.replace('W/', '')
        for (const [ifNoneMatch, status] of [
          [tag, 304],
          [strong, 304],
          [`"other", ${tag}`, 304],
          [`W/"other" ,${strong}, "another"`, 304],
          ['*', 304],
          ['"other"', 200],
          ['W/"other", "another"', 200],
          [strong.replaceAll('"', ''), 200],
          ['', 200],
          [`"x${strong.slice(1)}`, 200],
        ] as const) {
          const answer = await service.request(path, { key, headers: { 'If-None-Match': ifNoneMatch } })
          expect([path, ifNoneMatch, answer.status]).toEqual([path, ifNoneMatch, status])
          expect(answer.headers.get('ETag')).toBe(tag)
          if (status === 304) expect(answer.text).toBe('')
        }
      }
    })

    test('304 answers HEAD as it answers GET', async () => {
      const headers = { 'If-None-Match': await read('/users?per_page=5') }
      const answer = await service.request('/users?per_page=5', { method: 'HEAD', key, headers })
      expect([answer.status, answer.text]).toEqual([304, ''])
    })

    test('If-None-Match: * does not hide that there is nothing', async () => {
      const headers = { 'If-None-Match': '*' }
      expect((await service.request('/users/nobody-has-this-login', { key, headers })).status).toBe(404)
      expect((await service.request('/users', { headers })).status).toBe(401)
      expect((await service.request('/users?page=0', { key, headers })).status).toBe(400)
    })

    test('answers for a key are kept by nobody else, and asked for again', async () => {
      for (const path of paths) {
        const { headers } = await service.request(path, { key })
        expect(headers.get('Cache-Control')).toBe('private, no-cache')
      }
    })
  })

  describe('CORS', () => {
    test('any origin may read every answer of the API, errors included', async () => {
      for (const { status, headers } of await sendOfEachKind()) {
        const isPage = status === 302 // the redirect to the docs
        expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([status, isPage ? null : '*'])
        expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
      }
    })

    test.each([
      '/',
      '/docs',
      '/docs/',
      '/docs/quickstart',
      '/docs/no-such-page',
      '/docs/llms.txt',
      '/docs/a%5Cb',
      '/%64ocs',
      '/api-docs',
      '/api-docs/',
      '/llms.txt',
      '/robots.txt',
    ])('no other origin may read the page %s, nor ask whether it may', async (path) => {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
        const { headers } = await service.request(path, { method })
        const crossOrigin = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect([method, crossOrigin]).toEqual([method, []])
        expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
      }
    })

    testInside('an escape in its path does not make a page anything else', async () => {
      const response = await createInstance(service).app.request('/%61pi-docs')
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, null])
    })

    test('scripts may read all headers that the document names', async () => {
      const names: Record<string, string> = { FileETag: 'ETag', RedirectLocation: 'Location' }
      const named = Object.keys(contract.components.headers).map((name) => names[name] ?? name)
      const safelisted = ['cache-control', 'location'] // location: redirects are followed by the browser itself
      const wanted = named.map((name) => name.toLowerCase()).filter((name) => !safelisted.includes(name))
      for (const path of ['/users', '/no-such-path']) {
        const { headers } = await service.request(path, { key })
        const exposed = (headers.get('Access-Control-Expose-Headers') ?? '').toLowerCase().split(/\s*,\s*/)
        expect(exposed).toEqual(expect.arrayContaining(wanted))
      }
    })

    test.each(['/users', '/repos/a/b', '/api-key/credits', '/health', '/no-such-path'])(
      'a preflight of %s is answered without a key',
      async (path) => {
        const answer = await service.request(path, {
          method: 'OPTIONS',
          headers: {
            Origin: 'https://elsewhere.example',
            'Access-Control-Request-Method': 'GET',
            'Access-Control-Request-Headers': 'authorization,if-none-match',
          },
        })
        expect([answer.status, answer.text]).toEqual([204, ''])
        expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
        const methods = answer.headers.get('Access-Control-Allow-Methods') ?? ''
        expect(methods.split(',').sort()).toEqual(['GET', 'HEAD', 'OPTIONS'])
        const allowed = (answer.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase().split(',')
        expect(allowed.sort()).toEqual(['authorization', 'idempotency-key', 'if-none-match', 'max-credits'])
      },
    )
  })

  describe('methods and paths', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is 405 on every path', async (method) => {
      for (const path of [
        '/users',
        '/users/ngoldberg',
        '/health',
        '/docs',
        '/',
        '/no-such-path',
        '/admin/keys',
      ]) {
        for (const options of [{ method }, { method, key }]) {
          const answer = await service.request(path, options)
          expect([path, answer.status, answer.json()]).toEqual([
            path,
            405,
            { error: 'Method not allowed; use GET, HEAD or OPTIONS' },
          ])
          expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
        }
      }
    })

    test.each([
      '/no-such-path',
      '/user',
      '/users2',
      '/Users',
      '/health/',
      '/health/x',
      '/favicon.png',
      '/.env',
    ])('GET %s is 404 with an error body', async (path) => {
      const answer = await service.request(path, { key })
      expect([answer.status, answer.json()]).toEqual([404, { error: 'Not found' }])
      const head = await service.request(path, { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([404, ''])
    })

    test.each([
      '/users',
      '/users/ngoldberg',
      '/repos',
      '/repos/a/b/commits',
      '/api-key/credits',
      '/health',
      '/version',
      '/openapi.yml',
      '/openapi.json',
      '/docs',
      '/api-docs',
      '/',
      '/no-such-path',
    ])('a broken escape, a NUL and a URL that is too long are refused on %s', async (path) => {
      for (const query of ['?x=%', '?x=%zz', '?x=%ff', '?%c3%28=1']) {
        const answer = await service.request(`${path}${query}`, { key })
        expect([query, answer.status, answer.json()]).toEqual([
          query,
          400,
          { error: 'Invalid URL: broken percent-escape' },
        ])
      }
      const nul = await service.request(`${path}?x=%00`, { key })
      expect([nul.status, nul.json()]).toEqual([400, { error: 'Invalid URL: NUL character' }])
      const needsKey = /^\/(users|repos|api-key)/.test(path)
      const longest = needsKey ? 262_144 : 8_192
      const address = `${path}?x=${'a'.repeat(longest)}`
      if (address.length > maxAddressLength) return
      const long = await service.request(address, { key })
      expect([long.status, long.json()]).toEqual([
        414,
        { error: `URL too long: at most ${longest} characters` },
      ])
    })

    test('the longest filters that are allowed fit in a URL', async () => {
      const entries = (prefix: string) =>
        Array.from({ length: 50 }, (_, index) => `${prefix}${index}`.padEnd(255, 'x')).join(',')
      const path = `/users?dependency_names=${entries('n')}&dependency_files=${entries('f')}`
      const answer = await service.request(path, { key })
      expect([answer.status, answer.headers.get('X-Total-Count')]).toEqual([200, '0'])
    })
  })

  describe('a body above 1 KiB', () => {
    test.each([
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br', 'gzip'],
      ['*', 'gzip'],
      ['gzip;q=0, br;q=0.5', 'br'],
      ['identity', null],
      ['deflate, gzip;q=0', null],
      ['', null],
    ] as const)('is compressed as Accept-Encoding: %s asks: %s', async (accept, encoding) => {
      const admin = await service.createKey({ role: 'admin' })
      const { secret, id } = await service.createKey()
      for (const [path, asked] of [
        ['/users', secret],
        ['/repos?per_page=100', secret],
        ['/admin/keys', admin.secret],
        ['/metrics', admin.secret],
      ] as const) {
        const plain = await service.request(path, { key: asked })
        const { charged } = await service.readLedger(id)
        const response = await service.request(path, {
          key: asked,
          headers: { 'Accept-Encoding': accept },
        })
        expect([path, response.headers.get('Content-Encoding')]).toEqual([path, encoding])
        expect(response.headers.get('Vary')).toBe('Accept-Encoding')
        expect(response.headers.get('ETag')).toBe(plain.headers.get('ETag'))
        expect(response.size < response.text.length / 2).toBe(encoding !== null)
        if (asked === secret) {
          expect(v.parse(dataSchema, response.json())).toEqual(v.parse(dataSchema, plain.json()))
        }
        const cost = Number(response.headers.get('X-Credits-Cost'))
        expect((await service.readLedger(id)).charged).toBe(charged + cost)
      }
    })

    test('is what it takes: a shorter one is sent as it is, and so is none', async () => {
      const headers = { 'Accept-Encoding': 'gzip' }
      for (const [path, method] of [
        ['/users/ngoldberg', 'GET'],
        ['/users?page=999', 'GET'],
        ['/users', 'HEAD'],
      ] as const) {
        const response = await service.request(path, { key, method, headers })
        expect([path, response.status, response.headers.get('Content-Encoding')]).toEqual([path, 200, null])
        expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      }
    })
  })

  test('every answer has secure headers', async () => {
    for (const { status, headers } of await sendOfEachKind()) {
      expect([status, headers.get('X-Content-Type-Options')]).toEqual([status, 'nosniff'])
      expect(headers.get('X-Frame-Options')).toBe('DENY')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.has('X-Powered-By')).toBe(false)
      expect(headers.has('Strict-Transport-Security')).toBe(false)
    }
  })

  // A pattern that it can't have in its one regular expression makes the router walk a tree with each request instead.
  testInside('routes are found with one regular expression', async () => {
    const { app } = createInstance(service)
    await app.request('/version')
    expect(app.router.name).toBe('SmartRouter + RegExpRouter')
  })

  // Of instances of their own. What links are like over the wire, walks and the usage tell.
  describe.skipIf(liveRuntime !== undefined)('addresses', () => {
    /** Targets of the Link header, and where / leads. */
    async function readAddresses(instance: Instance, origin: string, headers: Record<string, string> = {}) {
      const authorization = { Authorization: `Bearer ${key}` }
      const list = await instance.app.request(`${origin}/users?per_page=100`, {
        headers: { ...authorization, ...headers },
      })
      const targets = [...(list.headers.get('Link') ?? '').matchAll(/<([^>]*)>/g)].map(([, url]) => url)
      const home = await instance.app.request(`${origin}/`, { headers })
      const document = await instance.app.request(`${origin}/openapi.json`, { headers })
      const { servers } = (await document.json()) as { servers: unknown }
      return { targets, home: home.headers.get('Location'), servers }
    }

    test.each(['http://localhost', 'http://127.0.0.1:8123', 'https://other.example:8443'])(
      'without BASE_URL links have the request’s own scheme and host: %s',
      async (origin) => {
        const instance = createInstance(service)
        const forwarded = {
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'gopher',
          'X-Forwarded-Port': '666',
          'X-Forwarded-Prefix': '/evil',
          'X-Original-Host': 'evil.example',
          Forwarded: 'host=evil.example;proto=gopher',
        }
        for (const headers of [{}, forwarded]) {
          const addresses = await readAddresses(instance, origin, headers)
          expect(addresses.targets).toEqual([
            `${origin}/users?page=1&per_page=100`,
            `${origin}/users?page=2&per_page=100&after=100`,
            `${origin}/users?page=3&per_page=100`,
          ])
          expect(addresses.home).toBe(`${origin}/docs`)
          expect(addresses.servers).toEqual([expect.objectContaining({ url: origin })])
        }
      },
    )

    const baseUrl = 'https://api.example.com/public-api'

    test('with BASE_URL links have its origin and path, whatever host was asked', async () => {
      const instance = createInstance(service, { baseUrl })
      const addresses = await readAddresses(instance, 'http://10.0.0.1:8000/public-api', {
        'X-Forwarded-Host': 'evil.example',
      })
      expect(addresses.targets).toEqual([
        `${baseUrl}/users?page=1&per_page=100`,
        `${baseUrl}/users?page=2&per_page=100&after=100`,
        `${baseUrl}/users?page=3&per_page=100`,
      ])
      expect(addresses.home).toBe(`${baseUrl}/docs`)
      expect(addresses.servers).toEqual([expect.objectContaining({ url: baseUrl })])
    })

    test('with a path in BASE_URL every route is below it, and nothing beside it', async () => {
      const instance = createInstance(service, { baseUrl })
      for (const [path, status] of [
        ['/users', 200],
        ['/users/ngoldberg', 200],
        ['/repos', 200],
        ['/api-key/credits', 200],
        ['/health', 200],
        ['/version', 200],
        ['/openapi.yml', 200],
        ['/openapi.json', 200],
        ['/metrics', 403],
        ['/admin/keys', 403],
        ['/', 302],
        ['/no-such-path', 404],
      ] as const) {
        const answer = await instance.request(path, { key })
        expect([path, answer.status]).toEqual([path, status])
        const beside = await instance.app.request(`https://api.example.com${path}`, {
          headers: { Authorization: `Bearer ${key}` },
        })
        expect([path, beside.status, await beside.json()]).toEqual([path, 404, { error: 'Not found' }])
        expect(beside.headers.get('X-Request-Id')).toMatch(uuid)
      }
      const yaml = await instance.request('/openapi.yml')
      expect(yaml.text).toContain(`- url: ${baseUrl}\n`)
      expect(yaml.text).not.toContain('http://127.0.0.1:8000')
    })

    test('the base address leads to the docs, with and without a slash', async () => {
      const instance = createInstance(service, { baseUrl })
      for (const address of [baseUrl, `${baseUrl}/`, `${baseUrl}?from=a-mail`]) {
        const response = await instance.app.request(address)
        expect([address, response.status, response.headers.get('Location')]).toEqual([
          address,
          302,
          `${baseUrl}/docs`,
        ])
      }
    })

    test('an https BASE_URL is asked for by https from then on', async () => {
      const answer = await createInstance(service, { baseUrl }).request('/health')
      expect(answer.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d+/)
    })
  })

  // What it is like over the wire, log.test.ts tells.
  describe.skipIf(liveRuntime !== undefined)('the log', () => {
    test('has a line for each request, with its id, and never a key, an address or a path', async () => {
      const secrets = [key, (await service.createKey()).secret]
      for (const path of [
        '/users',
        '/users/ngoldberg',
        '/users/ngoldberg@example.org',
        '/users?location=ngoldberg@example.org',
        `/users/${key}`,
        `/users?api_key=${key}`,
        '/repos/ngoldberg/x/commits',
        `/${key}`,
        '/no-such-path/ngoldberg@example.org',
      ]) {
        records.length = 0
        const answer = await service.request(path, { key: secrets[1] })
        const id = answer.headers.get('X-Request-Id')
        expect(records.map(({ properties }) => properties.request_id)).toEqual([id])
        expect(records[0]?.properties).toMatchObject({ method: 'GET', status: answer.status })
        const text = records.map(writeRecord).join('\n')
        for (const secret of secrets) expect(text).not.toContain(secret)
        expect(text).not.toContain('@')
        expect(text).not.toContain('ngoldberg')
      }
    })

    test('names the route, the credits and the key’s number', async () => {
      const { secret, id } = await service.createKey()
      await service.request('/users/ngoldberg', { key: secret })
      expect(records.at(-1)?.properties).toMatchObject({
        route: '/users/{login}',
        status: 200,
        credits: 1,
        key_id: id,
      })
      await service.request('/repos/a/b/commits', { key: secret })
      expect(records.at(-1)?.properties).toMatchObject({
        route: '/repos/{owner}/{name}/commits',
        status: 404,
        credits: 0,
      })
    })
  })
})

describe.skipIf(liveRuntime !== undefined)('a defect inside', () => {
  let service: TestService
  beforeAll(async () => {
    await recordAll()
    service = await startTestService('embedded')
  })
  afterAll(async () => {
    await service.close()
    await reset()
  })

  test('is 500 without a word of what is inside; the log tells by the request’s id', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await service.sql`alter table users rename to moved_away`
    for (const path of ['/users', '/users/ngoldberg', '/users?location=berlin']) {
      records.length = 0
      const answer = await service.request(path, { key: secret })
      expect([path, answer.status, answer.json()]).toEqual([path, 500, { error: 'Internal server error' }])
      const requestId = answer.headers.get('X-Request-Id')
      // At once, or within a second where the same has just happened to another request.
      const findErrors = () => records.filter(({ level }) => level === 'error')
      await expect
        .poll(() => findErrors().map(({ properties }) => properties.request_id))
        .toEqual([requestId])
      const text = records.map(writeRecord).join('\n')
      expect(text).toContain('does not exist')
      expect(text).not.toContain(secret)
      expect(text).not.toContain('ngoldberg')
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    const head = await service.request('/users', { method: 'HEAD', key: secret })
    expect([head.status, head.text]).toEqual([500, ''])
    await service.sql`alter table moved_away rename to users`
    expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(200)
  })
})

testInside('a missing file says nothing of the database, a missing socket does', async () => {
  const missing = join(import.meta.dirname, 'no-such-file')
  const file: unknown = await readFile(missing).catch((error: unknown) => error)
  const socket = await new Promise((resolve) => connect(missing).once('error', resolve))
  expect([isDatabaseUnavailable(file), isDatabaseUnavailable(socket)]).toEqual([false, true])
  expect([file, socket]).toEqual([
    expect.objectContaining({ code: 'ENOENT' }),
    expect.objectContaining({ code: 'ENOENT' }),
  ])
})

describe('while the database is away', () => {
  testInside('data and health are 503 with Retry-After, and what needs no database is there', async () => {
    await recordAll()
    const database = await openAbsentDatabase()
    try {
      const instance = createInstance(database)
      const key = crypto.randomUUID()
      for (const path of ['/users', '/repos/a/b', '/api-key/credits', '/metrics', '/health']) {
        const answer = await instance.request(path, { key })
        expect([path, answer.status, answer.json()]).toEqual([
          path,
          503,
          { error: 'Database unavailable; retry in 5 seconds' },
        ])
        expect(answer.headers.get('Retry-After')).toBe('5')
        expect(answer.headers.get('X-Request-Id')).toMatch(uuid)
      }
      // An absence of some length: nobody is kept waiting longer and longer.
      for (let count = 0; count < 20; count++) {
        expect((await instance.request('/health')).status).toBe(503)
      }
      const malformed = await instance.request('/users', { key: 'no-key' })
      expect(malformed.status).toBe(401)
      const version = await instance.request('/version')
      expect([version.status, version.json()]).toEqual([200, expect.objectContaining({ dataset: null })])
      expect((await instance.request('/openapi.yml')).status).toBe(200)
      const text = records.map(writeRecord).join('\n')
      expect(text).toContain('ECONNREFUSED')
      expect(text).not.toContain(absentPassword)
      expect(text).not.toContain(key)
    } finally {
      await database.close()
      await reset()
    }
  })
})

describeOnEachDatabase('more requests at once than an instance takes', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  // Over the wire requests do not all come at the same time: how many find room is not for a test to say.
  testInside('are turned away with 503, for free, and the rest is answered', async () => {
    const { secret: key, id } = await service.createKey({ credits: 10_000 })
    await service.request('/api-key/credits', { key }) // from here on the key is known: all come in at the same time
    const answers = await Promise.all(
      Array.from({ length: 2_500 }, () => service.request('/users?per_page=1', { key })),
    )
    const served = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 503)
    expect(served.length + refused.length).toBe(2_500)
    expect(served.length).toBeGreaterThanOrEqual(128)
    expect(refused.length).toBeGreaterThanOrEqual(2_500 - 2_128) // 128 run, 2,000 may wait
    for (const answer of refused) {
      expect(answer.json()).toEqual({ error: 'Over capacity; retry in 5 seconds' })
      expect(answer.headers.get('Retry-After')).toBe('5')
    }
    expect((await service.readLedger(id)).charged).toBe(served.length)
    expect((await service.request('/users?per_page=1', { key })).status).toBe(200)
  })
})
