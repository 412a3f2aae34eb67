import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ApiError, bodyTooLarge } from '../errors.ts'
import { toResponse } from '../http/error-handler.ts'
import type { ServedApp } from '../http/load-shedding.ts'
import type { Fetch } from '../http/request-context.ts'
import { cutUrl, findRequestError, invalidHost } from '../http/url.ts'
import { bodyTimeoutMs, maxBodyBytes, requestTimeout } from './request-bodies.ts'

/**
 * Refuses requests before `fetch` gets them: those beyond capacity, and invalid ones. Deno makes `request.url` from the
 * Host header and the request target without changing them.
 */
export function checkRequests({ shedLoad, fetch, refuse }: ServedApp): Fetch {
  return async (request, server) => {
    const { method, headers } = request
    const body = await readBody(request)
    if (body === 'client_gone') return new Response(null, { status: 499 })
    if (!(body instanceof Uint8Array)) return toResponse(refuse(method, body), method)
    const authorization = headers.get('Authorization') ?? undefined
    const overload = shedLoad({ method, target: request.url, authorization })
    if (overload !== 'accepted') {
      await nextTurn()
      return toResponse(overload, method)
    }
    const url = cutUrl(request.url)
    const error =
      findRequestError({ method, target: url, host: headers.get('Host') ?? undefined }) ??
      (URL.canParse(url) ? undefined : invalidHost())
    if (error !== undefined) return toResponse(refuse(method, error), method)
    const complete = request.body === null ? request : new Request(request, { body })
    const response = await fetch(complete, server)
    return method === 'HEAD' ? hideLength(response) : response
  }
}

/**
 * Reads the body of a request, or returns the error response that it gets. The platform limits how many are being read.
 */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | ApiError | 'client_gone'> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  let error: ApiError | undefined
  const fail = (reason: ApiError) => {
    error = reason
    void reader.cancel().catch(() => {})
  }
  const timer = setTimeout(() => fail(requestTimeout()), bodyTimeoutMs)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length
      if (size > maxBodyBytes) fail(bodyTooLarge(maxBodyBytes))
      else chunks.push(read.value)
    }
    return error ?? Buffer.concat(chunks)
  } catch {
    return error ?? 'client_gone'
  } finally {
    clearTimeout(timer)
  }
}

/** Deno's server says `Content-Length: 0` of an empty body. To `HEAD`, that must be the length of the body of `GET`. */
function hideLength(response: Response): Response {
  if (response.body !== null || response.status === 304 || response.headers.has('Content-Length'))
    return response
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), response)
}
