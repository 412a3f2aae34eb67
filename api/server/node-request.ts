import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../errors.ts'
import { formatHost } from '../service/local-url.ts'
import { findRequestError, invalidHost, parseHost } from './request-target.ts'

/**
 * Validates a request and normalizes its Host header, from which the adapter makes `request.url`. An HTTP/1.0 request
 * without a Host gets the IP address and port that its client connected to.
 */
export function prepareRequest(request: IncomingMessage): ApiError | undefined {
  const { method = 'GET', url: target = '', httpVersion, headers, socket } = request
  const host = readHost(request)
  const error = findRequestError({ method, target, host })
  if (error !== undefined) return error
  if (host === undefined && httpVersion !== '1.0') return invalidHost()
  headers.host = host === undefined ? readLocalHost(socket) : parseHost(host)
  return undefined
}

/** A server that listens on `::` sees IPv4 addresses as IPv6 ones. */
function readLocalHost({ localAddress = '', localPort = 0 }: Socket): string {
  return formatHost(localAddress.replace(/^::ffff:/, ''), localPort)
}

/** Joins all Host headers. Node's parsed headers have only the first. */
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
