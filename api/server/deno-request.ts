import { type Refuse, toResponse } from '../http/error-handler.ts'
import type { Fetch } from '../http/request-context.ts'
import { findRequestError, invalidHost } from './request-target.ts'

/**
 * Validates requests before `fetch` gets them. Deno makes `request.url` from the Host header and the request target
 * without changing them.
 */
export function validateRequests(fetch: Fetch, refuse: Refuse): Fetch {
  return (request, server) => {
    const { method, url, headers } = request
    const error =
      findRequestError({ method, target: url, host: headers.get('Host') ?? undefined }) ??
      (URL.canParse(url) ? undefined : invalidHost())
    return error === undefined ? fetch(request, server) : toResponse(refuse(method, error), method)
  }
}
