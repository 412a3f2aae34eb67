/**
 * The service on Node.js: `node api/node.ts`.
 *
 * @module
 */
import { createServer, type RequestListener } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { invalidRequest } from './errors.ts'
import {
  connectionLimits,
  readMaxConnections,
  serveConnections,
  serverOptions,
} from './server/node-connections.ts'
import { prepareRequest } from './server/node-request.ts'
import { startService } from './service/service.ts'
import { startTraceExport } from './telemetry/trace-export-node.ts'

await startService({
  environment: process.env,
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  startTraceExport,
  listen({ fetch, loadShedder, refuse, respondToDefect, port, hostname, reservedFiles }) {
    const serve = getRequestListener(
      (request, { outgoing }) =>
        fetch(request, {
          onClosed(act) {
            if (outgoing.closed) act()
            else outgoing.once('close', act)
          },
        }),
      {
        errorHandler(error) {
          if (!(error instanceof RequestError)) return respondToDefect(error)
          const { body, ...refused } = refuse('', invalidRequest())
          return new Response(body, refused)
        },
      },
    )
    const listener: RequestListener = (request, response) => {
      const { method = 'GET' } = request
      const closed = loadShedder.refuse(method, request.headers.authorization)
      if (closed === undefined) {
        const fault = prepareRequest(request)
        if (fault === undefined) return serve(request, response)
        const refused = refuse(method, fault)
        return response.writeHead(refused.status, refused.headers).end(refused.body)
      }
      // Whoever is refused may come again at once: not in this turn of the event loop, or it would never end.
      setImmediate(() => response.writeHead(closed.status, closed.headers).end(closed.body))
    }
    const server = createServer(serverOptions)
    serveConnections(server, listener, {
      refuse,
      ...connectionLimits,
      maxConnections: readMaxConnections(reservedFiles),
    })
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
