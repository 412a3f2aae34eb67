/**
 * How requests are named in the log, in figures, spans and the ledger: by what there are few of.
 *
 * @module
 */
import { routePath } from 'hono/route'
import type { ApiContext } from './request-context.ts'

/** The pattern of the route that answered, as openapi.yml writes it: `/users/{login}`. */
export function describeRoute(c: ApiContext): string {
  const known = c.get('route')
  if (known !== undefined) return known
  const route = routePath(c, -1).replace(/:(\w+)/g, '{$1}')
  c.set('route', route)
  return route
}

/** The methods of HTTP (RFC 9110 and 5789). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/**
 * A method as figures and spans name it: Deno takes any word for one, and each would be a series of its own. What is none is
 * `_OTHER`, as OpenTelemetry's conventions have it.
 */
export function describeMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}
