/** Entity tags of responses, and `If-None-Match`. */
import { hash } from 'node:crypto'

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
const compressionSuffix = /^(?:--?|[;:])(?:gzip|gz|gunzip|br|zstd|deflate)$/

/**
 * Whether `If-None-Match` has the tag, compared weakly, or is `*` (RFC 9110 §13.1.2). A tag also matches with the
 * suffix of a proxy that compressed the response. The tag itself may end like one, or like the beginning of one.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const list = ifNoneMatch.slice(0, maxTagsLength)
  if (list.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '').slice(1, -1)
  for (const [, candidate = ''] of list.matchAll(/"([^"]*)"/g)) {
    if (!candidate.startsWith(opaque)) continue
    const suffix = candidate.slice(opaque.length)
    if (suffix === '' || compressionSuffix.test(suffix)) return true
  }
  return false
}
