/**
 * The service on Node.js: `node api/node.ts`.
 *
 * @module
 */
import { createServer } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { internalError, invalidRequest } from './errors.ts'
import { type PlainResponse, toResponse } from './http/error-handler.ts'
import { prepareRequest, readMaxConnections, serveConnections, serverOptions } from './server/node-server.ts'
import { startService } from './service/service.ts'
import { startNodeTraceExport } from './telemetry/trace-export.ts'

await startService({
  environment: process.env,
  parameters: process.argv.slice(2),
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  startTraceExport: startNodeTraceExport,
  listen({ app: { shedLoad, fetch, refuse }, port, hostname, reservedFiles }) {
    const respond = getRequestListener(
      (request, { outgoing }) =>
        fetch(request, {
          onClosed(act) {
            if (outgoing.closed) act()
            else outgoing.once('close', act)
          },
        }),
      {
        errorHandler: (error) =>
          toResponse(refuse('', error instanceof RequestError ? invalidRequest() : internalError(error)), ''),
      },
    )
    const server = createServer(serverOptions)
    serveConnections(
      server,
      (request, response) => {
        const { method = '' } = request
        const send = ({ status, headers, body }: PlainResponse) =>
          response.writeHead(status, headers).end(body)
        const overload = shedLoad(method, request.headers.authorization)
        if (overload !== undefined) return setImmediate(send, overload)
        const error = prepareRequest(request)
        return error === undefined ? respond(request, response) : send(refuse(method, error))
      },
      refuse,
      { maxConnections: readMaxConnections(reservedFiles) },
    )
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
