/**
 * Bytes that no HTTP client sends: a process of each runtime refuses them (decisions/0005-http.md).
 *
 * @module-tag later
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { headerValue } from '../support/arbitraries.ts'
import { type InstanceProcess, runtimes, startInstanceProcess } from '../support/process.ts'

describe.each(runtimes)('a process on %s', (runtime) => {
  let server: InstanceProcess
  let dataDirectory: string
  let port: number
  let key: string
  let admin: string
  const refusal = /^HTTP\/1\.1 4\d\d .*\r\nX-Error-Code: \w+\r\n.*\r\n\r\n\{"error":"[^"]+"\}$/is
  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'devdata-'))
    await cp(join(inject('databases').directory, 'sample'), dataDirectory, { recursive: true })
    server = await startInstanceProcess(undefined, { DATA_DIR: dataDirectory }, { runtime })
    port = Number(new URL(server.url).port)
    key = /user key (\S+)/.exec(server.readLog())?.[1] ?? ''
    admin = /admin +(\S+)/.exec(server.readLog())?.[1] ?? ''
  })
  afterAll(async () => {
    await server?.stop()
    await server?.[Symbol.asyncDispose]()
    await rm(dataDirectory, { recursive: true, force: true })
  })

  /** Sends bytes (Latin-1) on a new connection. Returns everything received until it is closed. */
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

  test('responds to a complete request', async () => {
    expect(await sendRequest('GET /users?per_page=1 HTTP/1.1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  /** Reads the key's balance, for free. */
  async function readBalance(): Promise<number> {
    const response = await sendRequest('GET /api-key/credits HTTP/1.1')
    return Number(/"remaining_credits":(\d+)/.exec(response)?.[1])
  }

  const invalidHost = /^HTTP\/1\.1 400 .*x-error-code: invalid_host\r\n.*\{"error":"Invalid Host: /is

  test('refuses an invalid Host on every route with 400, before it reads or charges a key', async () => {
    const before = await readBalance()
    for (const host of [
      ...['1.2.3.256', '127.0..1', '09', 'a.0x', 'a`b`', '$(x)', "a'b'", 'a"b"', 'W/"', ''],
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
        const response = await sendRequest(`GET ${path} HTTP/1.1`, `Host: ${host}`)
        expect([host, path, response]).toEqual([host, path, expect.stringMatching(invalidHost)])
      }
    }
    for (const authority of ['1.2.3.256', 'a`b`', 'a@localhost', 'localhost:0']) {
      const response = await sendRequest(`GET http://${authority}/users/ngoldberg HTTP/1.1`)
      expect([authority, response]).toEqual([authority, expect.stringMatching(/^HTTP\/1\.1 400 /)])
    }
    for (const second of ['localhost', 'a']) {
      const response = await sendRequest('GET /users HTTP/1.1', `Host: localhost\r\nHost: ${second}`)
      expect([second, response]).toEqual([second, expect.stringMatching(invalidHost)])
    }
    for (const none of ['X-Nothing: 1', 'Hosts: localhost']) {
      expect(await sendRequest('GET /users HTTP/1.1', none)).toMatch(invalidHost)
    }
    expect(await readBalance()).toBe(before)
  })

  test('accepts any valid Host, and repeats it in links', async () => {
    for (const [host, origin] of [
      ['api.example.com', 'http://api.example.com'],
      ['API-1.example.com:81', 'http://api-1.example.com:81'],
      ['127.1:99', 'http://127.0.0.1:99'],
      ['[::1]:8000', 'http://[::1]:8000'],
      ['dev_data:8000', 'http://dev_data:8000'],
    ] as const) {
      const response = await sendRequest('GET /users?per_page=1 HTTP/1.1', `Host: ${host}`)
      expect([host, response]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 200 /)])
      expect(response).toContain(`<${origin}/users?page=1&per_page=1>; rel="first"`)
    }
  })

  test('serves HTTP/1.0 without a Host, with its own network address in links', async () => {
    const { host } = new URL(server.url)
    expect(await send('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 200 /)
    const response = await send(`GET /users?per_page=1 HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.[01] 200 /)
    const origins = [host, host.replace('127.0.0.1', 'localhost')].map((each) => `<http://${each}/users?`)
    expect(origins.some((origin) => response.includes(origin))).toBe(true)
  })

  test('refuses a login, owner or name of . or .. in any encoding with 400, for free, and never takes another route', async () => {
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
        const response = await sendRequest(`GET ${path} HTTP/1.1`)
        expect([path, response]).toEqual([
          path,
          expect.stringMatching(
            /^HTTP\/1\.1 400 .*x-error-code: invalid_url\r\n.*\{"error":"Invalid URL: /is,
          ),
        ])
      }
    }
    expect(await readBalance()).toBe(before)
  })

  test('refuses OPTIONS * and unknown methods with 405 and Allow', async () => {
    const lines = [
      'OPTIONS *',
      'FOO /users',
      'get /users',
      'PROPFIND /users',
      'TRACE /users',
      'CONNECT localhost:80',
    ]
    for (const line of lines) {
      const response = await sendRequest(`${line} HTTP/1.1`)
      expect([line, response]).toEqual([
        line,
        expect.stringMatching(
          /^HTTP\/1\.1 405 .*\{"error":"Method not allowed; use GET, HEAD or OPTIONS"\}$/s,
        ),
      ])
      expect(response).toMatch(/\r\nallow: GET, HEAD, OPTIONS\r\n/i)
      expect(response).toMatch(/\r\nx-error-code: method_not_allowed\r\n/i)
    }
  })

  test('refuses broken requests and bytes that are not HTTP with a 4xx', async () => {
    const broken = {
      'no HTTP': 'hello\r\n\r\n',
      'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
      'no version that could be one': 'GET /users HTTP/one\r\nHost: a\r\n\r\n',
      'a NUL in the path': 'GET /users/\0 HTTP/1.1\r\nHost: a\r\n\r\n',
      'a NUL in a header': 'GET /users HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n',
      'a space in the path': 'GET /users/a b HTTP/1.1\r\nHost: a\r\n\r\n',
      'a length that is none': 'GET /users HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      'two lengths': 'GET /users HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      'a header without a name': 'GET /users HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n',
      'headers that are too large': `GET /users HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(400_000)}\r\n\r\n`,
      'a path that is too long': `GET /users/${'a'.repeat(400_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    }
    for (const [what, bytes] of Object.entries(broken)) {
      const response = await send(bytes)
      expect([what, response]).toEqual([what, expect.stringMatching(refusal)])
    }
  })

  const lookUp = '/users/ngoldberg'

  test('refuses other versions of HTTP with 505, for free', async () => {
    const before = await readBalance()
    for (const version of [' HTTP/2.0', ' HTTP/0.9', ' HTTP/1.2', ' HTTP/3.0', ' HTTP/9.9', '']) {
      for (const path of [lookUp, '/users', '/health', '/nothing']) {
        const response = await sendRequest(`GET ${path}${version}`)
        expect([path, version, response]).toEqual([path, version, expect.stringMatching(unsupportedVersion)])
      }
    }
    expect(await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(unsupportedVersion)
    expect(await readBalance()).toBe(before)
  })

  const unsupportedVersion =
    /^HTTP\/1\.1 505 .*\r\nX-Error-Code: http_version_not_supported\r\n.*\{"error":"HTTP version not supported; use HTTP\/1\.1 or HTTP\/1\.0"\}$/s

  /** Sends a request with a body in chunks, and another one on the same connection. */
  function sendChunks(version: string, coding: string): Promise<string> {
    const headers = `Host: localhost\r\nAuthorization: Bearer ${key}`
    return send(
      `GET ${lookUp} ${version}\r\n${headers}\r\nConnection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n` +
        `GET ${lookUp} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`,
    )
  }

  test('refuses an unknown or invalid transfer coding with 400, for free, and closes the connection', async () => {
    const before = await readBalance()
    for (const coding of [
      ...[
        'x',
        'gzip',
        'identity',
        'xchunked',
        'gzip, chunked',
        'x;y="a,b", chunked',
        'gzip\r\nTransfer-Encoding: chunked',
      ],
      ...['chunked, gzip', 'chunked, chunked', 'chunked;a=b', '"chunked"', 'gzip chunked', ', chunked', ''],
      'chunked\r\nContent-Length: 5',
    ]) {
      const response = await sendChunks('HTTP/1.1', coding)
      expect([coding, response]).toEqual([coding, expect.stringMatching(refusal)])
      expect([coding, response.match(/HTTP\/1\.1 /g)]).toEqual([coding, ['HTTP/1.1 ']]) // the second request had no response
      expect(response).toContain('\r\nX-Error-Code: invalid_request\r\n')
    }
    expect(await readBalance()).toBe(before)
  })

  test('serves a request in chunks, and closes the connection after one of HTTP/1.0', async () => {
    const before = await readBalance()
    for (const coding of ['chunked', 'Chunked']) {
      expect((await sendChunks('HTTP/1.1', coding)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
      expect((await sendChunks('HTTP/1.0', coding)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
    }
    expect(await readBalance()).toBe(before - 6)
  })

  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

  test('refuses a malformed body in chunks with 400, for free, and closes the connection, whatever is requested', async () => {
    const before = await readBalance()
    const size = list.length.toString(16)
    for (const body of [
      `0x${size}\r\n${list}\r\n0\r\n\r\n`,
      `-${size}\r\n${list}\r\n0\r\n\r\n`,
      `1${size.padStart(16, '0')}\r\n${list}\r\n0\r\n\r\n`, // more than 64 bits
      `${size};\n${list}\r\n0\r\n\r\n`,
      `${size}\n${list}\n0\n\n`,
      `${size} \r\n${list}\r\n0\r\n\r\n`,
      `${size}\r\n${list}0\r\n\r\n`,
      `${size}\r\n${list}xx0\r\n\r\n`,
      `${size}\r\n${list}\r\n0\r\nno trailer\r\n\r\n`,
      `\r\n${list}\r\n0\r\n\r\n`,
    ]) {
      for (const line of ['POST /mcp', `GET ${lookUp}`, 'POST /nothing', 'OPTIONS /users']) {
        const response = await send(
          `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
            `Transfer-Encoding: chunked\r\n\r\n${body}`,
        )
        expect([line, body, response]).toEqual([line, body, expect.stringMatching(refusal)])
        expect(response).toContain('\r\nX-Error-Code: invalid_request\r\n')
      }
    }
    expect(await readBalance()).toBe(before)
  })

  test('responds to a body that comes in pieces, and with 408 to one that is not complete within 10 seconds', async () => {
    const head = (length: number) =>
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Connection: close\r\nContent-Length: ${length}\r\n\r\n`
    const slow = connect(port, '127.0.0.1')
    const slowResponse = text(slow)
    for (const piece of [head(list.length), ...(list.match(/.{1,10}/g) ?? [])]) {
      slow.write(piece)
      await sleep(20)
    }
    expect(await slowResponse).toMatch(/^HTTP\/1\.1 200 .*"find_users"/s)
    const startedAt = performance.now()
    const endless = connect(port, '127.0.0.1')
    endless.write(head(1_000))
    const drip = setInterval(() => endless.write(' '), 500)
    const response = await text(endless)
    clearInterval(drip)
    expect(response).toMatch(/^HTTP\/1\.1 408 .*\r\nX-Error-Code: request_timeout\r\n/s)
    expect(performance.now() - startedAt).toBeGreaterThan(9_900)
  })

  test.each(['of one key', 'of as many unknown keys', 'without a key'])(
    'serves all while 4,100 requests wait for their bodies: %s',
    async (whose) => {
      const authorization = () =>
        whose === 'without a key'
          ? ''
          : `Authorization: Bearer ${whose === 'of one key' ? key : randomUUID()}\r\n`
      const clients: Socket[] = []
      for (let index = 0; index < 4_100; index++) {
        const client = connect(port, '127.0.0.1').on('error', () => {})
        client.resume()
        client.write(
          `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${authorization()}Content-Length: 100\r\n\r\n{`,
        )
        clients.push(client)
        if (index % 100 === 0) await once(client, 'connect')
      }
      expect(await sendRequest('GET /health HTTP/1.1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(await sendRequest(`GET ${lookUp} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      const call = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${list.length}\r\nConnection: close`
      const other = await send(
        `POST /mcp HTTP/1.1\r\n${call}\r\nAuthorization: Bearer ${admin}\r\n\r\n${list}`,
      )
      expect(other).toMatch(/^HTTP\/1\.1 200 /)
      const own = await send(`POST /mcp HTTP/1.1\r\n${call}\r\n${authorization()}\r\n${list}`)
      expect(own).toMatch(whose === 'of one key' ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 401 /)
      const metrics = await send(
        `GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin}\r\nConnection: close\r\n\r\n`,
      )
      expect(metrics).toMatch(/^devdata_requests_in_progress 1$/m) // this one
      for (const client of clients) client.destroy()
    },
  )

  test('serves a whole URL with http or https, in upper case too, and refuses other schemes with 400, for free', async () => {
    const before = await readBalance()
    for (const scheme of ['http', 'HTTP', 'Https']) {
      expect(await sendRequest(`GET ${scheme}://localhost${lookUp} HTTP/1.1`)).toMatch(
        /^HTTP\/1\.1 200 OK\r\n/,
      )
    }
    for (const scheme of ['ftp', 'ws', 'file', 'httpx', 'h-t+t.p']) {
      const response = await sendRequest(`GET ${scheme}://localhost${lookUp} HTTP/1.1`)
      expect([scheme, response]).toEqual([scheme, expect.stringMatching(refusal)])
    }
    expect(await readBalance()).toBe(before - 3)
  })

  test('never responds to any target and headers with a 5xx', async () => {
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
        const response = await sendRequest(`GET ${target} HTTP/1.1`, `Host: ${host}\r\n${extra}`)
        if (!/^HTTP\/1\.1 [123]\d\d /.test(response)) expect(response).toMatch(refusal)
      }),
      { numRuns: 300 },
    )
  })
})
