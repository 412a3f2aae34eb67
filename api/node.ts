/**
 * The service on Node.js: `node api/node.ts`.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { answerUnreadable } from './answer/error.ts'
import { readPatience, serverOptions, tendConnections } from './node-connections.ts'
import { startService } from './service.ts'
import { startTelemetry } from './telemetry-node.ts'

await startService({
  environment: process.env,
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  startTelemetry,
  listen({ fetch, door, answerDefect, port, hostname }) {
    const serve = getRequestListener(
      (request, { outgoing }) => fetch(request, { onSent: (act) => outgoing.once('finish', act) }),
      { errorHandler: (error) => (error instanceof RequestError ? answerUnreadable() : answerDefect(error)) },
    )
    const listener: RequestListener = (request, response) => {
      const closed = door.refuse(request.method ?? 'GET', request.headers.authorization)
      if (closed === undefined) return serve(request, response)
      // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
      setImmediate(() => response.writeHead(closed.status, closed.headers).end(closed.body))
    }
    const server = createServer(serverOptions, listener)
    server.on('checkExpectation', listener) // refused by Node otherwise, without the {error} body
    tendConnections(server, readPatience)
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
