/** Queries of tests to the fake forge, without what a client makes of the responses. */
import type { FakeForge } from './server.ts'
import type { Token } from './token.ts'

/** Sends a query. `body` is undefined when it is not JSON. Rejects when there is no response, or not all of it. */
export async function askForge(
  forge: FakeForge,
  token: Token | string,
  query: string,
  variables: Record<string, unknown> = {},
) {
  const authorization = `bearer ${typeof token === 'string' ? token : token.text}`
  const response = await fetch(`${forge.origin}/api/graphql`, {
    method: 'POST',
    headers: { authorization, 'user-agent': 'test' },
    body: JSON.stringify({ query, variables }),
  })
  const { status, headers } = response
  const text = await response.text()
  const isJson = text.startsWith('{') && text.endsWith('}')
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}
