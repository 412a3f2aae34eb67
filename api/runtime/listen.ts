/** The HTTP server of both runtimes: `node:http` with the limits of `node-server.ts`, in front of the app. */
import type { Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { internalError, invalidRequest } from '../errors.ts'
import { type PlainResponse, toResponse } from '../http/error-handler.ts'
import { type ConnectionLimits, prepareRequest, serveConnections } from './node-server.ts'
import type { Listener, ListenOptions } from './service.ts'

/** Has a server with `serverOptions` serve an app. Resolves when it accepts requests. */
export function listen(
  server: Server,
  { app: { shedLoad, fetch, refuse }, port, hostname }: ListenOptions,
  limits: ConnectionLimits = {},
): Promise<Listener> {
  const respond = getRequestListener(
    (request, { outgoing }) =>
      fetch(request, {
        onClosed(act) {
          if (outgoing.destroyed) act()
          else outgoing.once('close', act)
        },
      }),
    {
      errorHandler: (error) =>
        toResponse(refuse('', error instanceof RequestError ? invalidRequest() : internalError(error)), ''),
    },
  )
  serveConnections(
    server,
    (request, response) => {
      const { method = '' } = request
      const send = ({ status, headers, body }: PlainResponse) => response.writeHead(status, headers).end(body)
      const { url: target = '', headers } = request
      const overload = shedLoad({ method, target, authorization: headers.authorization })
      if (overload !== 'accepted') return setImmediate(send, overload)
      const error = prepareRequest(request, response)
      return error === undefined ? respond(request, response) : send(refuse(method, error))
    },
    refuse,
    limits,
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
}
