/**
 * The server of `node:http`, on Node and on Deno. It lacks seven things: valid hosts, known versions and transfer
 * codings, bodies with a deadline, one request in progress per connection, error bodies for invalid HTTP, a timeout for
 * clients that don't read, and a limit that closes idle connections first.
 */
import {
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import * as v from 'valibot'
import { ApiError, invalidRequest, methodNotAllowed } from '../errors.ts'
import type { PlainResponse } from '../http/error-handler.ts'
import type { ServedApp } from '../http/load-shedding.ts'
import { cutUrl, findRequestError, invalidHost, parseHost, urlTooLong } from '../http/url.ts'
import { formatHost } from './local-url.ts'
import { bodyTimeoutMs, createBodyReader, hasBody, isChunked, requestTimeout } from './request-bodies.ts'
import { watchUnreadResponses } from './unread-responses.ts'

/** Limit of request line and headers together, in bytes: 16 KiB more than the longest URL. */
const maxHeaderSize = 49_152

/** Options of the server. */
export const serverOptions = {
  maxHeaderSize,
  requestTimeout: 30_000,
  // Longer than load balancers keep idle connections (Google's: 600 seconds). If the server closed one first, a request
  // could arrive on a closed connection.
  keepAliveTimeout: 620_000,
  // It would refuse a request without Host, but without an error body.
  requireHostHeader: false,
}

/** The limits of a server's connections. */
export interface ConnectionLimits {
  /** A connection is reset when its client reads nothing of a response for this time. Default: 60,000. */
  readTimeoutMs?: number
  /** A request's body must arrive within this time. Default: 10,000. */
  bodyTimeoutMs?: number
  /**
   * Pipelined requests that wait for the response before theirs, on all connections. Beyond it, the connection with the
   * most is closed. Default: 4,000.
   */
  maxPipelined?: number
  /** Open connections. Beyond it, the connection that has been idle longest is closed. Default: no limit. */
  maxConnections?: number
}

/** Interval of the checks whether a half-closed client still waits. */
const clientCheckIntervalMs = 100
/** Checks for clients that don't read, in the time that they have for it. */
const readChecks = 4

interface Connection {
  socket: Socket
  /** The response in progress. */
  response?: ServerResponse | undefined
  /** The request whose body is being read, and what ends that. */
  reading?: { request: IncomingMessage; stop: () => void } | undefined
  /** Requests that wait for it, oldest first. */
  pipelined: [IncomingMessage, ServerResponse][]
  /** The error response to what the client sent last. The connection ends with it, after the responses before it. */
  refusal?: string
}

/**
 * Passes the server's requests to `listener`, one at a time on each connection, and enforces the limits. A client that
 * closes its side of a connection still gets its responses. It is long because its functions share the state of the
 * connections.
 */
export function serveConnections(
  server: Server,
  listener: RequestListener,
  refuse: ServedApp['refuse'],
  {
    readTimeoutMs = 60_000,
    bodyTimeoutMs: maxBodyMs = bodyTimeoutMs,
    maxPipelined = 4_000,
    maxConnections = Number.POSITIVE_INFINITY,
  }: ConnectionLimits,
): void {
  const connections = new Map<Socket, Connection>()
  /** Sockets without a request, longest idle first. */
  const idle = new Set<Socket>()
  let pipelined = 0
  const readBody = createBodyReader(maxBodyMs)

  function remove(socket: Socket): void {
    pipelined -= connections.get(socket)?.pipelined.length ?? 0
    connections.delete(socket)
    idle.delete(socket)
  }

  function destroy(socket: Socket): void {
    remove(socket)
    socket.destroy()
  }

  /** Closes a connection whose client doesn't read. Otherwise, the system would keep what it sent for many minutes. */
  function reset(socket: Socket): void {
    remove(socket)
    socket.resetAndDestroy()
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket)
    // Destroyed or refused while the parser still had requests of it.
    if (connection === undefined || connection.refusal !== undefined) return
    if (connection.response === undefined && connection.reading === undefined) {
      begin(connection, request, response)
      return
    }
    if (pipelined >= maxPipelined) {
      const greediest = findGreediest(connection)
      destroy(greediest.socket)
      if (greediest === connection) return
    }
    pipelined++
    connection.pipelined.push([request, response])
    pauseWhilePipelined(connection)
  }

  /** Finds the connection with the most waiting requests, if it has more than this one with its next. Else, this one. */
  function findGreediest(connection: Connection): Connection {
    let greediest = connection
    let most = connection.pipelined.length + 1
    for (const other of connections.values()) {
      if (other.pipelined.length <= most) continue
      greediest = other
      most = other.pipelined.length
    }
    return greediest
  }

  /** Starts a request once it is complete. Until then, its connection counts as idle. */
  async function begin(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (hasBody(request)) {
      const { result, stop } = readBody(request)
      connection.reading = { request, stop }
      const body = await result
      connection.reading = undefined
      if (body instanceof ApiError) return refuseBody(request, body)
      // Where the adapter looks for a body that was read. It leaves out those of the other methods.
      if (!/^(?:GET|HEAD)$/.test(request.method ?? '')) Object.assign(request, { rawBody: body })
    }
    start(connection, request, response)
  }

  /**
   * Ends a connection with an error response, and drops the rest of a body for a while: clients may send it all before
   * they read.
   */
  function refuseBody(request: IncomingMessage, error: ApiError): void {
    const { socket, method = '' } = request
    end(socket, method, error)
    request.resume()
    const timer = setTimeout(() => destroy(socket), maxBodyMs).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  function start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = connection
    idle.delete(socket)
    connection.response = response
    socket.setTimeout(readTimeoutMs)
    response.on('timeout', () => {
      if (response.headersSent) reset(socket) // before that, the client has nothing to read
    })
    response.once('close', () => startNext(connection))
    listener(request, response)
  }

  function startNext(connection: Connection): void {
    const { socket } = connection
    connection.response = undefined
    if (!connections.has(socket) || !socket.writable) return // a response couldn't be sent
    idle.add(socket)
    const next = connection.pipelined.shift()
    if (next !== undefined) pipelined--
    const isBroken = connection.refusal !== undefined && next?.[0].complete === false // within its body
    if (next === undefined || isBroken) {
      if (connection.refusal !== undefined) finish(socket, connection.refusal)
      return
    }
    if (connection.pipelined.length > 0) pauseWhilePipelined(connection)
    else socket.resume()
    begin(connection, ...next)
  }

  /** Ends a connection with an error response, after the responses to the requests before it. */
  function end(socket: Socket, method: string, error: ApiError): void {
    const connection = connections.get(socket)
    if (connection === undefined || connection.refusal !== undefined || !socket.writable) return
    const { reading } = connection
    // What is wrong may come after the body, before that was read.
    const isComplete = reading?.request.complete === true
    if (!isComplete) {
      reading?.stop()
      connection.reading = undefined
    }
    connection.refusal = writeResponse(refuse(method, error), method)
    if (connection.response === undefined && !isComplete) finish(socket, connection.refusal)
  }

  /**
   * Ends our side of a connection, and waits for its client to end its own. A connection that is closed before can't be
   * reset anymore, and the system keeps what the client hasn't read.
   */
  function finish(socket: Socket, response = ''): void {
    idle.add(socket)
    socket.setTimeout(2 * readTimeoutMs, () => destroy(socket))
    socket.end(response)
  }

  const unreadResponses = watchUnreadResponses(readTimeoutMs)
  const readTimer = setInterval(async () => {
    for (const socket of await unreadResponses.findStuck(connections.keys(), performance.now())) reset(socket)
  }, readTimeoutMs / readChecks)
  readTimer.unref()
  server.once('close', () => clearInterval(readTimer))

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { socket, pipelined: [] }
    connections.set(socket, connection)
    idle.add(socket)
    socket.once('close', () => remove(socket))
    socket.once('end', () => checkClient(connection))
    // Called after the last response.
    const close = socket.destroySoon.bind(socket)
    socket.destroySoon = () => (server.listening ? finish(socket) : close())
    const [longestIdle] = idle
    if (connections.size > maxConnections && longestIdle !== undefined) destroy(longestIdle)
  })
  server.on('request', receive)
  server.on('checkExpectation', receive) // Node would refuse it without an error body
  server.on('clientError', (error: ParseError, socket: Socket) => {
    if (error.code !== 'ECONNRESET') end(socket, readMethod(error), explainParseError(error))
  })
  // Node would close the connection without a response. It has removed its own listeners from the socket.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => destroy(socket))
    socket.resume()
    end(socket, 'CONNECT', methodNotAllowed())
  })
  // Otherwise, Node ends a connection when its client does. The property isn't in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Stops reading a connection that has pipelined requests. A paused connection doesn't report that its client has
 * disconnected, so other connections are never paused.
 */
function pauseWhilePipelined({ socket, pipelined }: Connection): void {
  const pause = () => {
    if (pipelined.length > 0) socket.pause()
  }
  process.nextTick(pause) // before more is read than the parser already has
  setImmediate(pause) // Node resumes reading after each request
}

/**
 * Finds out whether a client that has closed its side has disconnected, or waits for its response. Only writing to it
 * tells, so this sends `100 Continue`, which HTTP/1.1 clients ignore. If the client has disconnected, its system
 * rejects the first one, and writing the second one fails.
 */
function checkClient(connection: Connection): void {
  const timer = setInterval(() => {
    const { response } = connection
    if (response?.headersSent === false && response.req.httpVersion === '1.1') response.writeContinue()
  }, clientCheckIntervalMs)
  connection.socket.once('close', () => clearInterval(timer))
}

/** An error of the parser, or of its timeouts. */
interface ParseError extends Error {
  code?: string
  /** The bytes that arrived last. */
  rawPacket?: Buffer
  /** How many of them the parser has read. */
  bytesParsed?: number
}

/** A response to `HEAD` has no body. Of a request that came in several packets, the method isn't known. */
function readMethod({ rawPacket }: ParseError): string {
  return rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ' ? 'HEAD' : ''
}

/** Returns the error to respond with. */
function explainParseError(error: ParseError): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      if (overflowsInRequestLine(error)) return urlTooLong()
      return new ApiError(
        431,
        'headers_too_large',
        `Request headers too large: at most ${maxHeaderSize} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout()
    case 'HPE_PAUSED_H2_UPGRADE':
      return unsupportedVersion()
    default:
      return explainRequestLine(error)
  }
}

/**
 * Whether a request line is too long. The parser doesn't say, and has only the bytes that arrived last: the line, its
 * beginning, or a piece of it. Headers that long have spaces and line ends.
 */
function overflowsInRequestLine({ rawPacket }: ParseError): boolean {
  const text = rawPacket?.toString('latin1') ?? ''
  return /^(?:[A-Z]+ )?\S+$/.test(text) || (/^[A-Z]+ /.test(text) && text.indexOf('\n') > maxHeaderSize)
}

/**
 * Returns the error of a request line that is valid, but which the parser can't read. Deno's parser doesn't say why.
 */
function explainRequestLine({ rawPacket, bytesParsed = 0 }: ParseError): ApiError {
  const text = rawPacket?.toString('latin1') ?? ''
  const start = bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1
  const { method = '', version } = requestLine.exec(text.slice(start))?.groups ?? {}
  if (version === undefined) return invalidRequest()
  if (!versions.includes(version)) return unsupportedVersion()
  return METHODS.includes(method) ? invalidRequest() : methodNotAllowed()
}

const requestLine = /^(?<method>[!#$%&'*+.^`|~\w-]+) \S+ HTTP\/(?<version>\d\.\d)\r?\n/
const versions = ['1.0', '1.1']

/** 505: the request is of another version of HTTP. */
function unsupportedVersion(): ApiError {
  return new ApiError(
    505,
    'http_version_not_supported',
    'HTTP version not supported; use HTTP/1.1 or HTTP/1.0',
  )
}

/** Writes the response for a raw socket, which is to be closed after it. */
function writeResponse({ status, headers, body }: PlainResponse, method: string): string {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const text = method === 'HEAD' ? '' : body
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}

/**
 * Validates a request and normalizes its Host header, from which the adapter makes `request.url`. An HTTP/1.0 request
 * without a Host gets the IP address and port that its client connected to. Closes the connection after a request whose
 * end is uncertain.
 */
export function prepareRequest(request: IncomingMessage, response: ServerResponse): ApiError | undefined {
  const { method = 'GET', url = '', httpVersion, headers, socket } = request
  const coding = headers['transfer-encoding']
  // Version 1.0 has no chunks: a proxy may believe that the request ended before them.
  if (coding !== undefined && (httpVersion === '1.0' || !isChunked(coding))) response.shouldKeepAlive = false
  if (!versions.includes(httpVersion)) return unsupportedVersion()
  const target = cutUrl(url)
  request.url = target
  const host = request.headersDistinct.host?.join(',') // `headers` has only the first
  const error = findRequestError({ method, target, host })
  if (error !== undefined) return error
  if (host === undefined && httpVersion !== '1.0') return invalidHost()
  if (coding !== undefined && !isChunked(coding)) return invalidRequest()
  headers.host = host === undefined ? readLocalHost(socket) : parseHost(host)
  request.url = target.replace(/^https?:/i, (scheme) => scheme.toLowerCase()) // the adapter knows these alone
  return undefined
}

/** A server that listens on `::` sees IPv4 addresses as IPv6 ones. */
function readLocalHost({ localAddress = '', localPort = 0 }: Socket): string {
  return formatHost(localAddress.replace(/^::ffff:/, ''), localPort)
}

const reportSchema = v.object({
  userLimits: v.object({ open_files: v.object({ soft: v.union([v.number(), v.literal('unlimited')]) }) }),
})

/**
 * Returns how many connections to clients the process can open: its limit of open files (`ulimit -n`) less
 * `reservedFiles`. Assumes the usual limit of 1,024 where the system doesn't report it.
 */
export function readMaxConnections(reservedFiles: number): number {
  const report = v.safeParse(reportSchema, process.report.getReport())
  const maxFiles = report.success ? report.output.userLimits.open_files.soft : 1_024
  return maxFiles === 'unlimited' ? Number.POSITIVE_INFINITY : Math.max(16, maxFiles - reservedFiles)
}
