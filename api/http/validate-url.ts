import { createMiddleware } from 'hono/factory'
import { ApiError, invalidUrl } from '../errors.ts'
import type { HonoEnvironment } from './request-context.ts'

/** In characters. The longest filters fit: twice 50 names of 255 characters, each of up to nine when escaped. */
const maxUrlLength = 262_144

/** In characters, for requests without a key: anybody can send them, so a URL must be quick to read. */
const maxPublicUrlLength = 8_192

/** Validates the URLs of requests without a key. */
export function validatePublicUrl() {
  return createMiddleware<HonoEnvironment>(function validatePublicUrl(c, next) {
    assertReadablePublicUrl(c.req.url)
    return next()
  })
}

/** Throws 414 for a URL that is too long, and 400 for one with a NUL or an escape that is broken or not UTF-8. */
export function assertReadableUrl(url: string, maxLength = maxUrlLength): void {
  if (url.length > maxLength) {
    throw new ApiError(414, 'url_too_long', `URL too long: at most ${maxLength} characters`)
  }
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    throw invalidUrl('Invalid URL: broken percent-escape')
  }
  if (decoded.includes('\0')) throw invalidUrl('Invalid URL: NUL character')
}

/** The same for a request without a key, with a lower limit. */
export function assertReadablePublicUrl(url: string): void {
  assertReadableUrl(url, maxPublicUrlLength)
}
