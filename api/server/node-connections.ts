/**
 * What Node's server leaves to be done about connections: one request at a time on each, an {error} body for what is not
 * HTTP, a timeout for clients that don't read, and room for new clients while old ones are idle.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import * as v from 'valibot'
import { ApiError, invalidRequest, methodNotAllowed } from '../errors.ts'
import type { PlainResponse, Refuse } from '../http/error-handler.ts'

/** Request line and headers together, in bytes: room for the longest URL that the API reads. */
const maxHeaderSize = 294_912

/** Between two checks whether a client is still there that has closed its side. */
const clientCheckIntervalMs = 100

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

/** Bounds of the connections of a server. */
export interface ConnectionLimits {
  /** A connection is closed when its client reads nothing of a response for this time. */
  readTimeoutMs: number
  /** Requests that were sent ahead of the response before them and wait for it, on all connections together. */
  maxPipelined: number
  /** Open connections. Those that are idle for the longest time are closed to keep the bound. */
  maxConnections: number
}

/** The bounds of an instance, but for its open connections. */
export const connectionLimits = { readTimeoutMs: 60_000, maxPipelined: 4_000 }

interface Connection {
  socket: Socket
  /** The response in progress; undefined: the connection is idle. */
  response?: ServerResponse | undefined
  /** Requests that wait for the response in progress, in their order. */
  pipelined: [IncomingMessage, ServerResponse][]
  /** What came last is not HTTP: the connection ends after the responses to what came before. */
  isBroken?: boolean
}

/**
 * Answers the requests of a server with a listener, one at a time on each connection, and keeps to the limits; `refuse`
 * renders the response to what is not a request. A client that closes its side of a connection still gets its responses.
 */
export function serveConnections(
  server: Server,
  listener: RequestListener,
  { readTimeoutMs, maxPipelined, maxConnections, refuse }: ConnectionLimits & { refuse: Refuse },
): void {
  const connections = new Map<Socket, Connection>()
  /** Those without a request, the longest idle first. */
  const idle = new Set<Socket>()
  let pipelined = 0

  function forget(socket: Socket): void {
    pipelined -= connections.get(socket)?.pipelined.length ?? 0
    connections.delete(socket)
    idle.delete(socket)
  }

  function drop(socket: Socket): void {
    forget(socket)
    socket.destroy()
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket)
    if (connection === undefined) return // dropped, with more requests in what was read of it
    if (connection.response === undefined) {
      start(connection, request, response)
    } else if (pipelined < maxPipelined) {
      pipelined++
      connection.pipelined.push([request, response])
      pauseSoon(connection)
    } else {
      drop(request.socket)
    }
  }

  function start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = connection
    idle.delete(socket)
    connection.response = response
    socket.setTimeout(readTimeoutMs)
    response.on('timeout', () => {
      // Before, the client has nothing to read. What comes after the response has its own limits.
      if (response.headersSent) socket.destroy()
    })
    response.once('close', () => startNext(connection))
    listener(request, response)
  }

  function startNext(connection: Connection): void {
    const { socket } = connection
    connection.response = undefined
    if (!connections.has(socket)) return
    const next = connection.pipelined.shift()
    if (next === undefined) {
      idle.add(socket)
      if (connection.isBroken) socket.end()
      return
    }
    pipelined--
    if (connection.pipelined.length > 0) pauseSoon(connection)
    else socket.resume()
    start(connection, ...next)
  }

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { socket, pipelined: [] }
    connections.set(socket, connection)
    idle.add(socket)
    socket.once('close', () => forget(socket))
    socket.once('end', () => checkClient(connection))
    const [longestIdle] = idle
    if (connections.size > maxConnections && longestIdle !== undefined) drop(longestIdle)
  })
  server.on('request', receive)
  server.on('checkExpectation', receive) // refused by Node otherwise, without the {error} body
  server.on('clientError', (error: ParseError, socket: Socket) => {
    const connection = connections.get(socket)
    // Nothing may get into a response in progress.
    if (connection?.response !== undefined) connection.isBroken = true
    else if (error.code !== 'ECONNRESET' && socket.writable) {
      socket.end(writeResponse(refuse('', explainParseError(error))))
    }
  })
  // Node would close the connection without a response.
  server.on('connect', ({ socket }) => {
    const connection = connections.get(socket)
    if (connection?.response !== undefined) connection.isBroken = true
    else socket.end(writeResponse(refuse('CONNECT', methodNotAllowed())))
  })
  // Without it Node ends its side too when the client does. The property is not in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Stops reading a connection while requests wait on it. Such a connection doesn't tell when its client is gone, so the
 * others are read on.
 */
function pauseSoon({ socket, pipelined }: Connection): void {
  const pause = () => {
    if (pipelined.length > 0) socket.pause()
  }
  process.nextTick(pause) // before more is read than what the parser has
  setImmediate(pause) // Node resumes reading after each request
}

/**
 * A client that has closed its side may wait for its response, or may be gone: only what is sent to it tells. So it is
 * sent 100 Continue now and then, which clients of HTTP/1.1 pass over. The first one makes the system of a client that
 * is gone refuse the connection, and the next one fails.
 */
function checkClient(connection: Connection): void {
  const timer = setInterval(() => {
    const { response } = connection
    if (response?.headersSent === false && response.req.httpVersion === '1.1') response.writeContinue()
  }, clientCheckIntervalMs)
  connection.socket.once('close', () => clearInterval(timer))
}

const limitsSchema = v.object({
  userLimits: v.object({ open_files: v.object({ soft: v.union([v.number(), v.literal('unlimited')]) }) }),
})

/**
 * How many connections to clients the process may open (`ulimit -n`), when it needs some files for other things. Where
 * the system doesn't tell, as many as with the usual limit of 1,024.
 */
export function readMaxConnections(reservedFiles: number): number {
  const limits = v.safeParse(limitsSchema, process.report.getReport())
  const files = limits.success ? limits.output.userLimits.open_files.soft : 1_024
  return files === 'unlimited' ? Number.POSITIVE_INFINITY : Math.max(16, files - reservedFiles)
}

/** What Node's parser says of what it can't read. */
interface ParseError extends Error {
  code?: string
  /** The bytes that came last. */
  rawPacket?: Buffer
  /** How many of them the parser read. */
  bytesParsed?: number
}

/** The error response to what never becomes a request: no HTTP, too long, too late, or an unknown method. */
function explainParseError(error: ParseError): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        431,
        'headers_too_large',
        `Request headers too large: at most ${maxHeaderSize} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'request_timeout', 'Request incomplete: it took too long to arrive')
    case 'HPE_INVALID_METHOD':
      return hasRequestLine(error) ? methodNotAllowed() : invalidRequest()
    default:
      return invalidRequest()
  }
}

/** Whether the line in which the parser stopped is that of a request, which then has a method that Node doesn't know. */
function hasRequestLine({ rawPacket, bytesParsed = 0 }: ParseError): boolean {
  const text = rawPacket?.toString('latin1') ?? ''
  const start = bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(text.slice(start))
}

function writeResponse({ status, headers, body }: PlainResponse): string {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
