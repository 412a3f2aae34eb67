/**
 * Conditional requests (RFC 9110 §8.8 and §13.1.2).
 *
 * @module
 */
import { hash } from 'node:crypto'

/** Creates a weak entity tag from the parts of a response: the same data under the same URL has the same tag. */
export function createEntityTag(...parts: readonly (string | Uint8Array)[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : hash('sha256', part, 'base64url')))
  return `W/"${hash('sha256', texts.join('\0'), 'base64url').slice(0, 22)}"`
}

/** Characters of If-None-Match that are read: room for some 300 tags. */
const maxListLength = 8_192

/** Whether `If-None-Match` has the tag, compared weakly, or is `*`. */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const list = ifNoneMatch.slice(0, maxListLength)
  if (list.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '')
  for (const [candidate] of list.matchAll(/"[^"]*"/g)) if (candidate === opaque) return true
  return false
}
