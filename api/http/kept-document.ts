/**
 * Documents that anybody may request, any number of times. So they are compressed once, and kept in memory.
 *
 * @module
 */
import { chooseEncoding, compress, type Encoding, encodings, isWorthCompressing } from './compression.ts'
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

/** Sends a document with its ETag, or 304 if the client has it. One that isn't kept is never compressed. */
export async function sendKeptDocument(
  c: ApiContext,
  { type, tag, body, compressed }: KeptDocument,
  { cacheControl = 'no-cache', isKept = true }: { cacheControl?: string; isKept?: boolean } = {},
): Promise<Response> {
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', cacheControl)
  setHeader(c, 'Vary', 'Accept-Encoding')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  setHeader(c, 'Content-Type', type)
  const offered = isKept && isWorthCompressing(body) ? encodings : []
  const encoding = chooseEncoding(c.req.header('Accept-Encoding'), offered)
  if (encoding === 'identity') return new Response(body, { headers: takeHeaders(c) })
  const pending = compressed.get(encoding) ?? compress(body, encoding, 'small')
  compressed.set(encoding, pending)
  setHeader(c, 'Content-Encoding', encoding)
  return new Response(await pending, { headers: takeHeaders(c) })
}
