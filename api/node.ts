/**
 * The service on Node.js: `node api/node.ts`.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { answerUnreadable } from './answer/error.ts'
import { startService } from './service.ts'
import { startTelemetry } from './telemetry-node.ts'

/** Request line and headers together, in bytes: room for the longest URL that the API reads. */
const maxHeaderSize = 294_912

await startService({
  environment: process.env,
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  startTelemetry,
  listen({ fetch, door, answerDefect, port, hostname }) {
    const serve = getRequestListener(fetch, {
      errorHandler: (error) => (error instanceof RequestError ? answerUnreadable() : answerDefect(error)),
    })
    const listener: RequestListener = (request, response) => {
      const closed = door.refuse(request.method ?? 'GET', request.headers.authorization)
      if (closed === undefined) return serve(request, response)
      // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
      setImmediate(() => response.writeHead(closed.status, closed.headers).end(closed.body))
    }
    // Node would refuse a request without Host, or with an unknown Expect, without the {error} body that all errors have.
    const server = createServer({ maxHeaderSize, requestTimeout: 30_000, requireHostHeader: false }, listener)
    server.on('checkExpectation', listener)
    server.on('clientError', refuseUnreadable)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, hostname, () => {
        const address = server.address()
        resolve({
          port: typeof address === 'object' && address !== null ? address.port : port,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed())
              server.closeIdleConnections()
            }),
        })
      })
    })
  },
})

/** What is not HTTP, or has more headers than are read, never becomes a request; it gets an {error} body all the same. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', `Request headers too large: at most ${maxHeaderSize} bytes`]
      : ['400 Bad Request', 'Invalid HTTP request']
  const body = JSON.stringify({ error: message })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${crypto.randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  )
}
