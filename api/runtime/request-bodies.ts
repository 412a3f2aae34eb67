/**
 * Reads the bodies of requests, before the app gets them. A client that sends its body slowly, or never, holds nothing
 * but its connection (decisions/0005-http.md).
 */
import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError, bodyTooLarge, overCapacity } from '../errors.ts'

/** The largest message of an assistant names some hundred packages. */
export const maxBodyBytes = 65_536
/** A body must arrive within this time, however its bytes are spread over it. */
export const bodyTimeoutMs = 10_000
/** Bodies that haven't arrived, of requests with the same `Authorization`, or none. A client's own burst fits. */
const maxUnreadOfSender = 100
/** Bodies of all requests that haven't arrived. They take 64 MiB at most. */
const maxUnread = 1_000
const tooManyUnread = overCapacity() // made once: a stack trace costs more than a response

/** 408: the request isn't complete in time. */
export function requestTimeout(): ApiError {
  return new ApiError(408, 'request_timeout', 'Request incomplete: it took too long to arrive')
}

/** Whether a request has a body whose end is certain. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding === undefined ? Number(length ?? 0) > 0 : isChunked(coding)
}

/** Whether a transfer coding is the one that the service knows. */
export function isChunked(coding: string): boolean {
  return coding.toLowerCase() === 'chunked'
}

/** The reading of a body. */
export interface BodyReading {
  /** The body, or the error response that the request gets. Never settles after `stop`, or if the client leaves. */
  result: Promise<Buffer | ApiError>
  stop(): void
}

/**
 * Creates a function that reads bodies for a server. With too many unread bodies of one sender, or of all, the oldest of
 * them gets 503, because bodies that come at all come within a round trip.
 */
export function createBodyReader(timeoutMs: number): (request: IncomingMessage) => BodyReading {
  /** What ends each reading early, oldest first. */
  type Unread = Set<(error: ApiError) => void>
  const unread: Unread = new Set()
  const unreadOf = new Map<string, Unread>()

  return function readBody(request) {
    const { headers } = request
    const sender = headers.authorization ?? ''
    const ofSender: Unread = unreadOf.get(sender) ?? new Set()
    const { promise: result, resolve } = Promise.withResolvers<Buffer | ApiError>()
    const chunks: Buffer[] = []
    let size = 0

    function stop(): void {
      if (!unread.delete(settle)) return
      clearTimeout(timer)
      ofSender.delete(settle)
      if (ofSender.size === 0) unreadOf.delete(sender)
      request.off('data', add).off('end', finish).off('close', stop)
    }
    function settle(outcome: Buffer | ApiError): void {
      stop()
      resolve(outcome)
    }
    function add(chunk: Buffer): void {
      size += chunk.length
      if (size > maxBodyBytes) settle(bodyTooLarge(maxBodyBytes))
      else chunks.push(chunk)
    }
    const finish = () => settle(Buffer.concat(chunks))

    const timer = setTimeout(() => settle(requestTimeout()), timeoutMs)
    unread.add(settle)
    unreadOf.set(sender, ofSender.add(settle))
    request.on('data', add).on('end', finish).on('close', stop)
    if (Number(headers['content-length'] ?? 0) > maxBodyBytes) settle(bodyTooLarge(maxBodyBytes))
    const [refuseOldest] =
      ofSender.size > maxUnreadOfSender ? ofSender : unread.size > maxUnread ? unread : []
    refuseOldest?.(tooManyUnread)
    return { result, stop }
  }
}
