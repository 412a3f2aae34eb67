/**
 * MCP's streamable HTTP without sessions: each request gets a server of its own, which ends with the response. The
 * definitions of the tools are those of devdata-mcp.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { Budget } from '../../client/mcp/src/budget.ts'
import type { Connection } from '../../client/mcp/src/call.ts'
import { createServer } from '../../client/mcp/src/server.ts'
import { ClientGoneError } from '../errors.ts'

/** Whose calls a request makes, and how. */
export interface Caller extends Required<Pick<Connection, 'baseUrl' | 'apiKey' | 'fetch' | 'keySource'>> {
  /** What a call of a tool may cost, in credits, beside what its arguments allow, and where that is set. */
  limit: { credits: number; name: Budget['name'] }
  /** The version of the service. */
  version: string
}

/** The SDK reports an error for each wrong value: 8 MB for a message of 60 KB. Messages of assistants have some 30. */
const maxValues = 200

/** Responds to a request whose body was read. Throws `ClientGoneError` as soon as the client closes its connection. */
export async function respond(request: Request, body: string, caller: Caller): Promise<Response> {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return refuse(-32700, 'Parse error: the body is not JSON')
  }
  // Versions before 2025-06-18 had batches: hundreds of calls in one request, with one response after the last.
  if (Array.isArray(message))
    return refuse(-32600, 'Invalid Request: send one message per request, not a batch')
  if (hasMoreValues(message, maxValues)) {
    return refuse(
      -32600,
      `Invalid Request: the message has too many values; send at most ${maxValues} beside the tool's arguments`,
    )
  }
  const { signal } = request
  if (signal.aborted) throw new ClientGoneError()
  const server = createServerOf(caller)
  // The client may leave while the call runs. The SDK then closes the server, and never responds.
  let leave = () => {}
  const gone = new Promise<never>((_, fail) => {
    leave = () => fail(new ClientGoneError())
  })
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([gone, respondWith(server, request, message)])
  } finally {
    signal.removeEventListener('abort', leave)
    await server.close()
  }
}

/**
 * Whether a message has more members and entries, at any depth, than `max`. What the arguments of a tool have isn't
 * counted.
 */
function hasMoreValues(message: unknown, max: number): boolean {
  const given = readMember(readMember(message, 'params'), 'arguments')
  const open = [message]
  let count = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.values(value)) {
      if (++count > max) return true
      if (member !== given) open.push(member)
    }
  }
  return false
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

async function respondWith(server: McpServer, request: Request, message: unknown): Promise<Response> {
  if (!(await isLegacyRequest(request, message))) {
    // There is nothing that a client could subscribe to.
    const handler = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 })
    return handler.fetch(request, { parsedBody: message })
  }
  // Versions of the protocol before 2026-07-28. The SDK's own handler would respond with a stream of one event.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(acceptAll(request), { parsedBody: message })
}

function createServerOf({ limit, version, ...connection }: Caller): McpServer {
  return createServer({ connection, budget: new Budget(limit.credits, limit.name), version })
}

/** The SDK refuses clients that don't name both types, though each response is JSON. */
function acceptAll({ url, headers: given, signal }: Request): Request {
  const headers = new Headers(given)
  headers.set('Accept', 'application/json, text/event-stream')
  return new Request(url, { method: 'POST', headers, signal })
}

/** An error of JSON-RPC about a message that has no usable id. */
function refuse(code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 })
}
