/**
 * The request as Node's server hands it over.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../errors.ts'
import { formatHost } from '../service/local-url.ts'
import { findRequestFault, invalidHost, parseHost } from './request-target.ts'

/**
 * Checks a request as it was sent, and writes its parsed Host header as the URL parser would: from that the listener
 * makes the URL. HTTP/1.0 may go without a Host; the URL then has the address that the client connected to.
 */
export function prepareRequest(request: IncomingMessage): ApiError | undefined {
  const { method = 'GET', url: target = '', httpVersion, headers, socket } = request
  const host = readHost(request)
  const fault = findRequestFault({ method, target, host })
  if (fault !== undefined) return fault
  if (host === undefined && httpVersion !== '1.0') return invalidHost()
  headers.host = host === undefined ? readLocalHost(socket) : parseHost(host)
  return undefined
}

/** The address that a client connected to. A server that listens on `::` sees IPv4 addresses within IPv6 ones. */
function readLocalHost({ localAddress = '', localPort = 0 }: Socket): string {
  return formatHost(localAddress.replace(/^::ffff:/, ''), localPort)
}

/** All Host headers; Node's parsed headers have the first alone. */
function readHost({ rawHeaders }: IncomingMessage): string | undefined {
  let host: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    const value = rawHeaders[index + 1] ?? ''
    host = host === undefined ? value : `${host},${value}`
  }
  return host
}
