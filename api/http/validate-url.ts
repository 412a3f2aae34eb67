import { createMiddleware } from 'hono/factory'
import { ApiError, invalidUrl } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/**
 * Longest URL, in characters. The longest filters that are allowed fit in: twice 50 entries of 255 characters, each of
 * which may take nine when it is escaped.
 */
const maxUrlLength = 262_144

/** Longest URL of what anybody may request without a key, in characters: what it takes to read one must stay small. */
export const maxPublicUrlLength = 8_192

/** Refuses requests without a key whose URL can't be read: 400, or 414 when it is too long. */
export function validateUrl() {
  return createMiddleware<HonoEnvironment>(function validateUrl(c, next) {
    assertReadableUrl(c.req.url, maxPublicUrlLength)
    return next()
  })
}

/** Throws 400 for a NUL or an escape that is broken or not UTF-8, and 414 for a URL that is too long. */
export function assertReadableUrl(url: string, longest = maxUrlLength): void {
  if (url.length > longest)
    throw new ApiError(414, 'url_too_long', `URL too long: at most ${longest} characters`)
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    throw invalidUrl('Invalid URL: broken percent-escape')
  }
  if (decoded.includes('\0')) throw invalidUrl('Invalid URL: NUL character')
}

/** What follows the host in a URL: path, query and fragment. */
export function readTarget(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, '')
}
