/**
 * What Node's server leaves to be done about connections: what is no request is answered, and nobody keeps an answer
 * waiting for ever.
 *
 * @module
 */
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Request line and headers together, in bytes: room for the longest URL that the API reads. */
const maxHeaderSize = 294_912

/** A client that takes nothing of its answer for so long is left, in milliseconds. */
export const readPatience = 60_000

/** Options of Node's server. */
export const serverOptions = {
  maxHeaderSize,
  requestTimeout: 30_000,
  // Longer than load balancers keep idle connections (600 seconds, those of Google): who closes first must be them, or a
  // request that is on its way meets a connection that is gone.
  keepAliveTimeout: 620_000,
  // Node would refuse a request without Host, without the {error} body that all errors have.
  requireHostHeader: false,
}

/** Takes care of the connections of a server. A client is left that takes nothing of its answer for `readPatience`. */
export function tendConnections(server: Server, readPatience: number): void {
  /** The newest answer of a connection, which is the last to leave. */
  const newest = new WeakMap<Duplex, ServerResponse>()

  server.prependListener('request', ({ socket }, response) => {
    newest.set(socket, response)
    // All that is left is to be taken. The next request, or its absence, has its own limit.
    response.once('prefinish', () => socket.setTimeout(readPatience))
  })
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const answer = newest.get(socket)
    // Nothing may get into an answer under way: the connection ends after it.
    if (answer !== undefined && !answer.closed) answer.once('close', () => socket.end())
    else if (error.code !== 'ECONNRESET' && socket.writable) socket.end(describeRefusal(error.code))
  })
}

/** What is not HTTP, too long or too late never becomes a request; it gets an {error} body all the same. */
function describeRefusal(code: string | undefined): string {
  const [status, message] = chooseRefusal(code)
  const body = JSON.stringify({ error: message })
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Request-Id: ${crypto.randomUUID()}\r\nConnection: close\r\n\r\n${body}`
  )
}

function chooseRefusal(code: string | undefined): [status: string, message: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        `Request headers too large: at most ${maxHeaderSize} bytes`,
      ]
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'Request incomplete: it took too long to arrive']
    default:
      return ['400 Bad Request', 'Invalid HTTP request']
  }
}
