/** Bodies of requests that are JSON. */
import { Buffer } from 'node:buffer'
import { ApiError, bodyTooLarge, unsupportedMediaType } from '../errors.ts'
import type { ApiContext } from './request-context.ts'

/** Throws 415 unless the request says that its body is JSON. */
export function assertJson(c: ApiContext): void {
  const isJson = /^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')
  if (!isJson) throw unsupportedMediaType()
}

/**
 * Reads a body that is a JSON object. A request without a body has none of the members. Throws 413 if it is longer, 415
 * if it isn't JSON by its type, and 400 if it isn't a JSON object.
 */
export async function readJsonObject(c: ApiContext, maxBytes: number): Promise<Record<string, unknown>> {
  const text = await c.req.text()
  if (text === '') return {}
  assertJson(c)
  if (Buffer.byteLength(text) > maxBytes) throw bodyTooLarge(maxBytes)
  const value = parse(text)
  if (!isObject(value)) throw new ApiError(400, 'invalid_body', 'Invalid body: must be a JSON object')
  return value
}

/** Returns undefined for what isn't JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
