/**
 * The request as Deno's server hands it over.
 *
 * @module
 */
import type { Refuse } from '../http/error-handler.ts'
import type { ServerBindings } from '../http/request-context.ts'
import { findRequestFault, invalidHost } from './request-target.ts'

type Fetch = (request: Request, server?: ServerBindings) => Response | Promise<Response>

/**
 * Puts the checks of a request as it was sent before `fetch`. Deno writes `request.url` from the Host header and the
 * request target as they are.
 */
export function refuseFaulty(fetch: Fetch, refuse: Refuse): Fetch {
  return (request, server) => {
    const { method, url, headers } = request
    const fault = findRequestFault({ method, target: url, host: headers.get('Host') ?? undefined })
    const error = fault ?? (URL.canParse(url) ? undefined : invalidHost())
    if (error === undefined) return fetch(request, server)
    const { body, ...response } = refuse(method, error)
    return new Response(method === 'HEAD' ? null : body, response)
  }
}
