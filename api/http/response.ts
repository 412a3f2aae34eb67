/**
 * Responses: their headers, bodies and entity tags.
 *
 * Middleware and routes collect headers in a plain record, from which one `Response` is made. Hono's `c.header` collects
 * them in a `Headers` object, which validates, sorts and copies each: 7 % of the time of a look-up. Pages and errors use
 * `c.header`; the record is merged into their response at the end.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { type Body, chooseEncoding, compressBody, isWorthCompressing, joinBody } from './compression.ts'
import type { ApiContext } from './request-context.ts'

/** Sets a response header. Replaces a header whose name is spelled the same. */
export function setHeader(c: ApiContext, name: string, value: string): void {
  const headers = c.get('headers')
  if (headers !== undefined) headers[name] = value
}

/** Returns the headers that were set, for the response that is being made. Headers can't be set afterwards. */
export function takeHeaders(c: ApiContext): Record<string, string> {
  const headers = c.get('headers') ?? {}
  c.set('headers', undefined)
  return headers
}

/**
 * Makes the response from the body and the headers that were set. Compresses it if compression is on and the client
 * accepts it. If compressing fails, sends it uncompressed, because it may already be paid for.
 */
export async function send(
  c: ApiContext,
  body: Body | null,
  { status = 200, type }: { status?: 200 | 204 | 304; type?: string } = {},
): Promise<Response> {
  if (type !== undefined) setHeader(c, 'Content-Type', type)
  const encodings = c.get('encodings')
  if (status !== 204 && encodings.length > 0) setHeader(c, 'Vary', 'Accept-Encoding')
  if (body !== null && isWorthCompressing(body)) {
    const encoding = chooseEncoding(c.req.header('Accept-Encoding'), encodings)
    const compressed =
      encoding === 'identity' ? undefined : await compressBody(body, encoding).catch(() => undefined)
    if (compressed !== undefined) {
      setHeader(c, 'Content-Encoding', encoding)
      return new Response(compressed, { status, headers: takeHeaders(c) })
    }
  }
  return new Response(body && joinBody(body), { status, headers: takeHeaders(c) })
}

/** Sends a value as JSON. */
export function sendJson(c: ApiContext, value: unknown): Promise<Response> {
  return send(c, JSON.stringify(value), { type: 'application/json' })
}

/** Sends a document with an ETag, or 304 if the client has it. */
export function sendDocument(
  c: ApiContext,
  text: string,
  type: string,
  cacheControl = 'no-cache',
): Promise<Response> {
  const tag = createEntityTag(type, text)
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', cacheControl)
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  return send(c, text, { type })
}

/** Creates a weak entity tag from the parts of a response: the same data under the same URL has the same tag. */
export function createEntityTag(...parts: readonly string[]): string {
  return `W/"${hash('sha256', parts.join('\0'), 'base64url').slice(0, 22)}"`
}

/** Characters of If-None-Match that are read: room for some 300 tags. */
const maxTagsLength = 8_192

/**
 * What a compressing server adds to the end of a tag: `-gzip` and `-br` (Apache, lighttpd, Caddy), `-gunzip` (Apache
 * when it decompresses), `--gzip` (Jetty), `;gz` and `;gzip` (LiteSpeed and others), and other codings likewise.
 */
const compressionSuffix = /(?:--?|[;:])(?:gzip|gz|gunzip|br|zstd|deflate)"$/

/**
 * Whether `If-None-Match` has the tag, compared weakly, or is `*` (RFC 9110 §13.1.2). A tag also matches with the suffix
 * of a proxy that compressed the response. The docs' own tags end like that, so tags are compared as they are, too.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const list = ifNoneMatch.slice(0, maxTagsLength)
  if (list.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '')
  for (const [candidate] of list.matchAll(/"[^"]*"/g)) {
    if (candidate === opaque || candidate.replace(compressionSuffix, '"') === opaque) return true
  }
  return false
}
