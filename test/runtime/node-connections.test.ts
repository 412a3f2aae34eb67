/** Connections to Node's server that do not behave. */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { renderError } from '../../api/http/error-handler.ts'
import { type ConnectionLimits, serveConnections, serverOptions } from '../../api/runtime/node-server.ts'
import { countUnreadBytes } from '../support/unread-bytes.ts'

/** A server as `api/node.ts` has it, but with other responses, and with some other limits. */
async function startServer(
  listener: RequestListener,
  limits: Partial<typeof serverOptions & ConnectionLimits> = {},
) {
  const server = createServer({ ...serverOptions, connectionsCheckingInterval: 20, ...limits })
  serveConnections(server, listener, (_, error) => renderError(error, {}, () => {}), {
    maxConnections: 100,
    ...limits,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address')
  return {
    port: address.port,
    countConnections: () => promisify(server.getConnections.bind(server))(),
    /** Sends text on a connection of its own, and gives all that comes back until it is closed. */
    async send(...parts: string[]): Promise<string> {
      const socket = connect(address.port, '127.0.0.1')
      for (const part of parts) socket.write(part)
      return text(socket)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const lastRequest = 'GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

describe('a client’s connection', () => {
  test('gets 408 if its request takes too long to arrive', async () => {
    await using server = await startServer(() => {}, { requestTimeout: 100 })
    const received = await server.send('GET / HTTP/1.1\r\nHost: localh')
    expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*\{"error":"Request incomplete: .*"\}$/s)
  })

  test('gets the whole response to a request that is followed by bytes that are not HTTP, then 400', async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { 'Content-Length': 8 }).write('half')
      setTimeout(() => response.end('half'), 50)
    })
    const received = await server.send(request, 'this is not HTTP\r\n\r\n')
    expect(received).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nhalfhalfHTTP\/1\.1 400 Bad Request\r\n.*\{"error":"Invalid HTTP request"\}$/s,
    )
    expect(received.split('HTTP/1.1')).toHaveLength(3)
  })

  test('gets the response to a request with a body that is followed by bytes that are not HTTP, then 400', async () => {
    await using server = await startServer((_, response) => response.end('done'))
    const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'
    const received = await server.send(`${post}this is not HTTP\r\n\r\n`)
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*doneHTTP\/1\.1 400 Bad Request\r\n/s)
  })

  test('gets 400 for bytes that are not HTTP', async () => {
    await using server = await startServer((_, response) => response.end())
    const received = await server.send('this is not HTTP\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\{"error":"Invalid HTTP request"\}$/s)
  })

  test('gets 405 with Allow for an unknown method, or CONNECT', async () => {
    await using server = await startServer((_, response) => response.end('served'))
    const refused =
      /HTTP\/1\.1 405 Method Not Allowed\r\nAllow: GET, HEAD, OPTIONS\r\n.*X-Error-Code: method_not_allowed\r\n.*\{"error":"Method not allowed; [^"]*"\}$/s
    for (const line of [
      'FOO /users',
      'get /users',
      "M-SEARCH!#$%&'*+.^_`|~ /users",
      'CONNECT localhost:80',
    ]) {
      const received = await server.send(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect([line, received]).toEqual([line, expect.stringMatching(refused)])
    }
    const second = await server.send(request, 'FOO /users HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n.*servedHTTP\/1\.1 405 /s)
    expect(second).toMatch(refused)
    for (const line of ['FOO', 'FOO /users', 'F(O /users HTTP/1.1', 'FOO /users HTTP/two', 'FOO  HTTP/1.1']) {
      const received = await server.send(`${line}\r\n\r\n`)
      expect([line, received]).toEqual([line, expect.stringMatching(/^HTTP\/1\.1 400 .*invalid_request/s)])
    }
  })

  test('does not end the process when its client resets it after CONNECT, or keeps sending', async () => {
    await using server = await startServer((_, response) => response.end('served'))
    const uncaught: unknown[] = []
    const note = (error: unknown) => uncaught.push(error)
    process.on('uncaughtException', note)
    for (let index = 0; index < 20; index++) {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {})
      socket.write('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\nmore')
      socket.once('data', () => socket.write('and more', () => socket.resetAndDestroy()))
      await once(socket, 'close')
    }
    expect(await server.send(lastRequest)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    process.off('uncaughtException', note)
    expect(uncaught).toEqual([])
  })

  test('passes no further request on once a response closes it', async () => {
    let served = 0
    await using server = await startServer((_, response) => {
      served++
      response.setHeader('Connection', 'close')
      setTimeout(() => response.end('served'), 20)
    })
    const received = await server.send(request, request, request)
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
    expect(served).toBe(1)
  })

  test('gets 414 for a URL that is too long, in one packet or in several', async () => {
    await using server = await startServer((_, response) => response.end())
    for (const length of [50_000, 240_000]) {
      const received = await server.send(`GET /?${'a'.repeat(length)} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(received).toMatch(/^HTTP\/1\.1 414 .*X-Error-Code: url_too_long\r\n/s)
    }
  })

  test('gets 431 for headers that are too large', async () => {
    await using server = await startServer((_, response) => response.end())
    const received = await server.send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a '.repeat(150_000)}\r\n\r\n`)
    expect(received).toMatch(
      /^HTTP\/1\.1 431 .*X-Error-Code: headers_too_large\r\n.*\{"error":"Request headers too large: at most 49152 bytes"\}$/s,
    )
    const ofHead = await server.send(`HEAD / HTTP/1.1\r\nHost: a\r\nX: ${'a '.repeat(28_000)}\r\n\r\n`)
    expect(ofHead).toMatch(/^HTTP\/1\.1 431 .*\r\n\r\n$/s)
  })

  /** A server whose response is more than the operating system keeps for a client that does not read. */
  async function startLargeResponses(limits: { readTimeoutMs: number }) {
    const size = 2 ** 26
    const responses: ServerResponse[] = []
    const server = await startServer((_, response) => {
      responses.push(response)
      response.end(Buffer.alloc(size))
    }, limits)
    return { ...server, size, responses }
  }

  test('is reset if its client reads nothing of a response, and the system keeps nothing of it', async () => {
    await using server = await startLargeResponses({ readTimeoutMs: 500 })
    const { responses, port } = server
    const idle = connect(port, '127.0.0.1').on('error', () => {}) // reads nothing before it is told to
    idle.write(request)
    await expect.poll(() => responses[0]?.destroyed).toBe(true)
    expect(responses[0]?.writableFinished).toBe(false)
    await expect.poll(() => countUnreadBytes(port)).toBe(0)
    idle.destroy()
  })

  test.runIf(process.platform === 'linux').each(['keep-alive', 'close'])(
    'is reset if its client reads nothing of a response that the system has taken whole: Connection: %s',
    async (connection) => {
      const responses: ServerResponse[] = []
      await using server = await startServer(
        (_, response) => {
          responses.push(response)
          response.setHeader('Connection', connection)
          response.end(Buffer.alloc(2 ** 20))
        },
        { readTimeoutMs: 500 },
      )
      const { port } = server
      const idle = connect(port, '127.0.0.1').on('error', () => {})
      idle.write(request)
      await expect.poll(() => responses[0]?.writableFinished).toBe(true)
      await expect.poll(server.countConnections).toBe(0)
      await expect.poll(() => countUnreadBytes(port)).toBe(0)
      idle.destroy()
    },
  )

  test('gets a whole response even if its client reads slowly', async () => {
    // This machine may stand still for some seconds between two parts; all together they take longer than that.
    await using server = await startLargeResponses({ readTimeoutMs: 7_000 })
    const { responses, size } = server
    const slow = connect(server.port, '127.0.0.1')
    slow.write(request)
    let taken = 0
    let pauses = 0
    for await (const part of slow) {
      taken += part.length
      if (taken > size) break
      if (taken < (pauses * size) / 30) continue
      pauses++
      await sleep(250)
    }
    expect(taken).toBeGreaterThan(size)
    expect(responses[0]?.writableFinished).toBe(true)
  })

  test('has one request in progress at a time, and its responses come in the order of the requests', async () => {
    let inProgress = 0
    let most = 0
    await using server = await startServer(async (request, response) => {
      most = Math.max(most, ++inProgress)
      await sleep(Math.random())
      inProgress--
      response.end(`${request.url};`)
    })
    const paths = Array.from({ length: 500 }, (_, index) => `/${index}`)
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const received = await server.send(requests.join(''), lastRequest)
    expect(received.match(/\/\w+(?=;)/g)).toEqual([...paths, '/last'])
    expect(most).toBe(1)
  })

  /** A server that sends a response only when a test ends it. */
  async function startSlowResponses(limits: Partial<ConnectionLimits> = {}) {
    const responses: ServerResponse[] = []
    const server = await startServer((_, response) => void responses.push(response), limits)
    return { ...server, responses }
  }

  test('is not read while a request waits for the previous one', async () => {
    await using server = await startSlowResponses()
    const client = connect(server.port, '127.0.0.1').on('error', () => {})
    // The operating system takes some megabytes, and the server what it reads in one go.
    for (let sent = 0; client.writableLength < 2 ** 20 && sent < 100 && !client.destroyed; sent++) {
      client.write(request.repeat(10_000))
      await sleep(20)
    }
    expect(client.writableLength).toBeGreaterThanOrEqual(2 ** 20)
    expect(server.responses).toHaveLength(1)
    client.destroy()
  })

  test('is closed when too many requests wait for others, and new ones are served', async () => {
    await using server = await startSlowResponses({ maxPipelined: 10 })
    const waiting = server.send(request.repeat(5) + lastRequest)
    await expect.poll(() => server.responses.length).toBe(1)
    const greedy = connect(server.port, '127.0.0.1').on('error', () => {})
    greedy.write(request.repeat(7))
    expect(await text(greedy)).toBe('')
    for (let count = 0; count < 6; count++) {
      await expect
        .poll(() => server.responses.some((response) => !response.writableEnded && !response.destroyed))
        .toBe(true)
      server.responses.findLast((response) => !response.destroyed)?.end()
    }
    expect((await waiting).match(/200 OK/g)).toHaveLength(6)
  })

  test('is not closed because another one has many requests that wait', async () => {
    await using server = await startSlowResponses({ maxPipelined: 10 })
    const greedy = connect(server.port, '127.0.0.1').on('error', () => {})
    greedy.write(request.repeat(10))
    await expect.poll(() => server.responses.length).toBe(1)
    const [first] = server.responses
    const modest = [server.send(request + lastRequest), server.send(request + lastRequest)]
    await expect.poll(() => first?.destroyed).toBe(true)
    for (let count = 0; count < 4; count++) {
      const findOpen = () => server.responses.find((each) => !each.writableEnded && !each.destroyed)
      await expect.poll(findOpen).toBeDefined()
      findOpen()?.end()
    }
    for (const received of await Promise.all(modest)) expect(received.match(/200 OK/g)).toHaveLength(2)
  })

  test('counts a request that waits no longer, also if it is malformed', async () => {
    await using server = await startServer((_, response) => response.end('done'), { maxPipelined: 1 })
    const malformed = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n'
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await server.send(request + malformed)).toMatch(
        /^HTTP\/1\.1 200 OK\r\n.*HTTP\/1\.1 400 Bad Request/s,
      )
    }
    expect((await server.send(request + lastRequest)).match(/ 200 OK/g)).toHaveLength(2)
  })

  test('gets its responses after its client has closed its side', async () => {
    await using server = await startSlowResponses()
    const client = connect(server.port, '127.0.0.1')
    client.end(request)
    const [check] = await once(client.setEncoding('utf8'), 'data') // whether the client is there
    expect(check).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    server.responses[0]?.end('late')
    expect(await text(client)).toMatch(/HTTP\/1\.1 200 OK\r\n.*late/s)
  })

  test.each(['destroy', 'resetAndDestroy'] as const)(
    'cancels its client’s request in progress when it is lost: %s',
    async (end) => {
      await using server = await startSlowResponses()
      const client = connect(server.port, '127.0.0.1')
      client.write(request)
      await expect.poll(() => server.responses.length).toBe(1)
      client[end]()
      await expect.poll(() => server.responses[0]?.destroyed).toBe(true)
    },
  )

  test('is closed when there are too many, if it is the longest idle, and never during a request', async () => {
    await using server = await startSlowResponses({ maxConnections: 3 })
    const { responses } = server
    const closed: string[] = []
    async function open(name: string, sent = '') {
      const client = connect(server.port, '127.0.0.1')
      client
        .on('close', () => closed.push(name))
        .resume()
        .write(sent)
      await once(client, 'connect')
    }
    await open('busy', request)
    await expect.poll(() => responses.length).toBe(1)
    await open('served', request)
    await expect.poll(() => responses.length).toBe(2)
    await open('idle')
    responses[1]?.end() // it is idle from now on, and for less long than the other
    await expect.poll(() => responses[1]?.destroyed).toBe(true)
    await open('new', request)
    await expect.poll(() => responses.length).toBe(3)
    expect(closed).toEqual(['idle'])
    await open('newer', request)
    await expect.poll(() => responses.length).toBe(4)
    expect(closed).toEqual(['idle', 'served'])
    await open('one too many')
    await expect.poll(() => closed).toEqual(['idle', 'served', 'one too many'])
  })

  test('stays open for longer than load balancers keep theirs', async () => {
    await using server = await startServer((_, response) => response.end())
    const received = await server.send(request, lastRequest)
    expect(received).toContain('\r\nKeep-Alive: timeout=620\r\n')
  })
})

/** A request whose body is not complete. */
function startBody(sender: string, body = '{', method = 'POST'): string {
  return `${method} / HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${sender}\r\nContent-Length: 100\r\n\r\n${body}`
}

describe('the body of a request', () => {
  /** A server that counts the requests which it gets, and responds with their bodies. */
  async function startCounting(limits: Partial<ConnectionLimits> = {}) {
    const started: string[] = []
    const server = await startServer((request, response) => {
      started.push(`${request.method} ${request.url}`)
      response.end('rawBody' in request ? request.rawBody : 'no body')
    }, limits)
    return { ...server, started }
  }

  test('is complete before the request starts, and the next request on the connection waits for it', async () => {
    await using server = await startCounting()
    const client = connect(server.port, '127.0.0.1')
    client.write(startBody('a'))
    await sleep(50)
    expect(server.started).toEqual([])
    client.write(`${'x'.repeat(99)}${lastRequest}`)
    expect(await text(client)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n\{x{99}HTTP\/1\.1 200 OK\r\n.*no body$/s,
    )
    expect(server.started).toEqual(['POST /', 'GET /last'])
  })

  test.each(['POST', 'GET', 'HEAD', 'OPTIONS', 'PUT'])(
    'gets 408 if it is not complete in time, though bytes keep arriving: %s',
    async (method) => {
      await using server = await startCounting({ bodyTimeoutMs: 300 })
      const client = connect(server.port, '127.0.0.1')
      client.write(startBody('a', '{', method))
      const drip = setInterval(() => client.write(' '), 50)
      const received = await text(client)
      clearInterval(drip)
      expect(received).toMatch(
        /^HTTP\/1\.1 408 Request Timeout\r\n.*X-Error-Code: request_timeout\r\n.*Connection: close\r\n/s,
      )
      expect(server.started).toEqual([])
    },
  )

  test('gets 413 beyond 65,536 bytes, with a length and in chunks, also while the client still sends', async () => {
    await using server = await startCounting()
    const post = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
    const size = 65_536
    const chunked = (body: string) =>
      `${post}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    for (const received of [
      await server.send(`${post}Content-Length: ${size}\r\nConnection: close\r\n\r\n${'x'.repeat(size)}`),
      await server.send(chunked('x'.repeat(size)), lastRequest),
    ]) {
      expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    }
    for (const received of [
      await server.send(`${post}Content-Length: ${size + 1}\r\n\r\n`),
      await server.send(`${post}Content-Length: ${100 * size}\r\n\r\n${'x'.repeat(100 * size)}`),
      await server.send(chunked('x'.repeat(size + 1)), lastRequest),
      await server.send(chunked('x'.repeat(100 * size)), lastRequest),
    ]) {
      expect(received).toMatch(
        /^HTTP\/1\.1 413 Payload Too Large\r\n.*Connection: close\r\n.*\{"error":"Body too large: at most 65536 bytes"\}$/s,
      )
    }
    expect(server.started).toHaveLength(3)
  })

  test('gets 503 if it is the oldest of more than 100 with the same Authorization, and all others are served', async () => {
    await using server = await startCounting({ bodyTimeoutMs: 60_000, maxConnections: 1_000 })
    const oldest = server.send(startBody('busy'))
    await sleep(100)
    const clients = Array.from({ length: 100 }, () => connect(server.port, '127.0.0.1').on('error', () => {}))
    for (const client of clients) {
      client.write(startBody('busy'))
      await once(client, 'connect')
    }
    expect(await oldest).toMatch(/^HTTP\/1\.1 503 .*X-Error-Code: over_capacity\r\n/s)
    for (const sender of ['busy', 'other']) {
      expect(await server.send(startBody(sender, 'x'.repeat(100)), lastRequest)).toMatch(
        /^HTTP\/1\.1 200 OK\r\n.*x{100}/s,
      )
    }
    for (const client of clients) client.destroy()
  })

  test('gets 503 if it is the oldest of 1,000 that have not arrived, whoever sends them', async () => {
    await using server = await startCounting({ bodyTimeoutMs: 60_000, maxConnections: 2_000 })
    const oldest = server.send(startBody('first'))
    await sleep(100)
    const clients = Array.from({ length: 1_000 }, (_, index) => {
      const client = connect(server.port, '127.0.0.1').on('error', () => {})
      client.write(startBody(`sender ${index}`))
      return client
    })
    expect(await oldest).toMatch(/^HTTP\/1\.1 503 .*X-Error-Code: over_capacity\r\n/s)
    expect(await server.send(startBody('another', 'x'.repeat(100)), lastRequest)).toMatch(
      /^HTTP\/1\.1 200 OK/,
    )
    for (const client of clients) client.destroy()
  })

  test('gets 400 if it is malformed, after the response to the request before it', async () => {
    await using server = await startServer(
      (_, response) => void setTimeout(() => response.end('served'), 100),
    )
    const malformed = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n'
    for (const before of ['', request, request + request]) {
      const received = await server.send(before + malformed)
      expect(received.match(/^served|HTTP\/1\.1 \d+|served/g)?.join(' ')).toBe(
        [...Array<string>(before.length / request.length).fill('HTTP/1.1 200 served'), 'HTTP/1.1 400'].join(
          ' ',
        ),
      )
      expect(received).toMatch(/X-Error-Code: invalid_request\r\n.*Connection: close\r\n/s)
    }
  })
})
