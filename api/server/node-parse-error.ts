/**
 * Responses to what Node's parser can't read: such requests never reach the app.
 *
 * @module
 */
import { STATUS_CODES } from 'node:http'
import { ApiError, invalidRequest, methodNotAllowed } from '../errors.ts'
import type { PlainResponse } from '../http/error-handler.ts'

/** Limit of request line and headers together, in bytes: enough for the longest URL. */
export const maxHeaderSize = 294_912

/** An error of Node's parser, or of its timeouts. */
export interface ParseError extends Error {
  code?: string
  /** The bytes that arrived last. */
  rawPacket?: Buffer
  /** How many of them the parser has read. */
  bytesParsed?: number
}

/** Returns the error to respond with. */
export function explainParseError(error: ParseError): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        431,
        'headers_too_large',
        `Request headers too large: at most ${maxHeaderSize} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'request_timeout', 'Request incomplete: it took too long to arrive')
    case 'HPE_INVALID_METHOD':
      return stoppedInRequestLine(error) ? methodNotAllowed() : invalidRequest()
    default:
      return invalidRequest()
  }
}

/** Whether the parser stopped in a valid request line. Then its method is one that Node doesn't know. */
function stoppedInRequestLine({ rawPacket, bytesParsed = 0 }: ParseError): boolean {
  const text = rawPacket?.toString('latin1') ?? ''
  const start = bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(text.slice(start))
}

/** Writes the response for a raw socket, which is to be closed after it. */
export function writeResponse({ status, headers, body }: PlainResponse): string {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
