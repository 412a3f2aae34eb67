/** Bodies of requests that are JSON. */
import { ApiError, bodyTooLarge, unsupportedMediaType } from '../errors.ts'
import type { ApiContext } from './request-context.ts'

/** Throws 415 unless the request says that its body is JSON. */
export function assertJson(c: ApiContext): void {
  const isJson = /^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')
  if (!isJson) throw unsupportedMediaType()
}

/**
 * Reads a body that is a JSON object. A request without a body has none of the members. Throws 413 if it is longer, 415
 * if it isn't JSON by its type, and 400 if it isn't a JSON object in UTF-8 (RFC 8259, 8.1).
 */
export async function readJsonObject(c: ApiContext, maxBytes: number): Promise<Record<string, unknown>> {
  const bytes = await c.req.arrayBuffer()
  if (bytes.byteLength === 0) return {}
  assertJson(c)
  if (bytes.byteLength > maxBytes) throw bodyTooLarge(maxBytes)
  const value = parse(bytes)
  if (!isObject(value))
    throw new ApiError(400, 'invalid_body', 'Invalid body: must be a JSON object in UTF-8')
  return value
}

/** Replacing what isn't UTF-8 would make one reference of two: `Müller` and `Möller` in Latin-1. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns undefined for what isn't JSON. */
function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
