/**
 * The service on Node.js: `node api/node.ts`.
 *
 * @module
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { startService } from './service.ts'

/** Request line and headers together, in bytes: room for the longest URL that the API reads. */
const maxHeaderSize = 65_536

await startService({
  environment: process.env,
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  listen({ fetch, port, hostname }) {
    const server = createAdaptorServer({
      fetch,
      serverOptions: { maxHeaderSize, requestTimeout: 30_000 },
    }) as Server
    server.on('clientError', answerUnreadable)
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
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
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
