import { setImmediate as nextTurn } from 'node:timers/promises'
import { toResponse } from '../http/error-handler.ts'
import type { ServedApp } from '../http/load-shedding.ts'
import type { Fetch } from '../http/request-context.ts'
import { cutUrl, findRequestError, invalidHost } from '../http/url.ts'

/**
 * Refuses requests before `fetch` gets them: those beyond capacity, and invalid ones. Deno makes `request.url` from the
 * Host header and the request target without changing them.
 */
export function checkRequests({ shedLoad, fetch, refuse }: ServedApp): Fetch {
  return async (request, server) => {
    const { method, headers } = request
    const overload = shedLoad(method, headers.get('Authorization') ?? undefined)
    if (overload !== 'accepted') {
      await nextTurn()
      return toResponse(overload, method)
    }
    const url = cutUrl(request.url)
    const error =
      findRequestError({ method, target: url, host: headers.get('Host') ?? undefined }) ??
      (URL.canParse(url) ? undefined : invalidHost())
    if (error !== undefined) return toResponse(refuse(method, error), method)
    const response = await fetch(request, server)
    return method === 'HEAD' ? hideLength(response) : response
  }
}

/** Deno's server says `Content-Length: 0` of an empty body. To `HEAD`, that must be the length of the body of `GET`. */
function hideLength(response: Response): Response {
  if (response.body !== null || response.status === 304 || response.headers.has('Content-Length'))
    return response
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), response)
}
