/**
 * The names of requests in log, metrics, traces and ledger. There are only a few of each.
 *
 * @module
 */
import { routePath } from 'hono/route'
import type { ApiContext } from './request-context.ts'

/** The pattern of the request's route, as openapi.yml writes it: `/users/{login}`. Paths may name people. */
export function describeRoute(c: ApiContext): string {
  return routePath(c, -1).replace(/:(\w+)/g, '{$1}')
}

/** The methods of HTTP (RFC 9110 and 5789). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** The method, or `_OTHER` as in OpenTelemetry's conventions: Deno accepts any word as a method. */
export function describeMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}
