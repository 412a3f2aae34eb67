/**
 * MCP's streamable HTTP without sessions: each request gets a server of its own, which ends with the response. The definitions of the
 * tools are those of devdata-mcp.
 *
 * @module
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

/** Whose calls a request makes, and how. */
export interface Caller extends Required<Pick<Connection, 'baseUrl' | 'apiKey' | 'fetch'>> {
  /** What a call of a tool may cost, in credits; null: what its arguments allow. */
  maxCredits: number | null
  /** The version of the service. */
  version: string
}

/** Responds to a request with a message of MCP. */
export async function respond(request: Request, caller: Caller): Promise<Response> {
  const create = () => createServerOf(caller)
  if (await isLegacyRequest(request)) return respondToLegacy(request, create())
  // There is nothing that a client could subscribe to.
  return createMcpHandler(create, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request)
}

function createServerOf({ baseUrl, apiKey, fetch, maxCredits, version }: Caller): McpServer {
  return createServer({
    connection: { baseUrl, apiKey, fetch, keySource: 'the Authorization header' },
    budget: new Budget(maxCredits ?? undefined, 'Max-Credits'),
    version,
  })
}

/** Versions of the protocol before 2026-07-28. The SDK's own handler would respond with a stream of one event. */
async function respondToLegacy(request: Request, server: McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const close = () => server.close()
  request.signal.addEventListener('abort', close, { once: true })
  try {
    return await transport.handleRequest(acceptAll(request))
  } finally {
    request.signal.removeEventListener('abort', close)
    await close()
  }
}

/** The SDK refuses clients that don't name both types, though each response is JSON. */
function acceptAll(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('Accept', 'application/json, text/event-stream')
  return new Request(request, { headers })
}
