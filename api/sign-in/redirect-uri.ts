/** Where a connector may be sent with its code. */
import { isLoopback, isPotentiallyTrustworthy } from '../names/loopback.ts'

const maxLength = 1_000

/** Whether a connector may register a URI: https, or a program on the user's machine. */
export function isAllowedRedirect(text: string): boolean {
  if (text.length > maxLength || !URL.canParse(text) || /[#\s\\]|\p{C}/u.test(text)) return false
  const url = new URL(text)
  return isPotentiallyTrustworthy(url) && url.username + url.password === ''
}

/**
 * Whether a request's URI is one of those that are registered: the same text. Of a program on the user's machine, the
 * port may differ, because it takes a free one (RFC 8252, 7.3).
 */
export function isRegistered(given: string, registered: readonly string[]): boolean {
  if (!isAllowedRedirect(given)) return false
  const wanted = withoutLocalPort(given)
  return registered.some(
    (each) => each === given || (wanted !== undefined && withoutLocalPort(each) === wanted),
  )
}

/** Undefined: the URI isn't one of this machine. */
function withoutLocalPort(uri: string): string | undefined {
  const url = new URL(uri)
  if (url.protocol !== 'http:' || !isLoopback(url.hostname)) return undefined
  url.port = ''
  return url.href
}
