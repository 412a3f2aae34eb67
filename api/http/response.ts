/**
 * Responses: their headers and bodies.
 *
 * Middleware and routes collect headers in a plain record, from which one `Response` is made. Hono's `c.header`
 * collects them in a `Headers` object, which validates, sorts and copies each: 7 % of the time of a look-up. Pages and
 * errors use `c.header`; the record is merged into their response at the end.
 */
import {
  type Body,
  chooseEncoding,
  compressBody,
  isShared,
  isWorthCompressing,
  joinBody,
} from './compression.ts'
import { createEntityTag, matchesEntityTag } from './entity-tag.ts'
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
      freeData(body)
      setHeader(c, 'Content-Encoding', encoding)
      return new Response(compressed, { status, headers: takeHeaders(c) })
    }
  }
  if (body === null || !isShared(body)) return new Response(body, { status, headers: takeHeaders(c) })
  const whole = joinBody(body)
  freeData(body)
  c.env?.onClosed?.(() => freeBytes(whole))
  return new Response(whole, { status, headers: takeHeaders(c) })
}

/** Frees the data of a shared body that is sent only once. Its response has a copy. */
function freeData(body: Body): void {
  if (isShared(body) && body.compressed === undefined) freeBytes(body.data)
}

/**
 * Frees the buffer of bytes that nobody reads anymore, if they are most of it. V8 would free it only when it marks its
 * heap; until then, a busy instance would keep a hundred megabytes of them.
 */
export function freeBytes({ buffer, length }: Uint8Array<ArrayBuffer>): void {
  if (2 * length > buffer.byteLength) buffer.transfer(0)
}

/** Sends a value as JSON, which no cache may keep. `version`: the version of the dataset that it was read from. */
export function sendJson(c: ApiContext, value: unknown, version?: number): Promise<Response> {
  if (version !== undefined) setHeader(c, 'X-Dataset-Version', String(version))
  setHeader(c, 'Cache-Control', 'no-store')
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
