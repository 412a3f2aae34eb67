/**
 * Conditional requests (RFC 9110 §8.8 and §13.1.2).
 *
 * @module
 */
import { hash } from 'node:crypto'

/** A weak entity tag over the parts that make an answer: the same data under the same URL has the same tag. */
export function createEntityTag(...parts: readonly (string | Uint8Array)[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : hash('sha256', part, 'base64url')))
  return `W/"${hash('sha256', texts.join('\0'), 'base64url').slice(0, 22)}"`
}

/** The longest If-None-Match that is read, in characters: room for some 300 tags. */
const maxListLength = 8_192

/** Whether an `If-None-Match` field names the tag, compared weakly, or any tag (`*`). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const list = ifNoneMatch.slice(0, maxListLength)
  if (list.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '')
  for (const [candidate] of list.matchAll(/"[^"]*"/g)) if (candidate === opaque) return true
  return false
}
