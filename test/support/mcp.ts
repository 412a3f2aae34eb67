/** The tools as assistants use them: devdata-mcp, `/mcp`, and the official SDK's client. */
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Random } from '../../sample/random.ts'
import type { InstalledClient } from './client.ts'
import { inheritEnvironment } from './program.ts'

/** The versions of the protocol that are tested: the current one, and the one before it. */
export const protocolVersions = ['2026-07-28', '2025-11-25'] as const

type ProtocolVersion = (typeof protocolVersions)[number]

/** How devdata-mcp is started. */
export interface ConversationOptions {
  url: string
  key: string
  protocol?: ProtocolVersion
  /** Further variables, such as `DEVDATA_BUDGET`. */
  environment?: Record<string, string>
  parameters?: string[]
}

/** What a call returned. */
export interface CallOutcome {
  isError: boolean
  /** The text that the assistant reads. */
  text: string
  /** What it cost, in credits, as the result or the error says. */
  cost: number
  result: Record<string, unknown>
}

/** A conversation with the tools. */
export interface McpConversation extends AsyncDisposable {
  client: Client
  /** Errors of the connection, such as output that is not the protocol's. */
  errors: Error[]
  call(name: string, given?: Record<string, unknown>): Promise<CallOutcome>
}

/** Starts devdata-mcp. The result has its process id. */
export async function startConversation(
  { mcp }: InstalledClient,
  { url, key, protocol = '2026-07-28', environment = {}, parameters = [] }: ConversationOptions,
): Promise<McpConversation & { pid: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcp, ...parameters],
    env: { ...inheritEnvironment(), DEVDATA_URL: url, DEVDATA_API_KEY: key, ...environment },
  })
  const conversation = await connect(transport, protocol)
  return { ...conversation, pid: transport.pid ?? Number.NaN }
}

/** How `/mcp` is used. */
export interface HttpConversationOptions extends Pick<ConversationOptions, 'key' | 'protocol'> {
  /** Requests the service. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  headers?: Record<string, string>
}

/** Begins a conversation over HTTP. */
export function startHttpConversation({
  fetch,
  key,
  protocol = '2026-07-28',
  headers,
}: HttpConversationOptions): Promise<McpConversation> {
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => fetch(new URL(url).pathname, init),
    requestInit: { headers: { Authorization: `Bearer ${key}`, ...headers } },
  })
  return connect(transport, protocol)
}

async function connect(transport: Transport, protocol: ProtocolVersion): Promise<McpConversation> {
  const mode = protocol === '2025-11-25' ? 'legacy' : { pin: protocol }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  await client.connect(transport)
  return {
    client,
    errors,
    call: async (name, given = {}) => readOutcome(await client.callTool({ name, arguments: given })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function readOutcome({ content, isError = false }: CallToolResult): CallOutcome {
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  const result: Record<string, unknown> = isError ? {} : JSON.parse(text)
  const cost = isError ? Number(/\bCost: (\d+)\./.exec(text)?.[1] ?? 0) : Number(result.cost)
  return { isError, text, cost, result }
}

type Call = [tool: string, given: Record<string, unknown>]

/** Random calls: what costs and what doesn't, errors, and lists that continue, some of them twice. */
export function createRandomCalls(random: Random) {
  const next: Call[] = []
  const calls: (() => Call)[] = [
    () => [
      'find_users',
      { location: random.pick(['berlin', 'paris', 'nowhere']), limit: random.integer(1, 40) },
    ],
    () => ['find_repositories', { dependency_names: random.pick(['react', 'hono', 'zod']), fields: 'all' }],
    () => ['list_commits', { full_name: 'yarrow-collective/monolith', limit: random.integer(1, 30) }],
    () => ['get_user', { login: random.pick(['ngoldberg', 'nobody-at-all', 'a/b']) }],
    () => ['get_repository', { full_name: random.pick(['yarrow-collective/monolith', 'no/such']) }],
    () => ['get_repository', { full_name: 'yarrow-collective/monolith', fields: 'all' }],
    () => ['quote', { list: 'users', location: 'berlin' }],
    () => ['find_users', { limit: 2, max_credits: 0 }],
    () => (next.length > 0 ? random.pick(next) : ['get_user', { login: 'ngoldberg' }]),
  ]
  return {
    next: () => random.pick(calls)(),
    /** Notes a result, so that its list may continue. */
    note(tool: string, given: Record<string, unknown>, { next_cursor: cursor }: Record<string, unknown>) {
      if (cursor !== undefined) next.push([tool, { ...given, cursor }])
      next.splice(0, next.length - 20)
    },
  }
}

/**
 * About how many tokens a text has: a quarter of its bytes. There is no tokenizer here; those of assistants differ, and
 * their counts of English and JSON are near this one.
 */
export function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / 4)
}
