/** The URLs of requests: which are valid, and what a request's public URL is. */
import { createMiddleware } from 'hono/factory'
import { readBasePath } from '../config.ts'
import { ApiError, invalidRequest, invalidUrl, methodNotAllowed } from '../errors.ts'
import type { ApiContext, HonoEnvironment } from './request-context.ts'

/** A request as it was sent. URL parsers repair hosts and paths, and two parsers may repair them differently. */
export interface RawRequest {
  method: string
  /** The request target: a path or a URL. */
  target: string
  /** The Host header; several are joined with commas. */
  host: string | undefined
}

/** A name has at most 255 characters (RFC 1035), an address 45. Names of containers may have underscores. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i
const targetPattern = /^(?:https?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)/i
/** A URL of another scheme: this is not a proxy. */
const foreignScheme = /^(?!https?:)[a-z][a-z\d+.-]*:\/\//i
/** A `.` or `..` segment, escaped or not. URL parsers treat a backslash as a slash. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?=[/\\]|$)/i

/**
 * Returns the host as the URL parser writes it, or undefined if it is invalid. The pattern is stricter than the parser,
 * which accepts quotes and backticks: samples in the docs put the host into shell commands.
 */
export function parseHost(value: string): string | undefined {
  const match = hostPattern.exec(value)
  const url = `http://${value}`
  if (match === null || Number(match.groups?.port ?? 1) === 0 || !URL.canParse(url)) return undefined
  return new URL(url).host
}

/**
 * Returns the error of a request with an invalid host, a URL of a scheme other than `http` and `https`, a dot segment
 * in its path, or `*` in place of a path.
 */
export function findRequestError({ method, target, host }: RawRequest): ApiError | undefined {
  const { authority, path = '' } = targetPattern.exec(target)?.groups ?? {}
  for (const each of [host, authority]) {
    if (each !== undefined && parseHost(each) === undefined) return invalidHost()
  }
  if (foreignScheme.test(target)) return invalidRequest()
  // Deno puts a slash before the asterisk.
  if (path === '*' || (path === '/*' && method === 'OPTIONS')) return methodNotAllowed()
  return dotSegment.test(path) ? invalidUrl('Invalid URL: . or .. in its path') : undefined
}

/** 400: the Host header is missing, repeated or invalid. */
export function invalidHost(): ApiError {
  return new ApiError(
    400,
    'invalid_host',
    'Invalid Host: must be one host name or IP address, with an optional port from 1 to 65535',
  )
}

/** In characters. The longest valid request has 100 full names of 201 characters. */
const maxUrlLength = 32_768
/** In characters, for requests without a key: anybody can send them, so a URL must be quick to read. */
const maxPublicUrlLength = 8_192
/** Lists have at most 20 to 100 entries, which may be parameters of their own. */
const maxParameters = 250
/** Of commas, and of plus signs. The URLs in `Link` have no room for more. */
const maxSeparators = 4_000

/**
 * Cuts a URL that is too long one character beyond the limit. So nothing reads the rest, and it stays too long:
 * `assertReadableUrl` refuses it after the request is authenticated.
 */
export function cutUrl(url: string): string {
  return url.slice(0, maxUrlLength + 1)
}

/**
 * Returns the path of a request as routes match it: decoded except for `%25`, because parameters are decoded again.
 * Leaves a path that can't be decoded as it is, until `assertReadableUrl` refuses it. Hono would decode its valid parts
 * one by one, which takes 50 ms for the longest URL.
 */
export function readPath({ url }: Pick<Request, 'url'>): string {
  const [path = ''] = /^[^?#]*/.exec(readTarget(url)) ?? []
  if (!path.includes('%')) return path
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}

/**
 * Validates the URL of a request with a key, before anything parses it. Throws 414 if it is too long, and 400 if it has
 * more parts than any valid request, a NUL, or an escape that is broken or not UTF-8.
 */
export function assertReadableUrl(url: string): void {
  if (url.length > maxUrlLength) throw urlTooLong()
  if (hasMore(url, '&', maxParameters - 1) || hasMore(url, '+', maxSeparators)) throw tooManyParts()
  if (hasMore(decodeUrl(url), ',', maxSeparators)) throw tooManyParts()
}

/** The same for a request without a key. Its query is ignored, so its parts aren't counted. */
export function assertReadablePublicUrl(url: string): void {
  if (url.length > maxPublicUrlLength) throw urlTooLong(maxPublicUrlLength)
  decodeUrl(url)
}

/** 414: the URL is longer than any valid one. */
export function urlTooLong(maxLength = maxUrlLength): ApiError {
  return new ApiError(414, 'url_too_long', `URL too long: at most ${maxLength} characters`)
}

function tooManyParts(): ApiError {
  return invalidUrl(
    `Invalid URL: too many parts; at most ${maxParameters} parameters, ${maxSeparators} commas and ${maxSeparators} plus signs`,
  )
}

function hasMore(text: string, separator: string, max: number): boolean {
  let count = 0
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) {
    if (++count > max) return true
  }
  return false
}

function decodeUrl(url: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(url)
  } catch {
    throw invalidUrl('Invalid URL: malformed percent-encoding')
  }
  if (decoded.includes('\0')) throw invalidUrl('Invalid URL: NUL character')
  return decoded
}

/** Validates the URLs of requests without a key. */
export const validatePublicUrl = createMiddleware<HonoEnvironment>(function validatePublicUrl(c, next) {
  assertReadablePublicUrl(c.req.url)
  return next()
})

/** Public URLs of an instance: `BASE_URL`, or the scheme and host of each request. `X-Forwarded-*` is never trusted. */
export interface PublicUrls {
  /** The path under which routes are mounted: empty, or for example `/public-api`. */
  basePath: string
  /** The public origin; undefined: that of each request. */
  publicOrigin: string | undefined
  /** A request's public URL. It is parsed once: don't change it. */
  publicUrl(c: ApiContext): URL
  /** The public URL of the API's root, without a slash at its end. */
  publicRoot(c: ApiContext): string
}

/** Reads a `BASE_URL` that has no slash at its end; undefined: it is not set. */
export function createPublicUrls(baseUrl: string | undefined): PublicUrls {
  const publicOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin

  function publicUrl(c: ApiContext): URL {
    const { url } = c.req
    const parsed = c.get('url') ?? new URL(publicOrigin === undefined ? url : publicOrigin + readTarget(url))
    c.set('url', parsed)
    return parsed
  }

  return {
    basePath: readBasePath(baseUrl),
    publicOrigin,
    publicUrl,
    publicRoot: (c) => baseUrl ?? publicUrl(c).origin,
  }
}

/** What follows the host in a URL: path, query and fragment. */
export function readTarget(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, '')
}
