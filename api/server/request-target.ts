/**
 * Validates the host and path of a request as it was sent, by the same rules on each runtime. URL parsers repair hosts
 * and paths, and two parsers may repair them differently.
 *
 * @module
 */
import { ApiError, invalidUrl, methodNotAllowed } from '../errors.ts'

/** The parts of a request that are validated. */
export interface RawRequest {
  method: string
  /** The request target: a path or a URL. */
  target: string
  /** The Host header; several are joined with commas. */
  host: string | undefined
}

const hostPattern = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/i
const targetPattern = /^(?:https?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)/i
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

/** Returns the error of a request with an invalid host, a dot segment in its path, or `*` in place of a path. */
export function findRequestError({ method, target, host }: RawRequest): ApiError | undefined {
  const { authority, path = '' } = targetPattern.exec(target)?.groups ?? {}
  for (const each of [host, authority]) {
    if (each !== undefined && parseHost(each) === undefined) return invalidHost()
  }
  // Deno puts a slash before the asterisk.
  if (path === '*' || (path === '/*' && method === 'OPTIONS')) return methodNotAllowed()
  return dotSegment.test(path) ? invalidUrl('Invalid URL: . or .. in its path') : undefined
}

/** 400: the Host header is missing, repeated or invalid. */
export function invalidHost(): ApiError {
  return new ApiError(
    400,
    'invalid_host',
    'Invalid Host: must be one host name or IP address, with a port from 1 to 65535 or none',
  )
}
