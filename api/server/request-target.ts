/**
 * What is checked of a request as it was sent, before the app gets it: the same rules on each runtime. URL parsers
 * repair hosts and paths, and two of them may disagree about what they mean.
 *
 * @module
 */
import { ApiError, invalidUrl, methodNotAllowed } from '../errors.ts'

/** A request as it came over the wire. */
export interface RawRequest {
  method: string
  /** The request target: a path, or a whole URL. */
  target: string
  /** The Host header; several are joined with commas. Undefined: there is none. */
  host: string | undefined
}

const hostPattern = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/i
const targetPattern = /^(?:https?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)/i
/** A `.` or `..` segment, however it is escaped; URL parsers take a backslash for a slash. */
const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?=[/\\]|$)/i

/**
 * The host as the URL parser writes it. Undefined: no host, one with other characters than letters, digits, `.` and `-`,
 * or none that the parser takes. The parser alone would let quotes and backticks through, which must not reach a shell.
 */
export function parseHost(value: string): string | undefined {
  const match = hostPattern.exec(value)
  const url = `http://${value}`
  if (match === null || Number(match.groups?.port ?? 1) === 0 || !URL.canParse(url)) return undefined
  return new URL(url).host
}

/** What is wrong with a request: its host, its path, or `*` in place of a path. Undefined: nothing is. */
export function findRequestFault({ method, target, host }: RawRequest): ApiError | undefined {
  const { authority, path = '' } = targetPattern.exec(target)?.groups ?? {}
  for (const each of [host, authority]) {
    if (each !== undefined && parseHost(each) === undefined) return invalidHost()
  }
  // Deno puts a slash before the asterisk.
  if (path === '*' || (path === '/*' && method === 'OPTIONS')) return methodNotAllowed()
  return dotSegment.test(path) ? invalidUrl('Invalid URL: . or .. in its path') : undefined
}

/** 400: the Host header is missing, given twice, or not a host. */
export function invalidHost(): ApiError {
  return new ApiError(
    400,
    'invalid_host',
    'Invalid Host: must be one host name or IP address, with a port from 1 to 65535 or none',
  )
}
