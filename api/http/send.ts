/**
 * How answers leave: their headers are gathered in a plain record, and become a `Response` once.
 *
 * Hono's `c.header` keeps them in a `Headers` object, which checks, sorts and copies each; with as many as an answer
 * has here, that took 7 % of a look-up. Where it does not matter (pages, errors), Hono's own way is used; what was set
 * here is then added at the end.
 *
 * @module
 */
import { chooseEncoding, compress } from './compression.ts'
import type { ApiContext } from './request-context.ts'

/** Gives the answer a header; one of the same name, written the same, is replaced. */
export function setHeader(c: ApiContext, name: string, value: string): void {
  const headers = c.get('headers')
  if (headers !== undefined) headers[name] = value
}

/** Shorter bodies are not worth compressing, in bytes. */
const minCompressedBytes = 1_024

/**
 * The response, with all headers that were set; compressed if the client asks. What was charged for is sent, whatever fails here: uncompressed then.
 */
export async function send(
  c: ApiContext,
  body: string | Uint8Array<ArrayBuffer> | null,
  { status = 200, type }: { status?: 200 | 204 | 304; type?: string } = {},
): Promise<Response> {
  if (type !== undefined) setHeader(c, 'Content-Type', type)
  if (status !== 204) setHeader(c, 'Vary', 'Accept-Encoding')
  const encoding =
    body === null || body.length < minCompressedBytes
      ? 'identity'
      : chooseEncoding(c.req.header('Accept-Encoding'), ['gzip', 'br'])
  if (body !== null && encoding !== 'identity') {
    const compressed = await compress(body, encoding, 'fast').catch(() => undefined)
    if (compressed !== undefined) {
      setHeader(c, 'Content-Encoding', encoding)
      return new Response(compressed, { status, headers: takeHeaders(c) })
    }
  }
  return new Response(body, { status, headers: takeHeaders(c) })
}

/** An answer in JSON. */
export function sendJson(c: ApiContext, value: unknown): Promise<Response> {
  return send(c, JSON.stringify(value), { type: 'application/json' })
}

/** The headers that were set, and are not in an answer yet; from now on there are none. */
export function takeHeaders(c: ApiContext): Record<string, string> {
  const headers = c.get('headers') ?? {}
  c.set('headers', undefined)
  return headers
}
