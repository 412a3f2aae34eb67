import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { ApiError, badRequest } from '../errors.ts'

/**
 * Longest URL, in characters. The longest filters that `decisions.md` allows fit in: twice 50 entries of 255
 * characters, each of which may take nine when it is escaped.
 */
const longestUrl = 262_144

/** Refuses requests whose URL can't be read (`decisions.md`, Single resources): 400, or 414 when it is too long. */
export function validateUrl() {
  return createMiddleware<Environment>(function validateUrl(c, next) {
    assertReadableUrl(c.req.url)
    return next()
  })
}

/** Throws 400 for a NUL or an escape that is broken or not UTF-8, and 414 for a URL that is too long. */
export function assertReadableUrl(url: string): void {
  if (url.length > longestUrl) throw new ApiError(414, `URL too long: at most ${longestUrl} characters`)
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    throw badRequest('Invalid URL: broken percent-escape')
  }
  if (decoded.includes('\0')) throw badRequest('Invalid URL: NUL character')
}
