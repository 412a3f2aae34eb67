/**
 * Connections to Node's server that do not behave.
 *
 * @module
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readPatience, serverOptions, tendConnections } from '../api/node-connections.ts'

/** A server as `api/node.ts` has it, but for what is answered, and for some limits. */
async function startServer(
  listener: RequestListener,
  limits: Partial<typeof serverOptions & { readPatience: number }> = {},
) {
  const server = createServer({ ...serverOptions, connectionsCheckingInterval: 20, ...limits }, listener)
  tendConnections(server, limits.readPatience ?? readPatience)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address')
  return {
    port: address.port,
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

describe('a connection', () => {
  test('is told 408 when its request takes too long to arrive', async () => {
    await using server = await startServer(() => {}, { requestTimeout: 100 })
    const answer = await server.send('GET / HTTP/1.1\r\nHost: localh')
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*\{"error":"Request incomplete: .*"\}$/s)
  })

  test('that sends no HTTP behind a request gets the answer of that, whole and alone', async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { 'Content-Length': 8 }).write('half')
      setTimeout(() => response.end('half'), 50)
    })
    const answer = await server.send(request, 'this is no HTTP\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nhalfhalf$/s)
    expect(answer.split('HTTP/1.1')).toHaveLength(2)
  })

  test('that sends no HTTP is told 400', async () => {
    await using server = await startServer((_, response) => response.end())
    const answer = await server.send('this is no HTTP\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\{"error":"Invalid HTTP request"\}$/s)
  })

  /** A server whose answer is more than the operating system keeps for a client that does not read. */
  async function startLargeAnswers(limits: { readPatience: number }) {
    const size = 2 ** 26
    const answers: ServerResponse[] = []
    const server = await startServer((_, response) => {
      answers.push(response)
      response.end(Buffer.alloc(size))
    }, limits)
    return { ...server, size, answers }
  }

  test('whose client takes nothing of its answer is left', async () => {
    await using server = await startLargeAnswers({ readPatience: 500 })
    const { answers } = server
    const idle = connect(server.port, '127.0.0.1').on('error', () => {}) // reads nothing before it is told to
    idle.write(request)
    await expect.poll(() => answers[0]?.closed).toBe(true)
    expect(answers[0]?.writableFinished).toBe(false)
    idle.destroy()
  })

  test('whose client takes its answer slowly gets it whole', async () => {
    // This machine may stand still for some seconds between two parts; all together they take longer than that.
    await using server = await startLargeAnswers({ readPatience: 7_000 })
    const { answers, size } = server
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
    expect(answers[0]?.writableFinished).toBe(true)
  })

  test('is kept for longer than load balancers keep theirs', async () => {
    await using server = await startServer((_, response) => response.end())
    const answer = await server.send(
      request,
      'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('\r\nKeep-Alive: timeout=620\r\n')
  })
})
