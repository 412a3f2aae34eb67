/** Documents that anybody may request, any number of times. So they are compressed once, and kept in memory. */
import { chooseEncoding, compress, type Encoding, isWorthCompressing } from './compression.ts'
import { createEntityTag, matchesEntityTag } from './entity-tag.ts'
import type { ApiContext } from './request-context.ts'
import { send, setHeader, takeHeaders } from './response.ts'

/** A document with its tag, and its compressed forms so far. */
export interface KeptDocument {
  type: string
  tag: string
  body: string | Uint8Array<ArrayBuffer>
  compressed: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>
}

/** Creates a document. Other bodies must have another `identity`, of which its tag is made. */
export function keepDocument(
  body: KeptDocument['body'],
  type: string,
  identity: readonly string[],
): KeptDocument {
  return { type, tag: createEntityTag(type, ...identity), body, compressed: new Map() }
}

/**
 * Sends a document with its ETag, or 304 if the client has it.
 *
 * @param options.offered the codings that it may have; by default those that other responses may have
 */
export async function sendKeptDocument(
  c: ApiContext,
  { type, tag, body, compressed }: KeptDocument,
  {
    cacheControl = 'no-cache',
    offered = c.get('encodings'),
  }: { cacheControl?: string; offered?: readonly Encoding[] } = {},
): Promise<Response> {
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', cacheControl)
  if (offered.length > 0) setHeader(c, 'Vary', 'Accept-Encoding')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  setHeader(c, 'Content-Type', type)
  const encoding = isWorthCompressing(body)
    ? chooseEncoding(c.req.header('Accept-Encoding'), offered)
    : 'identity'
  if (encoding === 'identity') return new Response(body, { headers: takeHeaders(c) })
  const pending = compressed.get(encoding) ?? compress(body, encoding, 'small')
  compressed.set(encoding, pending)
  pending.catch(() => compressed.delete(encoding))
  setHeader(c, 'Content-Encoding', encoding)
  return new Response(await pending, { headers: takeHeaders(c) })
}
